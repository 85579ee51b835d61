//! What people and programs read: columns, comparisons of machines, plots, pages, files for resource managers and
//! simulators.

#![forbid(unsafe_code)]

pub mod columns;
pub mod export;
pub mod layout;
pub mod machines;
pub mod plot;
pub mod report;
