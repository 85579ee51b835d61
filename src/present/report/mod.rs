//! Results of a comparison: tables as CSV and JSON, figures, and one self-contained page.
//!
//! Reads rows and computes no metric; returns text or writes to what the caller opened, never a file.

mod advice;
pub mod audit;
mod bar_figure;
pub mod by_size;
mod comparison;
mod confirmed;
pub mod corun;
pub mod csv;
mod document;
mod file;
mod grouping;
pub mod hosts;
mod html;
mod install;
mod job_table;
pub mod json;
pub mod machines;
pub mod mapping;
mod page;
pub mod prediction;
pub mod replay;
mod results;
mod saved;
pub mod schedule;
pub mod schedule_comparison;
mod sentences;
mod shape;
pub mod slowdown;
pub mod snapshot;
mod snapshot_page;
pub mod snapshot_samples;
pub mod sweep;
mod terms;
pub mod topology;
pub mod trace;
mod verdict;
pub mod windows;

pub use advice::{Advice, Answer};
pub use comparison::{files, lost, saved, sentences, slots_as_named};
pub use file::File;
pub use results::{ComparisonFigures, WorkloadResults};
