//! Solvers of integer programs: their names, and how a model is handed to one of them.

use good_lp::solvers::{WithInitialSolution, WithTimeLimit};
use good_lp::{
    Constraint, Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, Solver,
    SolverModel, Variable, microlp,
};

use crate::ordering::search::optimise::options::SearchOptions;
use crate::ordering::search::optimise::problem::SearchProblem;
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::observer::Observer;
use nodeorder_base::params::Params;

/// Values of `solver=`; the first lets the tool choose.
pub(super) const NAMES: [&str; 4] = ["auto", "dp", "microlp", "highs"];

/// Refuses `highs` where this build lacks it.
pub(super) fn check_available(params: &Params, solver: &str) -> Result<()> {
    if solver != "highs" || cfg!(feature = "highs") {
        return Ok(());
    }
    Err(Error::unsuited(
        params.location_of("solver"),
        "this build has no highs",
        "build with --features highs, or use solver=microlp",
    ))
}

/// Solution that a solver found.
pub(super) struct IlpSolution {
    /// Values of the model's variables `x`, in their order.
    pub values: Vec<f64>,
    /// Relative gap achieved; `None` where the solver does not report it.
    pub gap: Option<f64>,
    pub status: SolutionStatus,
}

/// Integer program to be minimised, ready for any solver.
pub(super) struct Model {
    pub variables: ProblemVariables,
    pub objective: Expression,
    pub constraints: Vec<Constraint>,
    /// Variables whose values are read.
    pub x: Vec<Variable>,
    /// Known solution to begin with; empty if there is none.
    pub warm: Vec<(Variable, f64)>,
}

/// Problem on its way to a solver, with all that is known of it.
pub(super) struct SolverRequest<'a> {
    pub options: &'a SearchOptions,
    pub observer: &'a dyn Observer,
    /// One of [`NAMES`].
    pub solver: &'static str,
    /// Lower bound on the objective.
    pub bound: f64,
    pub problem: &'a SearchProblem<'a>,
    /// Order of the elements to begin with.
    pub start: &'a [u32],
}

impl SolverRequest<'_> {
    /// Chooses the solver's name; for `auto` that of the one compiled in that is known to be fastest.
    pub(super) fn solver_name(&self) -> &'static str {
        match self.solver {
            "auto" if cfg!(feature = "highs") => "highs",
            "auto" => "microlp",
            named => named,
        }
    }

    /// Makes the result of an order that `solver` found.
    pub(super) fn make_result(
        &self,
        order: &[u32],
        bound: f64,
        solver: impl Into<String>,
        status: Status,
    ) -> SearchResult {
        SearchResult::new(self.problem, order, bound, solver, status)
            .with_notes(self.problem, self.options)
    }

    /// Builds the error of a solver that failed.
    pub(super) fn solver_error(&self, what: &str) -> Error {
        Error::unsuited(
            self.options.location.clone(),
            format!("{}: {what}", self.solver_name()),
            "try another solver=, or `optimise`",
        )
    }

    /// Computes the seconds left for a solver, if there is a limit.
    fn seconds_left(&self) -> Option<f64> {
        let limit = self.options.time?;
        Some((limit - self.observer.elapsed_seconds().unwrap_or(0.0)).max(0.01))
    }

    /// Solves a model. Fails if it is infeasible, the solver gives up, or the time is up before it found anything.
    pub(super) fn solve_model(
        &self,
        model: Model,
    ) -> std::result::Result<IlpSolution, SolverFailure> {
        let left = self.seconds_left();
        match self.solver_name() {
            #[cfg(feature = "highs")]
            "highs" => self.solve(
                model,
                good_lp::highs,
                |m, warm| with_seconds(m, left).with_initial_solution(warm),
                |_| None,
            ),
            _ => self.solve_with(
                model,
                microlp,
                |m, warm| {
                    let m = with_seconds(m, left);
                    // It refuses an empty start.
                    if warm.is_empty() {
                        m
                    } else {
                        m.with_initial_solution(warm)
                    }
                },
                |solution| solution.into_inner().gap(),
            ),
        }
    }

    /// Solves a model by `solver`; `tune` sets its time limit and warm start, `gap` asks for the gap achieved.
    fn solve_with<S: Solver>(
        &self,
        model: Model,
        solver: S,
        tune: impl FnOnce(S::Model, Vec<(Variable, f64)>) -> S::Model,
        gap: impl FnOnce(<S::Model as SolverModel>::Solution) -> Option<f64>,
    ) -> std::result::Result<IlpSolution, SolverFailure>
    where
        S::Model: SolverModel<Error = ResolutionError>,
    {
        let mut ready = model.variables.minimise(model.objective).using(solver);
        for constraint in model.constraints {
            ready = ready.with(constraint);
        }
        match tune(ready, model.warm).solve() {
            Ok(solution) => Ok(IlpSolution {
                values: model.x.iter().map(|x| solution.value(*x)).collect(),
                status: solution.status(),
                gap: gap(solution),
            }),
            Err(ResolutionError::Infeasible) => Err(SolverFailure::Failed(
                self.solver_error("found the model infeasible"),
            )),
            Err(error) => {
                // Solvers have no error of their own for this, so its text has to tell.
                let text = error.to_string();
                if self.options.time.is_some() && text.to_lowercase().contains("time limit") {
                    return Err(SolverFailure::OutOfTime);
                }
                Err(SolverFailure::Failed(
                    self.solver_error(text.lines().next().unwrap_or("no answer")),
                ))
            }
        }
    }
}

/// Reason why there is no answer.
pub(super) enum SolverFailure {
    OutOfTime,
    Failed(Error),
}

/// Gives the model a time limit, if there is one.
fn with_seconds<M: WithTimeLimit>(model: M, seconds: Option<f64>) -> M {
    match seconds {
        Some(seconds) => model.with_time_limit(seconds),
        None => model,
    }
}
