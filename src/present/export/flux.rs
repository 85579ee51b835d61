//! Flux: brokers ranked in rank order, and the resource graph in JSON Graph Format, ids in rank order.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::units::list_units;
use nodeorder_base::error::Result;
use nodeorder_network::topology::compact_list;

/// `--to flux`.
pub(super) const BROKERS: ExportTarget = plain_target(
    "flux",
    "TOML for Flux: broker ranks and resources in rank order",
    write_brokers,
);

fn write_brokers(input: &ExportInput) -> Result<Export> {
    let hosts = compact_list(input.checked_names()?);
    let text = input.header_comments("#", include_str!("texts/flux.txt"));
    Ok(format!(
        "{text}[bootstrap]\nhosts = [\n    {{ host = \"{hosts}\" }},\n]\n\n[[resource.config]]\nhosts = \"{hosts}\"\n"
    )
    .into())
}

/// `--to jgf`.
pub(super) const GRAPH: ExportTarget = plain_target(
    "jgf",
    "JSON for Flux: the resource graph (JGF) of units and nodes, node ids in rank order",
    write_graph,
);

fn write_graph(input: &ExportInput) -> Result<Export> {
    let units = list_units(input)?;
    let ranks = input.all_names()?;
    let ranks: HashMap<&String, usize> = ranks.iter().zip(0..).collect();
    let mut graph = ResourceGraph::default();
    // Rank -1: no broker runs on a switch.
    graph.add_vertex("cluster", "cluster0", 0, -1, None);
    let mut ids = vec![0; units.len()];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let tops = units.iter().filter(|unit| unit.above.is_none()).count();
    // From the top down, so that each path is known before those below it.
    for (i, unit) in units.iter().enumerate().rev() {
        // A unit above all others is the cluster, with its id 0: one switch is one vertex.
        if unit.above.is_none() && tops == 1 {
            continue;
        }
        let number = counts.entry(&unit.level).or_default();
        let above = unit.above.map_or(0, |above| ids[above]);
        ids[i] = graph.add_vertex(&unit.level, &unit.name, *number, -1, Some(above));
        *number += 1;
    }
    let mut nodes: Vec<(usize, &String, usize)> = Vec::new();
    for (unit, id) in units.iter().zip(ids) {
        nodes.extend(unit.nodes.iter().map(|node| (ranks[node], node, id)));
    }
    // Ids of nodes must rise with ranks: the match policies low and high go by them.
    nodes.sort_unstable();
    for (rank, node, above) in nodes {
        graph.add_vertex("node", node, rank, rank as i64, Some(above));
    }
    // A vertex or edge a line.
    let vertices = graph.vertices.join(",\n");
    let edges = graph.edges.join(",\n");
    Ok(
        format!("{{\"graph\": {{\"nodes\": [\n{vertices}\n], \"edges\": [\n{edges}\n]}}}}\n")
            .into(),
    )
}

/// Vertices and edges as JSON, and the path of each vertex.
#[derive(Default)]
struct ResourceGraph {
    vertices: Vec<String>,
    edges: Vec<String>,
    paths: Vec<String>,
}

impl ResourceGraph {
    /// Adds a vertex, with an edge from the one above it. Returns its id.
    fn add_vertex(
        &mut self,
        kind: &str,
        name: &str,
        number: usize,
        rank: i64,
        above: Option<usize>,
    ) -> usize {
        let unique = self.vertices.len();
        let id = unique.to_string();
        let path = format!("{}/{name}", above.map_or("", |above| &self.paths[above]));
        let metadata = json!({
            "type": kind, "basename": kind, "name": name, "id": number, "uniq_id": unique, "rank": rank,
            "exclusive": false, "unit": "", "size": 1, "paths": {"containment": path},
        });
        if let Some(above) = above {
            let edge = json!({"source": above.to_string(), "target": id, "metadata": {"subsystem": "containment"}});
            self.edges.push(edge.to_string());
        }
        let vertex = json!({"id": id, "metadata": metadata});
        self.vertices.push(vertex.to_string());
        self.paths.push(path);
        unique
    }
}
