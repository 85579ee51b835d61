//! Orderings side by side: the figures of the ranked table, which ordering wins at which sizes, where leaders cross.
//!
//! Orderings are ranked by the mean of their MPC curves over sizes, each size S with weight 1/S: sizes 2 to 3, 4 to 7
//! and 8 to 15 then count about the same. In *stretches* of sizes one ordering is the best.

use rayon::prelude::*;
use serde::Serialize;

use super::envelope::{compact_sets, lower_envelope};
use super::mpc::Means;
use crate::ordering::NodeOrder;
use nodeorder_base::{NodeId, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::Statistics;

/// Figures of one ordering.
#[derive(Clone, Debug, Serialize)]
pub struct OrderingFigures {
    /// Name that the user gave.
    pub label: String,
    /// Number of nodes that it orders.
    pub nodes: usize,
    /// Whole MPC curve: element i is MPC(i + 2).
    #[serde(skip)]
    pub values: Vec<f64>,
    /// MPC at [`Comparison::sizes`]; none where the ordering has fewer nodes.
    pub at: Vec<Option<f64>>,
    /// At the same sizes, an upper bound of the all-to-all throughput of windows that fill the machine and are as
    /// spread as all of the ordering's windows on the mean: capacities of all links over nodes in windows times
    /// MPC.
    pub throughput_bound: Vec<Option<f64>>,
    /// Mean of MPC(S) over sizes 2..N, each the same.
    pub mean_plain: f64,
    /// Mean of MPC(S) over sizes with weight 1/S: each octave of sizes the same.
    pub mean_log: f64,
    /// Share of sizes, each weighing 1/S, at which no other ordering is better; ties count for all.
    pub best_share: f64,
    /// Mean distance between neighbours in rank.
    pub mean_step: f64,
    /// Share of windows that span components and are left out ([`super::mpc::Curve::spanning_share`]); none on a
    /// machine in one component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spanning: Option<f64>,
}

/// A stretch of sizes with one winner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WinningStretch {
    /// Smallest size of the stretch.
    pub from: usize,
    /// Largest size of the stretch.
    pub to: usize,
    /// Index of the best ordering into [`Comparison::entries`].
    pub winner: usize,
}

/// Orderings of one machine, best first by [`OrderingFigures::mean_log`]; where the machine is in several components,
/// first by [`OrderingFigures::spanning`], since no finite distance makes up for a job that no path joins.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Statistics of the machine; every curve ends at its mean distance.
    pub topology: Statistics,
    /// Sizes of the table, those of [`OrderingFigures::at`].
    pub sizes: Vec<usize>,
    /// Orderings, the best first.
    pub entries: Vec<OrderingFigures>,
    /// All sizes from 2 on, cut where the winner changes. On ties the winner so far stays.
    pub stretches: Vec<WinningStretch>,
    /// Sizes at which the lead changes between the first two: the first size of each new lead.
    pub crossovers: Vec<usize>,
    /// Proved floor under every curve, element i for size i + 2; empty where the machine is too large.
    #[serde(skip)]
    pub floor: Vec<f64>,
    /// Mean pairwise distances of the most compact sets found, element i for size i + 2; empty where the machine
    /// is too large.
    #[serde(skip)]
    pub compact: Vec<f64>,
    /// Sum of the capacities of all links; none where distances do not tell how much capacity traffic takes.
    #[serde(skip)]
    pub capacity: Option<f64>,
    /// Weighted mean of the floor as in [`OrderingFigures::mean_log`]: no ordering of the machine can have less.
    pub floor_mean_log: Option<f64>,
}

impl Comparison {
    /// Ranks `curves`, one an ordering, in the order of `orders`: [`super::mpc::Curve`]s, or [`Means`], which
    /// take less memory.
    ///
    /// # Errors
    /// The statistics need more memory than allowed.
    ///
    /// # Complexity
    /// O(orderings · N) beyond the statistics.
    pub fn new<C>(topology: &Topology, orders: &[NodeOrder], curves: Vec<C>) -> Result<Self>
    where
        C: Into<Means> + Send,
    {
        let means = curves.into_par_iter().map(C::into).collect();
        Comparison::to_size(topology, orders, means, usize::MAX)
    }

    /// Ranks curves as [`Comparison::new`], with means over sizes up to `last` only, and by these.
    pub(super) fn to_size(
        topology: &Topology,
        orders: &[NodeOrder],
        means: Vec<Means>,
        last: usize,
    ) -> Result<Self> {
        let largest = means
            .iter()
            .map(|means| means.values.len() + 1)
            .max()
            .unwrap_or(0);
        let sizes = display_sizes(largest);
        let capacity = topology.total_capacity();
        let pairs = orders.par_iter().zip(means);
        let mut entries: Vec<OrderingFigures> = pairs
            .map(|(order, means)| OrderingFigures::new(order, means, &sizes, last, capacity))
            .collect();
        // No finite distance makes up for a job that no path joins.
        entries.sort_by(|a, b| {
            let [left_a, left_b] = [a, b].map(|entry| entry.spanning.unwrap_or(0.0));
            let by_left = left_a.total_cmp(&left_b);
            by_left.then(a.mean_log.total_cmp(&b.mean_log))
        });
        set_best_shares(&mut entries, largest.min(last));
        let crossovers = match entries.as_slice() {
            [first, second, ..] => find_crossovers(&first.values, &second.values),
            _ => Vec::new(),
        };
        let nodes: Vec<NodeId> = topology.nodes().iter().collect();
        let floor = lower_envelope(topology, &nodes)?.unwrap_or_default();
        let mut compact = compact_sets(topology, &nodes)?.unwrap_or_default();
        for (i, least) in compact.iter_mut().enumerate() {
            // One of an ordering's windows is at least as compact as their mean: it is a set that was found, too.
            *least = least.min(lowest_mpc(&entries, i));
        }
        Ok(Comparison {
            floor_mean_log: (!floor.is_empty()).then(|| mean_log(values_up_to(&floor, last))),
            floor,
            compact,
            topology: topology.statistics()?,
            sizes,
            capacity,
            stretches: find_stretches(&entries, largest),
            crossovers,
            entries,
        })
    }

    /// Checks whether the orderings leave out different shares of windows: their means are then of different
    /// windows, and are not compared.
    pub fn is_uneven(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.spanning != self.entries[0].spanning)
    }

    /// Lists the rank of each entry, from 1. Entries of the same mean over as many windows share a rank.
    pub fn list_ranks(&self) -> Vec<u64> {
        let mut ranks = Vec::new();
        let mut rank = 1;
        for (entry, number) in self.entries.iter().zip(1..) {
            let tied = self.entries.get(rank as usize - 1).is_some_and(|first| {
                first.mean_log == entry.mean_log && first.spanning == entry.spanning
            });
            if !tied {
                rank = number;
            }
            ranks.push(rank);
        }
        ranks
    }
}

impl OrderingFigures {
    /// Computes [`OrderingFigures::throughput_bound`] at any size; `None` if distances are all 0 or windows span
    /// components.
    fn bound_throughput(&self, size: usize, capacity: f64) -> Option<f64> {
        let mpc = self
            .values
            .get(size.checked_sub(2)?)
            .filter(|mpc| **mpc > 0.0)?;
        let nodes = (self.nodes / size * size) as f64;
        self.spanning.is_none().then(|| capacity / (nodes * mpc))
    }

    /// Computes the figures of an ordering from its curve.
    fn new(
        order: &NodeOrder,
        Means { values, spanning }: Means,
        sizes: &[usize],
        last: usize,
        capacity: Option<f64>,
    ) -> Self {
        let mut entry = OrderingFigures {
            label: order.label().to_string(),
            nodes: order.len(),
            at: sizes.iter().map(|s| values.get(s - 2).copied()).collect(),
            throughput_bound: Vec::new(),
            mean_plain: weighted_mean(values_up_to(&values, last), |_| 1.0),
            mean_log: mean_log(values_up_to(&values, last)),
            best_share: 0.0,
            mean_step: values.first().copied().unwrap_or(0.0),
            spanning,
            values,
        };
        let bounds = sizes
            .iter()
            .map(|size| entry.bound_throughput(*size, capacity?));
        entry.throughput_bound = bounds.collect();
        entry
    }
}

/// Computes the mean over sizes from 2 on of a curve, each size S weighing 1/S. Orderings are ranked by it.
pub fn mean_log(values: &[f64]) -> f64 {
    weighted_mean(values, |s| 1.0 / s as f64)
}

/// Keeps a curve's values at sizes up to `last`.
pub fn values_up_to(values: &[f64], last: usize) -> &[f64] {
    &values[..values.len().min(last.saturating_sub(1))]
}

/// Computes the mean over sizes from 2 on of a curve, each size with its weight.
fn weighted_mean(values: &[f64], weight: fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut all = 0.0;
    for (size, value) in (2..).zip(values) {
        sum += weight(size) * value;
        all += weight(size);
    }
    sum / all
}

/// Lists the sizes of a table: 2, 8, 32 and so on up to half a million, and the whole machine.
fn display_sizes(nodes: usize) -> Vec<usize> {
    // Every other power, or the table would be too wide.
    let powers = (0..10).map(|i| 2 << (2 * i)).filter(|s| *s < nodes);
    powers.chain([nodes]).collect()
}

/// Finds the lowest MPC among the entries at index `i` (size i + 2).
fn lowest_mpc(entries: &[OrderingFigures], i: usize) -> f64 {
    entries
        .iter()
        .filter_map(|e| e.values.get(i))
        .copied()
        .fold(f64::INFINITY, f64::min)
}

/// Sets the share of sizes at which each ordering is among the best.
fn set_best_shares(entries: &mut [OrderingFigures], largest: usize) {
    let mut shares = vec![0.0; entries.len()];
    let mut all = 0.0;
    for i in 0..largest.saturating_sub(1) {
        let weight = 1.0 / (i + 2) as f64;
        let best = lowest_mpc(entries, i);
        all += weight;
        for (share, entry) in shares.iter_mut().zip(entries.iter()) {
            // Equal to the last bit: ties count for all.
            if entry.values.get(i) == Some(&best) {
                *share += weight;
            }
        }
    }
    for (share, entry) in shares.into_iter().zip(entries) {
        entry.best_share = share / all;
    }
}

/// Finds the stretches of sizes with one winner.
fn find_stretches(entries: &[OrderingFigures], largest: usize) -> Vec<WinningStretch> {
    let mut found: Vec<WinningStretch> = Vec::new();
    for i in 0..largest.saturating_sub(1) {
        let size = i + 2;
        let best = lowest_mpc(entries, i);
        let mut wins = entries.iter().map(|e| e.values.get(i) == Some(&best));
        match found.last_mut() {
            Some(last) if wins.clone().nth(last.winner) == Some(true) => last.to = size,
            // The first of the ranking wins a tie that the winner so far has no part in.
            _ => found.push(WinningStretch {
                from: size,
                to: size,
                winner: wins.position(|wins| wins).unwrap_or(0),
            }),
        }
    }
    found
}

/// Finds the sizes at which the sign of `a - b` changes, zeros skipped.
fn find_crossovers(a: &[f64], b: &[f64]) -> Vec<usize> {
    let mut last = 0.0;
    let mut sizes = Vec::new();
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        let difference = x - y;
        if difference * last < 0.0 {
            sizes.push(i + 2);
        }
        if difference != 0.0 {
            last = difference;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::mpc;
    use nodeorder_network::Context;

    fn compare(spec: &str, orders: &[&str]) -> Comparison {
        let topology = Topology::inline(spec, &Context::default()).unwrap();
        let orders: Vec<NodeOrder> = orders
            .iter()
            .map(|o| NodeOrder::make(&topology, o).unwrap())
            .collect();
        let curves = orders
            .iter()
            .map(|o| mpc::curve(&topology, o).unwrap())
            .collect();
        Comparison::new(&topology, &orders, curves).unwrap()
    }

    #[test]
    fn stretches_cover_every_size_once_and_name_a_best() {
        let c = compare("mesh:9x4", &["row-major", "snake", "snake:axes=yx"]);
        assert_eq!(c.stretches.first().unwrap().from, 2);
        assert_eq!(c.stretches.last().unwrap().to, 36);
        for pair in c.stretches.windows(2) {
            assert_eq!(pair[0].to + 1, pair[1].from);
        }
        for s in &c.stretches {
            for size in s.from..=s.to {
                let best = c.entries[s.winner].values[size - 2];
                assert!(c.entries.iter().all(|e| e.values[size - 2] >= best));
            }
        }
        // All curves meet at the machine's mean distance.
        for e in &c.entries {
            assert_eq!(*e.values.last().unwrap(), c.topology.mean_distance);
        }
    }

    #[test]
    fn leaders_cross_where_the_sign_changes() {
        assert_eq!(
            find_crossovers(&[1.0, 1.0, 2.0, 3.0], &[2.0, 1.0, 1.0, 4.0]),
            [4, 5]
        );
        assert!(find_crossovers(&[1.0, 1.0], &[1.0, 1.0]).is_empty());
    }

    #[test]
    fn shares_sum_to_at_least_one_and_ranking_is_by_log_mean() {
        let c = compare("torus:6x6", &["row-major", "snake"]);
        assert!(c.entries.iter().map(|e| e.best_share).sum::<f64>() >= 1.0 - 1e-12);
        assert!(c.entries[0].mean_log <= c.entries[1].mean_log);
        assert_eq!(c.entries[0].label, "snake");
    }
}
