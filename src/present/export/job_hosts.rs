//! The hosts of one job: read from a list, and put in an order.

use std::collections::HashSet;

use nodeorder_base::{Error, NodeId, Result, Text};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::ring::{RingLength, measure_rings};
use nodeorder_order::ordering::defaults;

/// Reads the hosts of a text, each once, as they are called there, and their nodes.
///
/// # Errors
/// With the line: an unknown or unschedulable host; no host at all.
pub fn read_hosts(topology: &Topology, text: &Text) -> Result<(Vec<String>, Vec<NodeId>)> {
    let mut given = Vec::new();
    let mut nodes = Vec::new();
    let mut seen = HashSet::new();
    for line in text.data_lines() {
        for word in line.text.split_whitespace() {
            for (name, node) in topology.hosts_named(word, &line)? {
                topology.check_node(node, || line.location())?;
                // A host may be named once for each of its processes, as in a machine file.
                if seen.insert(node) {
                    given.push(name);
                    nodes.push(node);
                }
            }
        }
    }
    if nodes.is_empty() {
        Err(Error::input(text.location(), "no hosts", "at least one"))
    } else {
        Ok((given, nodes))
    }
}

/// Sorts nodes by their ranks in an ordering. O(N).
///
/// # Errors
/// A node that the ordering does not have.
pub fn sort_by_rank(
    topology: &Topology,
    order: &NodeOrder,
    nodes: &[NodeId],
) -> Result<Vec<NodeId>> {
    let wanted: HashSet<NodeId> = nodes.iter().copied().collect();
    let kept: Vec<NodeId> = order
        .nodes()
        .iter()
        .copied()
        .filter(|n| wanted.contains(n))
        .collect();
    if kept.len() < wanted.len() {
        let lost = nodes.iter().find(|node| !kept.contains(node));
        let name = lost.map_or_else(String::new, |node| topology.node_name(*node));
        let option = format!("--order {}", order.label());
        let found = format!("no rank for host `{name}`");
        return Err(Error::option(option, found, "an ordering of all hosts"));
    }
    Ok(kept)
}

/// Finds the order whose closed walk over these nodes is the shortest, of the orderings that need no search where
/// there are levels or coordinates, else of all that suit; returns the ordering's name and the walk, too.
///
/// # Errors
/// More memory than allowed.
pub fn best_ring(
    topology: &Topology,
    nodes: &[NodeId],
) -> Result<(Vec<NodeId>, String, RingLength)> {
    let shaped = topology.lattice().is_some() || !topology.network().levels().is_empty();
    let walks = |by: &str| ["bfs", "rcm", "dfs", "nearest", "spectral"].contains(&by);
    // Walks over the whole machine take long for the hosts of one job.
    let mut found: Vec<(String, Vec<NodeId>)> = Vec::new();
    let mut candidates = defaults::default_orderings(topology);
    // Of distances without a network that walks follow, a search makes more; of many hosts it takes long.
    if topology.has_distances_alone() && topology.node_count() <= 300 {
        candidates.push("optimise:weights=path,ring=true,steps=20000".into());
    }
    for by in candidates
        .into_iter()
        .filter(|by: &String| by != "random" && !by.contains("scatter") && !(shaped && walks(by)))
    {
        let order = sort_by_rank(topology, &NodeOrder::make(topology, &by)?, nodes)?;
        // On few hosts many orderings agree: a walk is measured once, under the name of the first.
        if found.iter().all(|(_, other)| *other != order) {
            found.push((by, order));
        }
    }
    let sequences: Vec<&[NodeId]> = found.iter().map(|(_, order)| order.as_slice()).collect();
    let walks = measure_rings(topology, &sequences)?;
    let best = walks
        .iter()
        .enumerate()
        // Of equal walks the first, whatever the order of the search.
        .min_by_key(|(i, ring)| (**ring, *i))
        .map_or(0, |(i, _)| i);
    let (by, order) = found.swap_remove(best);
    Ok((order, by, walks[best]))
}
