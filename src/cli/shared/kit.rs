//! Names that most commands import.

pub use std::io::Write;
pub use std::path::{Path, PathBuf};

pub use clap::Args;
pub use serde_json::{Value, json};

pub use super::command_line::CommandLine;
pub use super::formats::FormatArgs;
pub use super::layout::field;
pub use super::network_figures::NetworkFigures;
pub(crate) use super::notes::note;
pub use super::output::Output;
pub use super::picture::Picture;
pub use super::traffic::TrafficArgs;
pub use super::watch::Clock;
pub use super::{inputs, interrupt, layout, output, own_files, progress, tables, throughput};
pub use nodeorder::columns;
pub use nodeorder::error::{Error, SourceLocation};
pub use nodeorder::ids::NodeId;
pub use nodeorder::input::{Lines, Text};
pub use nodeorder::ordering::NodeOrder;
pub use nodeorder::topology::{Context, Topology};
