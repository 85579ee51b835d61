//! Nodes that say themselves where they stand: `NodeName=… Topology=…` of slurm.conf, and `scontrol show node`.
//!
//! `Topology=default:s7,other:b2` names a unit in each of several topologies: a block, or a leaf switch, with the
//! switches above it before it: `default:top:s3:s7`. It wins over a line that places the node.
//!
//! # References
//! slurm.conf(5) and scontrol(1) of Slurm 26.05, `Topology`.

use std::collections::{HashMap, HashSet};

use super::config::{ConfigLines, read_entries, value_of};
use super::found::{NamedTopology, SiteUnit};
use crate::topology::import::document::Node;
use crate::topology::site::SiteKind;
use nodeorder_base::{Error, Line, Result, SourceLocation, Text};

/// A node and its unit in each topology.
struct PlacedNode {
    name: String,
    /// `Topology=` of the node as given; empty if it has none.
    topology: String,
    place: SourceLocation,
    line: usize,
}

/// The nodes of a cluster, with where they say they stand.
#[derive(Default)]
pub(super) struct PlacedNodes {
    nodes: Vec<PlacedNode>,
    /// Kind of topology by `TopologyPlugin`; `None` if it is not given.
    pub kind: Option<SiteKind>,
}

impl PlacedNodes {
    /// Adds nodes and their `Topology`, empty if they have none.
    pub fn add_nodes(&mut self, names: Vec<String>, topology: &str, line: &Line<'_>) {
        let place = line.location();
        self.nodes.extend(names.into_iter().map(|name| PlacedNode {
            name,
            topology: topology.to_string(),
            place: place.clone(),
            line: line.number,
        }));
    }

    /// Puts the nodes on their units of one topology: that called `wanted` if some node names it, else `default`, else
    /// the first that a node names. Units that no line describes are added. Fails, with the line, at a `Topology` of
    /// another form.
    pub fn place_nodes(
        self,
        found: &mut NamedTopology,
        kind: Option<SiteKind>,
        wanted: Option<&str>,
        text: &Text,
    ) -> Result<()> {
        let mut named: Vec<&str> = Vec::new();
        for node in &self.nodes {
            for part in node.topology.split(',').filter(|part| !part.is_empty()) {
                match part.split_once(':') {
                    Some((name, path))
                        if !name.is_empty() && path.split(':').all(|unit| !unit.is_empty()) =>
                    {
                        named.push(name);
                    }
                    _ => {
                        let found = format!("Topology={}", node.topology);
                        let expected = "TOPOLOGY:UNIT, as in default:s1 or default:top:s1";
                        return Err(Error::input(node.place.clone(), found, expected));
                    }
                }
            }
        }
        let Some(first) = named.first() else {
            return Ok(());
        };
        let chosen = [wanted, Some("default")].into_iter().flatten();
        let chosen = chosen
            .into_iter()
            .find(|name| named.contains(name))
            .unwrap_or(first);
        let others: HashSet<&&str> = named.iter().filter(|name| **name != chosen).collect();
        if !others.is_empty() {
            found.remarks.push(format!(
                "{}: nodes have units of {} topologies: `{chosen}` is read, and name= chooses another",
                text.name(),
                others.len() + 1
            ));
        }
        found.name = chosen.to_string();
        found.kind = match self.kind.or(kind) {
            Some(kind) => kind,
            None => guess_kind(&self.nodes, found, text),
        };
        found.cluster = Some(self.nodes.iter().map(|node| node.name.clone()).collect());
        let mut placed = HashMap::new();
        for node in &self.nodes {
            let mut parts = node
                .topology
                .split(',')
                .filter_map(|part| part.split_once(':'));
            if let Some((_, path)) = parts.find(|(name, _)| *name == chosen) {
                placed.insert(node.name.as_str(), path);
            }
        }
        for unit in &mut found.units {
            unit.nodes
                .retain(|name| !placed.contains_key(name.as_str()));
        }
        let mut known: HashMap<String, usize> = HashMap::new();
        for (at, unit) in found.units.iter().enumerate() {
            known.insert(unit.name.clone(), at);
        }
        for node in &self.nodes {
            // A node that comes again stands where its last line says.
            let Some(path) = placed.remove(node.name.as_str()) else {
                continue;
            };
            let mut above: Option<usize> = None;
            for name in path.split(':') {
                let at = *known.entry(name.to_string()).or_insert(found.units.len());
                if at == found.units.len() {
                    found
                        .units
                        .push(SiteUnit::new(name, node.place.clone(), node.line));
                }
                if let Some(above) =
                    above.filter(|above| !found.units[*above].children.iter().any(|c| c == name))
                {
                    found.units[above].children.push(name.to_string());
                }
                above = Some(at);
            }
            if let Some(leaf) = above {
                found.units[leaf].nodes.push(node.name.clone());
            }
        }
        Ok(())
    }
}

/// Guesses the kind of topology, with a remark: a tree if units have switches above them, else blocks.
fn guess_kind(nodes: &[PlacedNode], found: &mut NamedTopology, text: &Text) -> SiteKind {
    let parts = nodes.iter().flat_map(|node| node.topology.split(','));
    let deepest = parts.map(|part| part.matches(':').count()).max();
    if deepest > Some(1) {
        return SiteKind::Tree;
    }
    found.remarks.push(format!(
        "{}: the units of nodes are taken for blocks, as there is neither \
         TopologyPlugin= nor a switch above one",
        text.name()
    ));
    SiteKind::Block
}

/// Checks whether a text is what `scontrol show node` printed: its first word is `NodeName=…`, and it says what is
/// allocated on nodes.
pub(super) fn is_node_report(text: &Text) -> bool {
    text.as_str().trim_start().starts_with("NodeName=") && text.as_str().contains("CPUAlloc=")
}

/// Reads the nodes that `scontrol show node` printed, on one line each or on several. What it says of nodes besides
/// `Topology=` and `Weight=` is passed over: values there may hold blanks and `#`.
pub(super) fn read_node_report(text: &Text, found: &mut NamedTopology) -> PlacedNodes {
    let mut placed = PlacedNodes::default();
    for line in text.lines() {
        for word in line.text.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                continue;
            };
            match (key, placed.nodes.last_mut()) {
                ("NodeName", _) => placed.add_nodes(vec![value.to_string()], "", &line),
                ("Topology", Some(node)) if value != "(null)" => node.topology = value.to_string(),
                ("Weight", Some(node)) => {
                    let weight = value.parse().ok();
                    found
                        .weights
                        .extend(weight.map(|weight| (node.name.clone(), weight)));
                }
                _ => {}
            }
        }
    }
    placed
}

/// Reads the nodes of `scontrol show node --json`. Fails, with the line, if one has no name.
pub(super) fn read_node_list(
    nodes: &[Node],
    text: &Text,
    found: &mut NamedTopology,
) -> Result<PlacedNodes> {
    let mut placed = PlacedNodes::default();
    for node in nodes {
        let name = node.require_text("name")?;
        let topology = node.text_at(&["topology"]);
        let line = text.line_at(node.line, "");
        placed.add_nodes(vec![name.to_string()], topology.unwrap_or_default(), &line);
        let weight = node.find_key("weight").and_then(Node::parse_text);
        found
            .weights
            .extend(weight.map(|weight| (name.to_string(), weight)));
    }
    Ok(placed)
}

/// First keys of lines that slurm.conf has, and topology.conf does not.
const SLURM_CONF: [&str; 5] = [
    "clustername",
    "slurmctldhost",
    "partitionname",
    "nodeset",
    "topologyplugin",
];

/// Checks whether lines are those of slurm.conf, which says much besides: then other lines are passed over.
pub(super) fn is_slurm_conf(lines: &ConfigLines) -> bool {
    lines.iter().any(|line| is_slurm_conf_line(&line))
}

/// Checks whether only slurm.conf has such a line.
fn is_slurm_conf_line(line: &Line<'_>) -> bool {
    let Ok(entries) = read_entries(line) else {
        return false;
    };
    let head = entries.first().map_or("", |(key, _)| key.as_str());
    SLURM_CONF.contains(&head) || head == "nodename" && value_of(&entries, "topology").is_some()
}
