//! Flux: the resource graph in JSON Graph Format, ids in rank order.

use serde_json::{Value, json};

use super::units::{ExportUnit, list_units};
use super::{Export, ExportTarget, ParseTarget};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to jgf`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "jgf",
    "JSON for Flux: the resource graph (JGF) of units and nodes, node ids in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let units = list_units(topology, order)?;
    let mut above = vec![None; units.len()];
    for (i, unit) in units.iter().enumerate() {
        unit.below.iter().for_each(|below| above[*below] = Some(i));
    }
    // From the top down, so that each path is known before those below it.
    let mut paths = vec![String::new(); units.len()];
    let mut vertices = Vec::new();
    let mut edges = Vec::new();
    let cluster =
        json!({"id": "0", "metadata": vertex_json("cluster", "cluster0", 0, 0, -1, "/cluster0")});
    vertices.push(cluster);
    let mut next = 1u64;
    let mut ids = vec![0; units.len()];
    let mut counts = std::collections::BTreeMap::new();
    // A unit above all others is the cluster: one switch is one vertex.
    let mut tops = (0..units.len()).filter(|i| above[*i].is_none());
    let whole = tops.next().filter(|_| tops.next().is_none());
    for (i, unit) in units.iter().enumerate().rev() {
        // It keeps id 0, so that what is below it hangs on the vertex of the cluster.
        if whole == Some(i) {
            paths[i] = "/cluster0".into();
            continue;
        }
        let parent = above[i].map_or("/cluster0".to_string(), |parent: usize| {
            paths[parent].clone()
        });
        paths[i] = format!("{parent}/{}", unit.name);
        ids[i] = next;
        edges.push(edge_json(above[i].map_or(0, |parent| ids[parent]), next));
        let number: &mut u64 = counts.entry(unit.level.clone()).or_default();
        // Rank -1: no broker runs on a switch.
        let metadata = vertex_json(&unit.level, &unit.name, *number, next, -1, &paths[i]);
        *number += 1;
        vertices.push(json!({"id": next.to_string(), "metadata": metadata}));
        next += 1;
    }
    let mut nodes: Vec<(usize, &String, usize)> = Vec::new();
    for (i, ExportUnit { nodes: own, .. }) in units.iter().enumerate() {
        nodes.extend(own.iter().map(|node| (0, node, i)));
    }
    let rank = super::all_names(topology, order)?;
    let rank: std::collections::HashMap<&String, usize> = rank.iter().zip(0..).collect();
    nodes
        .iter_mut()
        .for_each(|(number, node, _)| *number = rank[*node]);
    // Ids of nodes must rise with ranks: the match policies low and high go by them.
    nodes.sort_unstable();
    for (number, node, unit) in nodes {
        let path = format!("{}/{node}", paths[unit]);
        let metadata = vertex_json("node", node, number as u64, next, number as i64, &path);
        vertices.push(json!({"id": next.to_string(), "metadata": metadata}));
        edges.push(edge_json(ids[unit], next));
        next += 1;
    }
    // A vertex or edge a line.
    let lines = |list: Vec<Value>| {
        list.iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join(",\n")
    };
    let vertices = lines(vertices);
    let edges = lines(edges);
    Ok(
        format!("{{\"graph\": {{\"nodes\": [\n{vertices}\n], \"edges\": [\n{edges}\n]}}}}\n")
            .into(),
    )
}

fn vertex_json(kind: &str, name: &str, id: u64, unique: u64, rank: i64, path: &str) -> Value {
    json!({
        "type": kind, "basename": kind, "name": name, "id": id, "uniq_id": unique, "rank": rank,
        "exclusive": false, "unit": "", "size": 1, "paths": {"containment": path},
    })
}

fn edge_json(source: u64, target: u64) -> Value {
    json!({"source": source.to_string(), "target": target.to_string(), "metadata": {"subsystem": "containment"}})
}
