//! Names that every file of an importer imports.

pub(super) use super::{ROOT, SourceFile, UPLINKS, Wiring, from_file, outlined};
pub(super) use crate::error::{Error, Result};
pub(super) use crate::input::{Line, Text};
pub(super) use crate::params::Opt;
pub(super) use crate::topology::{Build, Network, TopologyEntry};
