//! OpenPBS: a resource of its own to sort vnodes by.

use super::{Export, ExportTarget, ParseTarget, checked_names, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to pbs`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "pbs",
    "qmgr input for OpenPBS: a rank a vnode, to sort by",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/pbs.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let mut text = header_comments("#", topology, order, ABOUT);
    // Flag h makes it a resource of vnodes, which they can be sorted by.
    text += "create resource rank type=long, flag=h\n";
    for (rank, name) in checked_names(topology, order)?.iter().enumerate() {
        text += &format!("set node {name} resources_available.rank = {rank}\n");
    }
    Ok(text.into())
}
