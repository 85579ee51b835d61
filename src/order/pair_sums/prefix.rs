//! Sums of distances to a multiset of labels on long paths and rings in O(log labels): prefix sums in a tree.
//!
//! # References
//! Fenwick, "A new data structure for cumulative frequency tables", 1994,
//! <https://doi.org/10.1002/spe.4380240306>.

use nodeorder_network::topology::distance::{Axis, Shape};

/// A multiset of labels of a path or ring. Labels times members stay below 2⁶⁴.
pub(super) struct Prefixes {
    axis: Axis,
    /// Fenwick's tree: entry i adds up the members whose labels are from i + 1 less its lowest set bit to i.
    tree: Vec<Members>,
}

/// Number of members, and the sum of their labels.
#[derive(Clone, Copy, Default)]
struct Members {
    count: u64,
    sum: u64,
}

impl Members {
    fn less(self, other: Members) -> Members {
        Members {
            count: self.count - other.count,
            sum: self.sum - other.sum,
        }
    }

    /// Σ (x - from) over members x.
    fn above(self, from: u64) -> u64 {
        self.sum - self.count * from
    }

    /// Σ (to - x) over members x.
    fn below(self, to: u64) -> u64 {
        self.count * to - self.sum
    }
}

impl Prefixes {
    /// `counts[label]` members with each label. O(labels).
    pub(super) fn of(axis: Axis, counts: &[u64]) -> Self {
        let members = |(label, count): (u64, &u64)| Members {
            count: *count,
            sum: label * count,
        };
        let mut tree: Vec<Members> = (0..).zip(counts).map(members).collect();
        for i in 0..tree.len() {
            let Members { count, sum } = tree[i];
            if let Some(wider) = tree.get_mut(i | (i + 1)) {
                wider.count += count;
                wider.sum += sum;
            }
        }
        Prefixes { axis, tree }
    }

    /// Adds a member, or with `REMOVE` takes one away. O(log labels).
    pub(super) fn update<const REMOVE: bool>(&mut self, label: u32) {
        let step = |sum: &mut u64, d: u64| *sum = if REMOVE { *sum - d } else { *sum + d };
        let mut i = label as usize;
        while let Some(members) = self.tree.get_mut(i) {
            step(&mut members.count, 1);
            step(&mut members.sum, u64::from(label));
            i |= i + 1;
        }
    }

    /// The members with labels below `end`.
    fn before(&self, end: u64) -> Members {
        let (mut found, mut i) = (Members::default(), end as usize);
        while i > 0 {
            let members = self.tree[i - 1];
            found.count += members.count;
            found.sum += members.sum;
            i &= i - 1;
        }
        found
    }

    /// Σ over members of d(label, member), where a step along the axis is one hop. O(log labels).
    pub(super) fn sum(&self, label: u32) -> u64 {
        let (n, at) = (u64::from(self.axis.extent), u64::from(label));
        let (all, low) = (self.before(n), self.before(at));
        let high = all.less(low);
        match self.axis.shape {
            Shape::Clique => all.count - self.before(at + 1).less(low).count,
            Shape::Path => low.below(at) + high.above(at),
            Shape::Ring => {
                // Members more than half a turn away are nearer the other way round.
                let half = n / 2;
                let far_low = self.before(at.saturating_sub(half));
                let near_high = self.before(n.min(at + half + 1)).less(low);
                let far_high = high.less(near_high);
                let near = low.less(far_low).below(at) + near_high.above(at);
                near + far_low.sum + far_low.count * (n - at) + far_high.below(n + at)
            }
        }
    }
}
