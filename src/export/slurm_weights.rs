//! Slurm by node weight: the first free nodes in rank order.

use super::*;

/// `--to slurm-weights`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-weights",
    "slurm.conf: a weight a node; jobs get the first free nodes in rank order (as fifo:0)",
    write,
);

const ABOUT: &str = "\
What it does: gives every node its rank as weight. Slurm takes free nodes of low weight first, so a job
  gets the first free nodes in this order, as `nodeorder replay --alloc fifo:0` foretells.
Run with: Slurm 22.05 and 26.05, SelectType=select/cons_tres, whole nodes.
How to use it: Weight belongs on a node's only NodeName line. Where all nodes are alike, put a line
  `NodeName=DEFAULT CPUs=... RealMemory=...` into slurm.conf and `include` this file after it; else copy
  the weights to your own lines. To try it on a running cluster, without a trace after slurmctld restarts:
  scontrol update NodeName=NAME Weight=RANK
Know before: this holds without a topology plugin and with topology/tree with one root. Forests,
  topology/block, topology/ring and topology/torus3d choose by their own rules first, and weights only break
  ties. A job that asks for --contiguous waits for a free run in the order of names. Nodes that are powered down are chosen without regard to weight. Node lists and the
  tasks within a job stay in the order of names. Nodes that the ordering leaves out and excluded ones keep a
  line, with weights above the others.
How to undo it: remove the weights (or the include) and run `scontrol reconfigure`.
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let mut text = header("#", topology, order, ABOUT);
    for (rank, name) in all_names(topology, order)?.iter().enumerate() {
        text += &format!("NodeName={name} Weight={}\n", rank + 1);
    }
    Ok(text.into())
}
