//! How tasks are scheduled, and what is recorded.

use crate::replay::FigureSet;
use nodeorder_trace::Rules;

/// How tasks are scheduled.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'s> {
    /// Which task starts when, such as `easy` or `window-bnb:window=5` (see [`POLICIES`](super::POLICIES)).
    pub policy: &'s str,
    /// On which ranks, such as `span-best-fit` (see [`ALLOCATORS`](crate::allocator::ALLOCATORS)).
    pub allocator: &'s str,
    /// How long it runs there, such as `contiguity:alpha=20,beta=30` (see [`MODELS`](super::MODELS)).
    pub model: &'s str,
    /// Whether the metrics of every allocation are recorded.
    pub metrics: bool,
    /// Figures recorded of every allocation. Room is that after every instant, unless the policy chooses ranks itself;
    /// traffic is measured afterwards ([`ScheduleResult::measure_traffic`](super::ScheduleResult::measure_traffic)).
    pub figures: FigureSet,
    /// Whether busy nodes, queue and free runs are recorded after every instant.
    pub timeline: bool,
    /// Options that jobs have by their sizes.
    pub rules: Option<&'s Rules>,
}
