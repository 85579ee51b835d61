//! Starts of a search: the classic orderings, best first.

use super::elements::Arrangement;
use super::objective;
use super::options::SearchOptions;
use super::problem::SearchProblem;
use super::weights::Weights;
use crate::ordering::constructions::table::CONSTRUCTIONS;
use crate::ordering::defaults;
use crate::ordering::entry::{RequestedOrdering, list_suitable};
use crate::ordering::node_order::NodeOrder;
use nodeorder_base::Result;
use nodeorder_base::observer::NoObserver;
use nodeorder_network::Topology;

/// Classic ordering as a sequence of elements.
pub(in crate::ordering) struct Start {
    pub label: String,
    pub order: Vec<u32>,
    /// Estimate of the objective that it was ranked by.
    pub value: f64,
}

/// Largest number of elements for which orderings that take more than about linear time are tried.
const LARGE: usize = 40_000;

/// Lists the classic orderings, those made until `stop` says so, best first; with `start=` that one alone.
pub fn list_candidates(
    topology: &Topology,
    problem: &SearchProblem<'_>,
    options: &SearchOptions,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Start>> {
    // Long tails rank the starts no differently and cost N² each.
    let lag = problem.element_lag_weights(problem.weights.longest_lag().min(64));
    let rough = problem.weights.with_lags(problem.space.len(), lag);
    let mut all = match &options.start {
        Some(requested) => {
            let (order, _) = requested.make_order(topology, &NoObserver)?;
            order.check_complete(topology)?;
            vec![make_start(topology, problem.space, &rough, &order)]
        }
        None => rank_constructions(topology, problem.space, &rough, stop)?,
    };
    all.truncate(8);
    Ok(all)
}

/// Ranks the classic orderings that suit the topology by `weights` (over elements), ties by name order:
/// those that were made until `stop` says so, one at least. Fails if even the plainest cannot be made.
fn rank_constructions(
    topology: &Topology,
    space: &Arrangement,
    weights: &Weights,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Start>> {
    let mut starts: Vec<Start> = Vec::new();
    for label in list_labels(topology, space.len()) {
        if !starts.is_empty() && stop() {
            break;
        }
        // A family may not suit this box (too many axes, say): then it is no candidate.
        let Ok(order) = make_construction(topology, &label) else {
            continue;
        };
        starts.push(make_start(topology, space, weights, &order));
    }
    if starts.is_empty() {
        let order = make_construction(topology, "row-major")?;
        starts.push(make_start(topology, space, weights, &order));
    }
    starts.sort_by(|a, b| a.value.total_cmp(&b.value));
    // Equal orders have equal values, so they stand together.
    starts.dedup_by(|a, b| a.order == b.order);
    Ok(starts)
}

/// Makes a construction.
pub(super) fn make_construction(topology: &Topology, text: &str) -> Result<NodeOrder> {
    let requested = RequestedOrdering::parse(&CONSTRUCTIONS, topology, text)?;
    Ok(requested.make_order(topology, &NoObserver)?.0)
}

/// Makes an ordering as a start; routers it parts come together where their first node stands.
fn make_start(
    topology: &Topology,
    space: &Arrangement,
    weights: &Weights,
    order: &NodeOrder,
) -> Start {
    let elements = space.to_elements(topology, order.nodes());
    let value = objective::estimate_objective(weights, &space.distances, &elements);
    Start {
        label: order.label().to_string(),
        order: elements,
        value,
    }
}

/// Lists the spellings of the constructions to try, in name order.
pub(super) fn list_labels(topology: &Topology, elements: usize) -> Vec<String> {
    let mut labels = defaults::default_orderings(topology);
    labels.retain(|label| label != "random");
    let names = list_suitable(&CONSTRUCTIONS, topology);
    if let Some(lattice) = topology.lattice() {
        let (longer, short): (Vec<usize>, Vec<usize>) =
            (0..lattice.extents.len()).partition(|axis| lattice.extents[*axis] > 1);
        // Of more axes there would be too many orders, and beyond ten no digit names an axis.
        if (2..=3).contains(&longer.len()) && lattice.extents.len() <= 10 {
            // Axes of one cell change nothing and stand first.
            let prefix: String = short.iter().rev().map(usize::to_string).collect();
            for axes in list_permutations(&longer) {
                let axes: String = axes.iter().map(usize::to_string).collect();
                for family in ["hilbert", "gilbert", "snake", "brick"] {
                    labels.push(format!("{family}:axes={prefix}{axes}"));
                }
            }
        }
    }
    if elements <= LARGE {
        labels.extend(["nearest", "rcm", "dfs"].map(String::from));
    }
    labels.retain(|l| names.contains(&l.split(':').next().unwrap_or("")));
    labels.sort();
    labels.dedup();
    labels
}

/// Lists every order of `items`.
pub(super) fn list_permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let [first, rest @ ..] = items else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for shorter in list_permutations(rest) {
        for at in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(at, *first);
            all.push(longer);
        }
    }
    all
}
