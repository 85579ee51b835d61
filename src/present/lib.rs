//! What people and programs read: columns, comparisons of machines, plots, pages, files for resource managers and
//! simulators.

#![forbid(unsafe_code)]
// The documentation is built with private items, for those who change the code; there such links lead somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod columns;
pub mod export;
pub mod layout;
pub mod machines;
pub mod plot;
pub mod report;
