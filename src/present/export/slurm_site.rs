//! A machine as Slurm describes it, its lines in rank order: as a topology.conf and as a topology.yaml.

use std::collections::HashMap;

use super::entry::{Export, ExportInput, ExportTarget, plain_target, refuse_export};
use super::node_names::join_items;
use super::units::{ExportUnit, list_units};
use nodeorder_base::Result;
use nodeorder_network::topology::compact_list;
use nodeorder_network::topology::site::{Site, SiteKind, SiteTorus};

/// `--to slurm-permuted`.
pub(super) const PERMUTED: ExportTarget = plain_target(
    "slurm-permuted",
    "topology.conf: the site's own switches, blocks or rings, their lines in rank order; the fabric stays as it is",
    write_conf,
);

fn write_conf(input: &ExportInput) -> Result<Export> {
    let (site, units) = describe_site(input, PERMUTED.name)?;
    let mut text = input.header_comments("#", include_str!("texts/slurm-permuted.txt"));
    let key = match site.kind {
        SiteKind::Block => "BlockName",
        SiteKind::Ring => "RingName",
        _ => "SwitchName",
    };
    units
        .iter()
        .for_each(|unit| text += &unit.conf_line(key, &units));
    if !site.sizes.is_empty() {
        text += &format!("BlockSizes={}\n", join_items(&site.sizes, ","));
    }
    Ok(text.into())
}

/// `--to slurm-yaml`.
pub(super) const YAML: ExportTarget = plain_target(
    "slurm-yaml",
    "topology.yaml (Slurm from 25.05): the machine's switches, blocks, rings or toruses, in rank order",
    write_yaml,
);

fn write_yaml(input: &ExportInput) -> Result<Export> {
    let (site, units) = describe_site(input, YAML.name)?;
    let mut text = input.header_comments("#", include_str!("texts/slurm-yaml.txt"));
    text += &format!(
        "---\n- topology: \"{}\"\n  cluster_default: true\n",
        site.name
    );
    let key = match site.kind {
        SiteKind::Flat => return Ok((text + "  flat: true\n").into()),
        // A torus is returned as it was read: its cells are cables, and Slurm places by shapes, not by the order of
        // nodes.
        SiteKind::Torus => {
            text += "  torus3d:\n    toruses:\n";
            text.extend(site.toruses.iter().map(write_torus));
            return Ok(text.into());
        }
        SiteKind::Tree => {
            text += "  tree:\n    switches:\n";
            "switch"
        }
        SiteKind::Ring => {
            text += "  ring:\n    rings:\n";
            "ring"
        }
        SiteKind::Block => {
            text += "  block:\n";
            if !site.sizes.is_empty() {
                text += "    block_sizes:\n";
            }
            text.extend(site.sizes.iter().map(|size| format!("      - {size}\n")));
            text += "    blocks:\n";
            "block"
        }
    };
    for unit in &units {
        text += &format!("      - {key}: \"{}\"\n", unit.name);
        for (word, list) in unit.host_lists(["nodes", "children"], &units) {
            text += &format!("        {word}: \"{list}\"\n");
        }
    }
    Ok(text.into())
}

/// Writes a torus with its cells, or a region a row of cells where it has holes, and its placements.
fn write_torus(torus: &SiteTorus) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("{{x: {x}, y: {y}, z: {z}}}");
    let mut text = format!(
        "      - name: \"{}\"\n        dims: {}\n",
        torus.name,
        triple(torus.dims)
    );
    // A list of nodes fills the torus cell by cell; with holes in it each cell is written as a region.
    let whole: Option<Vec<String>> = torus.cells.iter().cloned().collect();
    if let Some(nodes) = whole {
        text += &format!("        nodes: \"{}\"\n", compact_list(nodes));
    } else {
        text += "        regions:\n";
        let [nx, ny, _] = torus.dims;
        for (cell, node) in (0..)
            .zip(&torus.cells)
            .filter_map(|(i, n)| Some((i, n.as_ref()?)))
        {
            let anchor = triple([cell % nx, cell / nx % ny, cell / nx / ny]);
            text += &format!(
                "          - anchor: {anchor}\n            dims: {{x: 1, y: 1, z: 1}}\n            nodes: \"{node}\"\n"
            );
        }
    }
    if !torus.placements.is_empty() {
        text += "        placements:\n";
    }
    for placement in &torus.placements {
        text += &format!("          - dims: {}\n", triple(placement.dims));
        for (key, value) in [
            ("anchor_spacing", placement.spacing),
            ("anchor_seed", placement.seed),
        ] {
            if let Some(value) = value {
                text += &format!("            {key}: {}\n", triple(value));
            }
        }
    }
    text
}

/// Describes the site's own topology where the machine is read from a file of Slurm's, else its units as a tree.
/// Its lines go by the lowest rank of their nodes, those below others first; the nodes of a leaf and a block by rank,
/// those of a ring as they stand.
///
/// # Errors
/// A torus or flat network where `target` is slurm-permuted; names that Slurm gives a meaning.
pub(super) fn describe_site(input: &ExportInput, target: &str) -> Result<(Site, Vec<ExportUnit>)> {
    let names = input.all_names()?;
    let Some(site) = input.topology.network().site() else {
        let site = Site {
            name: "default".into(),
            ..Site::default()
        };
        return Ok((site, list_units(input)?));
    };
    if target == "slurm-permuted" && matches!(site.kind, SiteKind::Torus | SiteKind::Flat) {
        return Err(refuse_export(
            target,
            "topology/torus3d and topology/flat, which have no lines whose order Slurm follows",
            "use slurm-yaml for the torus itself, slurm-names or slurm-weights for the ordering",
        ));
    }
    let ranks: HashMap<&String, usize> = names.iter().zip(0..).collect();
    let rank_of = |node: &String| ranks.get(node).copied().unwrap_or(usize::MAX);
    let mut lines: Vec<ExportUnit> = Vec::new();
    for line in &site.lines {
        let mut nodes = line.nodes.clone();
        // The order within a ring is that of its cables.
        if site.kind != SiteKind::Ring {
            nodes.sort_by_key(rank_of);
        }
        lines.push(ExportUnit {
            name: line.name.clone(),
            nodes,
            ..ExportUnit::default()
        });
    }
    let mut lowest: Vec<usize> = lines
        .iter()
        .map(|line| line.nodes.iter().map(rank_of).min().unwrap_or(usize::MAX))
        .collect();
    let sorted = match site.kind {
        SiteKind::Block => sort_blocks(site, &lowest),
        _ => sort_tree(site, &mut lowest, &mut lines),
    };
    let lines = sorted
        .into_iter()
        .map(|i| std::mem::take(&mut lines[i]))
        .collect();
    Ok((site.clone(), lines))
}

/// Sorts the lines by height, then by lowest rank; children likewise.
fn sort_tree(site: &Site, lowest: &mut [usize], lines: &mut [ExportUnit]) -> Vec<usize> {
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
    for (at, i) in sorted.iter().enumerate() {
        if let Some(parent) = site.lines[*i].parent {
            lines[parent].below.push(at);
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
