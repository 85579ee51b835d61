//! Names that most figures of orderings and allocations import.

pub(super) use crate::error::{Error, Result, SourceLocation};
pub(super) use crate::ids::{NodeId, RouterId};
pub(super) use crate::ordering::NodeOrder;
pub(super) use crate::ranks::Ranks;
pub(super) use crate::ratio::ratio;
pub(super) use crate::topology::distance::Shape;
pub(super) use crate::topology::{Metric, Topology};
