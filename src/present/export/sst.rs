//! SST: the router graph as GraphML for merlin's topoAny, and the nodes of jobs for ember.

use std::collections::BTreeMap;

use super::cables::list_cables;
use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::{join_items, names_of};
use nodeorder_base::{NodeId, Result, RouterId};

/// `--to sst`.
pub(super) const TARGET: ExportTarget = plain_target(
    "sst",
    "a folder for SST: network.graphml for merlin's topoAny, and ember.load, a list of endpoints a job",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let topology = input.topology;
    let links = list_cables(topology, "sst", true)?;
    input.refuse_shared_nodes("sst")?;
    // Two hyphens may not stand in a comment of XML.
    let comment = input
        .header_comments(" ", include_str!("texts/sst.txt"))
        .replace("--", "- -");
    let mut text = include_str!("texts/sst-network.txt").replace("COMMENT\n", &comment);
    let mut endpoint = BTreeMap::new();
    for router in 0..topology.network().routers() {
        let nodes: Vec<NodeId> = topology.nodes_of(RouterId(router)).collect();
        let names = names_of(topology, &nodes)?.join(" ");
        let count = nodes.len();
        // merlin numbers endpoints vertex by vertex, also those of nodes without a job.
        let first = endpoint.len();
        endpoint.extend(nodes.into_iter().zip(first..));
        text += &format!(
            "<node id=\"{router}\"><data key=\"e\">{count}</data><data key=\"n\">{names}</data></node>\n"
        );
    }
    for (u, v, cables) in links {
        // An edge has no field for a capacity: parallel cables are parallel edges.
        let edge = format!("<edge source=\"{u}\" target=\"{v}\"/>\n");
        text += &edge.repeat(cables as usize);
    }
    text += "</graph>\n</graphml>\n";
    let mut load = String::new();
    for (id, job) in (1..).zip(input.jobs_or_all().iter()) {
        let list = join_items(job.nodes.iter().map(|node| endpoint[node]), ",");
        load += &format!("[JOB_ID] {id}\n[NID_LIST] {list}\n");
        load += "[MOTIF] Init\n[MOTIF] Alltoall bytes=1024\n[MOTIF] Fini\n";
    }
    Ok(Export {
        folder: Some("network.graphml"),
        beside: vec![("ember.load".into(), load)],
        ..Export::of_links(topology, text)
    })
}
