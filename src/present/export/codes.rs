//! CODES: the nodes of jobs, and the wiring of a dragonfly.

use super::cables::list_cables;
use super::{
    Export, ExportJob, ExportTarget, ParseTarget, WriteJobs, jobs_or_all, locate_option, one_each,
};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::ids::NodeId;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// `--to codes`.
pub(super) const TARGET: ExportTarget = ExportTarget::new(
    "codes",
    "CODES: an allocation file, a line of node ids a job; wiring=true: a folder, with the intra and inter files of a dragonfly",
    &[Opt::flag(
        "wiring",
        "write alloc.conf, intra and inter into a folder, on machines of equal groups",
    )],
    ParseTarget::Jobs(parse),
);

struct CodesOptions {
    wiring: bool,
}

fn parse(params: &Params) -> Result<Box<dyn WriteJobs>> {
    Ok(Box::new(CodesOptions {
        wiring: params.is_set("wiring")?,
    }))
}

impl WriteJobs for CodesOptions {
    /// Writes a line a job: the file has no comments.
    fn write(&self, topology: &Topology, order: &NodeOrder, jobs: &[ExportJob]) -> Result<Export> {
        if topology.network().rails().is_some() {
            let problem = "nodes on rails, which its models do not have";
            return Err(Error::unsuited(
                locate_option("--to", "codes"),
                problem,
                "a machine without rails",
            ));
        }
        one_each(topology, jobs, "codes")?;
        let mut text = String::new();
        for job in jobs_or_all(order, jobs) {
            let ids: Vec<String> = job.nodes.iter().map(NodeId::to_string).collect();
            text += &ids.join(" ");
            text.push('\n');
        }
        let note = "run with: model-net-mpi-replay --alloc_file=FILE beside a workload file of as many lines; to undo: sort the ids of each line";
        let mut export = Export::from(text);
        export.notes.push(note.into());
        if self.wiring {
            export.folder = Some("alloc.conf");
            export.binary = wiring_files(topology)?;
        }
        Ok(export)
    }
}

/// Writes the files intra and inter: cables within a group, as two places in it and a kind (0 in a chassis or where
/// there are none, 1 between chassis), and cables between groups, as two routers; each in both directions, 32-bit
/// little endian.
///
/// # Errors
/// A machine without groups of routers, or whose groups are not wired alike.
fn wiring_files(topology: &Topology) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let refuse = |problem: &str| {
        let remedy = "leave out wiring=true, or a dragonfly whose groups are all alike";
        Error::unsuited(
            locate_option("--to", "codes:wiring=true"),
            format!("{problem} ({})", topology.name()),
            remedy,
        )
    };
    let network = topology.network();
    let links = list_cables(topology, "codes:wiring=true", true)?;
    let routers_of = |name: &str| {
        let levels = network.levels();
        let level = levels
            .iter()
            .find(|level| level.name == name && !level.has_names());
        level.map(|level| (level.slots / network.per_router()).max(1))
    };
    // CODES finds the group of a router by dividing its number, so that all groups must be of one size.
    let size = routers_of("group").filter(|size| network.routers().is_multiple_of(*size));
    // Its models have nodes on every router; switches of an upper level would be counted as routers with nodes.
    let Some(size) = size.filter(|_| network.hosts() == network.routers()) else {
        return Err(refuse("a machine without groups of routers"));
    };
    // Without chassis the group is one, so that all its cables are of kind 0.
    let chassis = routers_of("chassis").unwrap_or(size);
    let mut inside = vec![Vec::new(); (network.routers() / size) as usize];
    let mut between: Vec<u32> = Vec::new();
    for (u, v, cables) in links {
        // The files have no field for a capacity: a cable that is there twice is written twice.
        for _ in 0..cables {
            if u / size == v / size {
                let kind = u32::from(u / chassis != v / chassis);
                let a = u % size;
                let b = v % size;
                inside[(u / size) as usize].extend([a, b, kind, b, a, kind]);
            } else {
                between.extend([u, v, v, u]);
            }
        }
    }
    // CODES reads the file intra once, for all groups.
    if inside.iter().any(|group| *group != inside[0]) {
        return Err(refuse("groups that are not wired alike"));
    }
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(vec![
        ("intra", bytes(&inside[0])),
        ("inter", bytes(&between)),
    ])
}
