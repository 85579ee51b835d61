//! Slurm by the order of NodeName lines: ranks inside a leaf, the leaves in rank order.

use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport, refuse_export};
use super::units::{ExportUnit, list_units};
use nodeorder_base::{Error, Opt, Params, Result};
use nodeorder_network::topology::compact_list;

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
    ParseTarget::Options(parse),
);

fn parse(params: &Params) -> Result<WriteExport> {
    let site = params.required_choice("leaf")? == "site";
    let first = params.required_choice("choose")? == "first";
    if first && site {
        let problem = "choose=first with leaf=site, whose switches Slurm then goes by";
        let location = params.location_of("choose");
        return Err(Error::unsuited(location, problem, "use leaf=one with it"));
    }
    Ok(Box::new(move |input| write(input, site, first)))
}

/// Writes the lines, and the tree of the machine's own switches or of one leaf. `first` says whether jobs get the
/// first free nodes.
fn write(input: &ExportInput, site: bool, first: bool) -> Result<Export> {
    let names = input.all_names()?;
    let mut text = input.header_comments(
        "#",
        if first {
            include_str!("texts/slurm-lines-first.txt")
        } else {
            include_str!("texts/slurm-lines.txt")
        },
    );
    let optional = if first { "" } else { ",TopoOptional" };
    // Slurm takes the last TopologyParam line alone, so that both words stand in one.
    text += &format!("TopologyPlugin=topology/tree\nTopologyParam=SwitchAsNodeRank{optional}\n");
    text.extend(names.iter().map(|name| format!("NodeName={name}\n")));
    let mut tree = input.header_comments(
        "#",
        "The topology.conf that belongs to the NodeName lines of slurm-lines.\n",
    );
    if site {
        let units = list_units(input)?;
        check_contiguous(&units, &names)?;
        tree.extend(
            units
                .iter()
                .map(|unit| unit.conf_line("SwitchName", &units)),
        );
    } else {
        tree += &format!("SwitchName=all Nodes={}\n", compact_list(names));
    }
    Ok(Export {
        beside: vec![(".topology.conf".into(), tree)],
        ..Export::from(text)
    })
}

/// Refuses an ordering that leaves a leaf and comes back to it: Slurm keeps nodes leaf after leaf.
///
/// # Errors
/// With the leaf.
fn check_contiguous(units: &[ExportUnit], names: &[String]) -> Result<()> {
    let mut ranked = names.iter();
    // Leaves stand in the order of their lowest ranks, and their nodes in rank order.
    let parted = units
        .iter()
        .find(|unit| !unit.nodes.iter().all(|node| ranked.next() == Some(node)));
    match parted {
        None => Ok(()),
        Some(unit) => Err(refuse_export(
            "slurm-lines:leaf=site",
            format!(
                "an ordering that leaves switch {} and comes back to it",
                unit.name
            ),
            "use leaf=one, or an ordering that keeps leaves together, such as hierarchical",
        )),
    }
}
