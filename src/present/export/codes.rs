//! CODES: the nodes of jobs, and the wiring of a dragonfly.

use super::cables::list_cables;
use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport, refuse_export};
use super::node_names::join_items;
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Topology;

/// `--to codes`.
pub(super) const TARGET: ExportTarget = ExportTarget::new(
    "codes",
    "CODES: an allocation file, a line of node ids a job; wiring=true: a folder, with the intra and inter files of a dragonfly",
    &[Opt::flag(
        "wiring",
        "write alloc.conf, intra and inter into a folder, on machines of equal groups",
    )],
    ParseTarget::Options(parse),
);

fn parse(params: &Params) -> Result<WriteExport> {
    let wiring = params.is_set("wiring")?;
    Ok(Box::new(move |input| write(input, wiring)))
}

/// Writes a line a job: the file has no comments.
fn write(input: &ExportInput, wiring: bool) -> Result<Export> {
    if input.topology.network().rails().is_some() {
        let problem = "nodes on rails, which its models do not have";
        return Err(refuse_export("codes", problem, "a machine without rails"));
    }
    input.refuse_shared_nodes("codes")?;
    let mut text = String::new();
    for job in input.jobs_or_all().iter() {
        text += &(join_items(&job.nodes, " ") + "\n");
    }
    let note = "run with: model-net-mpi-replay --alloc_file=FILE beside a workload file of as many lines; to undo: sort the ids of each line";
    let mut export = Export::from(text);
    export.notes.push(note.into());
    if wiring {
        export.folder = Some("alloc.conf");
        export.binary = wiring_files(input.topology)?;
    }
    Ok(export)
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
        let problem = format!("{problem} ({})", topology.name());
        refuse_export("codes:wiring=true", problem, remedy)
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
                let group = &mut inside[(u / size) as usize];
                group.extend([u % size, v % size, kind, v % size, u % size, kind]);
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
