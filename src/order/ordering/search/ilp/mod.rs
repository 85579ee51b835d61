//! The integer programs of Leung et al. through whichever solver there is, and the exact methods beside
//! them.

use super::optimise::{Bounds, candidates, dp, elements::Arrangement};
use super::optimise::{
    Observer, SHARED, SearchProblem, SearchResult, Settings, Status, WeightKind,
};
use super::{Method, OrderingEntry};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::{Opt, Params, join};
use nodeorder_network::topology::Topology;

mod assignment;
mod path;
mod solver;

use solver::Job;

/// `ilp[:weights=…,window=K,ring=true,solver=…,time=SECONDS]` and the keys of `optimise`.
///
/// Picks the method that can prove the instance and says which in `solver`: a start that meets the bound,
/// the dynamic program, rounds of subtour cuts for `path`, else an integer program with binary `x_ip`
/// (element i at rank p), symmetry broken and the best classic ordering as warm start. Its form is Adams-Johnson, for
/// lags that have weight: `y_ipjq ≥ 0`, `Σ_j y_ipjq = x_ip`, `Σ_i y_ipjq = x_jq`; minimise `Σ W(p,q)·d_ij·y_ipjq`.
///
/// `solver=dp|microlp|highs` forces one; `highs` needs the crate feature of that name. Errors: a solver that is not
/// built in, an instance too large for the model, an infeasible model, bad options.
///
/// # Limits
/// About ten elements for the integer programs, 27 at K = 4 for the dynamic program. Elements are routers,
/// or nodes with `split=true`; routers must carry equally many nodes.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", SAND2002-1488, 2002, section 2.2; Adams, Johnson, "Improved linear programming-based
/// lower
/// bounds for the quadratic assignment problem", DIMACS 16, 1994; Dantzig, Fulkerson, Johnson, "Solution of
/// a large-scale traveling-salesman problem", 1954, <https://doi.org/10.1287/opre.2.4.393>.
pub const ILP: OrderingEntry = OrderingEntry {
    name: "ilp",
    about: "proved optimal for a weighted sum of distances, on small machines: exact search, integer program",
    example: "ilp:weights=path",
    options: &join::<11, 1, 12>(
        SHARED,
        [Opt::one_of(
            "solver",
            &solver::NAMES,
            "solver; auto chooses, dp is the dynamic program",
        )],
    ),
    parse: Method::search(|topology, params, observer| {
        let settings = Settings::read(topology, params, observer)?;
        let solver = params.choice("solver")?;
        solver::available(params, solver)?;
        let job = Request {
            params,
            observer,
            solver,
        };
        Ok(Box::new(move || ilp(topology, &settings, job)))
    }),
};

/// The options beside those that searches share, and who watches.
struct Request<'a> {
    params: &'a Params,
    observer: &'a dyn Observer,
    solver: &'static str,
}

/// Runs `ilp` with its settings.
fn ilp(topology: &Topology, settings: &Settings, request: Request<'_>) -> Result<SearchResult> {
    let Request {
        params,
        observer,
        solver,
    } = request;
    let space = Arrangement::new(topology, settings.split)?;
    let problem = SearchProblem::new(topology, &space, settings.weights.clone());
    if !problem.even {
        let problem = format!(
            "routers of {} carry different numbers of nodes",
            topology.name()
        );
        return Err(params.unsuited(problem, "use split=true or `optimise`"));
    }
    // Refused before starts are made: programs that are asked for, and weights of all lags of many elements, under which
    // no start meets the bound unless all are as far apart.
    let (kind, n) = (problem.weights.kind(), space.len());
    let asked = !["auto", "dp"].contains(&solver) && kind != WeightKind::Path;
    let many = n > 1000 && kind == WeightKind::Workload && space.diameter > 1;
    if asked || solver == "auto" && many {
        assignment::check_size(params, n, n.saturating_sub(1))?;
    }
    let starts = candidates(topology, &problem, settings, &|| observer.should_stop())?;
    let start = starts.iter().map(|s| (problem.value(&s.order), s));
    let Some((value, start)) = start.reduce(|a, b| if b.0 < a.0 { b } else { a }) else {
        let location = params.location().clone();
        return Err(Error::input(
            location,
            "no start",
            "an ordering to start from",
        ));
    };
    let [quick, _] = settings.bound_work();
    let bound = Bounds::new(&problem).lower(quick, &|| observer.should_stop());
    observer.progress(value, bound);
    let done = |order: &[u32], bound, by: &str, status| {
        Ok(SearchResult::new(&problem, order, bound, by, status).noted(settings))
    };
    if solver == "auto" && (value - bound <= 1e-9 * value || space.len() < 3) {
        let by = format!("{}, which meets the bound", start.label);
        return done(&start.order, value, &by, Status::Optimal);
    }
    if solver == "auto" || solver == "dp" {
        if let Some(order) = dp::attempt(&problem, &start.order, dp::MODEST, observer) {
            return done(&order, 0.0, "dynamic program", Status::Optimal);
        }
        if observer.should_stop() {
            return done(&start.order, bound, "dynamic program", Status::Stopped);
        }
        if solver == "dp" {
            return Err(Error::unsuited(
                params.location_of("solver"),
                format!(
                    "{} elements under these weights are too much for it",
                    space.len()
                ),
                "use a shorter window, or `optimise`",
            ));
        }
    }
    let (problem, start) = (&problem, start.order.as_slice());
    let job = Job {
        params,
        settings,
        observer,
        solver,
        bound,
        problem,
        start,
    };
    if kind == WeightKind::Path {
        path::solve(&job)
    } else {
        assignment::solve(&job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NodeOrder;
    use crate::ordering::testing::{error, topology};

    fn run(spec: &str, by: &str) -> SearchResult {
        let made = NodeOrder::make_with(&topology(spec), by, &crate::ordering::NoObserver);
        made.unwrap().1.unwrap()
    }

    #[test]
    fn the_integer_and_the_dynamic_program_agree() {
        for (spec, ring) in [("mesh:2x3", false), ("mesh:2x3", true), ("torus:5", false)] {
            let by = |rest: &str| format!("ilp:weights=geometric,window=3,ring={ring},{rest}");
            let exact = run(spec, &by("solver=dp"));
            assert!(exact.optimal && exact.gap == 0.0);
            let found = run(spec, &by("solver=microlp"));
            assert_eq!(found.objective, exact.objective, "{spec} ring={ring}");
            assert!(found.optimal, "{spec} ring={ring}");
            assert_eq!(found.solver, "microlp");
        }
    }

    #[test]
    fn rings_are_cut_out_of_tours() {
        // A 3x3 grid has no Hamiltonian circle: nine cells, coloured like a chessboard.
        let ring = run("mesh:3x3", "ilp:weights=path,ring=true,solver=microlp");
        assert!(ring.optimal && ring.objective == 10.0, "{ring:?}");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for (spec, by, part) in [
            (
                "torus:7x6",
                "ilp:weights=harmonic,window=19",
                "beyond integer programs",
            ),
            ("torus:7x6", "ilp:solver=dp", "too much for it"),
            ("torus:3x3", "ilp:solver=cbc", "unknown solver `cbc`"),
            ("torus:3x3", "ilp:form=flow", "unknown key"),
            ("torus:3x3", "ilp:time=0", "more than 0 seconds"),
            ("torus:3x3", "ilp:time=5", "a time limit needs a clock"),
            (
                "torus:3x3,per_router=2,exclude=4",
                "ilp",
                "different numbers of nodes",
            ),
            ("torus:3x3", "ilp:wieghts=path", "did you mean `weights`"),
        ] {
            let message = error(spec, by);
            assert!(message.contains(part), "{by}: {message}");
        }
        if !cfg!(feature = "highs") {
            assert!(error("torus:3x3", "ilp:solver=highs").contains("--features highs"));
        }
    }
}
