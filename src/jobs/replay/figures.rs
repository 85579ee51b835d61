//! Figures of an allocation beside its metrics: which are asked for, and what was measured.

use super::traffic::JobTraffic;
use crate::allocator::Room;
use nodeorder_base::ranks::Ranks;
use nodeorder_order::metric::allocation::Extent;
use nodeorder_order::metric::shape::AllocationShape;

/// Figures that are asked for of every allocation, beside its metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FigureSet {
    /// Its ranks.
    pub ranks: bool,
    /// The names of its nodes.
    pub hosts: bool,
    /// Pods by node.
    pub pods: bool,
    /// Diameter and bounding box.
    pub extent: bool,
    /// Units, ring, halvings, closed rings.
    pub shape: bool,
    /// The largest job that could still be placed.
    pub room: bool,
    /// Dilation and contention of its traffic. [`super::set::ReplaySet`] sets it where traffic is simulated.
    pub traffic: bool,
}

impl FigureSet {
    /// Returns whether ranks are kept: nodes are named by them.
    pub fn keeps_ranks(self) -> bool {
        self.ranks || self.hosts
    }
}

/// Figures measured of an allocation; `None` where not asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllocationFigures {
    /// Its ranks.
    pub ranks: Option<Ranks>,
    /// Ranks with the number of pods on each, in the order of the pods.
    pub pods: Option<Vec<(u32, u32)>>,
    /// Diameter and bounding box.
    pub extent: Option<Box<Extent>>,
    /// Units, ring, halvings, closed rings.
    pub shape: Option<Box<AllocationShape>>,
    /// The largest job that could still be placed afterwards.
    pub room: Option<Room>,
    /// Dilation and contention of its traffic.
    pub traffic: Option<Box<JobTraffic>>,
}
