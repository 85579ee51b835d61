//! Volcano: a HyperNode a unit.

use super::units::{ExportUnit, list_units};
use super::{Export, ExportTarget, ParseTarget, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to hypernodes`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "hypernodes",
    "YAML for Kubernetes: a Volcano HyperNode a unit, leaves in tier 1, members in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/hypernodes.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let units = list_units(topology, order)?;
    // Units are Kubernetes objects and get names as these must be; nodes keep theirs, which `exactMatch` compares.
    let names = super::lower_names(units.iter().map(|unit| unit.name.as_str()));
    let mut text = header_comments("#", topology, order, ABOUT);
    for (
        ExportUnit {
            height,
            nodes,
            below,
            ..
        },
        name,
    ) in units.iter().zip(&names)
    {
        text += "---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\n";
        text += &format!(
            "metadata:\n  name: {name}\nspec:\n  tier: {}\n  members:\n",
            // Volcano counts tiers from 1, the leaves.
            height + 1
        );
        let members = nodes.iter().map(|node| ("Node", node));
        for (kind, member) in members.chain(below.iter().map(|i| ("HyperNode", &names[*i]))) {
            text += &format!(
                "  - type: {kind}\n    selector:\n      exactMatch:\n        name: \"{member}\"\n"
            );
        }
    }
    Ok(text.into())
}
