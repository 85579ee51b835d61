//! MPICH: the coordinates of the processes of one job.
//!
//! MPICH reads a line for each rank of the job (`src/util/mpir_pmi.c`: `parse_coord_file`, which `MPIR_pmi_init` calls)
//! and gives up where the file has fewer, so that a node with several ranks has as many lines.

use super::cables::{ONE_NODE_LINK, has_several_node_links};
use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport, refuse_export};
use nodeorder_base::error::escape_controls;
use nodeorder_base::{Opt, Params, Result};

/// `--to mpich-coords`.
pub(super) const TARGET: ExportTarget = ExportTarget::new(
    "mpich-coords",
    "MPICH from 4.2.0: group, switch and port of each process of one job, for MPIR_CVAR_COORDINATES_FILE",
    &[Opt::whole(
        "per_node",
        "ranks of each node (of each process of --jobs), one after the other",
    )
    .default_value("1")],
    ParseTarget::Options(parse),
);

fn parse(params: &Params) -> Result<WriteExport> {
    let per_node = params.required_integer("per_node", 1, 1 << 16)?;
    Ok(Box::new(move |input| write(input, per_node)))
}

/// Writes the coordinates. The first line is all the comment that MPICH leaves room for. The group is a unit of the
/// outermost level; without levels above switches all are of group 0.
fn write(input: &ExportInput, per_node: usize) -> Result<Export> {
    let topology = input.topology;
    if has_several_node_links(topology) {
        let problem = "nodes on several switches";
        return Err(refuse_export("mpich-coords", problem, ONE_NODE_LINK));
    }
    if input.jobs.len() > 1 {
        let problem = format!("{} jobs", input.jobs.len());
        let remedy = "a file of one job: MPICH reads its own";
        return Err(refuse_export("mpich-coords", problem, remedy));
    }
    let network = topology.network();
    let levels = network.levels();
    // A level within a router parts nodes of one switch, which is no group.
    let group = levels
        .first()
        .filter(|level| level.slots > network.per_router());
    let mut text = format!(
        "nodeorder {}: rank: group switch port, on {}; set MPIR_CVAR_COORDINATES_FILE to this file, unset it to undo\n",
        env!("CARGO_PKG_VERSION"),
        escape_controls(topology.spec())
    );
    let jobs = input.jobs_or_all();
    let nodes = jobs[0].nodes.iter();
    for (rank, node) in nodes.flat_map(|node| vec![node; per_node]).enumerate() {
        let router = topology.router_of(*node);
        let port = network
            .slots_of(router)
            .position(|slot| slot == *node)
            .unwrap_or(0);
        let group = group.map_or(0, |level| level.unit_of(*node));
        text += &format!("{rank}: {group} {router} {port}\n");
    }
    Ok(text.into())
}
