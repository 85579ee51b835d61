//! Names that every file of a pattern of traffic imports.

pub(super) use super::collective::Messages;
pub(super) use super::patterns::{N, VOLUME, count, list, volume};
pub(super) use super::{GuestEntry, Pattern, Sized, Traffic};
pub(super) use nodeorder_base::error::Result;
pub(super) use nodeorder_base::params::{Opt, Params};
pub(super) use nodeorder_network::topology::Context;
