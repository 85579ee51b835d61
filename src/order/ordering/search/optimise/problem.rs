//! The problem of a search: what is arranged, and under which weights.

use super::elements::Arrangement;
use super::weights::{self, Weights};
use super::{objective, small};
use crate::pair_sums;
use nodeorder_network::topology::{Metric, Topology};

/// Distances that might be looked up, a node, while a transform finds all sums: measured.
const TRANSFORM: f64 = 800.0;

/// Elements to arrange, and the weights of the objective.
pub(in crate::ordering) struct SearchProblem<'s> {
    pub topology: &'s Topology,
    pub space: &'s Arrangement,
    pub weights: Weights,
    /// Nodes an element stands for (the most, where they differ).
    pub group: usize,
    /// Whether all elements stand for as many.
    pub even: bool,
}

impl<'s> SearchProblem<'s> {
    pub fn new(topology: &'s Topology, space: &'s Arrangement, weights: Weights) -> Self {
        let group = space.nodes.iter().map(Vec::len).max().unwrap_or(1);
        let even = space.nodes.iter().all(|nodes| nodes.len() == group);
        SearchProblem {
            topology,
            space,
            weights,
            group,
            even,
        }
    }

    /// The element at every rank of a sequence.
    pub fn ranks(&self, order: &[u32]) -> Vec<u32> {
        let copies = |e: &u32| std::iter::repeat_n(*e, self.space.nodes[*e as usize].len());
        order.iter().flat_map(copies).collect()
    }

    /// The exact objective of a sequence of elements.
    pub fn value(&self, order: &[u32]) -> f64 {
        let (weights, distances) = (&self.weights, &self.space.distances);
        let Some(shares) = weights.window_shares() else {
            return objective::by_lag(weights, distances, &self.ranks(order));
        };
        let nodes = self.space.expand(order);
        let last = nodes.len().saturating_sub(1);
        // Where memory allows no more, pair by pair: the same whole numbers.
        let sums = pair_sums::along(self.topology, &nodes, last, pair_sums::SumMethod::Auto)
            .unwrap_or_else(|_| objective::sums(weights, distances, &self.ranks(order), true));
        objective::by_windows(shares, &sums.window_totals())
    }

    /// About how many looked-up distances [`SearchProblem::value`] costs.
    pub fn cost_of_value(&self) -> f64 {
        let (n, window) = (self.weights.nodes() as f64, self.weights.window() as f64);
        let transform = self.weights.has_edges() && !matches!(self.topology.metric(), Metric::Hops);
        n * if transform {
            window.min(TRANSFORM)
        } else {
            window
        }
    }

    /// Lag weights between elements, up to `window` elements.
    pub fn element_lags(&self, window: usize) -> Vec<f64> {
        let mut lag = self.weights.between_groups(self.group, window * self.group);
        lag.truncate((window + 1).min(self.space.len()));
        lag
    }

    /// The weight of a pair of element ranks p < q, where elements are even.
    pub fn element_weight(&self, p: usize, q: usize) -> f64 {
        let m = self.group;
        let slots = (0..m).flat_map(|s| (0..m).map(move |t| (m * p + s, m * q + t)));
        slots.map(|(a, b)| self.weights.pair(a, b)).sum()
    }

    /// Whether lag prices would be far from the truth, and the instance is small enough for all pairs.
    pub fn needs_matrix(&self) -> bool {
        let special = self.weights.ring || self.weights.has_edges();
        self.even && special && self.space.len() <= small::LARGEST
    }

    /// Integer lag weights between elements, where the weights are fractions and elements even.
    pub fn integral(&self) -> Option<weights::Integral> {
        let of_nodes = self.weights.integral().filter(|_| self.even)?;
        let (m, n) = (self.group, self.space.len());
        if m == 1 {
            return Some(of_nodes);
        }
        if self.weights.ring {
            return None;
        }
        let at = |k: usize| of_nodes.lag.get(k).copied().unwrap_or(0);
        let last = self.weights.window().div_ceil(m).min(n.saturating_sub(1));
        let weight = |l: usize| {
            let lags = (0..m).flat_map(|s| (0..m).map(move |t| m * l + t - s));
            if l == 0 { 0 } else { lags.map(at).sum() }
        };
        Some(weights::Integral {
            scale: of_nodes.scale,
            lag: (0..=last).map(weight).collect(),
        })
    }
}
