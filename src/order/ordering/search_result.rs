//! Result of a search: an ordering, its objective and a proved bound.

use nodeorder_base::ids::NodeId;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The optimum, proved.
    Optimal,
    /// All steps were made.
    Steps,
    /// The time was up.
    TimeLimit,
    /// The observer stopped it.
    Stopped,
}

impl Status {
    /// For people and files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Steps => "all steps made",
            Status::TimeLimit => "time limit",
            Status::Stopped => "stopped",
        }
    }
}

/// Result of a search, and how good it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchResult {
    /// The ordering.
    pub nodes: Vec<NodeId>,
    /// Its objective.
    pub objective: f64,
    /// No ordering (that keeps routers together, unless `split=true`) has a smaller objective.
    pub lower_bound: f64,
    /// `(objective - lower_bound) / objective`, as achieved; 0 for an objective of 0.
    pub gap: f64,
    /// Whether the objective is proved to be the least.
    pub optimal: bool,
    /// Name of the method or solver: `dynamic program`, `annealing`, `microlp`, ….
    pub solver: String,
    /// How the search ended.
    pub status: Status,
    /// Annealing steps made.
    pub steps: u64,
    /// Lines about the run for an ordering file's header.
    pub notes: Vec<String>,
}
