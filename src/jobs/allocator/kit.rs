//! Names that every file of an allocator imports.

pub(super) use super::entry::{Allocator, AllocatorEntry, Choice};
pub(super) use super::runs::Runs;
pub(super) use nodeorder_base::error::Result;
pub(super) use nodeorder_base::params::{Opt, Params};
pub(super) use nodeorder_base::ranks::{FreeSet, Ranks, Run};
