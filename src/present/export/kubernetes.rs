//! Kubernetes: a Topology of Kueue with the labels that place nodes in it, and a HyperNode of Volcano a unit.

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::{join_items, lower_names, padded_name, plain_text};
use super::units::{ExportUnit, list_units};
use nodeorder_base::error::Result;

/// `--to kueue`.
pub(super) const KUEUE: ExportTarget = plain_target(
    "kueue",
    "YAML for Kubernetes: a Kueue Topology of the machine's levels, and beside it the commands that label nodes in rank order",
    write_kueue,
);

/// What the names of labels begin with, before the name of the level.
const LABEL: &str = "topology.nodeorder.io/";

fn write_kueue(input: &ExportInput) -> Result<Export> {
    let units = list_units(input)?;
    let mut text = input.header_comments("#", include_str!("texts/kueue.txt"));
    text += "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: nodeorder\nspec:\n  levels:\n";
    let levels: Vec<&[ExportUnit]> = units.chunk_by(|a, b| a.height == b.height).collect();
    let mut labels: Vec<String> = Vec::new();
    for level in &levels {
        let key = format!("{LABEL}{}", plain_text(&level[0].level));
        for (number, unit) in level.iter().enumerate() {
            // Kueue takes units that fit equally well by their values, as texts: padded numbers give the rank order.
            let value = format!("{}-{}", padded_name("", number, level.len()), unit.name);
            // Kubernetes allows 63 characters, of which the last is a letter or digit.
            let value: String = value.chars().take(63).collect();
            let value = value.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            labels.push(format!("{key}={value}"));
        }
    }
    // Kueue wants the widest level first, and the host last.
    for level in levels.iter().rev().filter(|level| has_label(&level[0])) {
        text += &format!(
            "  - nodeLabel: \"{LABEL}{}\"\n",
            plain_text(&level[0].level)
        );
    }
    text += "  - nodeLabel: \"kubernetes.io/hostname\"\n";
    let mut commands = String::from("#!/bin/sh\nset -e\n");
    for (i, unit) in units.iter().enumerate() {
        let above = std::iter::successors(Some(i), |at| units[*at].above);
        let labelled = above.filter(|at| has_label(&units[*at]));
        let all = join_items(labelled.map(|at| &labels[at]), " ");
        let lines = unit.nodes.iter();
        commands.extend(lines.map(|node| format!("kubectl label --overwrite node {node} {all}\n")));
    }
    Ok(Export {
        beside: vec![(".labels.sh".into(), commands)],
        ..Export::from(text)
    })
}

/// Checks whether a unit has a label: the root that is added above several units holds every node, so that its label
/// would tell nothing.
fn has_label(unit: &ExportUnit) -> bool {
    unit.level != "root"
}

/// `--to hypernodes`.
pub(super) const HYPERNODES: ExportTarget = plain_target(
    "hypernodes",
    "YAML for Kubernetes: a Volcano HyperNode a unit, leaves in tier 1, members in rank order",
    write_hypernodes,
);

fn write_hypernodes(input: &ExportInput) -> Result<Export> {
    let units = list_units(input)?;
    // Units are Kubernetes objects and get names as these must be; nodes keep theirs, which `exactMatch` compares.
    let names = lower_names(units.iter().map(|unit| unit.name.as_str()));
    let mut text = input.header_comments("#", include_str!("texts/hypernodes.txt"));
    for (unit, name) in units.iter().zip(&names) {
        text += "---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\n";
        text += &format!(
            "metadata:\n  name: {name}\nspec:\n  tier: {}\n  members:\n",
            // Volcano counts tiers from 1, the leaves.
            unit.height + 1
        );
        let nodes = unit.nodes.iter().map(|node| ("Node", node));
        let below = unit.below.iter().map(|i| ("HyperNode", &names[*i]));
        for (kind, member) in nodes.chain(below) {
            text += &format!(
                "  - type: {kind}\n    selector:\n      exactMatch:\n        name: \"{member}\"\n"
            );
        }
    }
    Ok(text.into())
}
