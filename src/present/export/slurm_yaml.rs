//! Slurm's topology.yaml, its entries in rank order.

use super::slurm_site::{Described, describe_site};
use super::{Export, ExportTarget, ParseTarget, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::site::{SiteKind, SiteTorus};
use nodeorder_network::topology::{Topology, compact_list};
use nodeorder_order::ordering::NodeOrder;

/// `--to slurm-yaml`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-yaml",
    "topology.yaml (Slurm from 25.05): the machine's switches, blocks, rings or toruses, in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/slurm-yaml.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let Described {
        kind,
        name,
        lines,
        sizes,
        toruses,
    } = describe_site(topology, order, TARGET.name)?;
    let mut text = header_comments("#", topology, order, ABOUT);
    text += &format!("---\n- topology: \"{name}\"\n  cluster_default: true\n");
    let (list, key) = match kind {
        SiteKind::Flat => {
            text += "  flat: true\n";
            return Ok(text.into());
        }
        // A torus is returned as it was read: its cells are cables, and Slurm places by shapes, not by the order of
        // nodes.
        SiteKind::Torus => {
            text += "  torus3d:\n    toruses:\n";
            toruses.iter().for_each(|torus| text += &write_torus(torus));
            return Ok(text.into());
        }
        SiteKind::Tree => ("  tree:\n    switches:\n", "switch"),
        SiteKind::Ring => ("  ring:\n    rings:\n", "ring"),
        SiteKind::Block => {
            text += "  block:\n";
            if !sizes.is_empty() {
                text += "    block_sizes:\n";
                sizes
                    .iter()
                    .for_each(|size| text += &format!("      - {size}\n"));
            }
            ("    blocks:\n", "block")
        }
    };
    text += list;
    for line in lines {
        text += &format!("      - {key}: \"{}\"\n", line.name);
        if !line.nodes.is_empty() {
            text += &format!("        nodes: \"{}\"\n", compact_list(line.nodes));
        }
        if !line.children.is_empty() {
            text += &format!("        children: \"{}\"\n", compact_list(line.children));
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
