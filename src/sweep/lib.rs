//! Sweeps: a plan's product of machines, orderings and workloads, cell by cell, on any number of threads,
//! runs and machines.
//!
//! A [`Plan`] lists what is multiplied; its [`Cell`]s stand in an order that never changes, and each makes one
//! row. [`run_cells()`] computes the rows of some of them in parallel. Rows are kept between runs: in journals
//! ([`Journal`]), that a kill cannot spoil, and in files of shards ([`ShardFile`]), that [`merge_shards`] puts
//! together. Rows depend on the plan alone, so that however a sweep was run its table is the same, byte for byte.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

mod check;
mod engines;
mod estimate;
mod fingerprint;
mod inputs;
mod journal;
mod kinds;
mod lists;
mod plan;
pub mod reference;
mod rows;
mod run;
mod scopes;
mod shard;
mod spec;

pub use check::Remarks;
pub use engines::{ENGINES, Engine, EngineJob};
pub use estimate::CostEstimate;
pub use fingerprint::checksum;
pub use inputs::{PlanWorkload, Spec};
pub use journal::{Journal, RecoveredRows};
pub use lists::{Cell, CellSpec, PlanLists};
pub use plan::{Cells, Plan};
pub use rows::{ResultsTable, SweepRow};
pub use run::{run_all, run_cells};
pub use shard::{Shard, ShardFile, merge_shards};
pub use spec::PlanSpec;
