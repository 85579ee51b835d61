//! Figures of a machine, to compare machines by: size, cables, distances, bisection, cost, its best ordering.

use super::bisection::{Bisection, bisection};
use super::comparison::Comparison;
use super::cost::{CostBreakdown, PriceList};
use super::mpc;
use crate::ordering::NodeOrder;
use crate::ordering::{self, Observer};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ratio::divide_exactly;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::levels::LevelRow;

/// Figures of one machine.
#[derive(Clone, Debug)]
pub struct MachineFigures {
    /// Orderings side by side, the best first, with the machine's statistics.
    pub comparison: Comparison,
    /// Best ordering.
    pub best: NodeOrder,
    /// Best cut into halves that is known, with a floor; none where it is too large to search.
    pub bisection: Option<Bisection>,
    /// Levels of the machine.
    pub levels: Vec<LevelRow>,
    /// Assumption about the capacities of its links; none where they are stated.
    pub assumed: Option<String>,
    /// Upper bound of all-to-all throughput by the least hops that traffic takes: capacities of all links over
    /// nodes times mean distance. None where not every pair of nodes is joined, or where joints shorten
    /// distances.
    pub hop_bound: Option<f64>,
    /// Cables by class, cost and watts, as far as prices and watts are given.
    pub bill: CostBreakdown,
}

impl MachineFigures {
    /// Makes the orderings of a machine: those of `orders` that suit it, or those that suit it by default if none is
    /// given or none does.
    ///
    /// # Errors
    /// An ordering that is wrong, whatever the machine; orderings of different nodes.
    pub fn make_orderings(
        topology: &Topology,
        orders: &[String],
        observer: &dyn Observer,
    ) -> Result<Vec<NodeOrder>> {
        let mut made = Vec::new();
        for text in orders {
            if ordering::ORDERINGS
                .get(text)
                .is_some_and(|entry| !entry.parse.works_on(topology))
            {
                continue;
            }
            match NodeOrder::make_observed(topology, text, observer) {
                Ok((order, _)) => made.push(order),
                // One list of orderings serves machines of all kinds.
                Err(Error::Unsuited { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if made.is_empty() {
            for text in ordering::defaults::default_orderings(topology) {
                let order = NodeOrder::make(topology, &text)?;
                // On many machines two families coincide: the first is kept.
                if made
                    .iter()
                    .all(|other: &NodeOrder| other.nodes() != order.nodes())
                {
                    made.push(order);
                }
            }
        }
        NodeOrder::check_same_nodes(topology, &made)?;
        Ok(made)
    }

    /// Computes all figures of a machine with some orderings; means, and which ordering is the best, are over
    /// sizes up to `largest`.
    ///
    /// # Errors
    /// No ordering, or one of fewer than two nodes; more memory than allowed; see [`PriceList::add_up_costs`].
    ///
    /// # Complexity
    /// As the curves of all its orderings, and [`bisection`].
    pub fn new(
        topology: &Topology,
        made: Vec<NodeOrder>,
        largest: usize,
        buying: &PriceList,
    ) -> Result<Self> {
        let mut means = Vec::new();
        for order in &made {
            means.push(mpc::curve(topology, order)?.means_to(largest));
        }
        let comparison = Comparison::to_size(topology, &made, means, largest)?;
        let label = &comparison.entries[0].label;
        let best = made.into_iter().find(|order| order.label() == label);
        let best = best.ok_or_else(|| {
            Error::input(SourceLocation::option(label), "no ordering", "at least one")
        });
        let bisection = bisection(topology)?;
        let s = &comparison.topology;
        // Traffic between nodes that no path joins has no bound, nor has traffic that takes no hop.
        let joined = s.unreachable_pairs == 0 && s.mean_distance > 0.0;
        let capacity = topology.total_capacity().filter(|_| joined);
        Ok(MachineFigures {
            best: best?,
            bisection,
            levels: topology.level_table(),
            assumed: topology.capacity_assumption(),
            hop_bound: capacity.map(|all| all / (s.nodes as f64 * s.mean_distance)),
            bill: buying.add_up_costs(topology, s)?,
            comparison,
        })
    }

    /// Returns the machine's name.
    pub fn name(&self) -> &str {
        &self.comparison.topology.name
    }

    /// Computes the links between routers for each node. The cables of nodes to their routers come on top.
    pub fn links_per_node(&self) -> f64 {
        let s = &self.comparison.topology;
        divide_exactly(s.links.into(), s.nodes.into())
    }

    /// Computes the links of the bisection for each node; `None` if no cut is known.
    pub fn bisection_per_node(&self) -> Option<f64> {
        Some(self.bisection.as_ref()?.cut_links() / self.comparison.topology.nodes as f64)
    }

    /// Computes the cost of a node, with its share of the network; `None` without prices.
    pub fn cost_per_node(&self) -> Option<f64> {
        Some(self.bill.cost? / self.comparison.topology.nodes as f64)
    }

    /// Computes the watts of a node, with its share of the network; `None` without watts.
    pub fn watts_per_node(&self) -> Option<f64> {
        Some(self.bill.watts? / self.comparison.topology.nodes as f64)
    }

    /// Looks up the best ordering's mean of MPC over log-spaced sizes, up to the largest that is compared.
    pub fn mean_log(&self) -> f64 {
        self.comparison.entries[0].mean_log
    }

    /// Looks up the share of windows over the same sizes that span components, which [`MachineFigures::mean_log`]
    /// leaves out.
    pub fn windows_left_out(&self) -> f64 {
        self.comparison.entries[0].spanning.unwrap_or(0.0)
    }
}
