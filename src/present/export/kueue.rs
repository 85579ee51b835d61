//! Kueue: a Topology, and the labels that place nodes in it.

use super::units::{ExportUnit, list_units};
use super::{Export, ExportTarget, ParseTarget, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to kueue`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "kueue",
    "YAML for Kubernetes: a Kueue Topology of the machine's levels, and beside it the commands that label nodes in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/kueue.txt");

/// What the names of labels begin with, before the name of the level.
const LABEL: &str = "topology.nodeorder.io/";

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let units = list_units(topology, order)?;
    let mut levels: Vec<&ExportUnit> = Vec::new();
    // The root that is added above several units holds every node, so that its label would tell nothing.
    for unit in units.iter().filter(|unit| unit.level != "root") {
        if levels.iter().all(|other| other.height != unit.height) {
            levels.push(unit);
        }
    }
    let mut text = header_comments("#", topology, order, ABOUT);
    text += "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: nodeorder\nspec:\n  levels:\n";
    // Kueue wants the widest level first, and the host last.
    for level in levels.iter().rev() {
        text += &format!("  - nodeLabel: \"{LABEL}{}\"\n", label_name(&level.level));
    }
    text += "  - nodeLabel: \"kubernetes.io/hostname\"\n";
    let mut commands = String::from("#!/bin/sh\nset -e\n");
    // Units stand in rank order, level by level.
    let mut labels: Vec<(usize, String)> = vec![(usize::MAX, String::new()); units.len()];
    for level in &levels {
        let here = || {
            units
                .iter()
                .enumerate()
                .filter(|(_, unit)| unit.height == level.height)
        };
        let count = here().count();
        for (number, (i, unit)) in here().enumerate() {
            // Kueue takes units that fit equally well by their values, as texts: padded numbers give the rank order.
            let value = format!("{}-{}", super::padded_name("", number, count), unit.name);
            // Kubernetes allows 63 characters, of which the last is a letter or digit.
            let value: String = value.chars().take(63).collect();
            let value = value.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            labels[i].1 = format!("{LABEL}{}={value}", label_name(&level.level));
            unit.below.iter().for_each(|below| labels[*below].0 = i);
        }
    }
    for (i, unit) in units.iter().enumerate() {
        let mut all = Vec::new();
        let mut at = i;
        // Ends at a unit without one above, whose index is beyond the list, or at the root, which has no label.
        while let Some((above, label)) = labels.get(at).filter(|(_, label)| !label.is_empty()) {
            all.push(label.as_str());
            at = *above;
        }
        let all = all.join(" ");
        unit.nodes
            .iter()
            .for_each(|node| commands += &format!("kubectl label --overwrite node {node} {all}\n"));
    }
    Ok(Export {
        beside: vec![(".labels.sh".into(), commands)],
        ..Export::from(text)
    })
}

/// Formats a level's name as part of a label.
fn label_name(level: &str) -> String {
    level
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}
