//! Distances between the leaves of a tree.
//!
//! ```text
//! arity 2, 3          root            leaves 0 and 2: lowest common ancestor one level up, 2 hops
//!                  /        \         leaves 0 and 3: two levels up, 4 hops
//!               / | \      / | \
//!              0  1  2    3  4  5
//! ```

/// Leaves of a tree: the distance of two is twice the number of levels up to their lowest common ancestor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Number of children of a vertex at each level, from the root down; a leaf's digits in this mixed radix are
    /// the way down to it.
    pub arity: Vec<u32>,
}

impl Tree {
    /// Computes the hops between two leaves. O(levels).
    #[inline]
    pub fn distance_between(&self, mut a: u32, mut b: u32) -> u32 {
        let mut height = 0;
        let mut level = 0;
        for arity in self.arity.iter().rev() {
            level += 1;
            if a % arity != b % arity {
                height = level;
            }
            a /= arity;
            b /= arity;
        }
        2 * height
    }

    /// Counts the leaves.
    pub fn count_leaves(&self) -> u64 {
        self.arity.iter().map(|n| u64::from(*n)).product()
    }

    /// Computes the sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on leaf r.
    /// O(leaves·levels).
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let mut units: Vec<u64> = count.iter().map(|c| u64::from(*c)).collect();
        let mut sum = 0;
        let mut largest = 0;
        let mut below = count_pairs(&units);
        for (level, arity) in (1..).zip(self.arity.iter().rev()) {
            units = units
                .chunks(*arity as usize)
                .map(|c| c.iter().sum())
                .collect();
            let here = count_pairs(&units);
            // These pairs meet at this level and at none below.
            if here > below {
                largest = 2 * level;
                sum += u128::from(largest) * (here - below);
            }
            below = here;
        }
        (sum, largest)
    }
}

/// Counts the unordered pairs of nodes inside the same unit, from the number of nodes of each unit.
fn count_pairs(units: &[u64]) -> u128 {
    units
        .iter()
        .map(|m| u128::from(*m) * u128::from(m.saturating_sub(1)) / 2)
        .sum()
}
