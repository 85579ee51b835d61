//! The method `optimise`: exact where that is quick, else annealed.

use super::bounds::Bounds;
use super::elements::Arrangement;
use super::options::{SHARED, SearchOptions};
use super::problem::SearchProblem;
use super::starts::list_candidates;
use super::{dp, search};
use crate::ordering::entry::{Method, Needs, OrderingEntry};
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::{Observer, Result};
use nodeorder_network::Topology;

/// `optimise[:weights=…,window=K,ring=true,time=SECONDS,steps=N,sizes=FILE,split=true,start=ORD,seed=S]`.
///
/// Anneals from the best classic orderings, on two chains or as many as there are threads, then re-orders
/// every six ranks exactly. From 100,000 routers on, stretches of some hundred or thousand ranks are annealed one by
/// one, as many side by side as there are threads; of stretches that are alike, as most of a curve are on a box of
/// powers of two, one is annealed, with the steps of all. Up to 27 routers and short windows a dynamic program finds
/// the optimum instead and proves it. Nodes of one router stay together unless `split=true`: then nodes are arranged
/// one by one. With `steps=` (or by default) the result depends on the seed alone; with `time=` also on the machine's
/// speed.
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
    parse: Method::new(Needs::Nothing, |topology, params| {
        Ok(SearchOptions::parse(topology, params)?.into_search(find_short_order))
    }),
};

/// Runs `optimise` under an observer: the dynamic program if it ends soon, else annealing between two bounds.
fn find_short_order(
    topology: &Topology,
    options: &SearchOptions,
    observer: &dyn Observer,
) -> Result<SearchResult> {
    options.check_clock(observer)?;
    let weights = options.weights.build_weights(topology)?;
    let space = Arrangement::new(topology, options.split)?;
    let problem = SearchProblem::new(topology, &space, weights);
    let whole = options.budget();
    let stop = || observer.should_stop() || whole.is_over(observer);
    let starts = list_candidates(topology, &problem, options, &stop)?;
    let effort = dp::Effort::for_budget(&whole);
    if let Some(exact) = dp::find_optimum(&problem, &starts[0].order, effort, observer) {
        return Ok(
            SearchResult::new(&problem, &exact, 0.0, "dynamic program", Status::Optimal)
                .with_notes(&problem, options),
        );
    }
    let [quick, thorough] = options.bound_work();
    // Balls have no thorough form: theirs is there before the search.
    let first = if problem.weights.vary_near_ends() {
        thorough
    } else {
        quick
    };
    let bounds = Bounds::new(&problem);
    let mut bound = bounds.lower_bound(first, &stop);
    let gains = bounds.is_tighter_with(quick, thorough);
    let mut budget = whole;
    if gains && let (Some(end), Some(now)) = (budget.time, observer.elapsed_seconds()) {
        // Time kept for a better bound: few elements are soon searched.
        let kept = if space.len() <= 100 { 0.7 } else { 0.3 };
        budget.time = Some(end - kept * (end - now));
    }
    let found = search::search_orders(&problem, &starts, &budget, observer, bound);
    if gains && found.objective > bound {
        bound = bound.max(bounds.lower_bound(thorough, &stop));
        observer.report_progress(found.objective, bound);
    }
    let status = match (found.stopped, options.time) {
        (true, _) => Status::Stopped,
        (false, Some(_)) if options.steps.is_none_or(|s| found.steps < s) => Status::TimeLimit,
        _ => Status::Steps,
    };
    let mut result = SearchResult::new(&problem, &found.order, bound, "annealing", status);
    result.steps = found.steps;
    let mut result = result.with_notes(&problem, options);
    result.notes.push(format!("start: {}", found.start));
    Ok(result)
}
