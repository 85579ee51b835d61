//! One of the machines that are compared, and the figures by which it may be ranked.

use super::carried::{BrokenFigures, MachineThroughput};
use super::confidence::Difference;
use super::workload::JobService;
use crate::columns::bounds::Bound;
use nodeorder_order::metric::machine_figures::MachineFigures;
use nodeorder_traffic::slowdown::SlowdownComparison;

/// Ends of a figure that is proved to lie between them: the value found, and the limit that nothing exceeds.
pub type Bracket = [f64; 2];

/// One of the machines that are compared.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Figures of the machine and its best ordering.
    pub machine: MachineFigures,
    /// Service that jobs get on it; none without a workload.
    pub service: Option<JobService>,
    /// Mean distance and the best ordering's mean(log) on ten seeds; none where the network is not random.
    pub seeds: Option<SeedFigures>,
    /// Slowdowns with the best ordering and with `random`, for the usual guests; none unless asked for.
    pub slowdowns: Option<SlowdownComparison>,
    /// Throughput of the machine; none unless asked for.
    pub carried: Option<MachineThroughput>,
    /// Figures with a part broken; none unless asked for.
    pub broken: Option<BrokenFigures>,
}

impl Contender {
    /// Names the machine with its best ordering, or alone where the figure has nothing to do with orderings.
    pub fn display_name(&self, criterion: Criterion) -> String {
        let name = self.machine.name();
        if criterion.is_bracket() {
            name.to_string()
        } else {
            format!("{name} with {}", self.machine.best.label())
        }
    }

    /// Computes the proved ends of the figure by which `criterion` ranks, first the end that decides. `None` if the
    /// figure is no bracket.
    pub(super) fn ranking_bracket(&self, criterion: Criterion) -> Option<Bracket> {
        match criterion {
            // First what was found: a machine is ranked by what it surely carries.
            Criterion::Throughput => self.all_to_all(),
            Criterion::Cost => self.per_throughput(self.machine.bill.cost),
            _ => None,
        }
    }

    /// Looks up the log-uniform mean of `mixed`: of the guest at a place among the usual ones, with the best ordering
    /// (0) or `random` (1). `None` if it was not measured.
    pub fn slowdown(&self, guest: usize, ordering: usize) -> Option<f64> {
        let curve = &self.slowdowns.as_ref()?.guests[guest].curves[ordering];
        curve.log_uniform_mean(|point| point.mixed)
    }

    /// Computes the all-to-all throughput of a node. `None` if it was not searched.
    pub fn all_to_all(&self) -> Option<Bracket> {
        let throughput = &self.carried.as_ref()?.all_to_all;
        Some([throughput.carried_multiple(), throughput.carried_at_most()])
    }

    /// Adds up the all-to-all throughput of all nodes.
    fn total_throughput(&self) -> Option<Bracket> {
        let nodes = self.machine.comparison.topology.nodes as f64;
        Some(self.all_to_all()?.map(|end| end * nodes))
    }

    /// Computes the all-to-all throughput of all nodes for each of `pieces`: links, routers, units of money.
    /// `None` if there are none.
    pub fn all_to_all_per(&self, pieces: Option<f64>) -> Option<Bracket> {
        // A machine of one router has no links, and prices may add up to nothing.
        let pieces = pieces.filter(|pieces| *pieces > 0.0)?;
        Some(self.total_throughput()?.map(|end| end / pieces))
    }

    /// Divides `sum`, the machine's cost or watts, by its all-to-all throughput: what a unit takes at most, and
    /// at least.
    pub fn per_throughput(&self, sum: Option<f64>) -> Option<Bracket> {
        let sum = sum?;
        // The more it carries the less a unit costs: the end that was found gives the upper end here.
        Some(self.total_throughput()?.map(|end| sum / end))
    }

    /// Looks up the best ordering's mean(log) in hops; of a random network the mean over its seeds.
    pub(super) fn mean_log(&self) -> f64 {
        self.seeds
            .as_ref()
            // One draw of a random network is luck; its family is ranked by the mean.
            .map_or(self.machine.mean_log(), |seeds| seeds.mean_log.difference)
    }

    /// Looks up the best ordering's mean(log) on one of ten seeds; that of the machine where nothing is drawn.
    pub(super) fn mean_log_of_seed(&self, index: usize) -> f64 {
        self.seeds
            .as_ref()
            .map_or(self.machine.mean_log(), |seeds| seeds.values[index])
    }
}

/// Figures of a random network on ten seeds, from its own on.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedFigures {
    /// First seed: the one that the machine is given with.
    pub first: u64,
    /// Mean over the seeds of the mean distance, with its interval.
    pub mean_distance: Difference,
    /// Mean over the seeds of the best ordering's mean(log), with its interval; one method orders all of them.
    pub mean_log: Difference,
    /// Mean(log) in hops on each seed.
    pub values: Vec<f64>,
}

/// Figure by which machines are ranked.
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
    /// Checks whether higher values are better.
    pub fn higher_is_better(self) -> bool {
        self == Criterion::Throughput
    }

    /// Checks whether the figure is known only to lie between two proved ends.
    pub fn is_bracket(self) -> bool {
        matches!(self, Criterion::Throughput | Criterion::Cost)
    }

    /// Returns the end of a bracket by which this criterion ranks, for rounding. `None` for figures that are no
    /// brackets.
    pub fn ranking_end(self) -> Option<Bound> {
        match self {
            Criterion::Throughput => Some(Bound::Lower),
            Criterion::Cost => Some(Bound::Upper),
            _ => None,
        }
    }

    /// Rounds a score to the decimals that sentences give it.
    pub fn round_score(self, score: f64) -> f64 {
        self.ranking_end()
            .map_or(score, |end| end.round(score, self.decimals()))
    }

    /// Names the figure.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Response => "mean response time",
            Criterion::Hops => "mean hops between a job's nodes",
            Criterion::MeanLog => "mean hops over log-spaced job sizes",
            Criterion::Throughput => "all-to-all throughput",
            Criterion::Cost => "cost of a unit of all-to-all throughput",
        }
    }

    /// Chooses the number of decimals that sentences give it.
    pub fn decimals(self) -> usize {
        match self {
            // A tenth of a second is below what any trace resolves; hops differ in their last decimals.
            Criterion::Response => 1,
            Criterion::Cost => 2,
            _ => 4,
        }
    }

    /// Names the unit of the figure.
    pub fn unit(self) -> &'static str {
        match self {
            Criterion::Response => "s",
            Criterion::Throughput => "link capacities a node",
            Criterion::Cost => "price units",
            _ => "hops",
        }
    }
}
