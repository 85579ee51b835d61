//! A machine's units as a tree in rank order: what topologies of resource managers are written from.

use std::collections::{BTreeSet, HashMap};

use super::entry::ExportInput;
use super::node_names::{free_name, plain_text};
use nodeorder_base::{NodeId, Result};
use nodeorder_network::topology::compact_list;
use nodeorder_network::topology::site::{Site, SiteKind};

/// A unit: a leaf with nodes, or one with units below.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExportUnit {
    pub name: String,
    /// The level's name.
    pub level: String,
    /// Number of levels that the unit lies above the leaves: 0 for a leaf.
    pub height: usize,
    /// Names of a leaf's nodes, in rank order.
    pub nodes: Vec<String>,
    /// Indices of the units below, in rank order.
    pub below: Vec<usize>,
    /// Index of the unit above; `None` if there is none.
    pub above: Option<usize>,
}

impl ExportUnit {
    /// Formats the unit's nodes and the units below it as host lists, each with its key word; empty lists are left out.
    pub(super) fn host_lists(
        &self,
        [nodes, below]: [&'static str; 2],
        units: &[ExportUnit],
    ) -> impl Iterator<Item = (&'static str, String)> {
        let names = self.below.iter().map(|i| units[*i].name.clone());
        [
            (nodes, compact_list(self.nodes.clone())),
            (below, compact_list(names)),
        ]
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
    }

    /// Writes the line of topology.conf, which begins with `key`.
    pub(super) fn conf_line(&self, key: &str, units: &[ExportUnit]) -> String {
        let mut line = format!("{key}={}", self.name);
        for (word, list) in self.host_lists(["Nodes", "Switches"], units) {
            line += &format!(" {word}={list}");
        }
        line + "\n"
    }
}

/// Lists the units from the leaves up, those of a level in the order of their lowest ranks, and nodes likewise; nodes
/// that the ordering leaves out come last. Machines without levels have a leaf for each router. Several units at the
/// top get one more above them, unless no path joins them.
///
/// # Errors
/// Names that are no names for resource managers, as [`ExportInput::all_names`].
pub(super) fn list_units(input: &ExportInput) -> Result<Vec<ExportUnit>> {
    let names = input.all_names()?;
    let network = input.topology.network();
    let levels = input.topology.switch_levels();
    let mut units: Vec<ExportUnit> = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    // Nodes or units of the level below with a node of each, for its unit.
    let mut below: Vec<(usize, NodeId)> = (0..).zip(input.all_nodes()).collect();
    // Nodes come in rank order, so that units appear, and are numbered, by their lowest rank.
    for (height, level) in levels.iter().rev().enumerate() {
        let mut index_of: HashMap<u32, usize> = HashMap::new();
        let mut here: Vec<(usize, NodeId)> = Vec::new();
        for (index, node) in below {
            let unit = level.unit_of(node);
            let at = *index_of.entry(unit).or_insert_with(|| {
                here.push((units.len(), node));
                units.push(ExportUnit {
                    name: plain_name(&level.unit_name(unit), &mut taken),
                    level: level.name.to_string(),
                    height,
                    ..ExportUnit::default()
                });
                units.len() - 1
            });
            if height == 0 {
                units[at].nodes.push(names[index].clone());
            } else {
                units[at].below.push(index);
                units[index].above = Some(at);
            }
        }
        below = here;
    }
    // Slurm takes several tops for parts that no path joins, which is right only where none does.
    if below.len() > 1 && network.component_of().is_none() {
        let root = ExportUnit {
            name: plain_name(root_name(network.site()), &mut taken),
            level: "root".into(),
            height: levels.len(),
            below: below.into_iter().map(|(unit, _)| unit).collect(),
            ..ExportUnit::default()
        };
        root.below
            .iter()
            .for_each(|unit| units[*unit].above = Some(units.len()));
        units.push(root);
    }
    Ok(units)
}

/// Finds the name of a site's only switch without one above; `root` if there is none.
fn root_name(site: Option<&Site>) -> &str {
    let lines = site
        .filter(|site| site.kind == SiteKind::Tree)
        .into_iter()
        .flat_map(|site| &site.lines);
    let mut tops = lines.filter(|line| line.parent.is_none());
    match (tops.next(), tops.next()) {
        (Some(top), None) => &top.name,
        _ => "root",
    }
}

/// Makes a name of letters, digits, `-`, `_` and `.`, which no other unit has.
fn plain_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    free_name(plain_text(&name.replace(' ', "")), taken)
}
