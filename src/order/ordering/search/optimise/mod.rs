//! Orderings optimised for a weighted sum of distances: `optimise`, and what it shares with `ilp`.
//!
//! The objective is `Σ_{a<b} W(a,b)·d(π_a, π_b)` over ranks a < b ([`weights::Weights`]). Small instances
//! are solved exactly by a dynamic program; others are annealed from the best classic orderings. Every
//! result comes with a proved lower bound and the gap to it ([`SearchResult`]).
//!
//! # References
//! Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
//! Allocation Strategies", SAND2002-1488, 2002, section 2.2.

use crate::ordering::{Method, NodeOrder, OrderingEntry};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_network::topology::Topology;

mod anneal;
mod anneal_rng;
mod assignment;
mod blocks;
mod bounds;
pub(super) mod dp;
pub(super) mod elements;
mod objective;
mod prices;
mod problem;
mod relaxation;
mod result;
mod scaled;
mod score;
mod search;
mod sequence;
mod settings;
mod small;
mod starts;
mod symmetry;
pub mod weights;
mod window;

pub(super) use bounds::Bounds;
use elements::Arrangement;
pub use nodeorder_base::observer::{NoObserver, Observer};
pub(super) use problem::SearchProblem;
pub use result::{SearchResult, Status};
pub use score::{Score, scores};
pub(super) use settings::{Budget, SHARED, Settings};
pub use weights::{WeightKind, Weights};

/// `optimise[:weights=…,window=K,ring=true,time=SECONDS,steps=N,sizes=FILE,split=true,start=ORD,seed=S]`.
///
/// Anneals from the best classic orderings, on two chains or as many as there are threads, then re-orders
/// every six ranks exactly. From 100,000 routers on, stretches of some hundred or thousand ranks are annealed one by
/// one, as many side by side as there are threads; of stretches that are alike, as most of a curve are on a box of powers
/// of two, one is annealed, with the steps of all. Up to 27 routers and short windows a dynamic program finds the optimum
/// instead and proves it. Nodes of one router stay together unless `split=true`: then nodes are arranged one by one. With
/// `steps=` (or by default) the result depends on the seed alone; with `time=` also on the
/// machine's speed.
///
/// # Complexity
/// A step costs O(K) to O(K²) byte operations, most of them far less. Memory: O(nodes) on grids, routers²
/// bytes where distances are searched.
///
/// # References
/// See [`crate::ordering::optimise`].
pub const OPTIMISE: OrderingEntry = OrderingEntry {
    name: "optimise",
    about: "annealed for a weighted sum of distances, with a proved bound (workload: for job sizes)",
    example: "optimise:weights=harmonic,window=8,steps=20000",
    options: &SHARED,
    parse: Method::search(|topology, params, observer| {
        let settings = Settings::read(topology, params, observer)?;
        Ok(Box::new(move || optimise(topology, &settings, observer)))
    }),
};

/// Runs `optimise` with its settings under an observer.
fn optimise(
    topology: &Topology,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<SearchResult> {
    let space = Arrangement::new(topology, settings.split)?;
    let problem = SearchProblem::new(topology, &space, settings.weights.clone());
    let whole = settings.budget();
    let stop = || observer.should_stop() || whole.is_over(observer);
    let starts = candidates(topology, &problem, settings, &stop)?;
    let effort = dp::Effort::within(&settings.budget());
    let quick = dp::attempt(&problem, &starts[0].order, effort, observer);
    if let Some(exact) = quick {
        return Ok(
            SearchResult::new(&problem, &exact, 0.0, "dynamic program", Status::Optimal)
                .noted(settings),
        );
    }
    let [quick, thorough] = settings.bound_work();
    // Balls have no thorough form: theirs is there before the search.
    let first = if problem.weights.has_edges() {
        thorough
    } else {
        quick
    };
    let bounds = Bounds::new(&problem);
    let mut bound = bounds.lower(first, &stop);
    let gains = bounds.gains(quick, thorough);
    let mut budget = whole;
    if gains && let (Some(end), Some(now)) = (budget.time, observer.seconds()) {
        // Time kept for a better bound: few elements are soon searched.
        let kept = if space.len() <= 100 { 0.7 } else { 0.3 };
        budget.time = Some(end - kept * (end - now));
    }
    let found = search::search(&problem, &starts, &budget, observer, bound);
    if gains && found.objective > bound {
        bound = bound.max(bounds.lower(thorough, &stop));
        observer.progress(found.objective, bound);
    }
    let status = match (found.stopped, settings.time) {
        (true, _) => Status::Stopped,
        (false, Some(_)) if settings.steps.is_none_or(|s| found.steps < s) => Status::TimeLimit,
        _ => Status::Steps,
    };
    let mut outcome = SearchResult::new(&problem, &found.order, bound, "annealing", status);
    outcome.steps = found.steps;
    let mut outcome = outcome.noted(settings);
    outcome.notes.push(format!("start: {}", found.start));
    Ok(outcome)
}

/// The classic orderings, those made until `stop` says so, best first; with `start=` that one alone.
pub(super) fn candidates(
    topology: &Topology,
    problem: &SearchProblem<'_>,
    settings: &Settings,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<starts::Start>> {
    // Long tails rank the starts no differently and cost N² each.
    let lag = problem.element_lags(problem.weights.window().min(64));
    let rough = problem.weights.of_lags(problem.space.len(), lag);
    let mut all = match &settings.start {
        Some(text) => {
            let order = NodeOrder::make(topology, text)?;
            if order.len() != topology.node_count() {
                let found = format!("an ordering of {} nodes", order.len());
                let expected = format!("all {} schedulable nodes", topology.node_count());
                return Err(Error::input(SourceLocation::option(text), found, expected));
            }
            vec![starts::start(topology, problem.space, &rough, &order)]
        }
        None => starts::ranked(topology, problem.space, &rough, stop)?,
    };
    all.truncate(8);
    Ok(all)
}
