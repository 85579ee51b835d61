//! Distances that add up a weight for every label in which two routers differ.

use std::collections::HashMap;

use super::axis::{Axis, Shape};

/// Labels of routers. The distance of two routers is the sum of the weights of the labels in which they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// At most sixteen.
    pub labels: Vec<Label>,
}

/// One label of a router: `router / stride % extent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Number of values.
    pub extent: u32,
    /// Routers that follow one another with the same label.
    pub stride: u32,
    /// Distance that a difference in this label adds.
    pub weight: u32,
}

impl Label {
    fn of(self, router: u32) -> u32 {
        router / self.stride % self.extent
    }
}

impl Labels {
    /// Distance of two routers. O(labels).
    pub fn between(&self, a: u32, b: u32) -> u32 {
        self.labels
            .iter()
            .map(|l| if l.of(a) == l.of(b) { 0 } else { l.weight })
            .sum()
    }

    /// How many of `routers` routers are 0, 1, 2, … away from the first, as from any other. O(routers · labels).
    pub fn growth(&self, routers: u32) -> Vec<u64> {
        let mut at = Vec::new();
        for hops in (0..routers).map(|b| self.between(0, b) as usize) {
            at.resize(at.len().max(hops + 1), 0);
            at[hops] += 1;
        }
        at
    }

    /// Sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on router r.
    ///
    /// The largest: pairs that differ in all labels of a set are counted by inclusion and exclusion, from how many
    /// agree in each of its subsets. O(routers · labels · 2^labels).
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let mut sum = 0;
        for label in &self.labels {
            let mut along = vec![0u64; label.extent as usize];
            let nodes = (0..).zip(count);
            nodes.for_each(|(r, c)| along[label.of(r) as usize] += u64::from(*c));
            let clique = Axis {
                extent: label.extent,
                shape: Shape::Clique,
            };
            sum += u128::from(label.weight) * clique.pair_sum(&along);
        }
        let occupied: Vec<u32> = (0..)
            .zip(count)
            .filter(|(_, c)| **c > 0)
            .map(|(r, _)| r)
            .collect();
        // Routers without nodes may leave no pair that differs in all labels, so every set of labels is tried.
        let sets = 1usize << self.labels.len();
        let agreeing: Vec<i128> = (0..sets).map(|set| self.agreeing(set, &occupied)).collect();
        let weight = |set: usize| -> u32 { self.members(set).map(|l| l.weight).sum() };
        let differ = |set: usize| -> i128 {
            let subsets = (0..sets).filter(|subset| subset & set == *subset);
            subsets
                .map(|s| {
                    if s.count_ones() % 2 == 0 {
                        agreeing[s]
                    } else {
                        -agreeing[s]
                    }
                })
                .sum()
        };
        let largest = (0..sets).filter(|set| differ(*set) > 0).map(weight).max();
        (sum, largest.unwrap_or(0))
    }

    /// The labels of a set, one bit each.
    fn members(&self, set: usize) -> impl Iterator<Item = &Label> {
        self.labels
            .iter()
            .enumerate()
            .filter(move |(i, _)| set >> i & 1 == 1)
            .map(|(_, l)| l)
    }

    /// Ordered pairs of routers, each with itself included, that agree in all labels of a set.
    fn agreeing(&self, set: usize, routers: &[u32]) -> i128 {
        let mut alike: HashMap<u128, i128> = HashMap::new();
        for router in routers {
            let key = |key, l: &Label| key * u128::from(l.extent) + u128::from(l.of(*router));
            // Labels are parts of a router's number or nested in each other: a few of 31 bits.
            *alike.entry(self.members(set).fold(0, key)).or_default() += 1;
        }
        alike.values().map(|n| n * n).sum()
    }
}
