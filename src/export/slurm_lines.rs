//! Slurm by the order of NodeName lines: ranks inside a leaf, the leaves in rank order.

use super::slurm_site::SlurmEntry;
use super::units::{check_contiguous, units};
use super::*;
use crate::params::{Opt, Params};

/// `--to slurm-lines[:leaf=one|site]`.
pub(super) const TARGET: ExportTarget = ExportTarget {
    name: "slurm-lines",
    about: "recommended for Slurm from 23.02: NodeName lines in rank order and a topology.conf; names and fabric untouched, any size",
    example: "slurm-lines",
    options: &[Opt::one_of(
        "leaf",
        &["one", "site"],
        "one: a single leaf switch with all nodes; site: the machine's own switches",
    )],
    build: write,
};

const ABOUT: &str = "\
What it does: lists the nodes in rank order. Slurm keeps the nodes of a leaf switch in the order of the NodeName
  lines of slurm.conf, and with SwitchAsNodeRank leaf after leaf; a job gets the tightest free run, as
  `nodeorder replay --alloc slurm-best-fit:26` foretells. Names stay. `leaf=site` keeps the machine's own tree,
  so that jobs with --switches still use it.
Run with: Slurm 26.05, SelectType=select/cons_tres, whole nodes. Slurm before 23.02 does not know
  SwitchAsNodeRank.
How to use it: replace the NodeName lines of slurm.conf by these and add what yours say; where all nodes are
  alike, put a line `NodeName=DEFAULT CPUs=... RealMemory=...` before them. Save the file beside this one as
  topology.conf. Then run `scontrol reconfigure`; running jobs keep their nodes.
Know before: without SwitchAsNodeRank the order of NodeName lines has no effect. squeue and scontrol print node
  lists sorted by name; SLURM_JOB_NODELIST and ranks follow this order. Slurm reads topology.yaml instead of
  topology.conf, where there is one.
How to undo it: put the old lines, topology.conf and settings back and run `scontrol reconfigure`.
";

fn write(topology: &Topology, order: &NodeOrder, params: &Params) -> Result<Export> {
    let site = params.choice("leaf")? == "site";
    let names = all_names(topology, order)?;
    let mut text = header("#", topology, order, ABOUT);
    text += "TopologyPlugin=topology/tree\nTopologyParam=SwitchAsNodeRank,TopoOptional\n";
    names.iter().for_each(|name| text += &format!("NodeName={name}\n"));
    let mut tree = header(
        "#",
        topology,
        order,
        "The topology.conf that belongs to the NodeName lines of slurm-lines.\n",
    );
    if site {
        let units = units(topology, order)?;
        check_contiguous(&units, &names, "slurm-lines:leaf=site")?;
        let entries = SlurmEntry::of_units(&units).into_iter();
        entries.for_each(|entry| tree += &entry.line("SwitchName"));
    } else {
        tree += &format!("SwitchName=all Nodes={}\n", compact_list(names));
    }
    Ok(Export { text, beside: vec![(".topology.conf", tree)], notes: Vec::new() })
}
