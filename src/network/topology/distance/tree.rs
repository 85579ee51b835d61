//! Distances between the leaves of a tree.

/// Leaves of a tree: the distance of two is twice the number of levels below their lowest common ancestor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Children of a vertex at each level, from the root down; leaf index = mixed radix of these.
    pub arity: Vec<u32>,
}

impl Tree {
    /// Hops between two leaves. O(levels).
    #[inline]
    pub fn between(&self, mut a: u32, mut b: u32) -> u32 {
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

    /// Number of leaves.
    pub fn leaves(&self) -> u64 {
        self.arity.iter().map(|n| u64::from(*n)).product()
    }

    /// The largest distance between any two leaves.
    pub fn diameter(&self) -> u32 {
        match self.arity.iter().position(|n| *n > 1) {
            Some(top) => 2 * (self.arity.len() - top) as u32,
            None => 0,
        }
    }

    /// Sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on leaf r.
    /// O(leaves·levels).
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let mut units: Vec<u64> = count.iter().map(|c| u64::from(*c)).collect();
        let pairs = |units: &[u64]| -> u128 {
            units
                .iter()
                .map(|m| u128::from(*m) * u128::from(m.saturating_sub(1)) / 2)
                .sum()
        };
        let (mut sum, mut largest) = (0, 0);
        let mut below = pairs(&units);
        for (level, arity) in self.arity.iter().rev().enumerate() {
            units = units
                .chunks(*arity as usize)
                .map(|c| c.iter().sum())
                .collect();
            let here = pairs(&units);
            if here > below {
                largest = 2 * (level as u32 + 1);
                sum += u128::from(largest) * (here - below);
            }
            below = here;
        }
        (sum, largest)
    }
}
