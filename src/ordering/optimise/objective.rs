//! The objective of an ordering, exactly: sums of hops by lag are integers, weights come last.

use rayon::prelude::*;

use super::space::Distances;
use super::weights::Weights;

/// Ranks a task.
const CHUNK: usize = 1024;

/// Sums of distances over an ordering's pairs of ranks.
struct Sums {
    /// By lag, up to the window; `lag[0]` is 0.
    lag: Vec<u64>,
    /// `row[i] = Σ_{j>i} d(i,j)` and `col[j] = Σ_{i<j} d(i,j)`, where asked for.
    row: Vec<u64>,
    col: Vec<u64>,
}

/// The objective of a sequence of nodes, each given by its element of `distances`.
///
/// Lag sums are whole numbers, so neither threads nor their number show in the result; the weights are
/// applied in ascending order of the lag. With dyadic weights (`geometric`, `path`) the value is exact as
/// long as it has 53 bits. `workload` on a line goes through T(S), the total over all windows of S ranks,
/// which the sums by lag, row and column give as whole numbers.
///
/// # Complexity
/// O(N·K); O(N²) for `workload`.
pub(super) fn evaluate(weights: &Weights, distances: &Distances, nodes: &[u32]) -> f64 {
    let Some(shares) = weights.window_shares() else {
        let sums = sums(weights, distances, nodes, false);
        return (1..sums.lag.len()).fold(0.0, |all, k| all + weights.lag(k) * sums.lag[k] as f64);
    };
    let sums = sums(weights, distances, nodes, true);
    // The objective is Σ_S p(S)·MPC(S), and MPC(S) a multiple of T(S), a whole number: only positive terms
    // are added.
    let n = nodes.len();
    let mut slope = vec![0i128; n + 2];
    for (k, lag) in sums.lag.iter().enumerate() {
        slope[k] += i128::from(*lag);
    }
    for r in 0..n {
        slope[r + 1] -= i128::from(sums.col[r]);
        slope[n - r] -= i128::from(sums.row[r]);
    }
    let (mut running, mut total, mut value) = (0i128, 0i128, 0.0);
    for size in 0..=n {
        value += shares[size] * total as f64;
        running += slope[size];
        total += running;
    }
    value
}

fn sums(weights: &Weights, distances: &Distances, nodes: &[u32], rows: bool) -> Sums {
    let (n, window) = (nodes.len(), weights.window());
    let zero = || Sums {
        lag: vec![0; window + 1],
        row: vec![0; if rows { n } else { 0 }],
        col: vec![0; if rows { n } else { 0 }],
    };
    let part = |chunk: usize| {
        let mut sums = zero();
        for a in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
            let last = if weights.is_ring() { window } else { window.min(n - 1 - a) };
            for k in 1..=last {
                // Half way round a ring, each pair once.
                if weights.is_ring() && 2 * k == n && a >= k {
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
    };
    let add = |mut a: Sums, b: Sums| {
        for (a, b) in [(&mut a.lag, &b.lag), (&mut a.row, &b.row), (&mut a.col, &b.col)] {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        }
        a
    };
    (0..n.div_ceil(CHUNK)).into_par_iter().map(part).reduce(zero, add)
}

#[cfg(test)]
mod tests {
    use super::super::space::Space;
    use super::super::weights::{Kind, Weights, log_uniform};
    use super::*;
    use crate::ordering::NodeOrder;
    use crate::topology::{Context, Topology};

    /// Pair by pair, from the definition of the objective.
    fn plainly(weights: &Weights, distances: &Distances, nodes: &[u32]) -> f64 {
        let mut sum = 0.0;
        for b in 0..nodes.len() {
            for a in 0..b {
                sum += weights.pair(a, b) * f64::from(distances.between(nodes[a], nodes[b]));
            }
        }
        sum
    }

    #[test]
    fn sums_by_lag_are_the_sum_over_pairs() {
        for spec in ["torus:5x4", "mesh:3x3x2,per_router=2", "slim-fly:q=5", "torus:2x2x2"] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let space = Space::new(&topology, true).unwrap();
            let n = topology.node_count();
            let order = NodeOrder::make(&topology, "random:seed=4").unwrap();
            let nodes = space.collapse(&topology, order.nodes());
            for ring in [false, true] {
                let mut all = vec![Weights::workload(n, &log_uniform(n as u32), ring)];
                for kind in [Kind::Geometric, Kind::Harmonic, Kind::Path] {
                    all.extend([1, 4, 16, 99].map(|k| Weights::by_lag(kind, n, k, ring)));
                }
                for weights in all {
                    let plain = plainly(&weights, &space.distances, &nodes);
                    let fast = evaluate(&weights, &space.distances, &nodes);
                    assert!((plain - fast).abs() < 1e-9 * plain, "{spec} {weights:?}");
                }
            }
        }
    }

    #[test]
    fn the_workload_objective_is_a_mean_of_mpc() {
        let topology = Topology::inline("torus:6x4x3,per_router=2", &Context::default()).unwrap();
        let n = topology.node_count();
        let order = NodeOrder::make(&topology, "hilbert").unwrap();
        let space = Space::new(&topology, true).unwrap();
        let nodes = space.collapse(&topology, order.nodes());
        let shares = [(2, 0.25), (7, 0.5), (100, 0.125), (n as u32, 0.125)];
        let weights = Weights::workload(n, &shares, false);
        let mean_of = |size: usize| {
            let windows = (0..=n - size).map(|start| {
                let window = &nodes[start..start + size];
                let pairs = window.iter().flat_map(|a| window.iter().map(move |b| (*a, *b)));
                pairs.map(|(a, b)| u64::from(space.distances.between(a, b))).sum::<u64>() / 2
            });
            windows.sum::<u64>() as f64 / ((n - size + 1) * size * (size - 1) / 2) as f64
        };
        let expected: f64 = shares.iter().map(|(s, p)| p * mean_of(*s as usize)).sum();
        let found = evaluate(&weights, &space.distances, &nodes);
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}
