//! Names that every file of a routing imports.

pub(super) use super::super::demand::{Demand, End};
pub(super) use super::{Fabric, Paths, RoutingEntry, over_roots};
pub(super) use nodeorder_base::error::Result;
pub(super) use nodeorder_base::ids::RouterId;
pub(super) use nodeorder_network::topology::{Metric, RouterGraph};
