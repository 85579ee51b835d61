//! BookSim 2: routers and nodes as an anynet file, node ids by rank.

use std::collections::BTreeMap;

use super::cables::{list_cables, nodes_by_router};
use super::{Export, ExportTarget, ParseTarget, header_comments};
use nodeorder_base::error::Result;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to booksim`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "booksim",
    "a folder for BookSim 2: booksim.cfg and net.any (anynet), whose node k is the node of rank k",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/booksim.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    // One cable a pair of routers: an anynet file has no parallel ones.
    let links = list_cables(topology, "booksim", false)?;
    let rank: BTreeMap<NodeId, usize> = order.nodes().iter().copied().zip(0..).collect();
    let mut lines: Vec<String> = Vec::new();
    // A router without nodes has a line, too, for its cables.
    for (router, nodes) in nodes_by_router(topology).iter().enumerate() {
        let mut line = format!("router {router}");
        // A node that the ordering leaves out is not attached.
        nodes
            .iter()
            .filter_map(|node| rank.get(node))
            .for_each(|k| line += &format!(" node {k}"));
        lines.push(line);
    }
    // Named once, a link goes both ways, a cycle each.
    links
        .iter()
        .for_each(|(u, v, _)| lines[*u as usize] += &format!(" router {v}"));
    let text = header_comments("//", topology, order, ABOUT)
        + "topology = anynet;\nnetwork_file = net.any;\nrouting_function = min;\nnum_vcs = 8;\ntraffic = uniform;\ninjection_rate = 0.1;\n";
    let beside = vec![("net.any".into(), lines.join("\n") + "\n")];
    let notes = topology.capacity_assumption().into_iter().collect();
    Ok(Export {
        folder: Some("booksim.cfg"),
        text,
        beside,
        notes,
        binary: Vec::new(),
    })
}
