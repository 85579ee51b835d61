//! Entries of the table of mapping methods.

use super::problem::MappingProblem;
use nodeorder_base::{Entry, Observer, Params, Result};

/// A mapping method by name: an entry of [`super::METHODS`].
pub type MappingMethodEntry = Entry<ParseMethod>;

/// Function that reads and checks the options of a mapping method.
pub type ParseMethod = fn(&Params) -> Result<Box<dyn MapProcesses>>;

/// Options of a mapping method, read and checked.
pub trait MapProcesses {
    /// Finds slots for the processes of a problem; the observer has the clock of methods that search for a time.
    ///
    /// # Errors
    /// A guest or nodes that the method cannot work on.
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult>;
}

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
