//! LSF: compute units of one host each, in rank order.

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::{choose_prefix, padded_name};
use nodeorder_base::Result;

/// `--to lsf`.
pub(super) const TARGET: ExportTarget = plain_target(
    "lsf",
    "lsb.hosts for LSF: a compute unit a host, in rank order",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let mut text = input.header_comments("#", include_str!("texts/lsf.txt"));
    let names = input.checked_names()?;
    // A compute unit and a host of one name could not be told apart.
    let prefix = choose_prefix(&names);
    text += "Begin ComputeUnit\nNAME MEMBER TYPE\n";
    for (rank, name) in names.iter().enumerate() {
        text += &format!("{} ({name}) node\n", padded_name(prefix, rank, names.len()));
    }
    text += "End ComputeUnit\n";
    Ok(text.into())
}
