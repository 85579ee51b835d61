//! Node orderings, and exact figures of them: MPC curves, the objective that searches minimise, figures of machines
//! and of single allocations.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod metric;
pub mod ordering;
pub mod pair_sums;

pub use ordering::NodeOrder;

#[cfg(test)]
#[path = "ordering/tests/testing.rs"]
mod testing;
