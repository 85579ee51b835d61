//! Orderings in the form other programs take: one file a target, [`TARGETS`] the table.
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
mod hosts;
mod hypernodes;
mod infragraph;
mod jgf;
mod job_hosts;
mod kueue;
mod lsf;
mod mpich_coords;
mod node_names;
mod pbs;
mod placed;
mod simgrid;
mod slurm_lines;
mod slurm_names;
mod slurm_permuted;
mod slurm_site;
mod slurm_topology;
mod slurm_weights;
mod slurm_yaml;
mod sst;
mod table;
mod units;

pub use entry::{Export, ExportTarget, ParseTarget, WriteJobs, WriteOrder};
pub use hosts::{HOST_FORMS, HostForm, JobHosts};
pub use job_hosts::{best_ring, read_hosts, sort_by_rank};
use node_names::{
    all_as_host_list, all_names, all_nodes, checked_names, choose_prefix, free_name,
    header_comments, locate_option, lower_names, names_of, padded_name, range_as_host_list,
};
pub use placed::ExportJob;
use placed::{jobs_or_all, one_each};
pub use simgrid::{EXPLICIT, SimGridFigures, write_simgrid};
pub use table::{TARGETS, find_target, targets_with_jobs, write_jobs, write_order};
