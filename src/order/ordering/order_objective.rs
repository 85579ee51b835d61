//! Objectives of orderings that are handed in from above.

use nodeorder_base::{NodeId, Params, Result};
use nodeorder_network::Topology;

/// Objective of orderings that is not a sum of distances; a [`nodeorder_network::Context`] hands it to searches.
pub struct OrderObjective {
    /// Reads and checks the options `guest`, `routing`, `duty` and `tilings`.
    pub read_options: fn(&Topology, &Params) -> Result<Box<dyn RateOrders>>,
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
