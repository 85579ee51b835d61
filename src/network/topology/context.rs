//! Seed and memory limit of a run.

use nodeorder_base::{Error, Result};

/// Seed and memory limit of a run.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Seed of everything random that is given no seed of its own.
    pub seed: u64,
    /// Most bytes that a single structure may take; larger requests are refused with both figures.
    pub memory: u64,
}

impl Default for Context {
    /// Makes a context of seed 1 and 8 GB.
    fn default() -> Self {
        Context {
            seed: 1,
            memory: 8_000_000_000,
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
