//! Proved lower bounds on the objective.
//!
//! A bound is proved from what an element pays at least: its weights, heaviest first, times its distances, nearest
//! first. On a ring of six whose lags weigh 4 and 1, every element has two neighbours at distance 1 and two at 2, so
//! it pays at least 4·1 + 4·1 + 1·2 + 1·2 = 12, and all six 6·12/2 = 36, for each pair is paid by both of its
//! elements.
//!
//! All in integers: weights are scaled and rounded down first, so rounding can only weaken a bound.

use rayon::prelude::*;

use super::assignment;
use super::elements::Arrangement;
use super::problem::SearchProblem;
use super::relaxation::{TorusGroup, bound_by_relaxation};
use super::scaled::{IntegerWeights, SAFE};
use nodeorder_network::Metric;

/// Largest number of elements that are assigned to ranks: n³ operations, 8n² bytes.
const ASSIGNED: usize = 400;

/// Lower bounds on one problem.
pub(in crate::ordering) struct Bounds<'p> {
    problem: &'p SearchProblem<'p>,
    /// Whether every element sees the same distances.
    alike: bool,
    /// Torus on which the relaxation applies; `None` if it does not.
    torus: Option<TorusGroup>,
}

impl<'p> Bounds<'p> {
    /// Prepares the bounds. O(n²) time and memory on a torus of n ≤ 4,096 elements, else O(1).
    pub fn new(problem: &'p SearchProblem<'p>) -> Self {
        let topology = problem.topology;
        let alike = topology.network().vertex_transitive && topology.nodes().is_full();
        let suits = alike
            && problem.even
            && !problem.weights.vary_near_ends()
            && problem.space.len() > 1
            && problem.weights.longest_lag() > 0;
        Bounds {
            problem,
            alike,
            torus: if suits {
                TorusGroup::new(problem)
            } else {
                None
            },
        }
    }

    /// Computes the larger of the bounds that can be had for `work` operations: by assignment, and by the dynamic
    /// program's relaxation on networks where all routers look alike; for `workload` by balls. The relaxation
    /// goes no further where `stop` says so.
    pub fn lower_bound(&self, work: u64, stop: &(dyn Fn() -> bool + Sync)) -> f64 {
        let problem = self.problem;
        if problem.space.len() < 2 || problem.weights.longest_lag() == 0 {
            return 0.0;
        }
        if problem.weights.vary_near_ends() {
            return bound_by_balls(problem, self.alike, work);
        }
        let scaled = IntegerWeights::new(problem);
        let by_assignment = bound_by_assignment(problem, &scaled, self.alike, work);
        let torus = self.torus.as_ref();
        let by_relaxation =
            torus.and_then(|torus| bound_by_relaxation(problem, &scaled, torus, work, stop));
        by_assignment.max(by_relaxation.unwrap_or(0.0))
    }

    /// Checks whether `much` work gives another relaxation than `little`.
    pub fn is_tighter_with(&self, little: u64, much: u64) -> bool {
        let window = self.problem.weights.longest_lag();
        let torus = self.torus.as_ref();
        torus.is_some_and(|torus| {
            torus.affordable_memory(window, much) > torus.affordable_memory(window, little)
        })
    }
}

/// Lists the distances from an element to all others, ascending. Each element counts `size` times, the first one
/// time less.
fn ascending_distances(
    space: &Arrangement,
    element: u32,
    size: impl Fn(usize) -> usize,
) -> impl Iterator<Item = i64> {
    let mut histogram = vec![0; space.diameter as usize + 1];
    for other in 0..space.len() {
        let distance = space.distances.between(element, other as u32);
        histogram[distance as usize] += size(other);
    }
    histogram[0] -= 1;
    let counts = histogram.into_iter().enumerate();
    counts.flat_map(|(distance, count)| std::iter::repeat_n(distance as i64, count))
}

/// Adds up products of weights and distances.
fn dot_product(weights: &[i64], distances: &[i64]) -> i64 {
    weights.iter().zip(distances).map(|(w, d)| w * d).sum()
}

/// Lists the weights of the pairs that rank `p` of n is in, heaviest first.
fn weights_at_rank(lag: &[i64], n: usize, ring: bool, p: usize) -> Vec<i64> {
    let window = lag.len() - 1;
    let mut weights: Vec<i64> = if ring {
        (1..n)
            .filter_map(|q| lag.get(q.min(n - q)).copied())
            .filter(|w| *w > 0)
            .collect()
    } else {
        let left = &lag[1..=p.min(window)];
        let right = &lag[1..=(n - 1 - p).min(window)];
        [left, right].concat()
    };
    weights.sort_unstable_by(|a, b| b.cmp(a));
    weights
}

/// Computes the bound of Gilmore and Lawler: an element at a rank pays at least its weights, heaviest first, times its
/// distances, nearest first; half of that, since both ends pay; the cheapest assignment of elements to ranks.
///
/// Ranks further than K from both ends are alike. So with few ranks the assignment is solved; with many,
/// every element pays as inside, less the most that any saves by standing at each rank near an end. Where
/// all elements are alike, that is the assignment.
///
/// # References
/// Gilmore 1962, <https://doi.org/10.1137/0110022>; Lawler 1963, <https://doi.org/10.1287/mnsc.9.4.586>.
fn bound_by_assignment(
    problem: &SearchProblem<'_>,
    scaled: &IntegerWeights,
    alike: bool,
    work: u64,
) -> f64 {
    let space = problem.space;
    let n = space.len();
    let ring = problem.weights.ring;
    let window = scaled.lag.len() - 1;
    let looks = if alike { 1 } else { n };
    if !problem.even || (looks as u64).saturating_mul(n as u64) > work {
        return bound_by_hops(problem);
    }
    let rows: Vec<Vec<i64>> = (0..looks as u32)
        .into_par_iter()
        .map(|e| {
            let distances = ascending_distances(space, e, |_| 1);
            distances.take(2 * window).collect()
        })
        .collect();
    let inside = weights_at_rank(&scaled.lag, n, ring, n / 2);
    let doubled = if alike {
        // A rank weighs what the one as far from the other end weighs.
        let ends = if ring { 0 } else { window.min(n / 2) };
        let middle = (n - 2 * ends) as i64 * dot_product(&inside, &rows[0]);
        let at_ends =
            (0..ends).map(|p| dot_product(&weights_at_rank(&scaled.lag, n, ring, p), &rows[0]));
        middle + 2 * at_ends.sum::<i64>()
    } else if n <= ASSIGNED {
        let mut costs = Vec::with_capacity(n * n);
        for p in 0..n {
            let weights = weights_at_rank(&scaled.lag, n, ring, p);
            costs.extend(rows.iter().map(|row| dot_product(&weights, row)));
        }
        assignment::least_assignment_cost(n, &costs)
    } else {
        let paid: Vec<i64> = rows.iter().map(|row| dot_product(&inside, row)).collect();
        let mut doubled: i64 = paid.iter().sum();
        let ends = if ring { 0 } else { window.min(n) };
        for p in 0..ends {
            let weights = weights_at_rank(&scaled.lag, n, ring, p);
            let saved = paid
                .iter()
                .zip(&rows)
                .map(|(all, row)| all - dot_product(&weights, row));
            // Both ends save, and each rank by its own element.
            doubled -= 2 * saved.max().unwrap_or(0);
        }
        doubled
    };
    // Half of an odd sum of halves is not lost: the objective is whole in these units.
    scaled.to_lower_bound((doubled + 1) / 2)
}

/// Computes the bound by pairs that cannot share a router, which are at least a hop apart: of the pairs at lag k, all
/// but those that fit into routers.
fn bound_by_hops(problem: &SearchProblem<'_>) -> f64 {
    let n = problem.weights.rank_count();
    let routers = problem.space.len();
    // Split, the elements of one router are at no distance from each other.
    let split = problem.group == 1 && routers == n;
    if split && problem.space.routers.windows(2).any(|r| r[0] == r[1]) {
        return 0.0;
    }
    let mut sum = 0.0;
    for k in 1..=problem.weights.longest_lag() {
        let pairs = if !problem.weights.ring {
            n - k
        } else if 2 * k == n {
            n / 2
        } else {
            n
        };
        // At lag k at most max(0, group - k) pairs a router stay on it.
        let staying = routers * problem.group.saturating_sub(k);
        sum += problem.weights.lag_weight(k) * pairs.saturating_sub(staying) as f64;
    }
    SAFE * sum
}

/// Computes the bound by balls, for `workload` on a line: S nodes are pairwise at least as far apart, on the mean, as
/// the S-1 nearest of some node are from it, and as the entropy of their places asks
/// ([`nodeorder_network::topology::distance::Product::bound_mean_distances`]); so is MPC(S), whose mean over sizes is
/// the objective.
fn bound_by_balls(problem: &SearchProblem<'_>, alike: bool, work: u64) -> f64 {
    let space = problem.space;
    let n = problem.weights.rank_count();
    let looks = if alike { 1 } else { space.len() };
    if (looks as u64).saturating_mul(space.len() as u64) > work.max(1 << 24) {
        return 0.0;
    }
    // By size S the least sum of distances from a node to its S-1 nearest.
    let least = (0..looks as u32)
        .into_par_iter()
        .map(|element| {
            let mut sums = vec![0; 2];
            let distances = ascending_distances(space, element, |other| space.nodes[other].len());
            sums.extend(distances.scan(0, |sum, distance| {
                *sum += distance;
                Some(*sum)
            }));
            sums
        })
        .reduce_with(|mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).min(b));
            a
        });
    let Some(least) = least else { return 0.0 };
    let Some(shares) = problem.weights.window_shares() else {
        return 0.0;
    };
    let by_entropy = match problem.topology.metric() {
        Metric::Product(p) => p.bound_mean_distances(problem.topology.network().per_router(), n),
        _ => Vec::new(),
    };
    let mut sum = 0.0;
    for size in 2..=n {
        let mean = by_entropy.get(size - 2).copied().unwrap_or(0.0);
        let from_one = (mean * (size - 1) as f64).max(least[size] as f64);
        // p(S) times the mean of the S-1 least; a window's total is at least S/2 such sums.
        let windows = (n - size + 1) as f64;
        sum += shares[size] * windows * size as f64 * from_one / 2.0;
    }
    SAFE * sum
}
