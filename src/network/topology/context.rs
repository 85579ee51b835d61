//! Seed and memory limit of a run, and what it hands to searches from above.

use std::any::Any;

use nodeorder_base::{Error, Result};

/// Seed and memory limit of a run, and what it hands to searches from above.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Seed of everything random that is given no seed of its own.
    pub seed: u64,
    /// Most bytes that a single structure may take; larger requests are refused with both figures.
    pub memory: u64,
    /// Objective of `optimise:objective=slowdown`, which stands above orderings and is unknown here: programs hand in
    /// `nodeorder::slowdown::SLOWDOWN`. `None` refuses that option.
    pub objective: Option<&'static (dyn Any + Send + Sync)>,
}

impl Default for Context {
    /// Makes a context of seed 1 and 8 GB, without an objective.
    fn default() -> Self {
        Context {
            seed: 1,
            memory: 8_000_000_000,
            objective: None,
        }
    }
}

impl Context {
    /// Checks that `bytes` for `what` stay within the limit.
    ///
    /// # Errors
    /// [`Error::Memory`] with both figures.
    pub fn require_memory(&self, what: &str, bytes: u64) -> Result<()> {
        if bytes > self.memory {
            return Err(Error::Memory {
                what: what.into(),
                needed: bytes,
                limit: self.memory,
            });
        }
        Ok(())
    }
}
