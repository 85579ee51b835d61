//! Kubernetes: a Topology of Kueue with the labels that place nodes in it, and a HyperNode of Volcano a unit.
//!
//! A node is called by its host's name in small letters (Kubernetes, `pkg/util/node/node.go`: `GetHostname`), which
//! must be a DNS subdomain (apimachinery, `pkg/util/validation`: `IsDNS1123Subdomain`); names that cannot be one are
//! refused.

use std::collections::BTreeSet;

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::{join_items, lower_names, padded_name, plain_text};
use super::units::{ExportUnit, list_units};
use nodeorder_base::{Error, Result};

/// `--to kueue`.
pub(super) const KUEUE: ExportTarget = plain_target(
    "kueue",
    "YAML for Kubernetes: a Kueue Topology of the machine's levels, and beside it the commands that label nodes in rank order",
    write_kueue,
);

/// What the names of labels begin with, before the name of the level.
const LABEL: &str = "topology.nodeorder.io/";

/// Lists the units, nodes as Kubernetes calls them, and notes how many of their names have capitals.
///
/// # Errors
/// A name that no node of Kubernetes can have; two that differ in capitals alone.
fn list_lower_units(input: &ExportInput) -> Result<(Vec<ExportUnit>, Vec<String>)> {
    let mut units = list_units(input)?;
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut lowered = 0;
    for name in units.iter_mut().flat_map(|unit| &mut unit.nodes) {
        let lower = name.to_ascii_lowercase();
        let machine = input.topology.name();
        if !is_subdomain(&lower) {
            let found = format!("a node called `{name}`");
            let expected =
                "letters, digits and -, in words apart by dots, as Kubernetes calls nodes";
            return Err(Error::option(machine, found, expected));
        }
        if !seen.insert(lower.clone()) {
            let found =
                format!("two nodes called `{lower}` in small letters, as Kubernetes has it");
            return Err(Error::option(machine, found, "a name for each node"));
        }
        lowered += usize::from(lower != *name);
        *name = lower;
    }
    let note = format!("names of {lowered} nodes in small letters, as Kubernetes has them");
    Ok((units, (lowered > 0).then_some(note).into_iter().collect()))
}

/// Checks whether a text is a DNS subdomain of small letters: words of letters, digits and `-`, at their ends a letter
/// or digit, apart by dots; 253 characters at most.
fn is_subdomain(name: &str) -> bool {
    let is_word = |word: &str| {
        word.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !word.is_empty()
            && !word.starts_with('-')
            && !word.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_word)
}

fn write_kueue(input: &ExportInput) -> Result<Export> {
    let (units, notes) = list_lower_units(input)?;
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
        notes,
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
    let (units, notes) = list_lower_units(input)?;
    // Units are Kubernetes objects and get names as these must be; nodes have theirs, which `exactMatch` compares.
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
    Ok(Export {
        notes,
        ..Export::from(text)
    })
}

#[cfg(test)]
mod tests {
    use crate::export::write_order;
    use nodeorder_network::{Context, Topology};
    use nodeorder_order::NodeOrder;

    #[test]
    fn nodes_are_called_as_kubernetes_calls_them() {
        for (names, wanted) in [
            ("NODE{}", Ok(Some("node3"))),
            ("n{}.Rack", Ok(Some("n3.rack"))),
            ("n{}", Ok(None)),
            (
                "cab_{}",
                Err("found a node called `cab_0`; expected letters"),
            ),
            ("n{}-", Err("found a node called `n0-`; expected letters")),
            (
                "n{}..a",
                Err("found a node called `n0..a`; expected letters"),
            ),
        ] {
            let spec = format!("torus:2x2,names={names}");
            let machine = Topology::inline(&spec, &Context::default()).unwrap();
            let order = NodeOrder::make(&machine, "row-major").unwrap();
            for target in ["kueue", "hypernodes"] {
                match (write_order(target, &machine, &order), wanted) {
                    (Ok(made), Ok(lowered)) => {
                        let text = made.text + made.beside.first().map_or("", |(_, text)| text);
                        assert!(text.contains(lowered.unwrap_or("n3")), "{text}");
                        assert_eq!(made.notes.is_empty(), lowered.is_none(), "{:?}", made.notes);
                    }
                    (Err(error), Err(said)) => {
                        assert!(error.to_string().contains(said), "{error}");
                    }
                    (made, _) => panic!("{names}: {made:?}"),
                }
            }
        }
    }

    #[test]
    fn gpus_are_no_hosts() {
        let spec = "multi-rail:rails=2,domain=2,domains=1,units=1,spines=1,cables=1,gpus=true";
        let machine = Topology::inline(spec, &Context::default()).unwrap();
        let order = NodeOrder::make(&machine, "row-major").unwrap();
        for target in [
            "slurm-weights",
            "slurm-names",
            "slurm-lines",
            "slurm-permuted",
            "slurm-yaml",
            "slurm-topology",
            "kueue",
            "hypernodes",
            "jgf",
            "flux",
            "pbs",
            "lsf",
        ] {
            let error = write_order(target, &machine, &order)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("found GPUs as nodes; expected hosts"),
                "{target}: {error}"
            );
        }
    }
}
