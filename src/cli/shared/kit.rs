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
pub use nodeorder_base::error::{Error, SourceLocation};
pub use nodeorder_base::ids::NodeId;
pub use nodeorder_base::input::{Lines, Text};
pub use nodeorder_network::topology::{Context, Topology};
pub use nodeorder_order::ordering::NodeOrder;
pub use nodeorder_present::columns;
