//! Jobs on a machine: allocators, placement logs replayed, traces scheduled, recorded placements audited.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod allocator;
pub mod audit;
pub mod replay;
pub mod schedule;
