//! MPICH: the coordinates of the processes of one job.

use super::{Export, ExportJob, ExportTarget, ParseTarget, jobs_or_all, locate_option};
use nodeorder_base::error::{Error, Result};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to mpich-coords`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "mpich-coords",
    "MPICH from 4.2.0: group, switch and port of each process of one job, for MPIR_CVAR_COORDINATES_FILE",
    ParseTarget::Jobs(|_| Ok(Box::new(write))),
);

/// Writes the coordinates. The first line is all the comment that MPICH leaves room for. The group is a unit of the
/// outermost level; without levels above switches all are of group 0.
fn write(topology: &Topology, order: &NodeOrder, jobs: &[ExportJob]) -> Result<Export> {
    let refuse = |problem: String, remedy: &str| {
        Err(Error::unsuited(
            locate_option("--to", "mpich-coords"),
            problem,
            remedy,
        ))
    };
    let network = topology.network();
    if network
        .rails()
        .is_some_and(|rails| rails.interfaces_per_node() > 1)
    {
        return refuse(
            "nodes on several switches".into(),
            "a machine whose nodes have one node link each",
        );
    }
    if jobs.len() > 1 {
        return refuse(
            format!("{} jobs", jobs.len()),
            "a file of one job: MPICH reads its own",
        );
    }
    let levels = network.levels();
    // A level within a router parts nodes of one switch, which is no group.
    let group = levels
        .first()
        .filter(|level| level.slots > network.per_router());
    let mut text = format!(
        "nodeorder {}: rank: group switch port, on {}; set MPIR_CVAR_COORDINATES_FILE to this file, unset it to undo\n",
        env!("CARGO_PKG_VERSION"),
        topology.spec().replace(char::is_control, " ")
    );
    for (rank, node) in jobs_or_all(order, jobs)[0].nodes.iter().enumerate() {
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
