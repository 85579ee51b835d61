//! Figures of allocations: a choice of those to measure, the values, and the placed job that carries them.

use super::traffic::JobTraffic;
use crate::allocator::PlaceableNodes;
use nodeorder_base::Ranks;
use nodeorder_order::metric::allocation::{AllocationMetrics, Extent};
use nodeorder_order::metric::shape::AllocationShape;

/// Choice of the figures to measure of every allocation, beside its metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FigureSet {
    /// Whether to record the ranks of each allocation.
    pub ranks: bool,
    /// Whether to record the names of the nodes of each allocation.
    pub hosts: bool,
    /// Whether to record the number of pods on each node of an allocation.
    pub pods: bool,
    /// Whether to measure the diameter and the bounding box of each allocation.
    pub extent: bool,
    /// Whether to measure the shape of each allocation: units spanned, ring, halvings, closed rings.
    pub shape: bool,
    /// Whether to measure the largest job that could still be placed beside each allocation.
    pub room: bool,
    /// Whether to measure dilation and contention of the traffic of each job. [`super::set::ReplaySet`] sets it if
    /// traffic is simulated.
    pub traffic: bool,
}

impl FigureSet {
    /// Checks whether ranks are kept: nodes are named by them.
    pub fn keeps_ranks(self) -> bool {
        self.ranks || self.hosts
    }
}

/// Figures of an allocation; `None` if not asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllocationFigures {
    /// Ranks of the allocation.
    pub ranks: Option<Ranks>,
    /// Rank and number of pods on it, in the order of the pods.
    pub pods: Option<Vec<(u32, u32)>>,
    /// Diameter and bounding box.
    pub extent: Option<Box<Extent>>,
    /// Shape: units spanned, ring, halvings, closed rings.
    pub shape: Option<Box<AllocationShape>>,
    /// Largest job that could still be placed afterwards.
    pub room: Option<PlaceableNodes>,
    /// Dilation and contention of its traffic.
    pub traffic: Option<Box<JobTraffic>>,
}

/// Job that was placed, or whose pods of a failed node were placed again.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Index in the block of the event that placed the job.
    pub event: usize,
    /// Name of the job, if it was placed before and its pods of a failed node went to others.
    pub moved: Option<String>,
    /// Metrics of the allocation.
    pub placement: AllocationMetrics,
    /// Figures of the allocation, those that were asked for.
    pub figures: AllocationFigures,
}
