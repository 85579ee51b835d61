//! The problem of a search: which elements are arranged, and under which weights of pairs of ranks.
//!
//! Weights are given for ranks of nodes, and a search moves elements of `group` nodes each. Between elements L apart
//! the weights of all pairs of their nodes are added up; what an element's own nodes cost does not change.

use super::elements::Arrangement;
use super::weights::{self, Weights};
use super::{objective, small};
use crate::pair_sums;
use nodeorder_network::{Metric, Topology};

/// Number of distances for each node that can be looked up in the time in which a transform finds all sums: measured.
const TRANSFORM: f64 = 800.0;

/// Elements to arrange, and the weights of the objective.
pub(in crate::ordering) struct SearchProblem<'s> {
    pub topology: &'s Topology,
    pub space: &'s Arrangement,
    pub weights: Weights,
    /// Number of nodes that an element stands for (the largest, where they differ).
    pub group: usize,
    /// Whether every element stands for exactly `group` nodes.
    pub even: bool,
}

impl<'s> SearchProblem<'s> {
    /// Poses the problem of arranging `space` under weights.
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

    /// Lists the element at every rank of nodes, for a sequence of elements.
    pub fn elements_by_rank(&self, order: &[u32]) -> Vec<u32> {
        let nodes = &self.space.nodes;
        order
            .iter()
            .flat_map(|e| std::iter::repeat_n(*e, nodes[*e as usize].len()))
            .collect()
    }

    /// Computes the exact objective of a sequence of elements.
    pub fn objective(&self, order: &[u32]) -> f64 {
        let weights = &self.weights;
        let distances = &self.space.distances;
        let Some(shares) = weights.window_shares() else {
            return objective::objective_by_lag(weights, distances, &self.elements_by_rank(order));
        };
        let nodes = self.space.to_nodes(order);
        let last = nodes.len().saturating_sub(1);
        // Where memory allows no more, pair by pair: the same whole numbers.
        let sums = pair_sums::sum_pairs(self.topology, &nodes, last, pair_sums::SumMethod::Auto)
            .unwrap_or_else(|_| {
                objective::sum_pairs(weights, distances, &self.elements_by_rank(order), true)
            });
        objective::objective_by_windows(shares, &sums.window_totals())
    }

    /// Estimates the cost of [`SearchProblem::objective`], in looked-up distances.
    pub fn objective_cost(&self) -> f64 {
        let window = self.weights.longest_lag() as f64;
        let transform =
            self.weights.vary_near_ends() && !matches!(self.topology.metric(), Metric::Hops);
        let lookups = if transform {
            window.min(TRANSFORM)
        } else {
            window
        };
        self.weights.rank_count() as f64 * lookups
    }

    /// Computes the weights between elements by lag, up to `window` elements.
    pub fn element_lag_weights(&self, window: usize) -> Vec<f64> {
        let mut lag = self.weights.group_weights(self.group, window * self.group);
        lag.truncate((window + 1).min(self.space.len()));
        lag
    }

    /// Computes the weight of a pair of element ranks p < q, where elements are even.
    pub fn element_weight(&self, p: usize, q: usize) -> f64 {
        let m = self.group;
        let slots = (0..m).flat_map(|s| (0..m).map(move |t| (m * p + s, m * q + t)));
        slots.map(|(a, b)| self.weights.pair_weight(a, b)).sum()
    }

    /// Checks whether lag prices would be far from the truth, and the instance is small enough for all pairs.
    pub fn needs_weight_matrix(&self) -> bool {
        let special = self.weights.ring || self.weights.vary_near_ends();
        // A matrix has one weight for each pair of elements, so these must be alike.
        self.even && special && self.space.len() <= small::LARGEST
    }

    /// Computes integer weights between elements by lag. `None` if weights are no fractions or elements not even.
    pub fn integer_weights(&self) -> Option<weights::IntegerLags> {
        let of_nodes = self.weights.to_integers().filter(|_| self.even)?;
        let group = self.group;
        if group == 1 {
            return Some(of_nodes);
        }
        // Half way round a ring, pairs of nodes of two elements lie on both sides.
        if self.weights.ring {
            return None;
        }
        let groups = self.weights.longest_lag().div_ceil(group);
        let last = groups.min(self.space.len().saturating_sub(1));
        let lag = weights::weights_between_groups(group, last, |k| {
            of_nodes.lag.get(k).copied().unwrap_or(0)
        });
        Some(weights::IntegerLags {
            scale: of_nodes.scale,
            lag,
        })
    }
}
