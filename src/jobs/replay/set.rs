//! Replays of one log side by side: every allocator on every ordering, each with the baseline that it is compared
//! with.
//!
//! With the orderings x and y and the allocator `first-fit` there are four replays, because improvements are measured
//! over the baseline `fifo:0` on the same ordering: `first-fit` on x and on y, which were asked for, then `fifo:0` on
//! x and on y. Whatever replays a log builds its replays here.

use rayon::prelude::*;

use super::figures::FigureSet;
use super::run::{BlockResult, run};
use super::single::{Clock, Counts, Replay};
use super::statistics::Summary;
use super::traffic::{Traffic, TrafficSettings, TrafficTotals};
use crate::allocator::{self, AllocatorContext, PlaceableSums};
use nodeorder_base::{Error, FreeSet, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::shape::{ShapeSums, SummedShapes};
use nodeorder_trace::{Log, Rules};

/// Allocator that all improvements are measured against.
pub const BASELINE: &str = "fifo:0";

/// Choice of the sums that are kept of placements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Summaries {
    /// No sums are kept.
    None,
    /// Sums of each replay are kept, without a baseline to compare with.
    #[default]
    Alone,
    /// Sums of each replay are kept, to be compared with those of [`BASELINE`] on the same ordering, which is added if
    /// it is missing.
    OverBaseline,
}

/// Allocators, figures and sums of a set of replays, the same for all orderings. By default there are no allocators,
/// no figures beside the metrics, and sums of each replay by itself.
#[derive(Clone, Copy, Default)]
pub struct ReplaySettings<'a> {
    /// Allocators with their options, such as `first-fit:8`.
    pub allocators: &'a [String],
    /// Figures to measure of every allocation.
    pub figures: FigureSet,
    /// Pattern and routing of the traffic of jobs, if it is simulated.
    pub traffic: Option<TrafficSettings<'a>>,
    /// Sums to keep of placements.
    pub summaries: Summaries,
    /// Allocator options of jobs by their size, if any.
    pub rules: Option<&'a Rules>,
}

/// Set of replays: for each ordering every allocator, as given; then the baselines that were not among those given.
pub struct ReplaySet<'a> {
    replays: Vec<Replay<'a>>,
    labels: Vec<Label<'a>>,
    summaries: Vec<Summary>,
    settings: ReplaySettings<'a>,
    /// Number of replays that were asked for; added baselines come after them.
    requested: usize,
}

/// Ordering, allocator and baseline of a replay.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// Name of the ordering.
    pub ordering: &'a str,
    /// Allocator with its options, as given.
    pub allocator: &'a str,
    /// Index of the replay that serves as its baseline.
    baseline: usize,
}

/// Result of one replay.
pub struct ReplayResult<'a> {
    /// Name of the ordering.
    pub ordering: &'a str,
    /// Allocator with its options, as given.
    pub allocator: &'a str,
    /// Numbers of jobs placed, skipped and refused, and the time that choosing took.
    pub counts: Counts,
    /// Sums of traffic figures, if traffic is simulated.
    pub traffic: Option<TrafficTotals>,
    /// Sums over the shapes of the replay's allocations, if measured.
    pub shapes: Option<&'a ShapeSums>,
    /// Sums of the largest jobs that could still be placed; empty unless measured.
    pub room: &'a PlaceableSums,
    /// Sums of the replay's placements.
    pub summary: &'a Summary,
    /// Sums of the baseline's placements on the same ordering.
    pub baseline: &'a Summary,
}

impl<'a> ReplaySet<'a> {
    /// Creates the replays on empty machines; `distances[i]` are those of `orders[i]`. Fails if an allocator is
    /// unknown or does not suit the machine, or if more memory is needed than allowed.
    pub fn new(
        topology: &'a Topology,
        orders: &'a [NodeOrder],
        distances: &'a [RankDistances],
        mut settings: ReplaySettings<'a>,
    ) -> Result<Self> {
        settings.figures.traffic = settings.traffic.is_some();
        let labels = labels(orders, settings);
        let requested = orders.len() * settings.allocators.len();
        let mut replays = Vec::new();
        for (number, (index, label)) in labels.iter().enumerate() {
            let order = &orders[*index];
            let distances = &distances[*index];
            let context = AllocatorContext {
                topology,
                order,
                distances,
            };
            // A baseline that nobody asked for has no options.
            let own = number < requested;
            let rules = settings.rules.filter(|_| own);
            let allocator = allocator::make_ruled(label.allocator, &context, rules)?;
            let meter = AllocationMeter::new(topology, distances)?;
            let mut replay = Replay::new(allocator, meter, distances.len(), settings.figures);
            // A node with several GPUs has several places, which pods take one by one.
            if let Some(places) = topology.gpus_per_node(order.nodes()) {
                replay = replay.with_free_set(FreeSet::with_places(places));
            }
            replay.ignores_options = !own;
            if settings.figures.shape {
                replay.shapes = Some(SummedShapes::new(topology, distances)?);
            }
            if let Some(traffic) = settings.traffic {
                replay.traffic = Some(Traffic::new(traffic, order)?);
            }
            replays.push(replay);
        }
        let summaries = vec![Summary::default(); labels.len()];
        let labels = labels.into_iter().map(|(_, label)| label).collect();
        Ok(ReplaySet {
            replays,
            labels,
            summaries,
            settings,
            requested,
        })
    }

    /// Cuts the mean distance of each job to whole hops in the sums. To be called before the replays are run.
    pub fn with_whole_hops(mut self) -> Self {
        self.summaries.fill(Summary::with_whole_hops());
        self
    }

    /// Lists the replays that were asked for, in the order of [`BlockResult::replay`], which counts added
    /// baselines after them.
    pub fn requested_labels(&self) -> &[Label<'a>] {
        &self.labels[..self.requested]
    }

    /// Returns the figures that every placement has.
    pub fn figures(&self) -> FigureSet {
        self.settings.figures
    }

    /// Replays a log to its end. Fails on a bad log, with file and line, or if traffic takes too much memory.
    pub fn run_log(&mut self, log: &mut Log) -> Result<()> {
        self.run_with::<Error>(log, None, |_| Ok(()), || Ok(()))
    }

    /// Replays a log to its end. `write` gets the placements of each block and replay, as in [`super::run()`];
    /// `block_done` is called after each block, from the caller's thread. Fails as [`ReplaySet::run_log`], `write` and
    /// `block_done` do.
    pub fn run_with<E: From<Error> + Send>(
        &mut self,
        log: &mut Log,
        clock: Option<Clock<'_>>,
        write: impl Fn(BlockResult<'_>) -> Result<(), E> + Sync,
        mut block_done: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let summaries = &mut self.summaries;
        let labels = &self.labels;
        let summarised = self.settings.summaries != Summaries::None;
        run(log, &mut self.replays, clock, write, |placed| {
            if summarised {
                // Each summary sees its own placements in the order of the log, so that threads change no sum.
                let lanes = summaries.par_iter_mut().zip(labels).zip(placed);
                lanes.for_each(|((summary, label), own)| {
                    summary.add_placements(own, &placed[label.baseline])
                });
            }
            block_done()
        })
    }

    /// Lists the results so far of the replays that were asked for.
    pub fn list_results(&self) -> Vec<ReplayResult<'_>> {
        let mut results = Vec::new();
        for (i, label) in self.requested_labels().iter().enumerate() {
            let replay = &self.replays[i];
            results.push(ReplayResult {
                ordering: label.ordering,
                allocator: label.allocator,
                counts: replay.counts(),
                traffic: replay.traffic.as_ref().map(Traffic::totals),
                shapes: replay.shapes.as_ref().map(|shapes| &shapes.sums),
                room: &replay.room,
                summary: &self.summaries[i],
                baseline: &self.summaries[label.baseline],
            });
        }
        results
    }
}

/// Lists all replays, each with the index of its ordering: orderings × allocators as given, then the missing
/// baselines.
fn labels<'a>(orders: &'a [NodeOrder], settings: ReplaySettings<'a>) -> Vec<(usize, Label<'a>)> {
    let allocators = settings.allocators;
    let compared = settings.summaries == Summaries::OverBaseline;
    let given = allocators.iter().position(|text| text == BASELINE);
    let requested = orders.len() * allocators.len();
    let pairs = orders
        .iter()
        .enumerate()
        .flat_map(|(index, order)| allocators.iter().map(move |a| (index, order, a.as_str())));
    let missing = orders
        .iter()
        .enumerate()
        .filter(|_| compared && given.is_none())
        .map(|(index, order)| (index, order, BASELINE));
    let mut labels = Vec::new();
    for (index, order, allocator) in pairs.chain(missing) {
        let own = labels.len();
        let baseline = match given {
            // There is nothing to compare with, or this is what others are compared with.
            _ if !compared || own >= requested => own,
            Some(given) => index * allocators.len() + given,
            None => requested + index,
        };
        let ordering = order.label();
        let label = Label {
            ordering,
            allocator,
            baseline,
        };
        labels.push((index, label));
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> (Topology, [NodeOrder; 2]) {
        let topology = Topology::inline("torus:4x6", &Default::default()).unwrap();
        let orders = ["snake", "random:seed=2"].map(|o| NodeOrder::make(&topology, o).unwrap());
        (topology, orders)
    }

    fn settings(allocators: &[String], summaries: Summaries) -> ReplaySettings<'_> {
        ReplaySettings {
            allocators,
            figures: FigureSet::default(),
            traffic: None,
            summaries,
            rules: None,
        }
    }

    #[test]
    fn the_baseline_is_added_where_it_is_needed_and_not_given() {
        let (_, orders) = machine();
        let baselines = |given: &[&str], summaries| -> Vec<(String, String, usize)> {
            let allocators: Vec<String> = given.iter().map(ToString::to_string).collect();
            let settings = settings(&allocators, summaries);
            let name = |(i, l): (usize, Label<'_>)| {
                assert_eq!(l.ordering, orders[i].label());
                (l.ordering.into(), l.allocator.into(), l.baseline)
            };
            labels(&orders, settings).into_iter().map(name).collect()
        };
        let label = |o: &str, a: &str, b| (o.to_string(), a.to_string(), b);
        let [first, second] = ["snake", "random:seed=2"];
        assert_eq!(
            baselines(&["first-fit:8"], Summaries::OverBaseline),
            [
                label(first, "first-fit:8", 2),
                label(second, "first-fit:8", 3),
                label(first, BASELINE, 2),
                label(second, BASELINE, 3)
            ]
        );
        let given = ["first-fit:8", BASELINE];
        let with = |indexes: [usize; 4]| {
            let orders = [first, first, second, second];
            let pairs = orders.iter().zip(given.iter().cycle()).zip(indexes);
            pairs.map(|((o, a), b)| label(o, a, b)).collect::<Vec<_>>()
        };
        assert_eq!(
            baselines(&given, Summaries::OverBaseline),
            with([1, 1, 3, 3])
        );
        for summaries in [Summaries::None, Summaries::Alone] {
            assert_eq!(baselines(&given, summaries), with([0, 1, 2, 3]));
        }
    }

    #[test]
    fn results_are_paired_with_their_baseline() {
        let (topology, orders) = machine();
        let distances = orders
            .each_ref()
            .map(|o| RankDistances::new(&topology, o).unwrap());
        let allocators = ["random".to_string()];
        let settings = settings(&allocators, Summaries::OverBaseline);
        let mut set = ReplaySet::new(&topology, &orders, &distances, settings).unwrap();
        assert_eq!(set.requested_labels().len(), 2);
        set.run_log(&mut Log::new("log", "P a 2\nF a\nP b 3\nP c 99\n"))
            .unwrap();
        for (result, order) in set.list_results().iter().zip(&orders) {
            let Counts {
                placed,
                skipped,
                oversized,
                ..
            } = result.counts;
            assert_eq!((placed, skipped, oversized), (2, 1, 1));
            assert_eq!(
                (
                    result.summary.count_placed(),
                    result.baseline.count_placed()
                ),
                (2, 2)
            );
            // Ranks 0 and 1, then 0 to 2, on the same ordering.
            let distance = |a: usize, b: usize| {
                u64::from(topology.distance(order.nodes()[a], order.nodes()[b]))
            };
            let sizes: Vec<u64> = result
                .baseline
                .size_rows()
                .map(|(_, row)| row.largest_distance)
                .collect();
            assert_eq!(
                sizes,
                [
                    distance(0, 1),
                    distance(0, 1) + distance(0, 2) + distance(1, 2)
                ]
            );
        }
    }
}
