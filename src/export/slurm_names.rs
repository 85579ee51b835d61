//! Slurm by node name: aliases whose order is the rank order.

use super::*;

/// `--to slurm-names`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-names",
    "slurm.conf: aliases in rank order; jobs get the tightest free run of ranks (as slurm-best-fit)",
    write,
);

const ABOUT: &str = "\
What it does: names every node by its rank; the real name stays as host name. Slurm keeps nodes in the order
  of names and gives a job the tightest free run, as `nodeorder replay --alloc slurm-best-fit` foretells
  (slurm-best-fit:26 for Slurm 26.05, where a job of one node gets the first free one).
Run with: Slurm 22.05 and 26.05, SelectType=select/cons_tres, whole nodes.
How to use it: replace the NodeName lines of slurm.conf by these. Where all nodes are alike, put a line
  `NodeName=DEFAULT CPUs=... RealMemory=...` before them; else add to each line what yours say. Name the
  new nodes in partitions, gres.conf and topology.conf; the last line below is those of the ordering. Drain
  the cluster first: slurmctld forgets the state of nodes it no longer knows. Nodes that the ordering leaves
  out and excluded ones keep a line, behind the others, so that none vanishes from the cluster.
Know before: users see the aliases; `scontrol show node` tells the host. slurmd finds its own name by the
  host name. The free run is one of ranks: names that other tools derive from SLURM_JOB_NODELIST are aliases.
How to undo it: put the old NodeName lines back and restart slurmctld and the slurmds.
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let mut text = header("#", topology, order, ABOUT);
    let names = all_names(topology, order)?;
    let prefix = prefix(&names);
    for (rank, name) in names.iter().enumerate() {
        let alias = padded(prefix, rank, names.len());
        text += &format!("NodeName={alias} NodeHostname={name}\n");
    }
    if names.len() > order.len() {
        let rest = range(prefix, order.len()..names.len(), names.len());
        text += &format!("# not in the ordering: {rest}\n");
    }
    let ordered = range(prefix, 0..order.len(), names.len());
    text += &format!("# PartitionName=... Nodes={ordered}\n");
    Ok(text.into())
}
