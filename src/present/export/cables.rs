//! A machine as routers and cables alone: what the networks of simulators are written from.

use super::entry::refuse_export;
use nodeorder_base::Result;
use nodeorder_network::Topology;

/// Lists links as two routers, the lower first, and the number of their cables, ascending. `parallel` says whether the
/// format `target` can have several cables between two routers. If so, all cables must have the same capacity. Else
/// links must, and each is one cable.
///
/// # Errors
/// What a list of cables cannot say: several rails, hops that do not count 1, cables of several capacities, a link of
/// more than 65,536 cables, components that no path joins.
pub(super) fn list_cables(
    topology: &Topology,
    target: &str,
    parallel: bool,
) -> Result<Vec<(u32, u32, u32)>> {
    let network = topology.network();
    let mut joints = 0;
    network.for_each_joint(&mut |_, _, _| joints += 1);
    let weighted = network
        .link_weights()
        .is_some_and(|weights| weights.iter().any(|weight| *weight != 1));
    let mut links = Vec::new();
    network.for_each_cabled_link(&mut |u, v, capacity, cables| {
        let cables = if parallel { cables } else { 1 };
        links.push((u.min(v), u.max(v), capacity / f64::from(cables), cables));
    });
    topology.require_memory("the links of an export", 64 * links.len() as u64)?;
    // Families visit links each in their own order; sorted, the files of one fabric are the same however it is
    // described.
    links.sort_unstable_by_key(|(u, v, ..)| (*u, *v));
    // Quotients of equal capacities may differ in the last digit.
    let alike = links
        .windows(2)
        .all(|pair| (pair[0].2 - pair[1].2).abs() <= 1e-9 * pair[0].2);
    // The upper bound keeps files small, since each cable is written as an edge.
    let countable = links.iter().all(|(.., cables)| *cables <= 65536);
    for (refused, problem, remedy) in [
        // A node on several rails has several routers, and a joint passes traffic on without a cable: these formats
        // give a node one router and a link a cable.
        (
            joints > 0 || has_several_node_links(topology),
            "nodes on several rails",
            ONE_NODE_LINK,
        ),
        (
            weighted,
            "hops that do not all count 1",
            "a network without weights",
        ),
        // Simulators search a path for every pair, and would fail in the midst of a run.
        (
            network.component_of().is_some(),
            "components that no path joins",
            "one connected network",
        ),
        (
            !parallel && !alike,
            "links of different capacities",
            "a network whose links are all alike",
        ),
        (
            parallel && !alike,
            "cables of different capacities",
            "a network whose cables are all alike",
        ),
        (
            !countable,
            "a link of more than 65,536 cables",
            "fewer cables",
        ),
    ] {
        if refused {
            let problem = format!("{problem} ({})", topology.name());
            return Err(refuse_export(target, problem, remedy));
        }
    }
    let cables = links.into_iter().map(|(u, v, _, cables)| (u, v, cables));
    Ok(cables.collect())
}

/// What formats accept in which each node has one router, for errors.
pub(super) const ONE_NODE_LINK: &str = "a machine whose nodes have one node link each";

/// Checks whether nodes are on several switches, rail by rail.
pub(super) fn has_several_node_links(topology: &Topology) -> bool {
    let rails = topology.network().rails();
    rails.is_some_and(|rails| rails.interfaces_per_node() > 1)
}
