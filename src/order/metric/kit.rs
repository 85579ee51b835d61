//! Names that most figures of orderings and allocations import.

pub(super) use crate::ordering::NodeOrder;
pub(super) use nodeorder_base::error::{Error, Result, SourceLocation};
pub(super) use nodeorder_base::ids::{NodeId, RouterId};
pub(super) use nodeorder_base::ranks::Ranks;
pub(super) use nodeorder_base::ratio::ratio;
pub(super) use nodeorder_network::topology::distance::Shape;
pub(super) use nodeorder_network::topology::{Metric, Topology};
