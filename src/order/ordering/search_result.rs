//! Result of a search: an ordering, its objective and a proved bound on what any ordering can reach.

use nodeorder_base::NodeId;

/// Reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The result is proved to be the optimum.
    Optimal,
    /// All steps were made.
    Steps,
    /// The time was up.
    TimeLimit,
    /// The observer stopped it.
    Stopped,
}

impl Status {
    /// Names the status for people and files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Steps => "all steps made",
            Status::TimeLimit => "time limit",
            Status::Stopped => "stopped",
        }
    }
}

/// Ordering that a search found, and how good it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchResult {
    /// Nodes in rank order.
    pub nodes: Vec<NodeId>,
    /// Weighted sum of distances that the search minimised.
    pub objective: f64,
    /// Proved lower bound of the objective of any ordering (that keeps routers together, unless `split=true`).
    pub lower_bound: f64,
    /// `(objective - lower_bound) / objective`, as achieved; 0 for an objective of 0.
    pub gap: f64,
    /// Whether the objective is proved to be the least.
    pub optimal: bool,
    /// Name of the method or solver: `dynamic program`, `annealing`, `microlp`, ….
    pub solver: String,
    /// Reason why the search ended.
    pub status: Status,
    /// Number of annealing steps made.
    pub steps: u64,
    /// Lines about the run for an ordering file's header.
    pub notes: Vec<String>,
}

/// Checks whether an objective is as good as a lower bound, which is proved up to rounding: 10⁻⁹ of the objective.
pub fn meets_bound(objective: f64, bound: f64) -> bool {
    objective - bound <= 1e-9 * objective
}

/// Computes `(objective - lower_bound) / objective`; 0 for an objective of 0.
pub fn relative_gap(objective: f64, lower_bound: f64) -> f64 {
    if objective > 0.0 {
        (objective - lower_bound) / objective
    } else {
        0.0
    }
}
