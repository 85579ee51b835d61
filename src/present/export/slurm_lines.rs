//! Slurm by the order of NodeName lines: ranks inside a leaf, the leaves in rank order.

use super::slurm_site::SlurmEntry;
use super::units::{check_contiguous, units};
use super::{Build, Export, ExportTarget, all_names, header};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::{Topology, compact_list};
use nodeorder_order::ordering::NodeOrder;

/// `--to slurm-lines[:leaf=one|site,choose=tightest|first]`.
pub(super) const TARGET: ExportTarget = ExportTarget::new(
    "slurm-lines",
    "recommended for Slurm from 23.02: NodeName lines in rank order and a topology.conf; names and fabric untouched, any size",
    &[
        Opt::one_of(
            "leaf",
            &["one", "site"],
            "one: a single leaf switch with all nodes; site: the machine's own switches",
        ),
        Opt::one_of(
            "choose",
            &["tightest", "first"],
            "tightest: jobs get the tightest free run; first (with leaf=one): the first free nodes, without TopoOptional",
        ),
    ],
    Build::Order(write),
);

const ABOUT: &str = include_str!("texts/slurm-lines.txt");
const FIRST: &str = include_str!("texts/slurm-lines-first.txt");

fn write(topology: &Topology, order: &NodeOrder, params: &Params) -> Result<Export> {
    let site = params.choice("leaf")? == "site";
    let first = params.choice("choose")? == "first";
    if first && site {
        let problem = "choose=first with leaf=site, whose switches Slurm then goes by";
        let location = params.location_of("choose");
        return Err(Error::unsuited(location, problem, "use leaf=one with it"));
    }
    let names = all_names(topology, order)?;
    let about = if first { FIRST } else { ABOUT };
    let mut text = header("#", topology, order, about);
    let optional = if first { "" } else { ",TopoOptional" };
    text += &format!("TopologyPlugin=topology/tree\nTopologyParam=SwitchAsNodeRank{optional}\n");
    names
        .iter()
        .for_each(|name| text += &format!("NodeName={name}\n"));
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
    Ok(Export {
        beside: vec![(".topology.conf".into(), tree)],
        ..Export::from(text)
    })
}
