//! Result of a search: an ordering, its objective and a proved bound.

use super::{SearchProblem, Settings};
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

impl SearchResult {
    /// Fills in gap and optimality. Bounds are proved up to rounding: what lies within 10⁻⁹ is equal.
    pub(in crate::ordering) fn new(
        problem: &SearchProblem<'_>,
        order: &[u32],
        lower_bound: f64,
        solver: impl Into<String>,
        status: Status,
    ) -> Self {
        let objective = problem.value(order);
        let optimal = status == Status::Optimal || objective - lower_bound <= 1e-9 * objective;
        let lower_bound = if optimal {
            objective
        } else {
            lower_bound.min(objective)
        };
        let gap = if objective > 0.0 {
            (objective - lower_bound) / objective
        } else {
            0.0
        };
        SearchResult {
            nodes: problem.space.expand(order),
            objective,
            lower_bound,
            gap,
            optimal,
            solver: solver.into(),
            status: if optimal { Status::Optimal } else { status },
            steps: 0,
            notes: Vec::new(),
        }
    }

    pub(in crate::ordering) fn noted(mut self, settings: &Settings) -> Self {
        let w = &settings.weights;
        let ring = if w.ring { ", ring" } else { "" };
        self.notes = vec![
            format!("weights: {}, window {}{ring}", w.kind().name(), w.window()),
            format!(
                "objective: {}, bound: {}, gap: {}",
                self.objective, self.lower_bound, self.gap
            ),
            format!("solver: {}, {}", self.solver, self.status.name()),
            format!("seed: {}, steps: {}", settings.seed, self.steps),
        ];
        if let Some(sizes) = &settings.sizes {
            self.notes.insert(1, format!("sizes: {sizes}"));
        }
        self
    }
}
