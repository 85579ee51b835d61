//! Slurm by node weight: the first free nodes in rank order.

use super::{Export, ExportTarget, ParseTarget, all_names, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to slurm-weights`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-weights",
    "slurm.conf: a weight a node; jobs get the first free nodes in rank order (as fifo:0)",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/slurm-weights.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let mut text = header_comments("#", topology, order, ABOUT);
    for (rank, name) in all_names(topology, order)?.iter().enumerate() {
        text += &format!("NodeName={name} Weight={}\n", rank + 1);
    }
    Ok(text.into())
}
