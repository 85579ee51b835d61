//! Every target, and how a text names one.

use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, refuse_export};
use super::placed::ExportJob;
use super::{
    batsim, booksim, caminos, codes, csv, flux, infragraph, kubernetes, lsf, mpich_coords, pbs,
    simgrid, slurm_lines, slurm_ranks, slurm_site, sst,
};
use nodeorder_base::{Params, Registry, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;

/// Every export target.
pub static TARGETS: Registry<ParseTarget> = Registry::new(
    "target",
    "--to",
    &[
        csv::TARGET,
        slurm_ranks::WEIGHTS,
        slurm_ranks::NAMES,
        slurm_lines::TARGET,
        slurm_site::PERMUTED,
        slurm_site::YAML,
        slurm_ranks::TOPOLOGY,
        kubernetes::KUEUE,
        kubernetes::HYPERNODES,
        flux::GRAPH,
        flux::BROKERS,
        pbs::TARGET,
        lsf::TARGET,
        simgrid::TARGET,
        batsim::TARGET,
        caminos::TARGET,
        sst::TARGET,
        codes::TARGET,
        booksim::TARGET,
        infragraph::TARGET,
        mpich_coords::TARGET,
    ],
);

/// Targets that take jobs.
pub const WITH_JOBS: [&str; 4] = ["caminos", "sst", "codes", "mpich-coords"];

/// Targets that users may expect and that do not work: name, reason, and the target to use instead.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "slurm-order",
        "the order of NodeName lines in slurm.conf has no effect: Slurm sorts nodes by name (seen on 22.05 and 26.05)",
        "use slurm-names or slurm-weights",
    ),
    (
        "slurm-3d-torus",
        "topology/3d_torus takes no ordering of ours: it has none of its own on 26.05 and is fatal to Debian's 22.05",
        "use slurm-names, slurm-weights or slurm-topology",
    ),
    (
        "slurm-torus3d",
        "topology/torus3d places listed shapes of sub-cubes; it does not follow an ordering",
        "use slurm-names, slurm-weights or slurm-topology",
    ),
    (
        "pbs-priority",
        "the vnode attribute Priority holds whole numbers from -1024 to 1023 only, too few ranks",
        "use pbs, which sorts by a resource of its own",
    ),
    (
        "flux-lonodex",
        "fluxion's lonodex goes by the number at the end of the host's name, whatever order hosts are listed in",
        "use flux, which orders the ranks of the brokers",
    ),
];

/// Writes an ordering for the target that `text` names, with its options.
///
/// # Errors
/// As [`find_target`]; an option that the target does not have; names that it cannot hold; a topology or an ordering
/// that it cannot say.
pub fn write_order(text: &str, topology: &Topology, order: &NodeOrder) -> Result<Export> {
    write_jobs(text, topology, order, &[])
}

/// Writes an ordering as [`write_order`] does, with the jobs on the machine where there are some.
///
/// # Errors
/// As [`write_order`]; jobs for a target that takes none.
pub fn write_jobs(
    text: &str,
    topology: &Topology,
    order: &NodeOrder,
    jobs: &[ExportJob],
) -> Result<Export> {
    let (target, params) = read_target(text)?;
    // To leave the jobs out would write a file that looks complete.
    if !jobs.is_empty() && !WITH_JOBS.contains(&target.name) {
        let remedy = format!("one of {}", WITH_JOBS.join(", "));
        return Err(refuse_export(
            text,
            "jobs, which it does not write",
            &remedy,
        ));
    }
    let input = ExportInput {
        topology,
        order,
        jobs,
    };
    target.parse.read_options(&params)?(&input)
}

/// Finds the target that `text` names.
///
/// # Errors
/// There is none, with the nearest suggested; or it is known not to work, with the reason; its options are wrong.
pub fn find_target(text: &str) -> Result<&'static ExportTarget> {
    let (target, params) = read_target(text)?;
    target.parse.read_options(&params).map(|_| target)
}

fn read_target(name: &str) -> Result<(&'static ExportTarget, Params)> {
    // Before the table, whose error would only say that there is no such target.
    if let Some((_, reason, remedy)) = REFUSED.iter().find(|(refused, ..)| *refused == name) {
        return Err(refuse_export(name, *reason, remedy));
    }
    TARGETS.find_and_read(name, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    #[test]
    fn examples_parse_and_options_are_read() {
        nodeorder_base::registry::testing::check_table(&TARGETS, |entry, params| {
            entry.parse.read_options(params).map(drop)
        });
    }

    #[test]
    fn targets_with_jobs_are_targets() {
        for name in WITH_JOBS {
            assert!(TARGETS.get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn targets_write_something() {
        let machine = Topology::inline("torus:4x4", &Context::default()).unwrap();
        let order = NodeOrder::make(&machine, "snake").unwrap();
        // The trace of batsim is a file, which tests of the command have.
        for target in TARGETS.iter().filter(|target| target.name != "batsim") {
            let export = write_order(target.example, &machine, &order).unwrap();
            assert!(!export.text.is_empty(), "{}", target.name);
        }
    }
}
