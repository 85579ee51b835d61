//! Distances that add up a weight for every label in which two routers differ.
//!
//! On a dragonfly+, for instance, two leaf switches that differ are 2 hops apart, and 1 more where their groups
//! differ too:
//!
//! ```text
//! leaf switch           0  1  2  3        d(0, 1) = 2
//! label leaf, weight 2  0  1  2  3        d(0, 2) = 2 + 1
//! label group, weight 1 0  0  1  1
//! ```

use std::collections::HashMap;

use super::axis::Axis;

/// Labels of routers. The distance of two routers is the sum of the weights of the labels in which they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The labels, sixteen at most.
    pub labels: Vec<Label>,
}

/// One label of a router: `router / stride % extent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Number of values.
    pub extent: u32,
    /// Number of consecutive routers with the same label.
    pub stride: u32,
    /// Distance that a difference in this label adds.
    pub weight: u32,
}

impl Label {
    /// Computes the value of this label at a router.
    fn value_at(self, router: u32) -> u32 {
        router / self.stride % self.extent
    }
}

impl Labels {
    /// Computes the distance of two routers. O(labels).
    pub fn distance_between(&self, a: u32, b: u32) -> u32 {
        let differing = self.labels.iter();
        let differing = differing.filter(|label| label.value_at(a) != label.value_at(b));
        differing.map(|label| label.weight).sum()
    }

    /// Counts the routers, of `routers` in all, that are 0, 1, 2, … away from the first, as from any other.
    /// O(routers · labels).
    pub fn count_by_distance(&self, routers: u32) -> Vec<u64> {
        let mut at = Vec::new();
        for hops in (0..routers).map(|b| self.distance_between(0, b) as usize) {
            at.resize(at.len().max(hops + 1), 0);
            at[hops] += 1;
        }
        at
    }

    /// Computes the sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on router r.
    ///
    /// The largest: pairs that differ in all labels of a set are counted by inclusion and exclusion, from how many
    /// agree in each of its subsets. O(routers · labels · 2^labels).
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let mut sum = 0;
        for label in &self.labels {
            let mut along = vec![0u64; label.extent as usize];
            for (r, c) in (0..).zip(count) {
                along[label.value_at(r) as usize] += u64::from(*c);
            }
            sum += u128::from(label.weight) * Axis::clique(label.extent).pair_sum(&along);
        }
        let occupied: Vec<u32> = (0..)
            .zip(count)
            .filter(|(_, c)| **c > 0)
            .map(|(r, _)| r)
            .collect();
        // Routers without nodes may leave no pair that differs in all labels, so every set of labels is tried.
        let sets = 1usize << self.labels.len();
        let agreeing: Vec<i128> = (0..sets)
            .map(|set| self.count_agreeing_pairs(set, &occupied))
            .collect();
        let mut largest = 0;
        for set in 0..sets {
            let mut differing = 0;
            for subset in (0..=set).filter(|subset| subset & set == *subset) {
                if subset.count_ones() % 2 == 0 {
                    differing += agreeing[subset];
                } else {
                    differing -= agreeing[subset];
                }
            }
            if differing > 0 {
                largest = largest.max(self.labels_in_set(set).map(|l| l.weight).sum());
            }
        }
        (sum, largest)
    }

    /// Lists the labels of a set, given as one bit each.
    fn labels_in_set(&self, set: usize) -> impl Iterator<Item = &Label> {
        (0..)
            .zip(&self.labels)
            .filter(move |(i, _)| set >> i & 1 == 1)
            .map(|(_, l)| l)
    }

    /// Counts the ordered pairs of routers, each with itself included, that agree in all labels of a set.
    fn count_agreeing_pairs(&self, set: usize, routers: &[u32]) -> i128 {
        let mut alike: HashMap<u128, i128> = HashMap::new();
        for router in routers {
            let mut key = 0;
            // Labels are parts of a router's number or nested in each other: a few of 31 bits.
            for label in self.labels_in_set(set) {
                key = key * u128::from(label.extent) + u128::from(label.value_at(*router));
            }
            *alike.entry(key).or_default() += 1;
        }
        alike.values().map(|n| n * n).sum()
    }
}
