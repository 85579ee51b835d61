//! Settings of a simulation: policy, allocator and model by name, and the figures to record.

use crate::replay::FigureSet;
use nodeorder_trace::Rules;

/// Policy, allocator and model of a simulation, and what it records.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'s> {
    /// Policy with its options, such as `easy` or `window-bnb:window=5` (see [`POLICIES`](super::POLICIES)).
    pub policy: &'s str,
    /// Allocator with its options, such as `span-best-fit` (see [`ALLOCATORS`](crate::allocator::ALLOCATORS)).
    pub allocator: &'s str,
    /// Runtime model with its options, such as `contiguity:alpha=20,beta=30` (see [`MODELS`](super::MODELS)).
    pub model: &'s str,
    /// Whether the metrics of every allocation are recorded.
    pub metrics: bool,
    /// Figures to record of every allocation. Room is measured after every instant, unless the policy chooses
    /// ranks itself; traffic is measured afterwards
    /// ([`ScheduleResult::measure_traffic`](super::ScheduleResult::measure_traffic)).
    pub figures: FigureSet,
    /// Whether busy nodes, queue and free runs are recorded after every instant.
    pub timeline: bool,
    /// Allocator options of jobs by their size, if any.
    pub rules: Option<&'s Rules>,
}
