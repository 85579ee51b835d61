//! Flux: brokers ranked in rank order, and the resource graph in JSON Graph Format, ids in rank order.
//!
//! In the graph the `id` of a node is its rank in the ordering, by which the match policies `low` and `high` go, and
//! `rank` that of its broker, on which Flux starts what runs there (flux-sched,
//! `resource/readers/resource_reader_jgf.cpp` and `resource/writers/match_writers.cpp`: R names brokers by `rank`): the
//! number of the node, or its place in a file. Cores and GPUs hang below nodes with the same `rank`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde_json::json;

use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport, plain_target};
use super::units::list_units;
use nodeorder_base::{Error, NodeId, Opt, Params, Result, SourceLocation, Text};
use nodeorder_network::Topology;
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
pub(super) const GRAPH: ExportTarget = ExportTarget::new(
    "jgf",
    "JSON for Flux: the resource graph (JGF) of units, nodes and what nodes have, node ids in rank order",
    &[
        Opt::whole("cores", "cores of a node; 0: none are written").default_value("0"),
        Opt::whole("gpus", "GPUs of a node").default_value("0"),
        Opt::file(
            "ranks",
            "the hosts by broker rank, as `flux getattr hostlist` lists them, or lines RANK: HOST as of `flux exec --label-io hostname`",
        )
        .default_in_words("a broker's rank is its node's number"),
    ],
    ParseTarget::Options(parse_graph),
);

fn parse_graph(params: &Params) -> Result<WriteExport> {
    let cores = params.required_integer("cores", 0, 1 << 16)?;
    let gpus = params.required_integer("gpus", 0, 1 << 16)?;
    let ranks = params.optional_path("ranks")?;
    Ok(Box::new(move |input| {
        write_graph(input, [("core", cores), ("gpu", gpus)], ranks.as_deref())
    }))
}

/// Writes the graph; below every node stand `parts`, the number of cores and of GPUs.
fn write_graph(
    input: &ExportInput,
    parts: [(&str, usize); 2],
    ranks_file: Option<&Path>,
) -> Result<Export> {
    let topology = input.topology;
    let units = list_units(input)?;
    let names = input.all_names()?;
    let each = 1 + parts.iter().map(|(_, count)| count).sum::<usize>();
    // A vertex and its edge are some 400 bytes of text, held twice when they are joined.
    topology.require_memory("the graph of an export", 800 * (names.len() * each) as u64)?;
    let mut notes = Vec::new();
    let brokers: HashMap<NodeId, u64> = match ranks_file {
        Some(path) => {
            let text = Text::read(path, topology.context().memory)?;
            read_broker_ranks(topology, &text, &mut notes)?
        }
        None => (0..topology.nodes().slot_count())
            .map(|node| (NodeId(node), node.into()))
            .collect(),
    };
    if parts[0].1 == 0 {
        notes.push(
            "nodes without cores, which jobs of Flux's own commands ask for: give cores=".into(),
        );
    }
    let ranks: HashMap<&String, usize> = names.iter().zip(0..).collect();
    let nodes_by_rank = input.all_nodes();
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
    for (number, name, above) in nodes {
        let Some(broker) = brokers.get(&nodes_by_rank[number]) else {
            let location = SourceLocation::file(ranks_file.unwrap_or(Path::new("")));
            let found = format!("no broker rank of host `{name}`");
            return Err(Error::input(
                location,
                found,
                "each host of the machine once",
            ));
        };
        let broker = *broker as i64;
        let node = graph.add_vertex("node", name, number, broker, Some(above));
        for (kind, count) in parts {
            for part in 0..count {
                graph.add_vertex(kind, &format!("{kind}{part}"), part, broker, Some(node));
            }
        }
    }
    // A vertex or edge a line.
    let vertices = graph.vertices.join(",\n");
    let edges = graph.edges.join(",\n");
    let text =
        format!("{{\"graph\": {{\"nodes\": [\n{vertices}\n], \"edges\": [\n{edges}\n]}}}}\n");
    Ok(Export {
        notes,
        ..Export::from(text)
    })
}

/// Reads the broker rank of each node. A line is a list of hosts, whose ranks follow those before, or a rank with its
/// host. Hosts that the machine does not have, such as one for logins, keep their ranks and are noted.
///
/// # Errors
/// With the line: a host or a rank again.
fn read_broker_ranks(
    topology: &Topology,
    text: &Text,
    notes: &mut Vec<String>,
) -> Result<HashMap<NodeId, u64>> {
    let mut brokers: HashMap<NodeId, u64> = HashMap::new();
    let mut taken: HashSet<u64> = HashSet::new();
    let mut unknown = Vec::new();
    let mut next = 0;
    for line in text.data_lines() {
        let mut words: Vec<&str> = line.text.split_whitespace().collect();
        if let [rank, _] = words[..]
            && let Ok(rank) = rank.trim_end_matches(':').parse::<u32>()
        {
            next = rank.into();
            words.remove(0);
        }
        for word in words.into_iter().flat_map(split_host_list) {
            let hosts = match topology.hosts_named(word, &line) {
                Ok(hosts) => hosts.into_iter().map(|(_, node)| Some(node)).collect(),
                // A list in brackets may hold hosts of which only some are known, so that it is no single host.
                Err(error) if word.contains('[') => return Err(error),
                Err(_) => vec![None],
            };
            for host in hosts {
                let again = match host {
                    Some(node) => brokers.insert(node, next).is_some(),
                    None => false,
                };
                if again || !taken.insert(next) {
                    let found = format!("`{word}` with rank {next}, one of which came before");
                    let expected = "each host and each rank once";
                    return Err(Error::input(line.location(), found, expected));
                }
                if host.is_none() {
                    unknown.push(word.to_string());
                }
                next += 1;
            }
        }
    }
    if !unknown.is_empty() {
        let count = unknown.len();
        let list = compact_list(unknown);
        notes.push(format!(
            "{}: passed over {count} hosts that the machine does not have: {list}",
            text.name()
        ));
    }
    Ok(brokers)
}

/// Splits a list of hosts at the commas outside brackets.
fn split_host_list(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|word| !word.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::write_order;
    use nodeorder_network::Context;
    use nodeorder_order::NodeOrder;
    use serde_json::Value;

    /// The rules of flux-sched's reader and of the instance: every vertex but the root has one edge from the vertex
    /// that its path names, ids of nodes are the ranks of the ordering, `rank` is the broker's, and what a node has
    /// carries it, too.
    fn check_graph(text: &str, order: &NodeOrder, broker: impl Fn(u32) -> i64, parts: [usize; 2]) {
        let graph: Value = serde_json::from_str(text).unwrap();
        let vertices = graph["graph"]["nodes"].as_array().unwrap();
        let edges = graph["graph"]["edges"].as_array().unwrap();
        let of: BTreeMap<&str, &Value> = vertices
            .iter()
            .map(|vertex| (vertex["id"].as_str().unwrap(), &vertex["metadata"]))
            .collect();
        let path = |id: &str| of[id]["paths"]["containment"].as_str().unwrap();
        assert_eq!(edges.len() + 1, vertices.len());
        for edge in edges {
            let [source, target] = ["source", "target"].map(|end| edge[end].as_str().unwrap());
            assert_eq!(path(target).rsplit_once('/').unwrap().0, path(source));
            if of[source]["type"] == "node" {
                assert_eq!(of[source]["rank"], of[target]["rank"]);
            }
        }
        let kind = |kind: &str| {
            let kind = kind.to_string();
            of.values()
                .filter(move |vertex| vertex["type"] == kind.as_str())
        };
        for node in kind("node") {
            let rank = node["id"].as_u64().unwrap() as usize;
            let id = order.nodes()[rank].0;
            assert_eq!(node["name"], format!("n{id:02}"));
            assert_eq!(node["rank"], broker(id), "{node}");
        }
        assert_eq!(kind("node").count(), order.len());
        for (name, count) in ["core", "gpu"].into_iter().zip(parts) {
            assert_eq!(kind(name).count(), count * order.len(), "{name}");
        }
    }

    #[test]
    fn graphs_name_brokers_and_what_nodes_have() {
        let machine = Topology::inline("torus:4x4", &Context::default()).unwrap();
        let order = NodeOrder::make(&machine, "random").unwrap();
        for (target, parts) in [("jgf", [0, 0]), ("jgf:cores=4,gpus=2", [4, 2])] {
            let made = write_order(target, &machine, &order).unwrap();
            check_graph(&made.text, &order, i64::from, parts);
            assert_eq!(
                made.notes.len(),
                usize::from(parts[0] == 0),
                "{:?}",
                made.notes
            );
        }
    }

    #[test]
    fn broker_ranks_are_read_from_lists_and_labelled_lines() {
        let machine = Topology::inline("torus:4x4", &Context::default()).unwrap();
        let read = |text: &str| {
            let mut notes = Vec::new();
            let ranks = read_broker_ranks(&machine, &Text::new("r", text.to_string()), &mut notes);
            ranks
                .map(|ranks| (ranks, notes))
                .map_err(|error| error.to_string())
        };
        // A management node comes first, so that the ranks of the others begin at 1.
        let (ranks, notes) = read("mgmt,n[08-15],n[00-07]\n").unwrap();
        assert_eq!(ranks.len(), 16);
        assert!(
            ranks
                .iter()
                .all(|(node, rank)| *rank == u64::from((node.0 + 8) % 16) + 1)
        );
        assert_eq!(
            notes,
            ["r: passed over 1 hosts that the machine does not have: mgmt"]
        );
        let (ranks, _) = read("1: n03\n0: n05\n").unwrap();
        assert_eq!([ranks[&NodeId(3)], ranks[&NodeId(5)]], [1, 0]);
        for (text, line) in [("n03\n0: n05\n", 2), ("n03,n03\n", 1), ("n[01-99]\n", 1)] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(&format!("r:{line}: found ")), "{error}");
        }
    }
}
