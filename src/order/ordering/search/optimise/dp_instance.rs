//! An instance of the dynamic program: distances, weights and the keys of states.
//!
//! In a word, a state's key is
//!
//! ```text
//! | first K elements (on rings), the first lowest | last K elements, the latest lowest | set of elements |
//! ```

use super::anneal_rng::AnnealRng;
use super::symmetry::{Permutation, Symmetry};

/// Largest number of elements: their set has to leave half of a key to the last elements.
pub const MAX_ELEMENTS: usize = 32;

/// An instance of the dynamic program.
pub struct DynamicProgram {
    pub n: usize,
    /// Weight of each lag up to K, from lag 0, which has none.
    pub lag: Vec<i64>,
    pub ring: bool,
    /// Bits of an element's number in a key.
    pub bits: usize,
    /// Longest lag that has a weight, K.
    pub window: usize,
    pub symmetry: Symmetry,
    /// Distances of all pairs, row by row.
    pub distance: Vec<i64>,
}

impl DynamicProgram {
    /// Looks up the distance between two elements.
    pub fn distance_between(&self, a: usize, b: usize) -> i64 {
        self.distance[a * self.n + b]
    }

    /// Looks up the weight of a pair of ranks.
    fn weight_between(&self, a: usize, b: usize) -> i64 {
        let apart = a.abs_diff(b);
        let lag = if self.ring {
            apart.min(self.n - apart)
        } else {
            apart
        };
        self.lag.get(lag).copied().unwrap_or(0)
    }

    /// Computes the objective of a whole order.
    pub fn objective_of(&self, order: &[u32]) -> i64 {
        let mut sum = 0;
        for b in 0..order.len() {
            for a in 0..b {
                sum += self.weight_between(a, b)
                    * self.distance_between(order[a] as usize, order[b] as usize);
            }
        }
        sum
    }

    /// Improves `best` by exchanges, insertions and reversals as long as they gain, in `rounds` descents; all but the
    /// first begin at a shuffle of the best order.
    pub fn search_locally(&self, best: &mut Vec<u32>, rounds: usize) {
        let mut rng = AnnealRng::new(1, 77);
        let mut least = self.objective_of(best);
        let mut order = best.clone();
        for _ in 0..rounds {
            let value = self.descend_locally(&mut order);
            if value < least {
                least = value;
                best.clone_from(&order);
            }
            order.clone_from(best);
            // A few long reversals leave the basin of the last descent, and keep most neighbours together.
            for _ in 0..4 {
                let a = rng.random_below(self.n);
                let b = rng.random_below(self.n);
                order[a.min(b)..=a.max(b)].reverse();
            }
        }
    }

    /// Makes moves that gain until there is none, and returns the objective reached.
    fn descend_locally(&self, order: &mut [u32]) -> i64 {
        let mut value = self.objective_of(order);
        let mut gained = true;
        while gained {
            gained = false;
            for a in 0..self.n {
                for b in a + 1..self.n {
                    let undo = order.to_vec();
                    for kind in 0..4 {
                        match kind {
                            0 => order.swap(a, b),
                            1 => order[a..=b].reverse(),
                            2 => order[a..=b].rotate_left(1),
                            _ => order[a..=b].rotate_right(1),
                        }
                        let now = self.objective_of(order);
                        if now < value {
                            value = now;
                            gained = true;
                            break;
                        }
                        order.copy_from_slice(&undo);
                    }
                }
            }
        }
        value
    }

    /// Computes the code of the `count` latest elements of a state, the latest lowest, in base n.
    pub fn code_of_latest(&self, key: u64, count: usize) -> usize {
        let mut latest = key >> self.n;
        let mut code = 0;
        let mut digit = 1;
        for _ in 0..count {
            code += (latest & self.element_mask()) as usize * digit;
            digit *= self.n;
            latest >>= self.bits;
        }
        code
    }

    /// Permutes a state so that its latest elements are the first tuple of their class; returns the new key and the
    /// permutation's number.
    pub fn permute_to_first(&self, key: u64, placed: usize) -> (u64, u16) {
        let known = placed.min(self.window);
        let length = known.min(self.symmetry.longest_tuple_length());
        let code = self.code_of_latest(key, length);
        let number = self.symmetry.permutation_to_first(length, code);
        if number == 0 {
            return (key, 0);
        }
        let permutation = self.symmetry.permutation(number);
        let mut set = key & ((1 << self.n) - 1);
        let mut permuted = 0;
        while set != 0 {
            permuted |= 1u64 << permutation[set.trailing_zeros() as usize];
            set &= set - 1;
        }
        permuted |= self.permute_digits(key, self.n, known, permutation);
        if self.ring {
            let firsts = self.n + self.window * self.bits;
            permuted |= self.permute_digits(key, firsts, known, permutation);
        }
        (permuted, number)
    }

    /// Permutes `count` elements of a key, the lowest at bit `begin`, where they stand.
    #[inline]
    fn permute_digits(
        &self,
        key: u64,
        begin: usize,
        count: usize,
        permutation: &Permutation,
    ) -> u64 {
        let mut permuted = 0;
        let mut shift = begin;
        for _ in 0..count {
            let element = (key >> shift & self.element_mask()) as usize;
            permuted |= u64::from(permutation[element]) << shift;
            shift += self.bits;
        }
        permuted
    }

    /// Makes a mask of the bits that an element's number takes at the low end of a word.
    pub fn element_mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Computes the key after `v` is placed at rank `placed`.
    pub fn extend_key(&self, before: u64, v: usize, placed: usize) -> u64 {
        let width = self.window * self.bits;
        let set = before & ((1 << self.n) - 1) | 1 << v;
        let latest = (before >> self.n << self.bits | v as u64) & ((1 << width) - 1);
        let mut key = set | latest << self.n;
        if self.ring {
            let mut firsts = before >> (self.n + width);
            if placed < self.window {
                firsts |= (v as u64) << (placed * self.bits);
            }
            key |= firsts << (self.n + width);
        }
        key
    }

    /// Computes the price of the pairs that `v` at rank `placed` makes with the elements before it.
    pub fn added_cost(&self, key: u64, placed: usize, v: usize) -> i64 {
        let mut latest = key >> self.n;
        let mut sum = 0;
        for lag in 1..=self.window.min(placed) {
            let element = (latest & self.element_mask()) as usize;
            sum += self.weight_between(0, lag) * self.distance_between(v, element);
            latest >>= self.bits;
        }
        if self.ring {
            let mut firsts = key >> (self.n + self.window * self.bits);
            for rank in 0..self.window.min(placed) {
                // Those within the window backwards are counted already.
                if placed - rank > self.window {
                    let element = (firsts & self.element_mask()) as usize;
                    sum += self.weight_between(rank, placed) * self.distance_between(v, element);
                }
                firsts >>= self.bits;
            }
        }
        sum
    }
}
