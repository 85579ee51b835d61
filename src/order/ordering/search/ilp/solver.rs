//! The solvers: which there are, and a model's way through one of them.

use good_lp::solvers::{WithInitialSolution, WithTimeLimit};
use good_lp::{
    Constraint, Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, Solver,
    SolverModel, Variable, microlp,
};

use crate::ordering::search::optimise::options::SearchOptions;
use crate::ordering::search::optimise::problem::SearchProblem;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::observer::Observer;
use nodeorder_base::params::Params;

/// Names that `solver=` takes; the first lets the tool choose.
pub(super) const NAMES: [&str; 4] = ["auto", "dp", "microlp", "highs"];

/// Refuses `highs` where this build has not got it.
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

/// Answer of a solver.
pub(super) struct Answer {
    pub values: Vec<f64>,
    /// Achieved relative gap; `None` where the solver does not report it.
    pub gap: Option<f64>,
    pub status: SolutionStatus,
}

/// A model ready for any solver.
pub(super) struct Model {
    pub variables: ProblemVariables,
    pub objective: Expression,
    pub constraints: Vec<Constraint>,
    /// The variables whose values are read: `x[i·n + p]`.
    pub x: Vec<Variable>,
    pub warm: Vec<(Variable, f64)>,
}

/// A request to a solver: options, solver and the bound known so far; the problem, and an order
/// of its elements to begin with.
pub(super) struct Job<'a> {
    pub options: &'a SearchOptions,
    pub observer: &'a dyn Observer,
    pub solver: &'static str,
    pub bound: f64,
    pub problem: &'a SearchProblem<'a>,
    pub start: &'a [u32],
}

impl Job<'_> {
    /// The solver that `auto` means: the one compiled in that is known to be fastest.
    pub(super) fn name(&self) -> &'static str {
        match self.solver {
            "auto" if cfg!(feature = "highs") => "highs",
            "auto" => "microlp",
            named => named,
        }
    }

    pub(super) fn failed(&self, what: &str) -> Error {
        Error::unsuited(
            self.options.location.clone(),
            format!("{}: {what}", self.name()),
            "try another solver=, or `optimise`",
        )
    }

    /// Seconds left for a solver, if there is a limit.
    fn left(&self) -> Option<f64> {
        let limit = self.options.time?;
        Some((limit - self.observer.seconds().unwrap_or(0.0)).max(0.01))
    }

    pub(super) fn run(&self, model: Model) -> std::result::Result<Answer, Refusal> {
        let left = self.left();
        match self.name() {
            #[cfg(feature = "highs")]
            "highs" => self.solve(
                model,
                good_lp::highs,
                |m, warm| timed(m, left).with_initial_solution(warm),
                |_| None,
            ),
            _ => self.solve(
                model,
                microlp,
                |m, warm| {
                    let m = timed(m, left);
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

    fn solve<S: Solver>(
        &self,
        model: Model,
        solver: S,
        tune: impl FnOnce(S::Model, Vec<(Variable, f64)>) -> S::Model,
        gap: impl FnOnce(<S::Model as SolverModel>::Solution) -> Option<f64>,
    ) -> std::result::Result<Answer, Refusal>
    where
        S::Model: SolverModel<Error = ResolutionError>,
    {
        let mut ready = model.variables.minimise(model.objective).using(solver);
        for constraint in model.constraints {
            ready = ready.with(constraint);
        }
        match tune(ready, model.warm).solve() {
            Ok(solution) => Ok(Answer {
                values: model.x.iter().map(|x| solution.value(*x)).collect(),
                status: solution.status(),
                gap: gap(solution),
            }),
            Err(ResolutionError::Infeasible) => {
                Err(Refusal::Failed(self.failed("found the model infeasible")))
            }
            Err(error) => {
                let text = error.to_string();
                if self.options.time.is_some() && text.to_lowercase().contains("time limit") {
                    return Err(Refusal::OutOfTime);
                }
                Err(Refusal::Failed(
                    self.failed(text.lines().next().unwrap_or("no answer")),
                ))
            }
        }
    }
}

/// Why there is no answer.
pub(super) enum Refusal {
    OutOfTime,
    Failed(Error),
}

fn timed<M: WithTimeLimit>(model: M, seconds: Option<f64>) -> M {
    match seconds {
        Some(seconds) => model.with_time_limit(seconds),
        None => model,
    }
}
