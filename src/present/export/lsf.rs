//! LSF: compute units of one host each, in rank order.

use super::{
    Export, ExportTarget, ParseTarget, checked_names, choose_prefix, header_comments, padded_name,
};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to lsf`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "lsf",
    "lsb.hosts for LSF: a compute unit a host, in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/lsf.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let mut text = header_comments("#", topology, order, ABOUT);
    let names = checked_names(topology, order)?;
    // A compute unit and a host of one name could not be told apart.
    let prefix = choose_prefix(&names);
    text += "Begin ComputeUnit\nNAME MEMBER TYPE\n";
    for (rank, name) in names.iter().enumerate() {
        text += &format!("{} ({name}) node\n", padded_name(prefix, rank, names.len()));
    }
    text += "End ComputeUnit\n";
    Ok(text.into())
}
