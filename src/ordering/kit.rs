//! Names that every file of an ordering imports.

pub(super) use super::axes::{AXES, REVERSE, View};
pub(super) use super::{Method, Needs, OrderingEntry, Work};
pub(super) use crate::error::Result;
pub(super) use crate::ids::{NodeId, RouterId};
pub(super) use crate::params::{Opt, Params};
pub(super) use crate::topology::Topology;
