//! Orderings in the form other programs take: a file for each program, [`TARGETS`] the table.
//!
//! A text names real nodes and begins with comments: what it does, with which versions it was run, what to
//! know before it is used and how to undo it.

mod batsim;
mod booksim;
mod cables;
mod caminos;
mod codes;
mod csv;
mod entry;
mod flux;
mod host_plan;
mod hosts;
mod hosts_wanted;
mod infragraph;
mod job_hosts;
mod kubernetes;
mod lsf;
mod mpich_coords;
mod node_names;
mod pbs;
mod placed;
mod simgrid;
mod slurm_lines;
mod slurm_ranks;
mod slurm_site;
mod sst;
mod table;
mod units;

pub use entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport};
pub use host_plan::{HostPlan, plan_hosts};
pub use hosts::{HOST_FORMS, HostForm, JobHosts, says_ranks, write_placed};
pub use hosts_wanted::HostsWanted;
pub use job_hosts::{best_ring, read_hosts, sort_by_rank};
pub use placed::ExportJob;
pub use simgrid::{EXPLICIT, SimGridFigures, write_simgrid};
pub use table::{TARGETS, WITH_JOBS, find_target, write_jobs, write_order};
