//! Slurm by node name: aliases whose order is the rank order.

use super::{
    Export, ExportTarget, ParseTarget, all_names, choose_prefix, header_comments, padded_name,
    range_as_host_list,
};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to slurm-names`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-names",
    "slurm.conf: aliases in rank order; jobs get the tightest free run of ranks (as slurm-best-fit)",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/slurm-names.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let mut text = header_comments("#", topology, order, ABOUT);
    let names = all_names(topology, order)?;
    let prefix = choose_prefix(&names);
    for (rank, name) in names.iter().enumerate() {
        // With the digits of all names: nodes that are left out sort behind those with a rank.
        let alias = padded_name(prefix, rank, names.len());
        text += &format!("NodeName={alias} NodeHostname={name}\n");
    }
    if names.len() > order.len() {
        let rest = range_as_host_list(prefix, order.len()..names.len(), names.len());
        text += &format!("# not in the ordering: {rest}\n");
    }
    let ordered = range_as_host_list(prefix, 0..order.len(), names.len());
    text += &format!("# PartitionName=... Nodes={ordered}\n");
    Ok(text.into())
}
