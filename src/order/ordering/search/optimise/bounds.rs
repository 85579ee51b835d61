//! Proved lower bounds on the objective.
//!
//! All in integers: weights are scaled and rounded down first, so rounding can only weaken a bound.

use rayon::prelude::*;

use super::assignment;
use super::elements::Arrangement;
use super::problem::SearchProblem;
use super::relaxation::{Torus, relaxed};
use super::scaled::{SAFE, Scaled};
use nodeorder_network::topology::Metric;

/// Most elements of an assignment by rows and columns: n³ operations, 8n² bytes.
const ASSIGNED: usize = 400;

/// Bounds on one problem.
pub(in crate::ordering) struct Bounds<'p> {
    problem: &'p SearchProblem<'p>,
    /// Whether every element sees the same distances.
    alike: bool,
    /// Where the relaxation applies.
    torus: Option<Torus>,
}

impl<'p> Bounds<'p> {
    /// O(n²) time and memory on a torus of n ≤ 4,096 elements, else O(1).
    pub fn new(problem: &'p SearchProblem<'p>) -> Self {
        let topology = problem.topology;
        let alike = topology.network().vertex_transitive && topology.nodes().is_full();
        let suits = alike
            && problem.even
            && !problem.weights.has_edges()
            && problem.space.len() > 1
            && problem.weights.window() > 0;
        Bounds {
            problem,
            alike,
            torus: if suits { Torus::new(problem) } else { None },
        }
    }

    /// The larger of the bounds that can be had for `work` operations: by assignment, and by the dynamic
    /// program's relaxation on networks where all routers look alike; for `workload` by balls. The relaxation
    /// goes no further where `stop` says so.
    pub fn lower(&self, work: u64, stop: &(dyn Fn() -> bool + Sync)) -> f64 {
        let problem = self.problem;
        if problem.space.len() < 2 || problem.weights.window() == 0 {
            return 0.0;
        }
        if problem.weights.has_edges() {
            return balls(problem, self.alike, work);
        }
        let scaled = Scaled::new(problem);
        let by_assignment = assigned(problem, &scaled, self.alike, work);
        let relaxed = |torus| relaxed(problem, &scaled, torus, work, stop);
        by_assignment.max(self.torus.as_ref().and_then(relaxed).unwrap_or(0.0))
    }

    /// Whether `much` work gives another relaxation than `little`.
    pub fn gains(&self, little: u64, much: u64) -> bool {
        let window = self.problem.weights.window();
        let memory = |work| {
            self.torus
                .as_ref()
                .and_then(|torus| torus.memory(window, work))
        };
        memory(much) > memory(little)
    }
}

/// Distances from `element` to all others, ascending, the first `count`.
fn sorted(space: &Arrangement, element: u32, count: usize) -> Vec<i64> {
    let mut histogram = vec![0usize; space.diameter as usize + 1];
    for other in (0..space.len() as u32).filter(|o| *o != element) {
        histogram[space.distances.between(element, other) as usize] += 1;
    }
    let all = histogram.iter().enumerate();
    all.flat_map(|(d, c)| std::iter::repeat_n(d as i64, *c))
        .take(count)
        .collect()
}

/// Gilmore-Lawler: an element at a rank pays at least its weights, heaviest first, times its distances,
/// nearest first; half of that, since both ends pay; the cheapest assignment of elements to ranks.
///
/// Ranks further than K from both ends are alike. So with few ranks the assignment is solved; with many,
/// every element pays as inside, less the most that any saves by standing at each rank near an end. Where
/// all elements are alike, that is the assignment.
///
/// # References
/// Gilmore 1962, <https://doi.org/10.1137/0110022>; Lawler 1963, <https://doi.org/10.1287/mnsc.9.4.586>.
fn assigned(problem: &SearchProblem<'_>, scaled: &Scaled, alike: bool, work: u64) -> f64 {
    let (space, n) = (problem.space, problem.space.len());
    let ring = problem.weights.ring;
    let window = scaled.lag.len() - 1;
    if !problem.even {
        return uneven(problem);
    }
    // The weights at a rank, heaviest first.
    let at_rank = |p: usize| -> Vec<i64> {
        let lag = |k: usize| if k <= window { scaled.lag[k] } else { 0 };
        let mut weights: Vec<i64> = if ring {
            (1..n)
                .map(|q| lag(q.min(n - q)))
                .filter(|w| *w > 0)
                .collect()
        } else {
            let (left, right) = (p.min(window), (n - 1 - p).min(window));
            (1..=left).chain(1..=right).map(lag).collect()
        };
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights
    };
    let count = (2 * window).min(n - 1);
    let looks = if alike { 1 } else { n };
    if (looks as u64).saturating_mul(n as u64) > work {
        // Every pair is at least the smallest distance apart.
        return uneven(problem);
    }
    let rows: Vec<Vec<i64>> = (0..looks as u32)
        .into_par_iter()
        .map(|e| sorted(space, e, count))
        .collect();
    let pay = |weights: &[i64], distances: &[i64]| -> i64 {
        weights.iter().zip(distances).map(|(w, d)| w * d).sum()
    };
    let inside = at_rank(n / 2);
    let doubled = if alike {
        let here = |p: usize| pay(&at_rank(p), &rows[0]);
        if ring || n > 2 * window {
            let ends: i64 = (0..window.min(n))
                .map(|p| if ring { 0 } else { 2 * here(p) })
                .sum();
            let middle = if ring { n } else { n - 2 * window };
            ends + middle as i64 * pay(&inside, &rows[0])
        } else {
            (0..n).map(here).sum()
        }
    } else if n <= ASSIGNED {
        let costs: Vec<i64> = (0..n)
            .flat_map(|p| {
                let weights = at_rank(p);
                rows.iter()
                    .map(move |row| pay(&weights, row))
                    .collect::<Vec<i64>>()
            })
            .collect();
        assignment::least(n, &costs)
    } else {
        let all: i64 = rows.iter().map(|row| pay(&inside, row)).sum();
        let saved = |p: usize| {
            let weights = at_rank(p);
            rows.iter()
                .map(|row| pay(&inside, row) - pay(&weights, row))
                .max()
                .unwrap_or(0)
        };
        let ends: i64 = if ring {
            0
        } else {
            (0..window.min(n)).map(saved).sum()
        };
        all - 2 * ends
    };
    // Half of an odd sum of halves is not lost: the objective is whole in these units.
    scaled.bound((doubled + 1) / 2)
}

/// Any two nodes on different routers are at least a hop apart: of the pairs at lag k, at least those that
/// leave a router.
fn uneven(problem: &SearchProblem<'_>) -> f64 {
    let (n, group) = (problem.weights.nodes(), problem.group);
    // At lag k at most max(0, group - k) pairs a router stay on it.
    let routers = problem.space.len();
    let split = problem.group == 1 && problem.space.nodes.len() == n;
    if split && problem.space.routers.windows(2).any(|r| r[0] == r[1]) {
        return 0.0;
    }
    let ring = problem.weights.ring;
    let leaving = |k: usize| {
        let pairs = match ring {
            true if 2 * k == n => n / 2,
            true => n,
            false => n - k,
        };
        pairs.saturating_sub(routers * group.saturating_sub(k))
    };
    let lags = 1..=problem.weights.window();
    SAFE * lags
        .map(|k| problem.weights.lag(k) * leaving(k) as f64)
        .sum::<f64>()
}

/// For `workload` on a line: S nodes are pairwise at least as far apart, on the mean, as the S-1 nearest
/// of some node are from it, and as the entropy of their places asks ([`nodeorder_network::topology::distance::Product::least_means`]); so is MPC(S), whose mean over sizes is the
/// objective.
fn balls(problem: &SearchProblem<'_>, alike: bool, work: u64) -> f64 {
    let (space, n) = (problem.space, problem.weights.nodes());
    let looks = if alike { 1 } else { space.len() };
    if (looks as u64).saturating_mul(space.len() as u64) > work.max(1 << 24) {
        return 0.0;
    }
    // least[S] = the least sum of distances from a node to its S-1 nearest.
    let sums = |element: u32| -> Vec<u64> {
        let mut histogram = vec![0usize; space.diameter as usize + 1];
        for (other, nodes) in space.nodes.iter().enumerate() {
            let d = space.distances.between(element, other as u32);
            histogram[d as usize] += nodes.len();
        }
        histogram[0] -= 1;
        let mut sums = vec![0u64; 2];
        let mut sum = 0;
        for (d, count) in histogram.iter().enumerate() {
            for _ in 0..*count {
                sum += d as u64;
                sums.push(sum);
            }
        }
        sums
    };
    let least = (0..looks as u32)
        .into_par_iter()
        .map(sums)
        .reduce_with(|mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).min(b));
            a
        });
    let (Some(least), Some(shares)) = (least, problem.weights.window_shares()) else {
        return 0.0;
    };
    let by_entropy = match problem.topology.metric() {
        Metric::Product(p) => p.least_means(problem.topology.network().per_router(), n),
        _ => Vec::new(),
    };
    let value = |size: usize| {
        // p(S) times the mean of the S-1 least; a window's total is at least S/2 such sums.
        let windows = (n - size + 1) as f64;
        let sum = by_entropy
            .get(size - 2)
            .map_or(0.0, |mean| mean * (size - 1) as f64);
        shares[size] * windows * size as f64 * sum.max(least[size] as f64) / 2.0
    };
    SAFE * (2..=n).map(value).sum::<f64>()
}
