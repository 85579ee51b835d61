//! InfraGraph: nodes, switches and cables as YAML, nodes in rank order.

use super::cables::{list_cables, nodes_by_router};
use super::{
    Export, ExportTarget, ParseTarget, free_name, header_comments, locate_option, names_of,
};
use nodeorder_base::error::{Error, Result};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to infragraph`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "infragraph",
    "YAML for InfraGraph: an instance a node, in rank order and under its name, and the switches with their cables",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/infragraph.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let links = list_cables(topology, "infragraph", true)?;
    let nodes = nodes_by_router(topology);
    let mut listed = order.nodes().to_vec();
    // Nodes that are left out have cables, too; behind the others they do not disturb the rank order.
    listed.extend(order.list_left_out(topology));
    let names = names_of(topology, &listed)?;
    if let Some(name) = names.iter().find(|name| name.contains('.')) {
        let problem = format!("a node called `{name}`: a dot parts the words of its paths");
        return Err(Error::unsuited(
            locate_option("--to", "infragraph"),
            problem,
            "names= without dots",
        ));
    }
    // Instances share one name space: a node may be called `switch`.
    let mut taken = names.iter().cloned().collect();
    let switch = free_name("switch".into(), &mut taken);
    let host = free_name("host".into(), &mut taken);
    let mut ports: Vec<u32> = nodes.iter().map(|nodes| nodes.len() as u32).collect();
    links.iter().for_each(|(u, v, cables)| {
        [u, v]
            .iter()
            .for_each(|router| ports[**router as usize] += cables);
    });
    // All switches are one device, which needs the ports of the largest.
    let most = ports.iter().max().copied().unwrap_or(1).max(1);
    let mut text = header_comments("#", topology, order, ABOUT);
    text += &format!(
        "name: machine\ndevices:\n\
         - {{name: {host}, components: [{{name: nic, count: 1, choice: nic}}], links: [], edges: []}}\n\
         - {{name: {switch}, components: [{{name: asic, count: 1, choice: cpu}}, {{name: port, count: {most}, choice: port}}], \
         links: [{{name: ic}}], edges: [{{ep1: {{component: asic}}, ep2: {{component: port}}, scheme: many2many, link: ic}}]}}\n\
         links: [{{name: cable}}]\ninstances:\n"
    );
    names
        .iter()
        .for_each(|name| text += &format!("- {{name: \"{name}\", device: {host}, count: 1}}\n"));
    text += &format!(
        "- {{name: {switch}, device: {switch}, count: {}}}\nedges:\n",
        ports.len()
    );
    let mut next = vec![0u32; ports.len()];
    // Edges are one to one, so that each end of a cable takes a port of its own.
    let mut port = |router: u32| {
        let port = next[router as usize];
        next[router as usize] += 1;
        format!("{{instance: \"{switch}[{router}]\", component: \"port[{port}]\"}}")
    };
    let mut edge = |a: String, b: String| {
        text += &format!("- {{ep1: {a}, ep2: {b}, scheme: one2one, link: cable}}\n");
    };
    for (node, name) in listed.iter().zip(&names) {
        let nic = format!("{{instance: \"{name}[0]\", component: \"nic[0]\"}}");
        edge(nic, port(topology.router_of(*node).0));
    }
    for (u, v, cables) in links {
        (0..cables).for_each(|_| edge(port(u), port(v)));
    }
    let notes = topology.capacity_assumption().into_iter().collect();
    Ok(Export {
        notes,
        ..Export::from(text)
    })
}
