//! Names that every file of an allocator imports.

pub(super) use super::entry::{Allocator, AllocatorEntry, Choice};
pub(super) use super::runs::Runs;
pub(super) use crate::error::Result;
pub(super) use crate::params::{Opt, Params};
pub(super) use crate::ranks::{FreeSet, Ranks, Run};
