//! Names that every file of an importer imports.

pub(super) use super::{ROOT, SourceFile, UPLINKS, Wiring, from_file, outlined};
pub(super) use crate::topology::{Build, Network, TopologyEntry};
pub(super) use nodeorder_base::error::{Error, Result};
pub(super) use nodeorder_base::input::{Line, Text};
pub(super) use nodeorder_base::params::Opt;
