//! Slurm by the order of NodeName lines: ranks inside a leaf, the leaves in rank order.

use super::slurm_site::SlurmEntry;
use super::units::{check_contiguous, units};
use super::*;
use crate::params::{Opt, Params};

/// `--to slurm-lines[:leaf=one|site]`.
pub(super) const TARGET: ExportTarget = ExportTarget::new(
    "slurm-lines",
    "recommended for Slurm from 23.02: NodeName lines in rank order and a topology.conf; names and fabric untouched, any size",
    &[Opt::one_of(
        "leaf",
        &["one", "site"],
        "one: a single leaf switch with all nodes; site: the machine's own switches",
    )],
    write,
);

const ABOUT: &str = include_str!("texts/slurm-lines.txt");

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
