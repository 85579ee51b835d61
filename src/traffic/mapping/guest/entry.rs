//! Entries of the table of guests: how a pattern of traffic is made.

use super::npb::Work;
use super::sized::Sized;
use super::traffic::Guest;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Context;

/// A pattern of traffic by name: an entry of [`super::GUESTS`].
pub type GuestEntry = Entry<Pattern>;

/// Options of a guest, read and checked.
pub trait BuildGuest {
    /// Makes the guest; `label` is how the user wrote it.
    ///
    /// # Errors
    /// More memory than `context` allows; a sum of volumes that is no number; a file that cannot be read.
    fn build(&self, label: &str, context: &Context) -> Result<Guest>;
}

/// How the options of a pattern are read, and what else there is of it.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// Reads the options.
    pub(super) traffic: fn(&Params) -> Result<Box<dyn BuildGuest>>,
    /// Reads the options of a benchmark, whose iterations have stages.
    pub(super) benchmark: Option<fn(&Params) -> Result<Work>>,
    /// Its forms for any number of processes, where there are some.
    pub(super) sized: &'static [Sized],
}

impl Pattern {
    /// Returns a pattern whose options are read by `traffic`.
    pub(super) const fn new(traffic: fn(&Params) -> Result<Box<dyn BuildGuest>>) -> Self {
        Pattern {
            traffic,
            benchmark: None,
            sized: &[],
        }
    }

    /// Adds forms for any number of processes.
    pub(super) const fn sized(mut self, sized: &'static [Sized]) -> Self {
        self.sized = sized;
        self
    }
}
