//! A machine as routers and cables alone: what the networks of simulators are written from.

use super::locate_option;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;

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
    let refuse = |problem: &str, remedy: &str| {
        Err(Error::unsuited(
            locate_option("--to", target),
            format!("{problem} ({})", topology.name()),
            remedy,
        ))
    };
    let mut joints = 0;
    network.for_each_joint(&mut |_, _, _| joints += 1);
    // A node on several rails has several routers, and a joint passes traffic on without a cable: these formats give
    // a node one router and a link a cable.
    if joints > 0
        || network
            .rails()
            .is_some_and(|rails| rails.interfaces_per_node() > 1)
    {
        return refuse(
            "nodes on several rails",
            "a machine whose nodes have one node link each",
        );
    }
    if network
        .link_weights()
        .is_some_and(|weights| weights.iter().any(|weight| *weight != 1))
    {
        return refuse("hops that do not all count 1", "a network without weights");
    }
    // Simulators search a path for every pair, and would fail in the midst of a run.
    if network.component_of().is_some() {
        return refuse("components that no path joins", "one connected network");
    }
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
    let mut pairs = links.windows(2).map(|pair| (pair[0].2, pair[1].2));
    if pairs.any(|(a, b)| (a - b).abs() > 1e-9 * a) {
        let what = if parallel { "cables" } else { "links" };
        return refuse(
            &format!("{what} of different capacities"),
            &format!("a network whose {what} are all alike"),
        );
    }
    // Files stay small, since each cable is written as an edge.
    if links.iter().any(|link| link.3 > 65536) {
        return refuse("a link of more than 65,536 cables", "fewer cables");
    }
    let links = links.into_iter();
    Ok(links.map(|(u, v, _, cables)| (u, v, cables)).collect())
}

/// Lists the schedulable nodes of each router, those without nodes included.
pub(super) fn nodes_by_router(topology: &Topology) -> Vec<Vec<NodeId>> {
    let mut nodes = vec![Vec::new(); topology.network().routers() as usize];
    topology
        .nodes()
        .iter()
        .for_each(|node| nodes[topology.router_of(node).index()].push(node));
    nodes
}
