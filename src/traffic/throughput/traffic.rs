//! Traffic that machines are judged by: every node sends 1.

use super::matching::find_longest_matching;
use crate::mapping::routing::is_dragonfly;
use crate::mapping::{Demand, Guest, ProcessMapping};
use nodeorder_base::{Error, NodeId, Result, SourceLocation};
use nodeorder_network::Topology;

/// Names of traffic that is made for a machine; every guest may be used besides.
pub const TRAFFIC: [&str; 4] = ["all-to-all", "matching", "tornado", "group-shift"];

/// Builds the traffic of the nodes of `topology` called `text`: a name of [`TRAFFIC`], or a guest whose
/// processes run on the nodes in the order of their ids.
///
/// # Errors
/// A guest that cannot be made, or is larger than the machine; traffic that the machine has no use for.
pub fn traffic(topology: &Topology, text: &str) -> Result<Demand> {
    let nodes: Vec<NodeId> = topology.nodes().iter().collect();
    let guest = match text {
        "all-to-all" if nodes.len() > 1 => {
            let volume = 1.0 / (nodes.len() - 1) as f64;
            let spec = format!("all-to-all:n={},volume={volume}", nodes.len());
            Guest::make(&spec, topology.context())?
        }
        "all-to-all" => {
            let needs = "a machine of two nodes or more";
            return Err(unsuited_traffic_error(topology, text, needs));
        }
        "matching" | "tornado" | "group-shift" => permutation_guest(topology, text, &nodes)?,
        guest => Guest::make(guest, topology.context())?,
    };
    let placed = ProcessMapping::in_order(&guest, "the machine", &nodes)?;
    Demand::new(topology, &guest, &placed)
}

/// Checks whether no node sends or receives more than 1 in the traffic called `text`.
///
/// # Errors
/// As [`traffic`].
pub fn sends_at_most_one(topology: &Topology, text: &str) -> Result<bool> {
    if TRAFFIC.contains(&text) {
        return Ok(true);
    }
    let guest = Guest::make(text, topology.context())?;
    let mut ends = vec![[0.0f64; 2]; guest.processes() as usize];
    guest.for_each_message(|message| {
        ends[message.source as usize][0] += message.volume;
        ends[message.target as usize][1] += message.volume;
    });
    // Sums of many small parts round.
    Ok(ends.iter().flatten().all(|sum| *sum <= 1.0 + 1e-9))
}

/// Builds the error of traffic that a machine has no use for.
fn unsuited_traffic_error(topology: &Topology, text: &str, needs: &str) -> Error {
    let location = SourceLocation::option(format!("--traffic {text}"));
    let problem = format!("`{text}` needs {needs}, which {} is not", topology.name());
    Error::unsuited(location, problem, "use all-to-all, matching or a guest")
}

/// Builds the guest called `text`, in which every node sends 1 to its target. Fails if a target is not schedulable.
fn permutation_guest(topology: &Topology, text: &str, nodes: &[NodeId]) -> Result<Guest> {
    let targets = match text {
        "matching" => find_longest_matching(topology)?.targets,
        "tornado" => tornado_targets(topology, nodes)?,
        _ => group_shift_targets(topology, nodes)?,
    };
    let mut messages = Vec::new();
    for (i, target) in targets.iter().enumerate() {
        let Ok(target) = nodes.binary_search(target) else {
            let needs = "a machine all of whose nodes are schedulable";
            return Err(unsuited_traffic_error(topology, text, needs));
        };
        // A message to itself uses no link.
        if i != target {
            messages.push((i as u32, target as u32, 1.0));
        }
    }
    Guest::new(text, nodes.len() as u32, messages)
}

/// Finds targets along the first dimension, almost half way round: the adversary of minimal routing on rings.
fn tornado_targets(topology: &Topology, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
    let lattice = topology.lattice().filter(|lattice| lattice.cells.is_none());
    let Some(lattice) = lattice.filter(|lattice| lattice.extents[0] > 2) else {
        let needs = "a grid of three routers or more in dimension 0";
        return Err(unsuited_traffic_error(topology, "tornado", needs));
    };
    let per_router = topology.network().per_router();
    let extent = lattice.extents[0];
    let mut position = vec![0; lattice.extents.len()];
    let targets = nodes.iter().map(|node| {
        let router = topology.router_of(*node).0;
        lattice.coordinates(router, &mut position);
        position[0] = (position[0] + extent.div_ceil(2) - 1) % extent;
        NodeId(lattice.cell_at(&position) * per_router + node.0 % per_router)
    });
    Ok(targets.collect())
}

/// Finds targets in the next group, the same place there: the adversary of minimal routing on dragonflies.
fn group_shift_targets(topology: &Topology, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
    let network = topology.network();
    let levels = network.levels();
    let (true, Some(group)) = (is_dragonfly(topology), levels.first()) else {
        let needs = "a dragonfly";
        return Err(unsuited_traffic_error(topology, "group-shift", needs));
    };
    let all = network.hosts() * network.per_router();
    Ok(nodes
        .iter()
        .map(|node| NodeId((node.0 + group.slots) % all))
        .collect())
}
