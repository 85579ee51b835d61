//! Slurm by the order of NodeName lines: ranks inside a leaf, the leaves in rank order.

use super::slurm_site::SlurmEntry;
use super::units::{check_contiguous, list_units};
use super::{Export, ExportTarget, ParseTarget, WriteOrder, all_names, header_comments};
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
    ParseTarget::Order(parse),
);

const ABOUT: &str = include_str!("texts/slurm-lines.txt");
const FIRST: &str = include_str!("texts/slurm-lines-first.txt");

struct SlurmLinesOptions {
    /// Whether the leaves are the machine's own switches.
    site: bool,
    /// Whether jobs get the first free nodes.
    first: bool,
}

fn parse(params: &Params) -> Result<Box<dyn WriteOrder>> {
    let options = SlurmLinesOptions {
        site: params.required_choice("leaf")? == "site",
        first: params.required_choice("choose")? == "first",
    };
    if options.first && options.site {
        let problem = "choose=first with leaf=site, whose switches Slurm then goes by";
        let location = params.location_of("choose");
        return Err(Error::unsuited(location, problem, "use leaf=one with it"));
    }
    Ok(Box::new(options))
}

impl WriteOrder for SlurmLinesOptions {
    fn write(&self, topology: &Topology, order: &NodeOrder) -> Result<Export> {
        let names = all_names(topology, order)?;
        let about = if self.first { FIRST } else { ABOUT };
        let mut text = header_comments("#", topology, order, about);
        let optional = if self.first { "" } else { ",TopoOptional" };
        // Slurm takes the last TopologyParam line alone, so that both words stand in one.
        text +=
            &format!("TopologyPlugin=topology/tree\nTopologyParam=SwitchAsNodeRank{optional}\n");
        names
            .iter()
            .for_each(|name| text += &format!("NodeName={name}\n"));
        let mut tree = header_comments(
            "#",
            topology,
            order,
            "The topology.conf that belongs to the NodeName lines of slurm-lines.\n",
        );
        if self.site {
            let units = list_units(topology, order)?;
            // Slurm keeps nodes leaf after leaf, so that ranks cannot leave a leaf and come back.
            check_contiguous(&units, &names, "slurm-lines:leaf=site")?;
            let entries = SlurmEntry::entries_of_units(&units).into_iter();
            entries.for_each(|entry| tree += &entry.conf_line("SwitchName"));
        } else {
            tree += &format!("SwitchName=all Nodes={}\n", compact_list(names));
        }
        Ok(Export {
            beside: vec![(".topology.conf".into(), tree)],
            ..Export::from(text)
        })
    }
}
