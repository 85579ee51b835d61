//! The method `ilp`: chooses the exact method that can prove the instance.

use super::solver::{self, SolverRequest};
use super::{assignment, path};
use crate::ordering::entry::{Method, Needs, OrderingEntry};
use crate::ordering::search::optimise::bounds::Bounds;
use crate::ordering::search::optimise::dp;
use crate::ordering::search::optimise::elements::Arrangement;
use crate::ordering::search::optimise::options::{SHARED, SearchOptions};
use crate::ordering::search::optimise::problem::SearchProblem;
use crate::ordering::search::optimise::starts::list_candidates;
use crate::ordering::search::optimise::weights::WeightKind;
use crate::ordering::search_result::{SearchResult, Status, meets_bound};
use nodeorder_base::params::join_options;
use nodeorder_base::{Error, Observer, Opt, Result};
use nodeorder_network::Topology;

/// Number of seconds where the user names none.
const SECONDS: f64 = 60.0;

/// The shared options, `time` with a default of its own.
const WITH_LIMIT: [Opt; 11] = {
    let mut all = SHARED;
    all[6] = Opt::number("time", "seconds to search for").default_in_words("60");
    all
};

/// `ilp[:weights=…,window=K,ring=true,solver=…,time=SECONDS]` and the keys of `optimise`.
///
/// Picks the method that can prove the instance and says which in `solver`: a start that meets the bound,
/// the dynamic program, rounds of subtour cuts for `path`, else an integer program with binary `x_ip`
/// (element i at rank p), symmetry broken and the best classic ordering as warm start. Its form is Adams-Johnson, for
/// lags that have weight: `y_ipjq ≥ 0`, `Σ_j y_ipjq = x_ip`, `Σ_i y_ipjq = x_jq`; minimise `Σ W(p,q)·d_ij·y_ipjq`.
///
/// The limit of `time=` seconds, 60 by default, and a stop of the observer end it with the best order so far and the
/// bound proved so far. A caller without a clock waits for the proof.
///
/// `solver=dp|microlp|highs` forces one; `highs` needs the crate feature of that name. Errors: a solver that is not
/// built in, an instance too large for the model, an infeasible model, bad options.
///
/// # Limits
/// About ten elements for the integer programs. Proved by the dynamic program in at most 15 seconds on one core of
/// 2026: 12 elements (3x4 torus) at K = 16, 20 (4x5 torus) at K = 6 and 8, 27 (3x3x3 mesh) at K = 4; of 16 (4x4 torus)
/// at K = 16 a minute leaves a gap of 2 %. Elements are routers, or nodes with `split=true`; routers must carry equally
/// many nodes. Larger machines are refused.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", SAND2002-1488, 2002, section 2.2; Adams, Johnson, "Improved linear programming-based
/// lower
/// bounds for the quadratic assignment problem", DIMACS 16, 1994; Dantzig, Fulkerson, Johnson, "Solution of
/// a large-scale traveling-salesman problem", 1954, <https://doi.org/10.1287/opre.2.4.393>.
pub const ILP: OrderingEntry = OrderingEntry {
    name: "ilp",
    about: "proved optimal, on small machines: in seconds 12 routers, 20 with window=8, 27 with window=4; exact search or \
        integer program",
    example: "ilp:weights=path",
    options: &join_options::<11, 1, 12>(
        WITH_LIMIT,
        [Opt::one_of(
            "solver",
            &solver::NAMES,
            "solver; auto chooses, dp is the dynamic program",
        )],
    ),
    parse: Method::new(Needs::Nothing, |topology, params| {
        let options = SearchOptions::parse(topology, params)?;
        let solver = params.required_choice("solver")?;
        solver::check_available(params, solver)?;
        Ok(options.into_search(move |topology, options, observer| {
            find_proved_order(topology, options, solver, observer)
        }))
    }),
};

/// Runs `ilp` under an observer, with one of [`solver::NAMES`]: the cheapest proof first.
fn find_proved_order(
    topology: &Topology,
    options: &SearchOptions,
    solver: &'static str,
    observer: &dyn Observer,
) -> Result<SearchResult> {
    options.check_clock(observer)?;
    // A caller without a clock waits for the proof.
    let default = observer.elapsed_seconds().map(|_| SECONDS);
    let until = options.time.or(default);
    let weights = options.weights.build_weights(topology)?;
    let space = Arrangement::new(topology, options.split)?;
    let problem = SearchProblem::new(topology, &space, weights);
    if !problem.even {
        let problem = format!(
            "routers of {} carry different numbers of nodes",
            topology.name()
        );
        return Err(Error::unsuited(
            options.location.clone(),
            problem,
            "use split=true or `optimise`",
        ));
    }
    // Refused before starts are made: programs that are asked for, and weights of all lags of many elements,
    // under which no start meets the bound unless all are as far apart.
    let kind = problem.weights.kind();
    let n = space.len();
    let asked = !["auto", "dp"].contains(&solver) && kind != WeightKind::Path;
    let many = n > 1000 && kind == WeightKind::Workload && space.diameter > 1;
    if asked || solver == "auto" && many {
        assignment::check_size(&options.location, n, n.saturating_sub(1))?;
    }
    let starts = list_candidates(topology, &problem, options, &|| observer.should_stop())?;
    let valued = starts.iter().map(|s| (problem.objective(&s.order), s));
    let Some((value, start)) = valued.reduce(|a, b| if b.0 < a.0 { b } else { a }) else {
        return Err(Error::input(
            options.location.clone(),
            "no start",
            "an ordering to start from",
        ));
    };
    let [quick, _] = options.bound_work();
    let bound = Bounds::new(&problem).lower_bound(quick, &|| observer.should_stop());
    observer.report_progress(value, bound);
    let job = SolverRequest {
        options,
        observer,
        solver,
        until,
        bound,
        problem: &problem,
        start: &start.order,
    };
    if solver == "auto" && (meets_bound(value, bound) || n < 3) {
        let by = format!("{}, which meets the bound", start.label);
        return Ok(job.make_result(job.start, value, by, Status::Optimal));
    }
    if solver == "auto" || solver == "dp" {
        let effort = dp::Effort {
            until: until.unwrap_or(f64::INFINITY),
            ..dp::MODEST
        };
        if let Some(order) = dp::find_optimum(&problem, job.start, effort, observer) {
            return Ok(job.make_result(&order, 0.0, "dynamic program", Status::Optimal));
        }
        if let Some(status) = job.reason_to_end() {
            return Ok(job.make_result(job.start, bound, "dynamic program", status));
        }
        if solver == "dp" {
            return Err(Error::unsuited(
                options.location.clone(),
                format!("{n} elements under these weights are too much for it"),
                "use a shorter window, or `optimise`",
            ));
        }
    }
    if kind == WeightKind::Path {
        path::solve_path(&job)
    } else {
        assignment::solve_assignment(&job)
    }
}
