//! Volcano: a HyperNode a unit.

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::lower_names;
use super::units::list_units;
use nodeorder_base::error::Result;

/// `--to hypernodes`.
pub(super) const TARGET: ExportTarget = plain_target(
    "hypernodes",
    "YAML for Kubernetes: a Volcano HyperNode a unit, leaves in tier 1, members in rank order",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
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
