//! Solvers of integer programs: their names, and how a model is handed to one of them.
//!
//! A solver works on a thread of its own. The one that asked looks at the clock and at the observer meanwhile, and goes
//! on with the best so far once either says so: a step of a solver can take longer than anyone waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, SolveOutcome};

use crate::ordering::search::optimise::options::SearchOptions;
use crate::ordering::search::optimise::problem::SearchProblem;
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::{Error, Observer, Params, Result};

/// Values of `solver=`; the first lets the tool choose.
pub const NAMES: [&str; 4] = ["auto", "dp", "microlp", "highs"];

/// How often the clock and the observer are looked at while a solver works.
const GLANCE: Duration = Duration::from_millis(50);

/// Number of nodes of the tree that microlp solves between two reports. A number, as times would make the answer
/// depend on the machine.
const NODES_A_REPORT: u64 = 100;

/// Refuses `highs` where this build lacks it.
pub fn check_available(params: &Params, solver: &str) -> Result<()> {
    if solver != "highs" || cfg!(feature = "highs") {
        return Ok(());
    }
    Err(Error::unsuited(
        params.location_of("solver"),
        "this build has no highs",
        "build with --features highs, or use solver=microlp",
    ))
}

/// State of a solver's work, on the way or at its end.
pub struct SolverReport {
    /// Values of the model's variables in the best solution so far; empty while there is none.
    pub values: Vec<f64>,
    /// Objective of that solution.
    pub objective: f64,
    /// Lower bound on the objective, 0 while none is proved.
    pub bound: f64,
    /// Reason why the solver ended; `None` while it works.
    pub end: Option<Status>,
}

/// Integer program to be minimised. Every variable lies between 0 and 1.
pub struct Model {
    /// Price of each variable, and whether it is 0 or 1 and nothing between.
    pub variables: Vec<(f64, bool)>,
    pub rows: Vec<Row>,
    /// Value of every variable in a known solution to begin with; empty if there is none.
    pub warm: Vec<f64>,
}

/// Constraint of a model.
pub struct Row {
    /// Variables and their factors.
    pub terms: Vec<(usize, f64)>,
    /// Value that the terms add up to.
    pub sum: f64,
    /// Whether the terms may add up to more.
    pub or_more: bool,
}

impl Row {
    /// Makes the constraint that some variables add up to `sum`.
    pub fn equal(variables: impl IntoIterator<Item = usize>, sum: f64) -> Self {
        Row {
            terms: variables.into_iter().map(|v| (v, 1.0)).collect(),
            sum,
            or_more: false,
        }
    }
}

/// Problem on its way to a solver, with all that is known of it.
pub struct SolverRequest<'a> {
    pub options: &'a SearchOptions,
    pub observer: &'a dyn Observer,
    /// One of [`NAMES`].
    pub solver: &'static str,
    /// Moment to end, in seconds on the observer's clock.
    pub until: Option<f64>,
    /// Lower bound on the objective.
    pub bound: f64,
    pub problem: &'a SearchProblem<'a>,
    /// Order of the elements to begin with.
    pub start: &'a [u32],
}

impl SolverRequest<'_> {
    /// Chooses the solver's name; for `auto` the fastest of those compiled in.
    pub fn solver_name(&self) -> &'static str {
        match self.solver {
            "auto" if cfg!(feature = "highs") => "highs",
            "auto" => "microlp",
            named => named,
        }
    }

    /// Makes the result of an order that `solver` found.
    pub fn make_result(
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
    pub fn solver_error(&self, what: &str) -> Error {
        Error::unsuited(
            self.options.location.clone(),
            format!("{}: {what}", self.solver_name()),
            "try another solver=, or `optimise`",
        )
    }

    /// Computes the seconds left, if there is a limit.
    fn seconds_left(&self) -> Option<f64> {
        Some((self.until? - self.observer.elapsed_seconds()?).max(0.0))
    }

    /// Says why to end now, if there is a reason: the observer or the limit of time.
    pub fn reason_to_end(&self) -> Option<Status> {
        if self.observer.should_stop() {
            return Some(Status::Stopped);
        }
        (self.seconds_left()? == 0.0).then_some(Status::TimeLimit)
    }

    /// Solves a model as far as the limit of time and the observer allow, and hands each report but the last to
    /// `follow`. The solver's thread ends soon afterwards.
    ///
    /// # Errors
    /// The model is infeasible, or the solver gives up.
    pub fn solve_model(
        &self,
        model: Model,
        mut follow: impl FnMut(&SolverReport),
    ) -> Result<SolverReport> {
        let mut latest = SolverReport {
            values: Vec::new(),
            objective: 0.0,
            bound: 0.0,
            end: None,
        };
        let (sender, reports) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let solver = self.solver_name();
        let left = self.seconds_left().map(Duration::from_secs_f64);
        let thread = std::thread::Builder::new().spawn(move || {
            let answer = match solver {
                #[cfg(feature = "highs")]
                "highs" => solve_by_highs(&model, left),
                _ => solve_by_microlp(&model, left, &stopped, &sender),
            };
            // Nobody listens where the time was up first.
            let _ = sender.send(answer);
        });
        thread.map_err(|error| self.solver_error(&error.to_string()))?;
        loop {
            match reports.recv_timeout(GLANCE) {
                Ok(Ok(report)) if report.end.is_some() => return Ok(report),
                Ok(Ok(report)) => {
                    follow(&report);
                    latest = report;
                }
                Ok(Err(text)) => return Err(self.solver_error(&text)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.solver_error("ended without an answer"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(reason) = self.reason_to_end() {
                // The flag guards no data: it does not matter if it is seen a step later.
                stop.store(true, Ordering::Relaxed);
                latest.end = Some(reason);
                return Ok(latest);
            }
        }
    }
}

/// Solves a model by microlp, which reports through `sender` and ends when `stop` is set.
fn solve_by_microlp(
    model: &Model,
    left: Option<Duration>,
    stop: &AtomicBool,
    sender: &Sender<Result<SolverReport, String>>,
) -> Result<SolverReport, String> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let mut variables = Vec::with_capacity(model.variables.len());
    for (price, binary) in &model.variables {
        variables.push(if *binary {
            problem.add_binary_var(*price)
        } else {
            problem.add_var(*price, (0.0, 1.0))
        });
    }
    for row in &model.rows {
        let terms = row.terms.iter().map(|(v, factor)| (variables[*v], *factor));
        let comparison = if row.or_more {
            ComparisonOp::Ge
        } else {
            ComparisonOp::Eq
        };
        problem.add_constraint(terms, comparison, row.sum);
    }
    let mut options = SolveOptions::default();
    // The time is a last resort: it ends a thread that nobody listens to any more.
    options.time_limit = left;
    options.node_limit = Some(NODES_A_REPORT);
    if !model.warm.is_empty() {
        options.warm_start = Some(
            variables
                .into_iter()
                .zip(model.warm.iter().copied())
                .collect(),
        );
    }
    let mut outcome = problem.solve_with(options).map_err(|e| e.to_string())?;
    loop {
        let mut report = read_outcome(&outcome);
        let stopped = stop.load(Ordering::Relaxed);
        if report.end.is_some() || stopped || sender.send(Ok(read_outcome(&outcome))).is_err() {
            report.end.get_or_insert(Status::Stopped);
            return Ok(report);
        }
        outcome = outcome.resume().map_err(|e| e.to_string())?;
    }
}

/// Reads how far microlp came.
fn read_outcome(outcome: &SolveOutcome) -> SolverReport {
    let solution = outcome.solution();
    let end = match outcome.termination_reason() {
        microlp::TerminationReason::NodeLimit => None,
        microlp::TerminationReason::ProvenOptimal => Some(Status::Optimal),
        _ => Some(Status::TimeLimit),
    };
    SolverReport {
        values: solution.map_or_else(Vec::new, |s| s.iter().map(|(_, value)| value).collect()),
        objective: solution.map_or(0.0, |s| s.objective()),
        bound: outcome.stats().best_bound.unwrap_or(0.0),
        end,
    }
}

/// Solves a model by HiGHS, which reports nothing on the way and stops only when its time is over.
#[cfg(feature = "highs")]
fn solve_by_highs(model: &Model, left: Option<Duration>) -> Result<SolverReport, String> {
    use highs::{HighsModelStatus, HighsSolutionStatus, RowProblem, Sense};
    let mut problem = RowProblem::default();
    let variables = model.variables.iter();
    let columns = variables
        .map(|(price, binary)| problem.add_column_with_integrality(*price, 0.0..=1.0, *binary));
    let columns: Vec<_> = columns.collect();
    for row in &model.rows {
        let terms = row.terms.iter().map(|(v, factor)| (columns[*v], *factor));
        if row.or_more {
            problem.add_row(row.sum.., terms);
        } else {
            problem.add_row(row.sum..=row.sum, terms);
        }
    }
    let failed = |status| format!("{status:?}");
    let mut ready = problem.try_optimise(Sense::Minimise).map_err(failed)?;
    // Its own default takes an answer for the best that is up to 10⁻⁴ above the bound.
    ready.set_option("mip_rel_gap", 0.0);
    ready.set_option("mip_abs_gap", 0.0);
    if let Some(left) = left {
        ready.set_option("time_limit", left.as_secs_f64());
    }
    if !model.warm.is_empty() {
        ready.set_solution(Some(model.warm.as_slice()), None, None, None);
    }
    let solved = ready.try_solve().map_err(failed)?;
    let end = match solved.status() {
        HighsModelStatus::Optimal => Status::Optimal,
        HighsModelStatus::ReachedTimeLimit => Status::TimeLimit,
        status => return Err(format!("{status:?}")),
    };
    let found = solved.primal_solution_status() == HighsSolutionStatus::Feasible;
    Ok(SolverReport {
        values: if found {
            solved.get_solution().columns().to_vec()
        } else {
            Vec::new()
        },
        objective: solved.objective_value(),
        bound: solved
            .double_info_value(c"mip_dual_bound")
            .map_err(failed)?,
        end: Some(end),
    })
}
