//! Entries of the table of guests: how a pattern of traffic is made.

use super::npb::Work;
use super::sized::Sized;
use super::traffic::Traffic;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Context;

/// A pattern of traffic by name: an entry of [`super::GUESTS`].
pub type GuestEntry = Entry<Pattern>;

/// How a pattern is made.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// Number of processes and their traffic.
    pub(super) make: fn(&Params, &Context) -> Result<(u32, Traffic)>,
    /// Messages and operations of a benchmark, stage by stage.
    pub(super) benchmark: Option<fn(&Params) -> Result<Work>>,
    /// Its forms for any number of processes, where there are some.
    pub(super) sized: &'static [Sized],
}
