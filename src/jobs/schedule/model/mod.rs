//! Runtime models: for how long a task runs where it was placed.
//!
//! Each model is one file with a [`ModelEntry`]; [`MODELS`] is the table that names them all.

mod compact;
mod contiguity;
mod distance;
mod entry;
mod fixed;
mod network;
mod table;

pub use entry::{BuildModel, Lost, Model, ModelEntry, Start};
pub(super) use table::make;
pub use table::{MODELS, check, check_on, uses_links};
