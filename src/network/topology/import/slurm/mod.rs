//! Slurm's topologies: topology.conf, topology.yaml, `Topology=` of nodes in slurm.conf, and the output of `scontrol`
//! about them.
//!
//! [`lines`], [`yaml`] or [`placed`] reads the file, [`nodes`] compares its nodes with those of the cluster, [`shapes`]
//! makes switches and cables of it.

use std::collections::HashMap;

use found::{ALL_IS_NO_WILDCARD, NamedTopology};
use nodes::{NodesOption, match_cluster_nodes, read_cluster_nodes};
use shapes::{add_unplaced, wire_blocks, wire_flat, wire_rings, wire_toruses, wire_tree};

use super::outline::{OutlineNetwork, UPLINKS};
use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry};
use crate::topology::site::{Site, SiteKind, SiteLine};
use crate::topology::source_file::SourceFile;
use nodeorder_base::{Error, Opt, Params, Result, SourceLocation, Text};

mod config;
mod found;
mod lines;
mod nodes;
mod placed;
mod shapes;
mod yaml;

/// `slurm-topology:FILE[,name=T][,nodes=LIST]`; `name` is that of a topology.yaml's topology.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "slurm-topology",
    about: "the cluster of a Slurm topology.conf, topology.yaml, slurm.conf, \
     scontrol show topology, topoconf or node, names kept",
    example: "slurm-topology:topology.conf",
    options: &[
        Opt::file("file", "topology.conf, topology.yaml, slurm.conf with Topology= of \
         nodes, or what scontrol show topology, topoconf or node printed")
            .positional(),
        Opt::text("name", "which of the topologies of a topology.yaml, or of nodes")
            .default_in_words("the cluster's default, else the first"),
        Opt::text(
            "nodes",
            "all nodes of the cluster: a host list (its parts joined by +), or a file of names, one a line",
        )
        .default_in_words("those that the file places"),
        Opt::text("param", "Slurm's TopologyParam, its words joined by +, as in Dragonfly+TopoOptional")
            .default_in_words("the file's line TopologyParam=, which is slurm.conf's"),
        UPLINKS,
    ],
    parse: parse_options,
};

/// Keys that begin lines of Slurm's files about networks.
const KEYS: [&str; 5] = [
    "SwitchName",
    "BlockName",
    "BlockSizes",
    "RingName",
    "NodeName",
];

/// Checks whether a text is a file of Slurm's about networks.
pub(in crate::topology) fn recognises(text: &Text) -> bool {
    text.lines().any(|line| {
        let key = config::split_key(line.text.trim_start()).map_or("", |(key, _)| key);
        let is_key = KEYS.iter().any(|known| known.eq_ignore_ascii_case(key));
        is_key || line.text.trim_start().starts_with("- topology:")
    })
}

/// Options of the family.
struct SlurmOptions {
    /// Which of the topologies of a topology.yaml; in a machine's own file `name` may be that machine's.
    name: Option<String>,
    /// Whether there must be a topology of that name.
    name_is_meant: bool,
    /// All nodes of the cluster; `None` if they are those of the file.
    nodes: Option<NodesOption>,
    /// `TopologyParam`, which wins over that of the file.
    param: Option<String>,
}

/// Reads the options.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let name = params.optional_word("name")?;
    let nodes = NodesOption::parse(params)?;
    let param = params.optional_word("param")?;
    let expected = "a topology.conf, as in slurm-topology:topology.conf";
    let options = SlurmOptions {
        name,
        name_is_meant: matches!(params.location_of("name"), SourceLocation::Option(_)),
        nodes,
        param,
    };
    OutlineNetwork::parse(params, expected, move |file| {
        read_topology_file(file, &options)
    })
}

/// Reads the switches, nodes and cables of a file. A topology.yaml may have several topologies: `name` takes one,
/// else the cluster's default is taken, else the first.
///
/// topology/tree: a switch a `SwitchName` line, a link to each of its `Switches`, as wide as `LinkSpeed` of the
/// lower switch says (Slurm itself passes that over): the lowest one is capacity 1; a switch named below two others
/// hangs below both, and belongs to the last. topology/block: a switch a `BlockName` line, without nodes too; a
/// further switch above each group of blocks that the second and later `BlockSizes` name, and one above all.
/// topology/ring: a router a node, linked to the next one of its ring. topology/torus3d: a router a cell.
/// topology/flat: one switch. Trees of a forest, rings and toruses are separate components; nodes of `nodes` that the
/// file does not place are components of their own.
///
/// Lines that are read here but that Slurm does not load become remarks. Fails, with the line, at any other line, a
/// host list that is none, a switch or node named twice, a switch that no line describes, switches in a loop, sizes
/// that do not ascend by multiples of the first, or a torus whose nodes do not fill it.
///
/// # References
/// topology.conf(5) and topology.yaml(5) of Slurm 26.05.
fn read_topology_file(file: &SourceFile<'_>, options: &SlurmOptions) -> Result<(Wiring, String)> {
    let text = &file.text;
    let context = file.context;
    let name = options.name.as_deref();
    let mut found = if placed::is_node_report(text) {
        let mut found = NamedTopology::new(SiteKind::Block, "default");
        let nodes = placed::read_node_report(text, &mut found);
        nodes.place_nodes(&mut found, None, name, text)?;
        found
    } else if config::is_config(text) {
        lines::read_lines(file, name)?
    } else {
        yaml::read_yaml(text, name, options.name_is_meant, context)?
    };
    let nodes = match &options.nodes {
        Some(nodes) => Some(read_cluster_nodes(nodes, context)?),
        None => None,
    };
    let unplaced = match_cluster_nodes(text, &mut found, nodes)?;
    let mut remarks = found.remarks.iter();
    let all =
        remarks.find_map(|remark| remark.strip_suffix(ALL_IS_NO_WILDCARD)?.strip_suffix(": "));
    let is_empty = found.units.iter().all(|unit| unit.nodes.is_empty());
    // With no node at all, the wildcard that is none is the reason.
    if let Some(place) = all.filter(|_| is_empty && unplaced.is_empty()) {
        let location = SourceLocation::File(place.into());
        let problem = "Nodes=ALL, which is no wildcard: Slurm looks for a node called ALL";
        let remedy = "nodes=LIST says which nodes there are";
        return Err(Error::unsuited(location, problem, remedy));
    }
    let mut wiring = match found.kind {
        SiteKind::Tree => wire_tree(&found)?,
        SiteKind::Block => wire_blocks(&found)?,
        SiteKind::Ring => wire_rings(&found),
        SiteKind::Torus => wire_toruses(&found, unplaced.is_empty()),
        SiteKind::Flat => wire_flat(&found),
    };
    add_unplaced(&mut wiring, &unplaced);
    wiring.forest = true;
    wiring.outline = matches!(
        found.kind,
        SiteKind::Tree | SiteKind::Block | SiteKind::Flat
    );
    wiring.remarks.append(&mut found.remarks);
    let chosen = found.name.clone();
    if let Some(param) = &options.param {
        found.param = param.replace('+', ",");
    }
    wiring.site = Some(keep_site_file(found));
    let mut suffix = String::new();
    // The name of a machine's own file may be none of a topology.
    if let Some(name) = name.filter(|name| *name == chosen) {
        suffix += &format!(",name={name}");
    }
    if let Some(nodes) = &options.nodes {
        suffix += &format!(",nodes={}", nodes.list);
    }
    if let Some(param) = &options.param {
        suffix += &format!(",param={param}");
    }
    Ok((wiring, suffix))
}

/// Keeps the contents of the file, for writing it back.
fn keep_site_file(found: NamedTopology) -> Site {
    // A switch below two others belongs to the last.
    let mut parent_of: HashMap<&str, usize> = HashMap::new();
    for (parent, unit) in found.units.iter().enumerate() {
        for child in &unit.children {
            parent_of.insert(child, parent);
        }
    }
    let lines = found.units.iter().map(|unit| SiteLine {
        name: unit.name.clone(),
        nodes: unit.nodes.clone(),
        parent: parent_of.get(unit.name.as_str()).copied(),
    });
    Site {
        kind: found.kind,
        lines: lines.collect(),
        name: found.name,
        sizes: found.sizes,
        toruses: found.toruses,
        param: found.param,
        weights: found.weights,
    }
}
