//! Slurm by the ranks of nodes alone: node weights, the first free nodes in rank order; node names, aliases whose order
//! is the rank order; switch ranks, a tree whose leaves stand in rank order.

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::{choose_prefix, padded_name, range_as_host_list};
use nodeorder_base::Result;

/// `--to slurm-weights`.
pub(super) const WEIGHTS: ExportTarget = plain_target(
    "slurm-weights",
    "slurm.conf: a weight a node; jobs get the first free nodes in rank order (as fifo:0)",
    write_weights,
);

fn write_weights(input: &ExportInput) -> Result<Export> {
    let mut text = input.header_comments("#", include_str!("texts/slurm-weights.txt"));
    for (rank, name) in input.all_names()?.iter().enumerate() {
        text += &format!("NodeName={name} Weight={}\n", rank + 1);
    }
    Ok(text.into())
}

/// `--to slurm-names`.
pub(super) const NAMES: ExportTarget = plain_target(
    "slurm-names",
    "slurm.conf: aliases in rank order; jobs get the tightest free run of ranks (as slurm-best-fit)",
    write_aliases,
);

fn write_aliases(input: &ExportInput) -> Result<Export> {
    let mut text = input.header_comments("#", include_str!("texts/slurm-names.txt"));
    let names = input.all_names()?;
    let prefix = choose_prefix(&names);
    for (rank, name) in names.iter().enumerate() {
        // With the digits of all names: nodes that are left out sort behind those with a rank.
        let alias = padded_name(prefix, rank, names.len());
        text += &format!("NodeName={alias} NodeHostname={name}\n");
    }
    if names.len() > input.order.len() {
        let rest = range_as_host_list(prefix, input.order.len()..names.len(), names.len());
        text += &format!("# not in the ordering: {rest}\n");
    }
    let ordered = range_as_host_list(prefix, 0..input.order.len(), names.len());
    text += &format!("# PartitionName=... Nodes={ordered}\n");
    Ok(text.into())
}

/// `--to slurm-topology`.
pub(super) const TOPOLOGY: ExportTarget = plain_target(
    "slurm-topology",
    "topology.conf: a leaf switch a node, in rank order; slow from some 1000 nodes on: slurm-lines does the same (Slurm from 23.02)",
    write_leaves,
);

fn write_leaves(input: &ExportInput) -> Result<Export> {
    let mut text = input.header_comments("#", include_str!("texts/slurm-topology.txt"));
    let names = input.checked_names()?;
    for (rank, name) in names.iter().enumerate() {
        let leaf = padded_name("leaf", rank, names.len());
        text += &format!("SwitchName={leaf} Nodes={name}\n");
    }
    text += &format!(
        "SwitchName=root Switches={}\n",
        range_as_host_list("leaf", 0..names.len(), names.len())
    );
    Ok(text.into())
}
