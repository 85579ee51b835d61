//! Names that every file of a pattern of traffic imports.

pub(super) use super::collective::Messages;
pub(super) use super::patterns::{N, VOLUME, count, list, volume};
pub(super) use super::{GuestEntry, Pattern, Sized, Traffic};
pub(super) use crate::error::Result;
pub(super) use crate::params::{Opt, Params};
pub(super) use crate::topology::Context;
