//! InfraGraph: nodes, switches and cables as YAML, nodes in rank order.

use super::cables::list_cables;
use super::entry::{Export, ExportInput, ExportTarget, plain_target, refuse_export};
use super::node_names::{free_name, names_of};
use nodeorder_base::Result;

/// `--to infragraph`.
pub(super) const TARGET: ExportTarget = plain_target(
    "infragraph",
    "YAML for InfraGraph: an instance a node, in rank order and under its name, and the switches with their cables",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let ExportInput {
        topology, order, ..
    } = *input;
    let links = list_cables(topology, "infragraph", true)?;
    let mut listed = order.nodes().to_vec();
    // Nodes that are left out have cables, too; behind the others they do not disturb the rank order.
    listed.extend(order.list_left_out(topology));
    let names = names_of(topology, &listed)?;
    if let Some(name) = names.iter().find(|name| name.contains('.')) {
        let problem = format!("a node called `{name}`: a dot parts the words of its paths");
        return Err(refuse_export("infragraph", problem, "names= without dots"));
    }
    // Instances share one name space: a node may be called `switch`.
    let mut taken = names.iter().cloned().collect();
    let switch = free_name("switch".into(), &mut taken);
    let host = free_name("host".into(), &mut taken);
    let mut ports = vec![0u32; topology.network().routers() as usize];
    // Edges are one to one, so that each end of a cable takes a port of its own.
    let mut take_port = |router: u32| {
        let port = &mut ports[router as usize];
        *port += 1;
        format!(
            "{{instance: \"{switch}[{router}]\", component: \"port[{}]\"}}",
            *port - 1
        )
    };
    let mut ends: Vec<[String; 2]> = Vec::new();
    for (node, name) in listed.iter().zip(&names) {
        let nic = format!("{{instance: \"{name}[0]\", component: \"nic[0]\"}}");
        ends.push([nic, take_port(topology.router_of(*node).0)]);
    }
    for (u, v, cables) in links {
        (0..cables).for_each(|_| ends.push([take_port(u), take_port(v)]));
    }
    // All switches are one device, which needs the ports of the largest.
    let most = ports.iter().max().copied().unwrap_or(1).max(1);
    let mut text = input.header_comments("#", include_str!("texts/infragraph.txt"));
    text += &include_str!("texts/infragraph-devices.txt")
        .replace("HOST", &host)
        .replace("SWITCH", &switch)
        .replace("PORTS", &most.to_string());
    for name in &names {
        text += &format!("- {{name: \"{name}\", device: {host}, count: 1}}\n");
    }
    text += &format!(
        "- {{name: {switch}, device: {switch}, count: {}}}\nedges:\n",
        ports.len()
    );
    for [a, b] in ends {
        text += &format!("- {{ep1: {a}, ep2: {b}, scheme: one2one, link: cable}}\n");
    }
    Ok(Export::of_links(topology, text))
}
