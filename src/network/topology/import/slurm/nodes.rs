//! Nodes of a cluster that its topology places, and those that it does not.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::found::{Found, SiteUnit, at};
use crate::topology::context::Context;
use crate::topology::import::host_list::expand;
use crate::topology::site::SiteKind;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;
use nodeorder_base::params::{Params, Written};

/// The option `nodes`: a host list, or a file of names.
pub(super) struct NodesOption {
    pub list: String,
    pub path: PathBuf,
    /// Place of the whole specification.
    pub location: SourceLocation,
    pub written: Written,
}

impl NodesOption {
    /// Reads the option `nodes`; `None` if it is not given.
    pub fn parse(params: &Params) -> Result<Option<Self>> {
        let (Some(list), Some(path)) = (params.word("nodes")?, params.path("nodes")?) else {
            return Ok(None);
        };
        Ok(Some(NodesOption {
            list,
            path,
            location: params.location().clone(),
            written: params.written("nodes"),
        }))
    }
}

/// The most nodes of a ring.
const LONGEST_RING: usize = 16;

/// Reads the cluster's nodes: a file of names, the first word of each line, or a host list.
pub(super) fn node_table(option: &NodesOption, context: &Context) -> Result<HashSet<String>> {
    let text = if option.path.is_file() {
        Text::read(&option.path, context.memory)?
    } else {
        Text::new(option.location.to_string(), option.list.replace('+', ","))
    };
    let mut nodes = HashSet::new();
    for line in text.data_lines() {
        let word = line.text.split_whitespace().next().unwrap_or_default();
        nodes.extend(expand(word, &line, nodes.len(), context)?);
    }
    if nodes.is_empty() {
        return Err(option.written.wrong("at least one node"));
    }
    Ok(nodes)
}

/// Checks that no node stands twice; leaves out the nodes that the cluster does not have, and says so. The cluster's
/// nodes that are not placed, in the order of their names.
pub(super) fn apply(
    text: &Text,
    found: &mut Found,
    table: Option<HashSet<String>>,
) -> Result<Vec<String>> {
    let (mut names, mut seen) = (HashMap::new(), HashMap::new());
    let again = |unit: &SiteUnit, what: String, other: usize, expected: &str| {
        let found = format!("{what} again (line {other} has it)");
        Err(Error::input(
            SourceLocation::line(text.name(), unit.line),
            found,
            expected,
        ))
    };
    for unit in &found.units {
        if let Some(other) = names.insert(&unit.name, unit.line) {
            return again(unit, format!("`{}`", unit.name), other, "each name once");
        }
        for node in &unit.nodes {
            if let Some(other) = seen.insert(node, unit.line) {
                return again(unit, format!("node `{node}`"), other, "each node once");
            }
        }
        if found.kind == SiteKind::Ring && unit.nodes.len() > LONGEST_RING {
            let (name, nodes) = (&unit.name, unit.nodes.len());
            found.remarks.push(format!(
                "{}: ring {name} has {nodes} nodes: Slurm stops at more than {LONGEST_RING}",
                at(text, unit.line)
            ));
        }
    }
    let cells = || found.toruses.iter().flat_map(|t| &t.cells).flatten();
    let mut in_torus = HashSet::new();
    if let Some(again) = cells().find(|node| !in_torus.insert(*node)) {
        let found = format!("node `{again}` in two toruses");
        return Err(Error::input(
            SourceLocation::File(text.name().into()),
            found,
            "each node once",
        ));
    }
    let mut placed: HashSet<String> = cells().chain(seen.into_keys()).cloned().collect();
    let Some(mut table) = table else {
        if found.kind == SiteKind::Flat {
            let problem = "topology/flat, which names no nodes".to_string();
            let location = SourceLocation::File(text.name().into());
            return Err(Error::unsuited(
                location,
                problem,
                "nodes=LIST says which there are",
            ));
        }
        return Ok(Vec::new());
    };
    let unknown: Vec<String> = placed
        .iter()
        .filter(|n| !table.contains(*n))
        .cloned()
        .collect();
    if let Some(first) = unknown.iter().min() {
        let (count, file) = (unknown.len(), text.name());
        found.remarks.push(format!(
            "{file}: {count} nodes that nodes= does not have are left out, the first {first}: Slurm says `Invalid hostnames`"
        ));
        found
            .units
            .iter_mut()
            .for_each(|unit| unit.nodes.retain(|node| table.contains(node)));
        for cell in found.toruses.iter_mut().flat_map(|torus| &mut torus.cells) {
            *cell = cell.take().filter(|node| table.contains(node));
        }
        placed.retain(|node| table.contains(node));
    }
    if found.kind == SiteKind::Flat {
        let mut nodes: Vec<String> = table.drain().collect();
        nodes.sort_by_cached_key(|name| natural(name));
        let name = "flat".to_string();
        found.units.push(SiteUnit {
            name,
            nodes,
            children: Vec::new(),
            line: 1,
            speed: None,
        });
        return Ok(Vec::new());
    }
    let mut unplaced: Vec<String> = table.drain().filter(|n| !placed.contains(n)).collect();
    unplaced.sort_by_cached_key(|name| natural(name));
    if let Some(first) = unplaced.first() {
        let (count, file) = (unplaced.len(), text.name());
        found.remarks.push(format!(
            "{file}: {count} nodes are not placed, the first {first}: Slurm gives them jobs of one node only"
        ));
    }
    Ok(unplaced)
}

/// A name in pieces, numbers by their value: `n2` before `n10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let stem = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let digits = rest[stem..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - stem);
        let number = rest[stem..stem + digits].parse().unwrap_or(u64::MAX);
        pieces.push((rest[..stem].to_string(), number));
        rest = &rest[stem + digits..];
    }
    pieces
}
