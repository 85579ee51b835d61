//! Weights of the objective: one for every pair of ranks, falling with their distance in the ordering.

use nodeorder_base::ratio::gcd;

/// The families of weights.
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
    /// The name in options.
    pub fn name(self) -> &'static str {
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
    pub ring: bool,
    /// `lag[k]`: the weight of lag k, the mean over its pairs where edges matter; `lag[0]` is 0.
    lag: Vec<f64>,
    /// For `workload` on a line.
    edge: Option<Edge>,
}

/// Parts of the weight of a pair of ranks on a line.
#[derive(Clone, Debug)]
struct Edge {
    /// F(0), …, F(N+1).
    tail: Vec<f64>,
    /// By size S, the weight of T(S), the total over all windows of S ranks: p(S)·2/[S(S-1)(N-S+1)].
    share: Vec<f64>,
}

/// Lag weights as integers: `lag[k] / scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ordering) struct Integral {
    pub scale: i64,
    pub lag: Vec<i64>,
}

impl Weights {
    /// Weights by lag up to `window` (cut at what N nodes have).
    pub fn by_lag(kind: WeightKind, nodes: usize, window: usize, ring: bool) -> Self {
        let longest = longest(nodes, ring);
        let window = if kind == WeightKind::Path { 1 } else { window };
        let weight = |k: usize| match kind {
            WeightKind::Geometric => 0.5f64.powi(k as i32 - 1),
            _ => 1.0 / k as f64,
        };
        let lags = (1..=window.min(longest)).map(weight);
        let lag = std::iter::once(0.0).chain(lags).collect();
        Weights {
            kind,
            nodes,
            ring,
            lag,
            edge: None,
        }
    }

    /// The weights induced by `shares`: `(S, p(S))` for 2 ≤ S ≤ N, ascending, summing to 1. O(N).
    pub fn workload(nodes: usize, shares: &[(u32, f64)], ring: bool) -> Self {
        let longest = longest(nodes, ring);
        // share[S]·2/[S(S-1)], 0 where there is none.
        let mut pair = vec![0.0; nodes + 2];
        for (size, share) in shares {
            let s = f64::from(*size);
            pair[*size as usize] = 2.0 * share / (s * (s - 1.0));
        }
        // tail(x) = Σ_{S>x} q(S)·(S-x), from the top down: only positive terms are added.
        let tail = |q: &dyn Fn(usize) -> f64| {
            let (mut sum, mut above) = (0.0, 0.0);
            let mut tail = vec![0.0; nodes + 2];
            for x in (0..nodes).rev() {
                above += q(x + 1);
                sum += above;
                tail[x] = sum;
            }
            tail
        };
        let n = nodes as f64;
        if ring {
            let part = tail(&|s| if s < nodes { pair[s] / n } else { 0.0 });
            let whole = pair[nodes];
            let weight = |k: usize| match (k, 2 * k == nodes) {
                (0, _) => 0.0,
                // The bracket counts a pair half way round from both sides, and so does the whole ring.
                (_, true) => part[k] * 2.0 + whole,
                _ => part[k] + part[nodes - k] + whole,
            };
            let lag = (0..=longest).map(weight).collect();
            return Weights {
                kind: WeightKind::Workload,
                nodes,
                ring,
                lag,
                edge: None,
            };
        }
        let windows = |s: usize| (nodes - s + 1) as f64;
        let share: Vec<f64> = (0..=nodes).map(|s| pair[s] / windows(s)).collect();
        let edge = Edge {
            tail: tail(&|s| share[s]),
            share,
        };
        let mean = tail(&|s| pair[s]);
        let weight = |k: usize| {
            if k == 0 {
                0.0
            } else {
                mean[k] / (nodes - k) as f64
            }
        };
        let lag = (0..=longest).map(weight).collect();
        Weights {
            kind: WeightKind::Workload,
            nodes,
            ring,
            lag,
            edge: Some(edge),
        }
    }

    /// Lag weights between groups of `size` consecutive ranks (the nodes of a router), up to `window`
    /// ranks: `Σ_{s,t} w(size·L + t - s)` for groups L apart. A group's inside costs nothing.
    pub(super) fn between_groups(&self, size: usize, window: usize) -> Vec<f64> {
        let window = window.min(self.window());
        let at = |k: usize| if k <= window { self.lag(k) } else { 0.0 };
        let groups = window.div_ceil(size);
        let weight = |l: usize| {
            let lags = (0..size).flat_map(|s| (0..size).map(move |t| size * l + t - s));
            if l == 0 { 0.0 } else { lags.map(at).sum() }
        };
        (0..=groups.min(self.nodes / size)).map(weight).collect()
    }

    /// Given lag weights over `nodes` ranks, as if of one family.
    pub(super) fn of_lags(&self, nodes: usize, mut lag: Vec<f64>) -> Self {
        lag.truncate(longest(nodes, self.ring) + 1);
        Weights {
            kind: self.kind,
            nodes,
            ring: self.ring,
            lag,
            edge: None,
        }
    }

    /// Which family.
    pub fn kind(&self) -> WeightKind {
        self.kind
    }

    /// Number of ranks N.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The longest lag that has a weight.
    pub fn window(&self) -> usize {
        self.lag.len() - 1
    }

    /// The weight of lag k: of every pair, or for `workload` on a line the mean over the lag's pairs.
    pub fn lag(&self, k: usize) -> f64 {
        self.lag.get(k).copied().unwrap_or(0.0)
    }

    /// Whether a pair's weight depends on more than its lag.
    pub fn has_edges(&self) -> bool {
        self.edge.is_some()
    }

    /// Weight of the total over all windows, by size, where edges matter.
    pub(super) fn window_shares(&self) -> Option<&[f64]> {
        self.edge.as_ref().map(|edge| &edge.share[..])
    }

    /// W(a,b) for ranks a < b.
    pub fn pair(&self, a: usize, b: usize) -> f64 {
        match &self.edge {
            Some(Edge { tail: f, .. }) => f[b - a] - f[b + 1] - f[self.nodes - a],
            None if self.ring => self.lag((b - a).min(self.nodes - (b - a))),
            None => self.lag(b - a),
        }
    }

    /// The lag weights as integers, where they are fractions of a common denominator below 2³².
    pub(in crate::ordering) fn integral(&self) -> Option<Integral> {
        let window = self.window() as u32;
        let scale: i64 = match self.kind {
            WeightKind::Path => 1,
            WeightKind::Geometric if window <= 32 => 1 << window.saturating_sub(1),
            WeightKind::Harmonic => (1..=window)
                .try_fold(1u32, |all, k| (all / gcd(all, k)).checked_mul(k))?
                .into(),
            _ => return None,
        };
        let lag = |k: usize| match (self.kind, k) {
            (_, 0) => 0,
            (WeightKind::Harmonic, _) => scale / k as i64,
            _ => scale >> (k - 1),
        };
        Some(Integral {
            scale,
            lag: (0..self.lag.len()).map(lag).collect(),
        })
    }
}

fn longest(nodes: usize, ring: bool) -> usize {
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
            let weights = Weights::workload(nodes, &shares, ring);
            let plain = by_definition(nodes, &shares, ring);
            let mut means = vec![0.0; nodes];
            for a in 0..nodes {
                for b in a + 1..nodes {
                    prop_assert!((weights.pair(a, b) - plain[a][b]).abs() < 1e-12, "{a} {b}");
                    means[b - a] += plain[a][b] / (nodes - b + a) as f64;
                }
            }
            for (k, mean) in means.iter().enumerate().skip(if ring { nodes } else { 1 }) {
                prop_assert!((weights.lag(k) - mean).abs() < 1e-12);
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
            let weights = Weights::by_lag(kind, 40, window, false);
            let integral = weights.integral().unwrap();
            for k in 1..=weights.window() {
                assert_eq!(
                    integral.lag[k] as f64 / integral.scale as f64,
                    weights.lag(k)
                );
            }
        }
        assert!(
            Weights::by_lag(WeightKind::Harmonic, 99, 64, false)
                .integral()
                .is_none()
        );
    }

    #[test]
    fn windows_are_cut_at_what_there_is() {
        assert_eq!(
            Weights::by_lag(WeightKind::Geometric, 8, 16, false).window(),
            7
        );
        assert_eq!(
            Weights::by_lag(WeightKind::Geometric, 8, 16, true).window(),
            4
        );
        assert_eq!(Weights::by_lag(WeightKind::Path, 8, 16, false).window(), 1);
        assert_eq!(
            Weights::by_lag(WeightKind::Harmonic, 1, 16, false).window(),
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
