//! SST: the router graph as GraphML for merlin's topoAny, and the nodes of jobs for ember.

use std::collections::BTreeMap;

use super::cables::{list_cables, nodes_by_router};
use super::{
    Export, ExportJob, ExportTarget, ParseTarget, header_comments, jobs_or_all, names_of, one_each,
};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to sst`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "sst",
    "a folder for SST: network.graphml for merlin's topoAny, and ember.load, a list of endpoints a job",
    ParseTarget::Jobs(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/sst.txt");

fn write(topology: &Topology, order: &NodeOrder, jobs: &[ExportJob]) -> Result<Export> {
    let links = list_cables(topology, "sst", true)?;
    let nodes = nodes_by_router(topology);
    one_each(topology, jobs, "sst")?;
    // Two hyphens may not stand in a comment of XML.
    let comment = header_comments(" ", topology, order, ABOUT).replace("--", "- -");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!--\n{comment}-->\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"e\" for=\"node\" attr.name=\"endpoints\" attr.type=\"int\"/>\n\
         <key id=\"n\" for=\"node\" attr.name=\"names\" attr.type=\"string\"/>\n<graph edgedefault=\"undirected\">\n"
    );
    let mut endpoint = BTreeMap::new();
    for (router, nodes) in nodes.iter().enumerate() {
        let names = names_of(topology, nodes)?.join(" ");
        let count = nodes.len();
        // merlin numbers endpoints vertex by vertex, also those of nodes without a job.
        let first = endpoint.len();
        endpoint.extend(nodes.iter().copied().zip(first..));
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
    for (i, job) in jobs_or_all(order, jobs).iter().enumerate() {
        let list: Vec<String> = job
            .nodes
            .iter()
            .map(|node| endpoint[node].to_string())
            .collect();
        load += &format!("[JOB_ID] {}\n[NID_LIST] {}\n", i + 1, list.join(","));
        load += "[MOTIF] Init\n[MOTIF] Alltoall bytes=1024\n[MOTIF] Fini\n";
    }
    let beside = vec![("ember.load".into(), load)];
    let notes = topology.capacity_assumption().into_iter().collect();
    Ok(Export {
        folder: Some("network.graphml"),
        text,
        beside,
        notes,
        binary: Vec::new(),
    })
}
