//! Sums of distances to a multiset of labels on long paths and rings in O(log labels).
//!
//! A tree of prefix sums tells the number of members below a label and the sum of their labels. On a path, the members
//! below label x are then `number·x - sum` hops away in all, those above `sum - number·x`: from label 5, members 1, 3
//! and 9 are (2·5 - 4) + (9 - 1·5) = 10 hops. On a ring, members more than half a turn away go round the other way.
//!
//! # References
//! Fenwick, "A new data structure for cumulative frequency tables", 1994,
//! <https://doi.org/10.1002/spe.4380240306>.

use std::ops::Sub;

use nodeorder_network::topology::distance::{Axis, Shape};

/// A multiset of labels of a path or ring. Labels times members stay below 2⁶⁴.
pub struct PrefixSums {
    axis: Axis,
    /// Fenwick's tree: entry i adds up the members whose labels are from i + 1 less its lowest set bit to i.
    tree: Vec<LabelSum>,
}

/// Number of some members, and the sum of their labels.
#[derive(Clone, Copy, Default)]
struct LabelSum {
    count: u64,
    sum: u64,
}

impl LabelSum {
    /// Computes Σ (x - from) over members x, all at `from` or above.
    fn hops_above(self, from: u64) -> u64 {
        self.sum - self.count * from
    }

    /// Computes Σ (to - x) over members x, all at `to` or below.
    fn hops_below(self, to: u64) -> u64 {
        self.count * to - self.sum
    }
}

impl Sub for LabelSum {
    type Output = LabelSum;

    fn sub(self, other: LabelSum) -> LabelSum {
        LabelSum {
            count: self.count - other.count,
            sum: self.sum - other.sum,
        }
    }
}

/// Adds `by` to a sum, or with `REMOVE` takes it away.
#[inline(always)]
pub fn change_sum<const REMOVE: bool>(sum: &mut u64, by: u64) {
    *sum = if REMOVE { *sum - by } else { *sum + by };
}

impl PrefixSums {
    /// Builds the tree of `counts[label]` members with each label. O(labels).
    pub fn new(axis: Axis, counts: &[u64]) -> Self {
        let labels = (0..).zip(counts).map(|(label, count)| LabelSum {
            count: *count,
            sum: label * count,
        });
        let mut tree: Vec<LabelSum> = labels.collect();
        for i in 0..tree.len() {
            let LabelSum { count, sum } = tree[i];
            if let Some(wider) = tree.get_mut(i | (i + 1)) {
                wider.count += count;
                wider.sum += sum;
            }
        }
        PrefixSums { axis, tree }
    }

    /// Adds a member, or with `REMOVE` takes one away. O(log labels).
    pub fn update<const REMOVE: bool>(&mut self, label: u32) {
        let mut i = label as usize;
        while let Some(entry) = self.tree.get_mut(i) {
            change_sum::<REMOVE>(&mut entry.count, 1);
            change_sum::<REMOVE>(&mut entry.sum, u64::from(label));
            i |= i + 1;
        }
    }

    /// Adds up the members with labels below `end`.
    fn sum_below(&self, end: u64) -> LabelSum {
        let mut found = LabelSum::default();
        let mut i = end as usize;
        while i > 0 {
            let entry = self.tree[i - 1];
            found.count += entry.count;
            found.sum += entry.sum;
            i &= i - 1;
        }
        found
    }

    /// Computes Σ over members of d(label, member), where a step along the axis is one hop. O(log labels).
    pub fn distance_sum(&self, label: u32) -> u64 {
        let n = u64::from(self.axis.extent);
        let at = u64::from(label);
        let all = self.sum_below(n);
        let low = self.sum_below(at);
        let high = all - low;
        match self.axis.shape {
            Shape::Clique => all.count - (self.sum_below(at + 1) - low).count,
            Shape::Path => low.hops_below(at) + high.hops_above(at),
            Shape::Ring => {
                // Members more than half a turn away are nearer the other way round.
                let half = n / 2;
                let far_low = self.sum_below(at.saturating_sub(half));
                let near_high = self.sum_below(n.min(at + half + 1)) - low;
                let far_high = high - near_high;
                let near = (low - far_low).hops_below(at) + near_high.hops_above(at);
                near + far_low.sum + far_low.count * (n - at) + far_high.hops_below(n + at)
            }
        }
    }
}
