//! Entries of the table of mapping methods.

use super::problem::MappingProblem;
use nodeorder_base::error::Result;
use nodeorder_base::observer::Observer;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;

/// A mapping method: an entry of [`super::METHODS`]. It finds the slot of every process.
pub type MappingMethodEntry = Entry<FindSlots>;

/// Finds slots for the processes of a problem; the observer has the clock of methods that search for a time.
pub(super) type FindSlots = fn(&MappingProblem, &Params, &dyn Observer) -> Result<MappingResult>;

/// A mapping as slots, and the method that found it.
pub struct MappingResult {
    /// Slot of every process, each once.
    pub slots: Vec<u32>,
    /// Name of the method that found it: one of [`super::METHODS`].
    pub method: &'static str,
    /// Methods that `best` did not run to their end, for want of time.
    pub unfinished: Vec<&'static str>,
}

impl MappingResult {
    /// Wraps the mapping that one method found.
    pub fn new(method: &'static str, slots: Vec<u32>) -> Self {
        MappingResult {
            slots,
            method,
            unfinished: Vec::new(),
        }
    }
}
