//! Seed and memory limit of a run, and what it hands to searches from above.

use std::fmt::Debug;

use super::Topology;
use nodeorder_base::{Error, NodeId, Params, Result};

/// Seed and memory limit of a run, and what it hands to searches from above.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Seed of everything random that is given no seed of its own.
    pub seed: u64,
    /// Most bytes that a single structure may take; larger requests are refused with both figures.
    pub memory: u64,
    /// Objective of `optimise:objective=slowdown`, which stands above orderings: programs hand in
    /// `nodeorder::slowdown::SLOWDOWN`. `None` refuses that option.
    pub objective: Option<&'static dyn OrderObjective>,
}

/// Objective of orderings that is not a sum of distances, for searches that stand below it.
pub trait OrderObjective: Debug + Sync {
    /// Reads and checks the options of the objective: `guest`, `routing`, `duty` and `tilings`.
    ///
    /// # Errors
    /// Bad options; a machine that they do not suit.
    fn read_options(&self, topology: &Topology, params: &Params) -> Result<Box<dyn RateOrders>>;
}

/// Objective with its options.
pub trait RateOrders: Send + Sync {
    /// Describes the objective in a line, for an ordering file's header.
    fn describe(&self) -> String;

    /// Prepares the objective on a machine, and hands `search` what makes raters, one for each chain of a search.
    /// `shares` weighs job sizes, ascending; `None` weighs each octave equally.
    ///
    /// # Errors
    /// More memory than allowed; errors of `search`.
    fn prepare(
        &self,
        topology: &Topology,
        shares: Option<&[(u32, f64)]>,
        search: &mut dyn FnMut(&MakeRater<'_>) -> Result<()>,
    ) -> Result<()>;
}

/// Maker of raters that know no order yet.
pub type MakeRater<'r> = dyn Fn() -> Box<dyn OrderRater + 'r> + Sync + 'r;

/// Objective of one order after the other.
pub trait OrderRater: Send {
    /// Rates an order of all nodes, at least 1: what differs from the order before is computed anew.
    ///
    /// # Errors
    /// More memory than allowed.
    fn rate_order(&mut self, order: &[NodeId]) -> Result<f64>;

    /// Goes back to the order before the last one.
    fn take_back(&mut self);

    /// Returns what no order can be below, proved by the order rated last.
    fn lower_bound(&self) -> f64;
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
