//! Judgement and description of a search's result.

use super::options::SearchOptions;
use super::problem::SearchProblem;
use crate::ordering::search_result::{SearchResult, Status, meets_bound, relative_gap};

impl SearchResult {
    /// Makes a result with its gap and optimality, from an order of a problem's elements.
    pub(in crate::ordering) fn new(
        problem: &SearchProblem<'_>,
        order: &[u32],
        lower_bound: f64,
        solver: impl Into<String>,
        status: Status,
    ) -> Self {
        let objective = problem.objective(order);
        let optimal = status == Status::Optimal || meets_bound(objective, lower_bound);
        let lower_bound = if optimal {
            objective
        } else {
            lower_bound.min(objective)
        };
        SearchResult {
            nodes: problem.space.to_nodes(order),
            objective,
            lower_bound,
            gap: relative_gap(objective, lower_bound),
            optimal,
            solver: solver.into(),
            status: if optimal { Status::Optimal } else { status },
            steps: 0,
            notes: Vec::new(),
        }
    }

    /// Adds lines about the run: the weights of `problem` and the options of the search.
    pub(in crate::ordering) fn with_notes(
        mut self,
        problem: &SearchProblem<'_>,
        options: &SearchOptions,
    ) -> Self {
        let w = &problem.weights;
        let ring = if w.ring { ", ring" } else { "" };
        self.notes = vec![format!(
            "weights: {}, window {}{ring}",
            w.kind().option_name(),
            w.longest_lag()
        )];
        self.add_run_notes(options.seed);
        if let Some(sizes) = &options.weights.sizes {
            self.notes.insert(1, format!("sizes: {}", sizes.text));
        }
        self
    }

    /// Adds lines about the run that every search has.
    pub(super) fn add_run_notes(&mut self, seed: u64) {
        self.notes.extend([
            format!(
                "objective: {}, bound: {}, gap: {}",
                self.objective, self.lower_bound, self.gap
            ),
            format!("solver: {}, {}", self.solver, self.status.name()),
            format!("seed: {seed}, steps: {}", self.steps),
        ]);
        if [Status::TimeLimit, Status::Stopped].contains(&self.status) {
            let note = "ended by the clock: another run may find another ordering";
            self.notes.push(note.into());
        }
    }
}
