//! OpenPBS: a resource of its own to sort vnodes by.

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use nodeorder_base::error::Result;

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
    for (rank, name) in input.checked_names()?.iter().enumerate() {
        text += &format!("set node {name} resources_available.rank = {rank}\n");
    }
    Ok(text.into())
}
