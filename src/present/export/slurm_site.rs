//! A machine as Slurm describes it, its lines in rank order.

use std::collections::HashMap;

use super::all_names;
use super::units::{ExportUnit, list_units};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_network::topology::site::{Site, SiteKind, SiteTorus};
use nodeorder_network::topology::{Topology, compact_list};
use nodeorder_order::ordering::NodeOrder;

/// A topology of Slurm's.
pub(super) struct Described {
    pub kind: SiteKind,
    pub name: String,
    pub lines: Vec<SlurmEntry>,
    pub sizes: Vec<u64>,
    pub toruses: Vec<SiteTorus>,
}

/// A switch, block or ring.
#[derive(Clone, Default)]
pub(super) struct SlurmEntry {
    pub name: String,
    pub nodes: Vec<String>,
    pub children: Vec<String>,
}

impl SlurmEntry {
    /// Converts units to switches.
    pub(super) fn entries_of_units(units: &[ExportUnit]) -> Vec<SlurmEntry> {
        units
            .iter()
            .map(|unit: &ExportUnit| SlurmEntry {
                name: unit.name.clone(),
                nodes: unit.nodes.clone(),
                children: unit.below.iter().map(|i| units[*i].name.clone()).collect(),
            })
            .collect()
    }

    /// Writes the line of topology.conf, which begins with `key`.
    pub(super) fn conf_line(self, key: &str) -> String {
        let mut line = format!("{key}={}", self.name);
        for (word, names) in [("Nodes", self.nodes), ("Switches", self.children)] {
            if !names.is_empty() {
                line += &format!(" {word}={}", compact_list(names));
            }
        }
        line + "\n"
    }
}

/// Describes the site's own topology where the machine is read from a file of Slurm's, else its units as a tree.
/// Lines go by the lowest rank of their nodes, those below others first; the nodes of a leaf and a block by rank,
/// those of a ring as they stand.
///
/// # Errors
/// A torus or flat network where `target` is slurm-permuted; names that Slurm gives a meaning.
pub(super) fn describe_site(
    topology: &Topology,
    order: &NodeOrder,
    target: &str,
) -> Result<Described> {
    let names = all_names(topology, order)?;
    let Some(site) = topology.network().site() else {
        let units = list_units(topology, order)?;
        let kind = SiteKind::Tree;
        let name = "default".into();
        let lines = SlurmEntry::entries_of_units(&units);
        return Ok(Described {
            kind,
            name,
            lines,
            sizes: Vec::new(),
            toruses: Vec::new(),
        });
    };
    if target == "slurm-permuted" && matches!(site.kind, SiteKind::Torus | SiteKind::Flat) {
        let problem =
            "topology/torus3d and topology/flat, which have no lines whose order Slurm follows";
        let remedy =
            "use slurm-yaml for the torus itself, slurm-names or slurm-weights for the ordering";
        return Err(Error::unsuited(
            SourceLocation::option(format!("--to {target}")),
            problem,
            remedy,
        ));
    }
    let rank: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let of = |node: &String| rank.get(node.as_str()).copied().unwrap_or(usize::MAX);
    let mut lowest: Vec<usize> = Vec::new();
    let mut lines: Vec<SlurmEntry> = Vec::new();
    for line in &site.lines {
        let mut nodes = line.nodes.clone();
        // The order within a ring is that of its cables.
        if site.kind != SiteKind::Ring {
            nodes.sort_by_key(of);
        }
        lowest.push(nodes.iter().map(of).min().unwrap_or(usize::MAX));
        lines.push(SlurmEntry {
            name: line.name.clone(),
            nodes,
            children: Vec::new(),
        });
    }
    let sorted = match site.kind {
        SiteKind::Block => sort_blocks(site, &lowest),
        _ => sort_tree(site, &mut lowest, &mut lines),
    };
    let lines = sorted
        .into_iter()
        .map(|i| std::mem::take(&mut lines[i]))
        .collect();
    let toruses = site.toruses.clone();
    Ok(Described {
        kind: site.kind,
        name: site.name.clone(),
        lines,
        sizes: site.sizes.clone(),
        toruses,
    })
}

/// Sorts the lines by height, then by lowest rank; children likewise.
fn sort_tree(site: &Site, lowest: &mut [usize], lines: &mut [SlurmEntry]) -> Vec<usize> {
    let mut height = vec![0; lines.len()];
    for start in 0..lines.len() {
        let mut at = start;
        let mut h = 0;
        while let Some(parent) = site.lines[at].parent {
            // The whole way up, since a switch that holds others may have no nodes of its own.
            lowest[parent] = lowest[parent].min(lowest[start]);
            h += 1;
            height[parent] = height[parent].max(h);
            at = parent;
        }
    }
    let mut sorted: Vec<usize> = (0..lines.len()).collect();
    // By height first, as units are listed: a switch stands before the one that names it.
    sorted.sort_by_key(|i| (height[*i], lowest[*i]));
    for i in &sorted {
        if let Some(parent) = site.lines[*i].parent {
            let name = lines[*i].name.clone();
            lines[parent].children.push(name);
        }
    }
    sorted
}

/// Sorts blocks by lowest rank, inside the larger blocks that sizes make of them; those move inside still larger
/// ones. A larger block that is not full stays last.
fn sort_blocks(site: &Site, lowest: &[usize]) -> Vec<usize> {
    let base = site.sizes.first().copied().unwrap_or(1).max(1);
    let mut groups: Vec<Vec<usize>> = (0..lowest.len()).map(|i| vec![i]).collect();
    let mut reach = 1;
    let sizes = site
        .sizes
        .iter()
        .skip(1)
        .map(|size| size / base)
        // At last the largest blocks move within the whole machine.
        .chain([u64::MAX]);
    for blocks in sizes {
        let each = usize::try_from((blocks / reach).max(1)).unwrap_or(usize::MAX);
        // Groups before the last are full.
        let full = groups.first().map_or(0, Vec::len);
        groups = groups
            .chunks(each)
            .map(|inside| {
                let mut inside = inside.to_vec();
                let least = |group: &Vec<usize>| group.iter().map(|i| lowest[*i]).min();
                inside.sort_by_key(|group| (group.len() < full, least(group)));
                inside.concat()
            })
            .collect();
        reach = blocks;
    }
    groups.concat()
}
