//! How tasks are scheduled, and what is recorded.

use nodeorder_trace::Rules;

/// Which data is recorded beside times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// Metrics of every placement.
    pub placement: bool,
    /// Its ranks.
    pub ranks: bool,
    /// Diameter and bounding box.
    pub extent: bool,
    /// Units, ring, halvings, closed rings.
    pub shape: bool,
    /// Busy nodes, queue and free runs after every instant.
    pub timeline: bool,
    /// The largest job that could still be placed after every instant, unless the policy chooses ranks itself.
    pub room: bool,
}

/// How tasks are scheduled.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'s> {
    /// Which task starts when, such as `easy` or `window-bnb:window=5` (see [`POLICIES`](super::POLICIES)).
    pub policy: &'s str,
    /// On which ranks, such as `span-best-fit` (see [`ALLOCATORS`](crate::allocator::ALLOCATORS)).
    pub allocator: &'s str,
    /// How long it runs there, such as `contiguity:alpha=20,beta=30` (see [`MODELS`](super::MODELS)).
    pub model: &'s str,
    /// Which data is recorded.
    pub outputs: Outputs,
    /// Options that jobs have by their sizes.
    pub rules: Option<&'s Rules>,
}
