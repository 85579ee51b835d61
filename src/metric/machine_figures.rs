//! Figures of a machine, to compare machines by: size, cables, distances, bisection, cost, its best ordering.

use serde::Serialize;

use super::bisection::{Bisection, bisection};
use super::comparison::Comparison;
use super::mpc;
use crate::error::{Error, Result, SourceLocation};
use crate::ordering::{self, NodeOrder, Observer};
use crate::ratio::ratio;
use crate::topology::Topology;
use crate::topology::levels::LevelRow;

/// Prices of one piece each; pieces without a price are left out of the cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Prices {
    /// A cable between two routers.
    pub links: Option<f64>,
    /// A cable of a node to its router.
    pub node_links: Option<f64>,
    /// A router or switch.
    pub routers: Option<f64>,
    /// A schedulable node.
    pub nodes: Option<f64>,
}

impl Prices {
    /// Reads `links=120,routers=9000,nodes=4000`, any of these or `node_links`.
    ///
    /// # Errors
    /// Another key, a key twice, a price that is no number from 0.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::metric::machine_figures::Prices;
    /// let prices = Prices::parse("routers=9000,links=120.5")?;
    /// assert_eq!((prices.links, prices.routers, prices.nodes), (Some(120.5), Some(9000.0), None));
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let location = || SourceLocation::option(format!("--prices {text}"));
        let mut prices = Prices::default();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let price = match key.trim() {
                "links" => &mut prices.links,
                "node_links" => &mut prices.node_links,
                "routers" => &mut prices.routers,
                "nodes" => &mut prices.nodes,
                key => {
                    return Err(Error::unknown(
                        location(),
                        "price",
                        key,
                        ["links", "node_links", "routers", "nodes"],
                    ));
                }
            };
            let expected = "key=price, a number from 0 to 1e15, each key once";
            let number = value.trim().parse::<f64>().ok().filter(|p| (0.0..=1e15).contains(p));
            match number {
                Some(number) if price.is_none() => *price = Some(number),
                _ => return Err(Error::input(location(), format!("`{part}`"), expected)),
            }
        }
        Ok(prices)
    }
}

/// The figures of one machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Orderings side by side, the best first, with the machine's statistics.
    pub comparison: Comparison,
    /// The best ordering.
    pub best: NodeOrder,
    /// Bounds of its bisection.
    pub bisection: Option<Bisection>,
    /// Its levels.
    pub levels: Vec<LevelRow>,
    /// Assumption about the capacities of its links.
    pub assumed: Option<String>,
    /// Its cost by the prices given; none where no price is given.
    pub cost: Option<f64>,
}

impl Machine {
    /// The orderings of a machine: those of `orders` that suit it, or those that suit it by default where none is
    /// given or none does.
    ///
    /// # Errors
    /// An ordering that is wrong, whatever the machine; orderings of different nodes.
    pub(crate) fn orderings(
        topology: &Topology,
        orders: &[String],
        observer: &dyn Observer,
    ) -> Result<Vec<NodeOrder>> {
        let mut made = Vec::new();
        for text in orders {
            if ordering::ORDERINGS.get(text).is_some_and(|entry| !entry.suits(topology)) {
                continue;
            }
            match NodeOrder::make_with(topology, text, observer) {
                Ok((order, _)) => made.push(order),
                Err(Error::Unsuited { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if made.is_empty() {
            for text in ordering::defaults::suiting(topology) {
                let order = NodeOrder::make(topology, &text)?;
                // On many machines two families coincide: the first is kept.
                if made.iter().all(|other: &NodeOrder| other.nodes() != order.nodes()) {
                    made.push(order);
                }
            }
        }
        NodeOrder::check_same_nodes(topology, &made)?;
        Ok(made)
    }

    /// All figures of a machine with some orderings; means, and which ordering is the best, are over sizes up to
    /// `largest`.
    ///
    /// # Errors
    /// No ordering, or one of fewer than two nodes; more memory than allowed.
    ///
    /// # Complexity
    /// As the curves of all its orderings, and [`bisection`].
    pub(crate) fn new(
        topology: &Topology,
        made: Vec<NodeOrder>,
        largest: usize,
        prices: &Prices,
    ) -> Result<Self> {
        let means = made.iter().map(|order| Ok(mpc::curve(topology, order)?.means_to(largest)));
        let means = means.collect::<Result<Vec<_>>>()?;
        let comparison = Comparison::to_size(topology, &made, means, largest)?;
        let label = comparison.entries[0].label.clone();
        let best = made.into_iter().find(|order| order.label() == label);
        let bisection = bisection(topology)?;
        let s = &comparison.topology;
        let part = |price: Option<f64>, count: u64| price.map(|price| price * count as f64);
        let parts = [
            part(prices.links, s.cables),
            part(prices.node_links, s.node_links),
            part(prices.routers, s.routers),
            part(prices.nodes, s.nodes),
        ];
        let priced = parts.iter().any(Option::is_some);
        let missing =
            || Error::input(SourceLocation::option(&label), "no ordering", "at least one");
        Ok(Machine {
            best: best.ok_or_else(missing)?,
            bisection,
            levels: topology.level_table(),
            assumed: topology.assumed(),
            cost: priced.then(|| parts.into_iter().flatten().sum()),
            comparison,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.comparison.topology.name
    }

    /// Links between routers for each node. The cables of nodes to their routers come on top.
    pub fn links_per_node(&self) -> f64 {
        let s = &self.comparison.topology;
        ratio(s.links.into(), s.nodes.into())
    }

    /// Links of the bisection for each node.
    pub fn bisection_per_node(&self) -> Option<f64> {
        Some(self.bisection.as_ref()?.links() / self.comparison.topology.nodes as f64)
    }

    /// The cost of a node, with its share of the network.
    pub fn cost_per_node(&self) -> Option<f64> {
        Some(self.cost? / self.comparison.topology.nodes as f64)
    }

    /// The best ordering's mean of MPC over log-spaced sizes, up to the largest that is compared.
    pub fn mean_log(&self) -> f64 {
        self.comparison.entries[0].mean_log
    }

    /// The share of its windows, over the same sizes, that span components; [`Machine::mean_log`] is without them.
    pub fn windows_left_out(&self) -> f64 {
        self.comparison.entries[0].spanning.unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NoObserver;
    use crate::topology::Context;

    fn machine(spec: &str, orders: &[&str], prices: &str) -> Machine {
        let topology = Topology::inline(spec, &Context::default()).unwrap();
        let orders: Vec<String> = orders.iter().map(|o| o.to_string()).collect();
        let prices = Prices::parse(prices).unwrap();
        let made = Machine::orderings(&topology, &orders, &NoObserver).unwrap();
        Machine::new(&topology, made, topology.node_count(), &prices).unwrap()
    }

    #[test]
    fn figures_by_hand() {
        let m = machine("torus:4x4,per_router=2", &[], "links=10,routers=100,nodes=1000");
        assert_eq!(m.cost, Some(32.0 * 10.0 + 16.0 * 100.0 + 32.0 * 1000.0));
        assert_eq!(m.cost_per_node(), Some(33920.0 / 32.0));
        assert_eq!((m.links_per_node(), m.bisection_per_node()), (1.0, Some(8.0 / 32.0)));
        assert_eq!(m.best.label(), m.comparison.entries[0].label);
        assert!(m.comparison.entries.iter().all(|e| e.mean_log >= m.mean_log()));
        assert!(m.levels.is_empty());
        assert_eq!(machine("mesh:3", &[], "routers=2").cost, Some(6.0));
    }

    #[test]
    fn orderings_given_count_where_they_suit() {
        let orders = ["hilbert", "row-major"];
        let m = machine("torus:8x8", &orders, "nodes=1");
        assert_eq!((m.comparison.entries.len(), m.best.label()), (2, "hilbert"));
        let m = machine("fat-tree:k=4", &orders, "nodes=1");
        assert_eq!(m.best.label(), "row-major");
        // Nothing given suits: the defaults.
        assert!(machine("fat-tree:k=4", &["hilbert"], "nodes=1").comparison.entries.len() > 1);
        let topology = Topology::inline("mesh:4x4", &Context::default()).unwrap();
        let wrong = ["snake:axes=q".to_string()];
        assert!(Machine::orderings(&topology, &wrong, &NoObserver).is_err());
    }

    #[test]
    fn prices_are_checked() {
        for (text, part) in [
            ("cables=3", "unknown price `cables`"),
            ("links=x", "found `links=x`"),
            ("links=-1", "found `links=-1`"),
            ("links=1,links=2", "found `links=2`"),
            ("links", "found `links`"),
            ("", "unknown price"),
            ("links=inf", "found `links=inf`"),
        ] {
            let error = Prices::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("`--prices") && error.contains(part), "{error}");
        }
        assert_eq!(machine("mesh:3", &[], "links=0").cost, Some(0.0));
    }
}
