//! BookSim 2: routers and nodes as an anynet file, node ids by rank.

use std::collections::BTreeMap;

use super::cables::list_cables;
use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use nodeorder_base::error::Result;
use nodeorder_base::ids::{NodeId, RouterId};

/// `--to booksim`.
pub(super) const TARGET: ExportTarget = plain_target(
    "booksim",
    "a folder for BookSim 2: booksim.cfg and net.any (anynet), whose node k is the node of rank k",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let topology = input.topology;
    // One cable a pair of routers: an anynet file has no parallel ones.
    let links = list_cables(topology, "booksim", false)?;
    let rank: BTreeMap<NodeId, usize> = input.order.nodes().iter().copied().zip(0..).collect();
    let mut lines: Vec<String> = Vec::new();
    // A router without nodes has a line, too, for its cables.
    for router in 0..topology.network().routers() {
        let mut line = format!("router {router}");
        // A node that the ordering leaves out is not attached.
        let nodes = topology.nodes_of(RouterId(router));
        line.extend(nodes.filter_map(|node| Some(format!(" node {}", rank.get(&node)?))));
        lines.push(line);
    }
    // Named once, a link goes both ways, a cycle each.
    for (u, v, _) in links {
        lines[u as usize] += &format!(" router {v}");
    }
    let text = input.header_comments("//", include_str!("texts/booksim.txt"))
        + "topology = anynet;\nnetwork_file = net.any;\nrouting_function = min;\nnum_vcs = 8;\ntraffic = uniform;\ninjection_rate = 0.1;\n";
    Ok(Export {
        folder: Some("booksim.cfg"),
        beside: vec![("net.any".into(), lines.join("\n") + "\n")],
        ..Export::of_links(topology, text)
    })
}
