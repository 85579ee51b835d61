//! A machine's units as a tree in rank order: what topologies of resource managers are written from.

use std::collections::{BTreeSet, HashMap};

use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::site::{Site, SiteKind, SiteLine};
use nodeorder_order::ordering::NodeOrder;

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
}

/// Lists the units from the leaves up, those of a level in the order of their lowest ranks, and nodes likewise; nodes
/// that the ordering leaves out come last. Machines without levels have a leaf for each router. Several units at the
/// top get one more above them, unless no path joins them.
///
/// # Errors
/// Names that are no names for resource managers, as [`super::all_names`].
pub(super) fn list_units(topology: &Topology, order: &NodeOrder) -> Result<Vec<ExportUnit>> {
    let names = super::all_names(topology, order)?;
    let levels = topology.switch_levels();
    let mut units: Vec<ExportUnit> = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    // Nodes or units of the level below with a node of each, for its unit.
    let mut below: Vec<(usize, NodeId)> = super::all_nodes(topology, order)
        .into_iter()
        .enumerate()
        .collect();
    // Nodes come in rank order, so that units appear, and are numbered, by their lowest rank.
    for (height, level) in levels.iter().rev().enumerate() {
        let mut of: HashMap<u32, usize> = HashMap::new();
        let mut here: Vec<(usize, NodeId)> = Vec::new();
        for (index, node) in &below {
            let unit = level.unit_of(*node);
            let at = *of.entry(unit).or_insert_with(|| {
                let name = plain_name(&level.unit_name(unit), &mut taken);
                let level = level.name.to_string();
                units.push(ExportUnit {
                    name,
                    level,
                    height,
                    ..ExportUnit::default()
                });
                here.push((units.len() - 1, *node));
                units.len() - 1
            });
            match height {
                0 => units[at].nodes.push(names[*index].clone()),
                _ => units[at].below.push(*index),
            }
        }
        below = here;
    }
    // Slurm takes several tops for parts that no path joins, which is right only where none does.
    if below.len() > 1 && topology.network().component_of().is_none() {
        let name = plain_name(&root_name(topology.network().site()), &mut taken);
        let below = below.into_iter().map(|(unit, _)| unit).collect();
        let level = "root".into();
        units.push(ExportUnit {
            name,
            level,
            height: levels.len(),
            below,
            ..ExportUnit::default()
        });
    }
    Ok(units)
}

/// Finds the name of a site's only switch without one above; `root` if there is none.
fn root_name(site: Option<&Site>) -> String {
    let tops: Vec<&SiteLine> = match site {
        Some(site) if site.kind == SiteKind::Tree => site
            .lines
            .iter()
            .filter(|line| line.parent.is_none())
            .collect(),
        _ => Vec::new(),
    };
    match tops.as_slice() {
        [top] => top.name.clone(),
        _ => "root".into(),
    }
}

/// Makes a name of letters, digits, `-`, `_` and `.`, which no other unit has.
fn plain_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain: String = name
        .chars()
        .filter(|c| *c != ' ')
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();
    super::free_name(plain, taken)
}

/// Refuses an ordering that leaves a leaf and comes back to it: the order of leaves cannot say it.
///
/// # Errors
/// With the leaf and the target.
pub(super) fn check_contiguous(units: &[ExportUnit], order: &[String], target: &str) -> Result<()> {
    let rank: HashMap<&String, usize> = order.iter().zip(0..).collect();
    for unit in units.iter().filter(|unit| unit.height == 0) {
        let ranks: Vec<usize> = unit
            .nodes
            .iter()
            .filter_map(|node| rank.get(node).copied())
            .collect();
        // The nodes of a leaf are in rank order: the first and the last bound its ranks.
        if let (Some(first), Some(last)) = (ranks.first(), ranks.last())
            && last - first + 1 != ranks.len()
        {
            let problem = format!(
                "an ordering that leaves switch {} and comes back to it",
                unit.name
            );
            let remedy =
                "use leaf=one, or an ordering that keeps leaves together, such as hierarchical";
            return Err(Error::unsuited(
                SourceLocation::option(format!("--to {target}")),
                problem,
                remedy,
            ));
        }
    }
    Ok(())
}
