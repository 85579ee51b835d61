//! One of several machines, and the figures by which it may be ranked.

use super::carried::Carried;
use super::confidence::Difference;
use super::workload::Service;
use nodeorder_order::metric::machine_figures::Machine;

/// Ends of what is proved: what was found, and what nothing exceeds.
pub type Bracket = [f64; 2];

/// One of the machines.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its figures.
    pub machine: Machine,
    /// Service that jobs get on it, where there is a workload.
    pub service: Option<Service>,
    /// Mean distance and the best ordering's mean(log) on ten seeds, where the network is a random one.
    pub seeds: Option<Seeds>,
    /// Its throughput, where that is asked.
    pub carried: Option<Carried>,
}

impl Contender {
    /// The machine with its best ordering, or its name alone where a figure has nothing to do with orderings.
    pub fn called(&self, criterion: Criterion) -> String {
        match criterion.is_bracket() {
            true => self.machine.name().to_string(),
            false => format!("{} with {}", self.machine.name(), self.machine.best.label()),
        }
    }

    /// Proved ends of the figure by which machines are ranked, where it is a bracket; first the end that ranks.
    pub(super) fn bracket(&self, criterion: Criterion) -> Option<Bracket> {
        match criterion {
            Criterion::Throughput => self.all_to_all(),
            Criterion::Cost => self.per_throughput(self.machine.bill.cost),
            _ => None,
        }
    }

    /// All-to-all throughput of a node.
    pub fn all_to_all(&self) -> Option<Bracket> {
        self.carried
            .as_ref()
            .map(|carried| [carried.all_to_all.found(), carried.all_to_all.at_most()])
    }

    /// All-to-all throughput of all nodes.
    fn all_nodes(&self) -> Option<Bracket> {
        let nodes = self.machine.comparison.topology.nodes as f64;
        self.all_to_all()
            .map(|bracket| bracket.map(|end| end * nodes))
    }

    /// All-to-all throughput of all nodes for each of `pieces`: links, routers, a unit of money.
    pub fn all_to_all_per(&self, pieces: Option<f64>) -> Option<Bracket> {
        let pieces = pieces.filter(|pieces| *pieces > 0.0)?;
        self.all_nodes()
            .map(|bracket| bracket.map(|end| end / pieces))
    }

    /// Part of `sum`, the machine's cost or watts, that a unit of all-to-all throughput takes at most, and at least.
    pub fn per_throughput(&self, sum: Option<f64>) -> Option<Bracket> {
        self.all_nodes()
            .zip(sum)
            .map(|(bracket, sum)| bracket.map(|end| sum / end))
    }

    /// The best ordering's mean(log); of a random network the mean over its seeds.
    pub(super) fn mean_log(&self) -> f64 {
        self.seeds
            .as_ref()
            .map_or(self.machine.mean_log(), |seeds| seeds.mean_log.difference)
    }
}

/// A random network's figures on seeds from its own on.
#[derive(Clone, Debug, PartialEq)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// Mean distances with their interval.
    pub mean_distance: Difference,
    /// The best ordering's mean(log) with its interval, ordered by the same method on each seed.
    pub mean_log: Difference,
    /// The values of `mean_log`.
    pub values: Vec<f64>,
}

/// By which figure machines are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Mean response time over the jobs that every machine ran, in seconds.
    Response,
    /// Mean hops between a job's nodes over the jobs that every machine placed.
    Hops,
    /// The best ordering's mean of MPC over log-spaced sizes, in hops.
    MeanLog,
    /// All-to-all throughput of a node, proved, in capacities of a link.
    Throughput,
    /// The cost of a unit of all-to-all throughput.
    Cost,
}

impl Criterion {
    /// Whether more of it is better.
    pub fn rises(self) -> bool {
        self == Criterion::Throughput
    }

    /// Whether it is known between two proved ends.
    pub fn is_bracket(self) -> bool {
        matches!(self, Criterion::Throughput | Criterion::Cost)
    }

    /// The figure in words.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Response => "mean response time",
            Criterion::Hops => "mean hops between a job's nodes",
            Criterion::MeanLog => "mean hops over log-spaced job sizes",
            Criterion::Throughput => "all-to-all throughput",
            Criterion::Cost => "cost of a unit of all-to-all throughput",
        }
    }

    /// Decimals that it is told with.
    pub fn decimals(self) -> usize {
        match self {
            Criterion::Response => 1,
            Criterion::Cost => 2,
            _ => 4,
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Criterion::Response => "s",
            Criterion::Throughput => "link capacities a node",
            Criterion::Cost => "price units",
            _ => "hops",
        }
    }
}
