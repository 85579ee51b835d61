//! Runtime models: for how long a task runs on the nodes that it was given.
//!
//! The trace says how long a job ran on some machine of the past, on nodes that are not known. A model says what this
//! run time stands for and how it changes: with `fixed` it stays; with `distance` it is that of a compact allocation
//! and grows with the mean distance of the nodes; with `network` it also depends on the jobs that share links at the
//! time.
//!
//! Each model is one file with a [`ModelEntry`]; [`MODELS`] is the table that names them all.

mod compact;
mod contiguity;
mod distance;
mod entry;
mod fixed;
mod network;
mod table;

pub use entry::{BuildModel, LostNodeTime, Model, ModelEntry, StartedTask};
pub(super) use table::build_model;
pub use table::{MODELS, check_name, check_on_machine, fix_for_ranking, routing_name, uses_links};
