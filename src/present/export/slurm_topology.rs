//! Slurm by switch rank: a tree whose leaves stand in rank order.

use super::{Export, ExportTarget, ParseTarget, all, header, names, padded};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to slurm-topology`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-topology",
    "topology.conf: a leaf switch a node, in rank order; slow from some 1000 nodes on: slurm-lines does the same (Slurm from 23.02)",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/slurm-topology.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let mut text = header("#", topology, order, ABOUT);
    let names = names(topology, order)?;
    for (rank, name) in names.iter().enumerate() {
        let leaf = padded("leaf", rank, names.len());
        text += &format!("SwitchName={leaf} Nodes={name}\n");
    }
    text += &format!("SwitchName=root Switches={}\n", all("leaf", names.len()));
    Ok(text.into())
}
