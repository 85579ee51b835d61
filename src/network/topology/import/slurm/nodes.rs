//! Nodes of a cluster that its topology places, nodes that it does not, and nodes that the cluster does not have.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::found::{NamedTopology, SiteUnit};
use crate::topology::context::Context;
use crate::topology::import::host_list::expand_host_list;
use crate::topology::site::SiteKind;
use nodeorder_base::params::Written;
use nodeorder_base::{Error, Params, Result, SourceLocation, Text};

/// The option `nodes`: a host list, or a file of names.
pub(super) struct NodesOption {
    /// The option as given: a host list, its parts joined by `+`.
    pub list: String,
    /// Path that the option stands for if there is such a file.
    pub path: PathBuf,
    /// Place of the whole specification.
    pub location: SourceLocation,
    pub written: Written,
}

impl NodesOption {
    /// Reads the option `nodes`; `None` if it is not given.
    pub fn parse(params: &Params) -> Result<Option<Self>> {
        let (Some(list), Some(path)) = (
            params.optional_word("nodes")?,
            params.optional_path("nodes")?,
        ) else {
            return Ok(None);
        };
        Ok(Some(NodesOption {
            list,
            path,
            location: params.location().clone(),
            written: params.written_value("nodes"),
        }))
    }
}

/// Most nodes of a ring that Slurm accepts.
const LONGEST_RING: usize = 16;

/// Reads the cluster's nodes: a file of names, the first word of each line, or a host list.
pub(super) fn read_cluster_nodes(
    option: &NodesOption,
    context: &Context,
) -> Result<HashSet<String>> {
    let text = if option.path.is_file() {
        Text::read(&option.path, context.memory)?
    } else {
        Text::new(option.location.to_string(), option.list.replace('+', ","))
    };
    let mut nodes = HashSet::new();
    for line in text.data_lines() {
        let word = line.text.split_whitespace().next().unwrap_or_default();
        nodes.extend(expand_host_list(word, &line, nodes.len(), context)?);
    }
    if nodes.is_empty() {
        return Err(option.written.invalid_value("at least one node"));
    }
    Ok(nodes)
}

/// Checks that no node stands twice, and leaves out the nodes that the cluster does not have, with a remark. Returns
/// the cluster's nodes that are not placed, in the order of their names.
pub(super) fn match_cluster_nodes(
    text: &Text,
    found: &mut NamedTopology,
    table: Option<HashSet<String>>,
) -> Result<Vec<String>> {
    let mut names = HashMap::new();
    let mut seen = HashMap::new();
    for unit in &found.units {
        if let Some(other) = names.insert(&unit.name, unit.line) {
            let found = format!("`{}` again (line {other} has it)", unit.name);
            return Err(unit.error_here(found, "each name once"));
        }
        for node in &unit.nodes {
            if let Some(other) = seen.insert(node, unit.line) {
                let found = format!("node `{node}` again (line {other} has it)");
                return Err(unit.error_here(found, "each node once"));
            }
        }
        if found.kind == SiteKind::Ring && unit.nodes.len() > LONGEST_RING {
            let name = &unit.name;
            let nodes = unit.nodes.len();
            found.remarks.push(format!(
                "{}: ring {name} has {nodes} nodes: Slurm stops at more than {LONGEST_RING}",
                unit.place
            ));
        }
    }
    let mut placed: HashSet<String> = seen.into_keys().cloned().collect();
    for node in found.toruses.iter().flat_map(|t| &t.cells).flatten() {
        // Toruses and units are not in one topology.
        if !placed.insert(node.clone()) {
            let found = format!("node `{node}` in two toruses");
            return Err(Error::input(text.location(), found, "each node once"));
        }
    }
    let Some(mut table) = table.or(found.cluster.take()) else {
        if found.kind == SiteKind::Flat {
            let problem = "topology/flat, which names no nodes";
            let remedy = "nodes=LIST says which there are";
            return Err(Error::unsuited(text.location(), problem, remedy));
        }
        return Ok(Vec::new());
    };
    let file = text.name();
    let unknown: Vec<&String> = placed.iter().filter(|n| !table.contains(*n)).collect();
    if let Some(first) = unknown.iter().min() {
        let count = unknown.len();
        found.remarks.push(format!(
            "{file}: {count} nodes that nodes= does not have are left out, the first \
             {first}: Slurm says `Invalid hostnames`"
        ));
        for unit in &mut found.units {
            unit.nodes.retain(|node| table.contains(node));
        }
        for cell in found.toruses.iter_mut().flat_map(|torus| &mut torus.cells) {
            *cell = cell.take().filter(|node| table.contains(node));
        }
    }
    table.retain(|node| !placed.contains(node));
    let mut unplaced: Vec<String> = table.into_iter().collect();
    unplaced.sort_by_cached_key(|name| natural_key(name));
    // A flat topology places no node, and has them all on one switch.
    if found.kind == SiteKind::Flat {
        found.units.push(SiteUnit {
            nodes: unplaced,
            ..SiteUnit::new("flat", text.line_at(1, "").location(), 1)
        });
        return Ok(Vec::new());
    }
    if let Some(first) = unplaced.first() {
        let count = unplaced.len();
        found.remarks.push(format!(
            "{file}: {count} nodes are not placed, the first {first}: Slurm gives them jobs of one node only"
        ));
    }
    Ok(unplaced)
}

/// Splits a name into texts, each with the number after it: keys that put `n2` before `n10`.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let stem = &rest[..rest.len() - text.len()];
        let digits = &text[..text.len() - after.len()];
        // A number that is too long, or none, comes last.
        pieces.push((stem.to_string(), digits.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    pieces
}
