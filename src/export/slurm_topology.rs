//! Slurm by switch rank: a tree whose leaves stand in rank order.

use super::*;

/// `--to slurm-topology`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-topology",
    "topology.conf: a leaf switch a node, in rank order; slow from some 1000 nodes on: slurm-lines does the same (Slurm from 23.02)",
    write,
);

const ABOUT: &str = "\
What it does: describes a tree of one leaf switch a node, listed in rank order. With SwitchAsNodeRank Slurm
  keeps nodes in the order of their leaf switches and gives a job the tightest free run, as
  `nodeorder replay --alloc slurm-best-fit:26` foretells. Names stay.
Run with: Slurm 26.05, SelectType=select/cons_tres, whole nodes. Slurm before 23.02 does not know
  SwitchAsNodeRank and takes this tree for a fabric of one node a switch: do not use it there.
How to use it: save it as topology.conf and set in slurm.conf
  TopologyPlugin=topology/tree
  TopologyParam=SwitchAsNodeRank,TopoOptional
  Then run `scontrol reconfigure`; running jobs keep their nodes.
Know before: slurm-lines does the same without this tree, and is what to use on large clusters: Slurm's table
  of distances between switches takes time that is cubic in them (measured on 26.05: 6 s for 1000 nodes, 37 s
  for 2000). This tree replaces the site's own tree, so that --switches and the routes of messages (RouteTree)
  no longer follow the cables. Slurm reads topology.yaml instead, where there is one.
How to undo it: put the old topology.conf and the two settings back and run `scontrol reconfigure`.
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let mut text = header("#", topology, order, ABOUT);
    let names = names(topology, order)?;
    for (rank, name) in names.iter().enumerate() {
        let leaf = padded("leaf", rank, names.len());
        text += &format!("SwitchName={leaf} Nodes={name}\n");
    }
    text += &format!("SwitchName=root Switches={}\n", all("leaf", names.len()));
    Ok(text.into())
}
