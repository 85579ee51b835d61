//! Slurm by switch rank: a tree whose leaves stand in rank order.

use super::{
    Export, ExportTarget, ParseTarget, all_as_host_list, checked_names, header_comments,
    padded_name,
};
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
    let mut text = header_comments("#", topology, order, ABOUT);
    let names = checked_names(topology, order)?;
    for (rank, name) in names.iter().enumerate() {
        let leaf = padded_name("leaf", rank, names.len());
        text += &format!("SwitchName={leaf} Nodes={name}\n");
    }
    text += &format!(
        "SwitchName=root Switches={}\n",
        all_as_host_list("leaf", names.len())
    );
    Ok(text.into())
}
