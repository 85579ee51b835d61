//! What every storey of nodeorder stands on: errors, ids, files as numbered lines, parameters, tables of named
//! entries, sets of ranks, seeded draws, Slurm's words for states. Nothing here knows a network.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod blocks;
pub mod error;
pub mod ids;
pub mod input;
pub mod observer;
pub mod params;
pub mod partition;
pub mod random;
pub mod ranks;
pub mod ratio;
pub mod registry;
pub mod slurm_states;

pub use error::{Error, Result, SourceLocation};
pub use ids::{NodeId, RouterId};
pub use input::{Line, Lines, Text};
pub use observer::Observer;
pub use params::{Opt, Params};
pub use ranks::{FreeSet, Ranks, Run};
pub use registry::{Entry, Registry};
