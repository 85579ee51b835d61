//! The exact objective of an ordering: sums of hops by lag are integers, and weights are applied last, in one order.
//! So equal orderings have equal objectives to the last bit, whatever the threads did.

use rayon::prelude::*;

use super::elements::Distances;
use super::weights::Weights;
use crate::pair_sums::PairSums;

/// Number of ranks that one task handles.
const CHUNK: usize = 1024;

/// Computes the objective under weights by lag, of a sequence of nodes, each given by its element of `distances`.
///
/// Lag sums are whole numbers, so neither threads nor their number show in the result; the weights are
/// applied in ascending order of the lag. With dyadic weights (`geometric`, `path`) the value is exact as
/// long as it has 53 bits. O(N·K).
pub fn objective_by_lag(weights: &Weights, distances: &Distances, nodes: &[u32]) -> f64 {
    weigh_lags(weights, &sum_pairs(weights, distances, nodes, false).lag)
}

/// Adds up weight times distances over the lags, ascending.
fn weigh_lags(weights: &Weights, sums: &[u64]) -> f64 {
    let lags = sums.iter().enumerate().skip(1);
    lags.fold(0.0, |all, (k, sum)| {
        all + weights.lag_weight(k) * *sum as f64
    })
}

/// Finds the longest lag with a weight from rank `a` upwards.
fn longest_lag(weights: &Weights, n: usize, a: usize) -> usize {
    if weights.ring {
        weights.longest_lag()
    } else {
        weights.longest_lag().min(n - 1 - a)
    }
}

/// Number of distances looked up for an estimate.
const SAMPLE: usize = 1 << 20;

/// Number of ranks side by side that are looked at for an estimate.
const STRETCH: usize = 64;

/// Estimates a value to rank sequences by: the objective ([`objective_by_lag`]) where that is soon found, else its
/// part from pairs whose lower rank is in one of some stretches, spread by the golden ratio: curves repeat themselves
/// at powers of two. O(min(N·K, 10⁶)).
pub fn estimate_objective(weights: &Weights, distances: &Distances, nodes: &[u32]) -> f64 {
    let n = nodes.len();
    let window = weights.longest_lag();
    if n.saturating_mul(window) <= 4 * SAMPLE {
        return objective_by_lag(weights, distances, nodes);
    }
    let stretches = (SAMPLE / (STRETCH * window)).max(1);
    let mut sums = vec![0u64; window + 1];
    for stretch in 0..stretches as u64 {
        // 64 bits of the fraction of stretch · (√5 - 1)/2.
        let share = stretch.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first = ((u128::from(share) * (n - STRETCH) as u128) >> 64) as usize;
        for a in first..first + STRETCH {
            let last = longest_lag(weights, n, a);
            for (k, sum) in sums[..=last].iter_mut().enumerate().skip(1) {
                *sum += u64::from(distances.between(nodes[a], nodes[(a + k) % n]));
            }
        }
    }
    weigh_lags(weights, &sums)
}

/// Computes the objective where each size counts: `Σ_S p(S)·MPC(S)`, and MPC(S) is a multiple of T(S), a whole number:
/// only positive terms are added. `shares` as in [`Weights::window_shares`], `totals[S]` = T(S).
pub fn objective_by_windows(shares: &[f64], totals: &[u128]) -> f64 {
    shares
        .iter()
        .zip(totals)
        .fold(0.0, |all, (share, total)| all + share * *total as f64)
}

/// Adds up distances of pairs up to the longest lag that has a weight; by row and column where asked for. O(N·K).
pub fn sum_pairs(weights: &Weights, distances: &Distances, nodes: &[u32], rows: bool) -> PairSums {
    let n = nodes.len();
    let row_count = if rows { n } else { 0 };
    let zero = PairSums {
        lag: vec![0; weights.longest_lag() + 1],
        row: vec![0; row_count],
        col: vec![0; row_count],
    };
    (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut sums = zero.clone();
            for a in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
                for k in 1..=longest_lag(weights, n, a) {
                    // Half way round a ring, each pair once.
                    if weights.ring && 2 * k == n && a >= k {
                        continue;
                    }
                    let b = (a + k) % n;
                    let d = u64::from(distances.between(nodes[a], nodes[b]));
                    sums.lag[k] += d;
                    if rows {
                        sums.row[a] += d;
                        sums.col[b] += d;
                    }
                }
            }
            sums
        })
        .reduce(|| zero.clone(), |a, b| a.add_up(&b))
}

#[cfg(test)]
mod tests {
    use super::super::elements::Arrangement;
    use super::super::problem::SearchProblem;
    use super::super::weights::tests::log_uniform;
    use super::super::weights::{WeightKind, Weights};
    use super::*;
    use crate::ordering::NodeOrder;
    use nodeorder_network::{Context, Topology};

    /// Pair by pair, from the definition of the objective.
    fn plainly(weights: &Weights, distances: &Distances, nodes: &[u32]) -> f64 {
        let mut sum = 0.0;
        for b in 0..nodes.len() {
            for a in 0..b {
                sum += weights.pair_weight(a, b) * f64::from(distances.between(nodes[a], nodes[b]));
            }
        }
        sum
    }

    /// Pair by pair, in whole numbers as far as possible.
    fn directly(weights: &Weights, distances: &Distances, nodes: &[u32]) -> f64 {
        match weights.window_shares() {
            None => objective_by_lag(weights, distances, nodes),
            Some(shares) => objective_by_windows(
                shares,
                &sum_pairs(weights, distances, nodes, true).window_totals(),
            ),
        }
    }

    #[test]
    fn sums_by_lag_are_the_sum_over_pairs() {
        for spec in [
            "torus:5x4",
            "mesh:3x3x2,per_router=2",
            "slim-fly:q=5",
            "torus:2x2x2",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let space = Arrangement::new(&topology, true).unwrap();
            let n = topology.node_count();
            let order = NodeOrder::make(&topology, "random:seed=4").unwrap();
            let nodes = space.to_elements(&topology, order.nodes());
            for ring in [false, true] {
                let mut all = vec![Weights::from_job_sizes(n, &log_uniform(n as u32), ring)];
                for kind in [
                    WeightKind::Geometric,
                    WeightKind::Harmonic,
                    WeightKind::Path,
                ] {
                    all.extend([1, 4, 16, 99].map(|k| Weights::from_lag_law(kind, n, k, ring)));
                }
                for weights in all {
                    let plain = plainly(&weights, &space.distances, &nodes);
                    let fast = directly(&weights, &space.distances, &nodes);
                    assert!((plain - fast).abs() < 1e-9 * plain, "{spec} {weights:?}");
                }
            }
        }
    }

    /// To the last bit, on networks with and without a transform, with routers kept together and parted.
    #[test]
    fn the_value_of_a_problem_is_that_of_its_pairs() {
        for spec in [
            "torus:7x6x5",
            "mesh:9x4,per_router=3",
            "random-regular:n=60,d=4",
            "mesh:2",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            for split in [false, true] {
                let space = Arrangement::new(&topology, split).unwrap();
                let n = topology.node_count();
                let weights = Weights::from_job_sizes(n, &log_uniform(n as u32), false);
                let problem = SearchProblem::new(&topology, &space, weights);
                let mut order: Vec<u32> = (0..space.len() as u32).collect();
                order.sort_by_key(|e| e.wrapping_mul(0x9e37_79b9));
                let nodes = problem.elements_by_rank(&order);
                let plain = directly(&problem.weights, &space.distances, &nodes);
                assert_eq!(problem.objective(&order), plain, "{spec}");
            }
        }
    }
}
