//! Names that every file of a routing imports.

pub(super) use super::super::demand::{Demand, End};
pub(super) use super::{Fabric, Paths, RoutingEntry, over_roots};
pub(super) use crate::error::Result;
pub(super) use crate::ids::RouterId;
pub(super) use crate::topology::{Metric, RouterGraph};
