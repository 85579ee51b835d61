//! Sweeps: a plan's product of machines, orderings and workloads, cell by cell, on any number of threads,
//! runs and machines.
//!
//! A [`Plan`] lists what is multiplied; its [`Cell`]s stand in an order that never changes, and each makes one
//! row. [`run()`] computes the rows of some of them in parallel. Rows are kept between runs: in journals
//! ([`Journal`]), that a kill cannot spoil, and in shards, that [`store::merge`] puts together. Shards take blocks of
//! cells of about equal cost ([`Block`]). Rows depend on the plan alone, so that however a sweep was run its table is the
//! same, byte for byte.

mod check;
mod deal;
mod fingerprint;
mod inputs;
mod journal;
mod kinds;
mod lists;
mod plan;
pub mod reference;
mod rows;
mod run;
mod scopes;
mod spec;
pub mod store;

pub use check::Remarks;
pub use deal::Block;
pub use inputs::{PlanWorkload, Spec};
pub use journal::{Journal, RecoveredRows};
pub use lists::{PlanLists, Work};
pub use plan::{Cell, Cells, Plan};
pub use rows::{ResultsTable, SweepRow};
pub use run::{run, run_all};
pub use spec::PlanSpec;

use nodeorder_base::error::{Error, Result};

/// One part of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 0.
    pub index: u32,
    /// How many parts there are.
    pub of: u32,
}

/// Parts that a plan may have at most.
const MOST_SHARDS: u32 = 1_000_000;

impl Shard {
    /// The only part.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Reads `I/N`.
    ///
    /// # Errors
    /// Not two whole numbers with I below N; more parts than any array of jobs has.
    pub fn parse(text: &str) -> Result<Self> {
        let number = |part: &str| part.parse::<u32>().ok();
        let parts = text
            .split_once('/')
            .and_then(|(i, n)| Some((number(i)?, number(n)?)));
        match parts {
            Some((index, of)) if index < of && of <= MOST_SHARDS => Ok(Shard { index, of }),
            _ => {
                let expected = "I/N with I from 0 to N-1 and N up to 1000000, as in 3/8";
                Err(Error::option(
                    format!("--shard {text}"),
                    format!("`{text}`"),
                    expected,
                ))
            }
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}
