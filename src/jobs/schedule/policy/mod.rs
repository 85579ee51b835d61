//! Policies: which jobs start when.
//!
//! Each policy is one file with a [`PolicyEntry`]; [`POLICIES`] is the table that names them all. A
//! [`Policy`] keeps the queue; at its passes it starts tasks on the [`ClusterState`].

mod conservative;
mod conservative_places;
mod easy;
mod easy_places;
mod entry;
mod estimates;
mod fcfs;
mod profile;
mod size_first;
mod table;
mod window;

pub use super::cluster_state::{Attempt, ClusterState, Found};
pub use super::running::Assumed;
pub use entry::{BuildPolicy, Policy, PolicyContext, PolicyEntry};
pub(super) use table::make;
pub use table::{POLICIES, check};
