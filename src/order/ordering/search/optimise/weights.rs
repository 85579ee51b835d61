//! Weights of the objective: one for every pair of ranks, falling with their distance in the ordering.
//!
//! An ordering is good where ranks that weigh much together are close in the network. Which pairs weigh how much is
//! the user's choice: by a law of the lag, or by how often a job holds both ranks.

use std::iter::Sum;

use nodeorder_base::ratio::greatest_common_divisor;

/// Family of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightKind {
    /// `2^-(k-1)` for k ≤ K (Leung et al. 2002, section 2.2).
    Geometric,
    /// `1/k` for k ≤ K: a stand-in for log-uniform job sizes.
    Harmonic,
    /// 1 for k = 1: the Hamiltonian path problem.
    Path,
    /// The weights that a distribution of job sizes induces.
    Workload,
}

impl WeightKind {
    /// Names the kind as options do.
    pub fn option_name(self) -> &'static str {
        match self {
            WeightKind::Geometric => "geometric",
            WeightKind::Harmonic => "harmonic",
            WeightKind::Path => "path",
            WeightKind::Workload => "workload",
        }
    }
}

/// Weights over the ranks of an ordering of N nodes.
///
/// The objective is `Σ_{a<b} W(a,b)·d(π_a, π_b)`. For the first three kinds `W(a,b) = w(k)` with the lag
/// k = b-a, in the ring variant taken the short way round; a lag of half the ring counts once. `workload`
/// makes the objective the mean of MPC(S) over job sizes S drawn from p:
///
/// `W(a,b) = Σ_{S>k} p(S)·2c_S/[S(S-1)(N-S+1)]`, `c_S = max(0, min(a,N-S) - max(0,b-S+1) + 1)`. With
/// `F(x) = Σ_{S>x} p(S)·(S-x)·2/[S(S-1)(N-S+1)]` that is `F(b-a) - F(b+1) - F(N-a)`: edge effects
/// included, three looked-up values a pair. On a ring every window of S consecutive ranks counts, also
/// across the end: `w(k) = Σ_S p(S)·2[(S-k)₊ + (S-(N-k))₊]/[S(S-1)N]`, for S = N with N in the bracket
/// (half that where k = N/2, whose pair the two terms count twice).
#[derive(Clone, Debug)]
pub struct Weights {
    kind: WeightKind,
    nodes: usize,
    /// Whether the last rank is followed by the first.
    pub ring: bool,
    /// Weight of each lag, the mean over its pairs where edges matter; 0 for lag 0.
    lag: Vec<f64>,
    /// How the weight of a pair depends on its distance from both ends of the ordering; only for `workload` on a line,
    /// else `None`.
    edge: Option<LineTails>,
}

/// Parts of the weight of a pair of ranks on a line.
#[derive(Clone, Debug)]
struct LineTails {
    /// F(0), …, F(N+1), by whose differences [`Weights`] gives the weight of a pair.
    tail: Vec<f64>,
    /// Weight, by size S, of T(S), the total over all windows of S ranks: p(S)·2/[S(S-1)(N-S+1)].
    share: Vec<f64>,
}

/// Weights by lag as integers: `lag[k] / scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ordering) struct IntegerLags {
    pub scale: i64,
    pub lag: Vec<i64>,
}

impl Weights {
    /// Makes the weights of a law of the lag up to `window` (cut at the longest lag of N nodes).
    pub fn from_lag_law(kind: WeightKind, nodes: usize, window: usize, ring: bool) -> Self {
        let longest = longest_lag_of(nodes, ring);
        let window = if kind == WeightKind::Path { 1 } else { window };
        let mut lag = vec![0.0; window.min(longest) + 1];
        for (k, weight) in lag.iter_mut().enumerate().skip(1) {
            *weight = match kind {
                WeightKind::Geometric => 0.5f64.powi(k as i32 - 1),
                _ => 1.0 / k as f64,
            };
        }
        Weights {
            kind,
            nodes,
            ring,
            lag,
            edge: None,
        }
    }

    /// Makes the weights that job sizes induce. `shares` are `(S, p(S))` for 2 ≤ S ≤ N, ascending, summing to 1. O(N).
    pub fn from_job_sizes(nodes: usize, shares: &[(u32, f64)], ring: bool) -> Self {
        // By size S p(S)·2/[S(S-1)], 0 where there is none.
        let mut pair = vec![0.0; nodes + 2];
        for (size, share) in shares {
            let s = f64::from(*size);
            pair[*size as usize] = 2.0 * share / (s * (s - 1.0));
        }
        let mut lag = vec![0.0; longest_lag_of(nodes, ring) + 1];
        let mut edge = None;
        if ring {
            let part = tail_sums(nodes, |s| {
                if s < nodes {
                    pair[s] / nodes as f64
                } else {
                    0.0
                }
            });
            // Half way round, both terms count a pair from both sides, and so does the whole ring.
            for (k, weight) in lag.iter_mut().enumerate().skip(1) {
                *weight = part[k] + part[nodes - k] + pair[nodes];
            }
        } else {
            let mean = tail_sums(nodes, |s| pair[s]);
            for (k, weight) in lag.iter_mut().enumerate().skip(1) {
                *weight = mean[k] / (nodes - k) as f64;
            }
            let share: Vec<f64> = (0..=nodes)
                .map(|s| pair[s] / (nodes - s + 1) as f64)
                .collect();
            let tail = tail_sums(nodes, |s| share[s]);
            edge = Some(LineTails { tail, share });
        }
        Weights {
            kind: WeightKind::Workload,
            nodes,
            ring,
            lag,
            edge,
        }
    }

    /// Computes the weights by lag between groups of `size` consecutive ranks (the nodes of a router), up to `window`
    /// ranks: `Σ_{s,t} w(size·L + t - s)` for groups L apart. A group's inside costs nothing.
    pub(super) fn group_weights(&self, size: usize, window: usize) -> Vec<f64> {
        let window = window.min(self.longest_lag());
        let last = window.div_ceil(size).min(self.nodes / size);
        weights_between_groups(size, last, |k| {
            if k <= window { self.lag_weight(k) } else { 0.0 }
        })
    }

    /// Makes weights of this family's kind from given ones by lag, over `nodes` ranks.
    pub(super) fn with_lags(&self, nodes: usize, mut lag: Vec<f64>) -> Self {
        lag.truncate(longest_lag_of(nodes, self.ring) + 1);
        Weights {
            kind: self.kind,
            nodes,
            ring: self.ring,
            lag,
            edge: None,
        }
    }

    /// Returns the family of weights.
    pub fn kind(&self) -> WeightKind {
        self.kind
    }

    /// Returns the number of ranks N.
    pub fn rank_count(&self) -> usize {
        self.nodes
    }

    /// Finds the longest lag that has a weight.
    pub fn longest_lag(&self) -> usize {
        self.lag.len() - 1
    }

    /// Looks up the weight of lag k: of every pair, or for `workload` on a line the mean over the lag's pairs.
    pub fn lag_weight(&self, k: usize) -> f64 {
        self.lag.get(k).copied().unwrap_or(0.0)
    }

    /// Checks whether a pair's weight depends on more than its lag.
    pub fn vary_near_ends(&self) -> bool {
        self.edge.is_some()
    }

    /// Returns by window size the weight of the total over all windows. `None` for weights that are the same near the
    /// ends of the ordering.
    pub(super) fn window_shares(&self) -> Option<&[f64]> {
        self.edge.as_ref().map(|edge| &edge.share[..])
    }

    /// Computes the weight W(a,b) of a pair of ranks a < b.
    pub fn pair_weight(&self, a: usize, b: usize) -> f64 {
        match &self.edge {
            Some(LineTails { tail: f, .. }) => f[b - a] - f[b + 1] - f[self.nodes - a],
            None if self.ring => self.lag_weight((b - a).min(self.nodes - (b - a))),
            None => self.lag_weight(b - a),
        }
    }

    /// Converts the weights by lag to integers. `None` if they are no fractions of a common denominator below 2³².
    pub(in crate::ordering) fn to_integers(&self) -> Option<IntegerLags> {
        let window = self.longest_lag() as u32;
        let scale: i64 = match self.kind {
            WeightKind::Path => 1,
            WeightKind::Geometric if window <= 32 => 1 << window.saturating_sub(1),
            WeightKind::Harmonic => (1..=window)
                .try_fold(1u32, |all, k| {
                    (all / greatest_common_divisor(all, k)).checked_mul(k)
                })?
                .into(),
            _ => return None,
        };
        let mut lag = vec![0; self.lag.len()];
        for (k, weight) in lag.iter_mut().enumerate().skip(1) {
            *weight = match self.kind {
                WeightKind::Harmonic => scale / k as i64,
                _ => scale >> (k - 1),
            };
        }
        Some(IntegerLags { scale, lag })
    }
}

/// Computes `Σ_{S>x} q(S)·(S-x)` for x from 0 to N + 1, over sizes S up to N.
fn tail_sums(nodes: usize, q: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    let mut above = 0.0;
    let mut tail = vec![0.0; nodes + 2];
    // From the top down only positive terms are added, so no digits cancel.
    for x in (0..nodes).rev() {
        above += q(x + 1);
        sum += above;
        tail[x] = sum;
    }
    tail
}

/// Computes the weights between groups of `size` consecutive ranks, up to `last` groups apart, from those between
/// ranks.
pub(super) fn weights_between_groups<T: Default + Sum>(
    size: usize,
    last: usize,
    lag: impl Fn(usize) -> T,
) -> Vec<T> {
    let mut between = vec![T::default()];
    for groups in 1..=last {
        let pairs = (0..size).flat_map(|s| (0..size).map(move |t| size * groups + t - s));
        between.push(pairs.map(&lag).sum());
    }
    between
}

/// Computes the longest lag of N ranks.
fn longest_lag_of(nodes: usize, ring: bool) -> usize {
    if ring {
        nodes / 2
    } else {
        nodes.saturating_sub(1)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Log-uniform job sizes, p(S) ∝ 1/S for 2 ≤ S ≤ N.
    pub(in super::super) fn log_uniform(nodes: u32) -> Vec<(u32, f64)> {
        let total: f64 = (2..=nodes).rev().map(|s| 1.0 / f64::from(s)).sum();
        (2..=nodes)
            .map(|s| (s, 1.0 / f64::from(s) / total))
            .collect()
    }

    /// Straight from the definition: mean over windows and pairs, size by size.
    fn by_definition(nodes: usize, shares: &[(u32, f64)], ring: bool) -> Vec<Vec<f64>> {
        let mut w = vec![vec![0.0; nodes]; nodes];
        for (size, share) in shares {
            let s = *size as usize;
            let windows = match (ring, s == nodes) {
                (true, false) => nodes,
                (true, true) => 1,
                _ => nodes - s + 1,
            };
            let each = share * 2.0 / (s * (s - 1) * windows) as f64;
            for start in 0..windows {
                for i in 0..s {
                    for j in i + 1..s {
                        let (a, b) = ((start + i) % nodes, (start + j) % nodes);
                        w[a.min(b)][a.max(b)] += each;
                    }
                }
            }
        }
        w
    }

    proptest! {
        #[test]
        fn induced_weights_are_those_of_the_definition(
            raw in prop::collection::vec(0u32..5, 1..12),
            ring in any::<bool>(),
        ) {
            let nodes = raw.len() + 1;
            let total: u32 = raw.iter().sum::<u32>() + 1;
            let mut shares: Vec<(u32, f64)> = raw
                .iter()
                .enumerate()
                .map(|(i, r)| (i as u32 + 2, f64::from(*r) / f64::from(total)))
                .collect();
            shares[nodes - 2].1 += 1.0 / f64::from(total);
            let weights = Weights::from_job_sizes(nodes, &shares, ring);
            let plain = by_definition(nodes, &shares, ring);
            let mut means = vec![0.0; nodes];
            for a in 0..nodes {
                for b in a + 1..nodes {
                    prop_assert!((weights.pair_weight(a, b) - plain[a][b]).abs() < 1e-12, "{a} {b}");
                    means[b - a] += plain[a][b] / (nodes - b + a) as f64;
                }
            }
            for (k, mean) in means.iter().enumerate().skip(if ring { nodes } else { 1 }) {
                prop_assert!((weights.lag_weight(k) - mean).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn integers_stand_for_the_weights_exactly() {
        for (kind, window) in [
            (WeightKind::Geometric, 16),
            (WeightKind::Harmonic, 20),
            (WeightKind::Path, 9),
            (WeightKind::Geometric, 1),
        ] {
            let weights = Weights::from_lag_law(kind, 40, window, false);
            let integral = weights.to_integers().unwrap();
            for k in 1..=weights.longest_lag() {
                assert_eq!(
                    integral.lag[k] as f64 / integral.scale as f64,
                    weights.lag_weight(k)
                );
            }
        }
        assert!(
            Weights::from_lag_law(WeightKind::Harmonic, 99, 64, false)
                .to_integers()
                .is_none()
        );
    }

    #[test]
    fn windows_are_cut_at_what_there_is() {
        assert_eq!(
            Weights::from_lag_law(WeightKind::Geometric, 8, 16, false).longest_lag(),
            7
        );
        assert_eq!(
            Weights::from_lag_law(WeightKind::Geometric, 8, 16, true).longest_lag(),
            4
        );
        assert_eq!(
            Weights::from_lag_law(WeightKind::Path, 8, 16, false).longest_lag(),
            1
        );
        assert_eq!(
            Weights::from_lag_law(WeightKind::Harmonic, 1, 16, false).longest_lag(),
            0
        );
    }

    #[test]
    fn log_uniform_sums_to_one() {
        let shares = log_uniform(1000);
        assert!((shares.iter().map(|s| s.1).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((shares[0].1 / shares[998].1 - 500.0).abs() < 1e-9);
    }
}
