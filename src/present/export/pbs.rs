//! OpenPBS: a resource of its own to sort vnodes by.
//!
//! Every vnode has a rank, those that the ordering leaves out and excluded ones behind the others: the scheduler takes
//! a vnode without the resource for one of rank 0, the first (OpenPBS, `src/scheduler/sort.cpp`: `find_node_amount` is
//! 0 where the node has no such resource).

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use nodeorder_base::Result;

/// `--to pbs`.
pub(super) const TARGET: ExportTarget = plain_target(
    "pbs",
    "qmgr input for OpenPBS: a rank a vnode, to sort by",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let mut text = input.header_comments("#", include_str!("texts/pbs.txt"));
    // Flag h makes it a resource of vnodes, which they can be sorted by.
    text += "create resource rank type=long, flag=h\n";
    for (rank, name) in input.all_names()?.iter().enumerate() {
        text += &format!("set node {name} resources_available.rank = {rank}\n");
    }
    Ok(text.into())
}
