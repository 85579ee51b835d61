//! The method `optimise`: exact where that is quick, else annealed.

use super::bounds::Bounds;
use super::elements::Arrangement;
use super::options::{SHARED, SearchOptions};
use super::problem::SearchProblem;
use super::rated;
use super::starts::list_candidates;
use super::{dp, search};
use crate::ordering::entry::{Method, Needs, OrderingEntry};
use crate::ordering::search_result::{SearchResult, Status};
use nodeorder_base::params::join_options;
use nodeorder_base::{Observer, Opt, Result};
use nodeorder_network::Topology;

/// `optimise[:weights=…,window=K,ring=true,time=SECONDS,steps=N,sizes=FILE,split=true,start=ORD,seed=S]`.
///
/// Anneals from the best classic orderings, on two chains or as many as there are threads, then re-orders
/// every six ranks exactly. From 100,000 routers on, stretches of some hundred or thousand ranks are annealed one by
/// one, as many side by side as there are threads; of stretches that are alike, as most of a curve are on a box of
/// powers of two, one is annealed, with the steps of all. Up to 27 routers and short windows a dynamic program finds
/// the optimum instead and proves it. Nodes of one router stay together unless `split=true`: then nodes are arranged
/// one by one. `objective=slowdown` anneals nodes for the slowdown of bursts instead, with `guest=`, `routing=`, `duty=`
/// and `tilings=` as `nodeorder slowdown` has them. With `steps=` (or by default) the result depends on the seed alone;
/// with `time=` also on the machine's speed.
///
/// # Complexity
/// A step costs O(K) to O(K²) byte operations, most of them far less. Memory: O(nodes) on grids, routers²
/// bytes where distances are searched.
///
/// # References
/// See [`crate::ordering::optimise`].
pub const OPTIMISE: OrderingEntry = OrderingEntry {
    name: "optimise",
    about: "annealed for a weighted sum of distances (workload: for job sizes) or for the slowdown of bursts, with a proved \
        bound",
    example: "optimise:weights=harmonic,window=8,steps=20000",
    options: &OPTIONS,
    parse: Method::new(Needs::Nothing, |topology, params| {
        if params.required_choice("objective")? == "slowdown" {
            return rated::parse_search(topology, params);
        }
        if let Some(option) = OBJECTIVE[1..]
            .iter()
            .find(|option| params.has_key(option.key))
        {
            let expected = format!("objective=slowdown beside `{}`", option.key);
            return Err(params.invalid_value(option.key, expected));
        }
        Ok(SearchOptions::parse(topology, params)?.into_search(find_short_order))
    }),
};

/// Options of the objective.
const OBJECTIVE: [Opt; 5] = [
    Opt::one_of(
        "objective",
        &["distances", "slowdown"],
        "weighted sum of distances, or the mean slowdown of bursts (as `slowdown` has it, by nodes)",
    ),
    Opt::text("guest", "traffic, with objective=slowdown").default_value("all-to-all"),
    Opt::text("routing", "links that it takes, with objective=slowdown")
        .default_in_words("dimension-order on grids, else ecmp-hop"),
    Opt::number(
        "duty",
        "share of the time in which the other jobs send, with objective=slowdown",
    )
    .default_value("0.2"),
    Opt::whole(
        "tilings",
        "ways to cut the ranks into jobs: 1, 2 or 4, with objective=slowdown",
    )
    .default_value("2"),
];

/// All options, with what the objective changes of the shared ones.
const OPTIONS: [Opt; 16] = {
    let mut all = join_options(SHARED, OBJECTIVE);
    all[3] = Opt::text(
        "sizes",
        "job sizes for weights=workload or objective=slowdown: a trace, a log, a table or log-uniform",
    )
    .default_in_words("none; log-uniform with objective=slowdown");
    all[7] = Opt::whole("steps", "annealing steps")
        .default_in_words("4000000, or 20000 with objective=slowdown, where time= is not given");
    all
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
