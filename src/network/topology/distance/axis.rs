//! One axis of a product of networks: a path, a ring or a clique.
//!
//! ```text
//! path of 4   0 - 1 - 2 - 3      ring of 4   0 - 1 - 2 - 3      clique of 4   all six pairs linked
//!                                            '-----------'
//! ```

use std::collections::VecDeque;

/// Links of the routers along one axis, with the distance that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each router linked to the next: distance |a-b|.
    Path,
    /// A path closed to a ring: min(|a-b|, n-|a-b|).
    Ring,
    /// All pairs linked: distance 0 or 1.
    Clique,
}

/// One axis of a [`super::Product`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Number of routers along the axis, from 1.
    pub extent: u32,
    /// How the routers along the axis are linked.
    pub shape: Shape,
}

impl Axis {
    /// Creates an axis whose routers are all linked to each other.
    pub fn clique(extent: u32) -> Self {
        Axis {
            extent,
            shape: Shape::Clique,
        }
    }

    /// Computes the hops between two coordinates.
    #[inline]
    pub fn distance_between(self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        match self.shape {
            Shape::Path => apart,
            Shape::Ring => apart.min(self.extent - apart),
            Shape::Clique => u32::from(apart != 0),
        }
    }

    /// Computes the largest distance.
    pub fn diameter(self) -> u32 {
        match self.shape {
            Shape::Path => self.extent - 1,
            Shape::Ring => self.extent / 2,
            Shape::Clique => u32::from(self.extent > 1),
        }
    }

    /// Counts the links along one line of this axis.
    pub fn count_links(self) -> u64 {
        let n = u64::from(self.extent);
        match self.shape {
            // A ring of two has one link.
            Shape::Path | Shape::Ring if n <= 2 => n - 1,
            Shape::Path => n - 1,
            Shape::Ring => n,
            Shape::Clique => n * (n - 1) / 2,
        }
    }

    /// Computes the smallest and the largest number of links of a router along this axis.
    pub fn degree_range(self) -> (u32, u32) {
        let n = self.extent;
        match self.shape {
            Shape::Path | Shape::Ring if n <= 2 => (n - 1, n - 1),
            Shape::Path => (1, 2),
            Shape::Ring => (2, 2),
            Shape::Clique => (n - 1, n - 1),
        }
    }

    /// Sums `count[a]·count[b]·d(a,b)` over unordered pairs of coordinates. O(extent).
    ///
    /// A path is the sum of its n-1 cuts; a ring is half the sum of the n cuts between an arc of ⌊n/2⌋
    /// routers and the rest: two routers d apart are on different sides of exactly 2d of them.
    pub fn pair_sum(self, count: &[u64]) -> u128 {
        let all: u128 = count.iter().map(|c| u128::from(*c)).sum();
        match self.shape {
            Shape::Path => {
                let mut sum = 0;
                let mut before = 0;
                for c in count {
                    before += u128::from(*c);
                    sum += before * (all - before);
                }
                sum
            }
            Shape::Clique => {
                let same: u128 = count.iter().map(|c| u128::from(*c) * u128::from(*c)).sum();
                (all * all - same) / 2
            }
            Shape::Ring => {
                let n = count.len();
                let half = n / 2;
                let mut arc: u128 = count[..half].iter().map(|c| u128::from(*c)).sum();
                let mut sum = 0;
                for t in 0..n {
                    sum += arc * (all - arc);
                    arc = arc + u128::from(count[(t + half) % n]) - u128::from(count[t]);
                }
                sum / 2
            }
        }
    }

    /// Computes [`Axis::pair_sum`] of the same `count` at every coordinate. O(1).
    pub fn even_pair_sum(self, count: u64) -> u128 {
        let n = u128::from(self.extent);
        let sum = match self.shape {
            Shape::Path => n * (n * n - 1) / 6,
            Shape::Clique => n * (n - 1) / 2,
            // n ⌊n²/4⌋ over ordered pairs.
            Shape::Ring => n * (n * n / 4) / 2,
        };
        u128::from(count) * u128::from(count) * sum
    }

    /// Counts the ordered pairs of coordinates by distance, each with itself included. O(diameter).
    pub fn count_ordered_pairs(self) -> Vec<u128> {
        let n = u128::from(self.extent);
        let mut pairs = vec![n];
        for d in 1..=u128::from(self.diameter()) {
            pairs.push(match self.shape {
                Shape::Path => 2 * (n - d),
                Shape::Clique => n * (n - 1),
                // Both ways round are the same across an even ring.
                Shape::Ring if d * 2 == n => n,
                Shape::Ring => 2 * n,
            });
        }
        pairs
    }

    /// Fills `out[x]` with the largest `values[y] + d(x,y)` over all y, in O(extent): running maxima on paths,
    /// the best two on cliques, sliding windows of half a turn on rings.
    pub(super) fn fill_farthest(self, values: &[i32], out: &mut [i32]) {
        let n = values.len();
        match self.shape {
            Shape::Path => {
                let mut best = NO_NODE;
                for x in 0..n {
                    best = (best + 1).max(values[x]);
                    out[x] = best;
                }
                best = NO_NODE;
                for x in (0..n).rev() {
                    best = (best + 1).max(values[x]);
                    out[x] = out[x].max(best);
                }
            }
            Shape::Clique => {
                let top = (0..n).max_by_key(|x| values[*x]).unwrap_or(0);
                let others = (0..n).filter(|x| *x != top).map(|x| values[x]).max();
                for x in 0..n {
                    let away = if x == top {
                        others.unwrap_or(NO_NODE)
                    } else {
                        values[top]
                    };
                    out[x] = values[x].max(away + 1);
                }
            }
            Shape::Ring => fill_farthest_on_ring(values, out),
        }
    }
}

/// Fills `out` as [`Axis::fill_farthest`] does, on a ring: walks around it once in each direction, with a sliding window
/// over the last half turn.
fn fill_farthest_on_ring(values: &[i32], out: &mut [i32]) {
    let n = values.len();
    let half = n / 2;
    out.fill(NO_NODE);
    // Steps of the window whose values no later one reaches, so that the front is the largest.
    let mut window = VecDeque::new();
    for backwards in [false, true] {
        window.clear();
        for step in n - half..2 * n {
            let walked = if backwards { 2 * n - 1 - step } else { step };
            let x = walked % n;
            // Less the step: each step adds a hop to all in the window, so that these differences stay.
            let value = i64::from(values[x]) - step as i64;
            while window.back().is_some_and(|(_, v)| *v <= value) {
                window.pop_back();
            }
            window.push_back((step, value));
            while window.front().is_some_and(|(s, _)| s + half < step) {
                window.pop_front();
            }
            // The steps before a full turn only fill the window.
            if let Some((_, best)) = window.front()
                && step >= n
            {
                out[x] = out[x].max((best + step as i64) as i32);
            }
        }
    }
}

/// Value of coordinates without a node in [`Axis::fill_farthest`]: below all others, and no overflow when distances
/// are added.
pub const NO_NODE: i32 = i32::MIN / 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_axes_have_closed_forms() {
        for shape in [Shape::Path, Shape::Ring, Shape::Clique] {
            for extent in 1..40 {
                let axis = Axis { extent, shape };
                let counts = vec![3; extent as usize];
                assert_eq!(axis.even_pair_sum(3), axis.pair_sum(&counts), "{axis:?}");
                let mut pairs = vec![0; axis.diameter() as usize + 1];
                for a in 0..extent {
                    (0..extent).for_each(|b| pairs[axis.distance_between(a, b) as usize] += 1);
                }
                assert_eq!(axis.count_ordered_pairs(), pairs, "{axis:?}");
            }
        }
        // Σ d over unordered pairs of a ring of n is n³/8.
        let ring = Axis {
            extent: 1 << 31,
            shape: Shape::Ring,
        };
        assert_eq!(ring.even_pair_sum(1), 1 << 90);
    }
}
