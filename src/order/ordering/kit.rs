//! Names that every file of an ordering imports.

pub(super) use super::axes::{AXES, REVERSE, View};
pub(super) use super::{Method, Needs, OrderingEntry, Work};
pub(super) use nodeorder_base::error::Result;
pub(super) use nodeorder_base::ids::{NodeId, RouterId};
pub(super) use nodeorder_base::params::{Opt, Params};
pub(super) use nodeorder_network::topology::Topology;
