//! One axis of a product of networks: a path, a ring or a clique.

/// How routers along one axis are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each to the next: distance |a-b|.
    Path,
    /// A path closed to a ring: min(|a-b|, n-|a-b|).
    Ring,
    /// All to all: 0 or 1.
    Clique,
}

/// One axis of a [`super::Product`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Routers along it.
    pub extent: u32,
    /// How they are linked.
    pub shape: Shape,
}

impl Axis {
    /// Hops between two coordinates.
    #[inline]
    pub fn between(self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        match self.shape {
            Shape::Path => apart,
            Shape::Ring => apart.min(self.extent - apart),
            Shape::Clique => u32::from(apart != 0),
        }
    }

    /// The largest distance.
    pub fn diameter(self) -> u32 {
        match self.shape {
            Shape::Path => self.extent - 1,
            Shape::Ring => self.extent / 2,
            Shape::Clique => u32::from(self.extent > 1),
        }
    }

    /// Links along one line of this axis.
    pub fn links(self) -> u64 {
        let n = u64::from(self.extent);
        match self.shape {
            // A ring of two has one link.
            Shape::Path | Shape::Ring if n <= 2 => n - 1,
            Shape::Path => n - 1,
            Shape::Ring => n,
            Shape::Clique => n * (n - 1) / 2,
        }
    }

    /// Smallest and largest number of links of a router along this axis.
    pub fn degrees(self) -> (u32, u32) {
        let n = self.extent;
        match self.shape {
            Shape::Path | Shape::Ring if n <= 2 => (n - 1, n - 1),
            Shape::Path => (1, 2),
            Shape::Ring => (2, 2),
            Shape::Clique => (n - 1, n - 1),
        }
    }

    /// Σ over unordered pairs of `count[a]·count[b]·d(a,b)`. O(extent).
    ///
    /// A path is the sum of its n-1 cuts; a ring is half the sum of the n cuts between an arc of ⌊n/2⌋
    /// routers and the rest: two routers d apart are on different sides of exactly 2d of them.
    pub fn pair_sum(self, count: &[u64]) -> u128 {
        let all: u128 = count.iter().map(|c| u128::from(*c)).sum();
        match self.shape {
            Shape::Path => {
                let mut before = 0;
                count.iter().fold(0, |sum, c| {
                    before += u128::from(*c);
                    sum + before * (all - before)
                })
            }
            Shape::Clique => {
                let same: u128 = count.iter().map(|c| u128::from(*c) * u128::from(*c)).sum();
                (all * all - same) / 2
            }
            Shape::Ring => {
                let (n, half) = (count.len(), count.len() / 2);
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

    /// [`Axis::pair_sum`] of the same `count` at every coordinate. O(1).
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

    /// Ordered pairs of coordinates by distance, each with itself included. O(diameter).
    pub fn ordered_pairs(self) -> Vec<u128> {
        let n = u128::from(self.extent);
        let pairs = |d: u32| match (d, self.shape) {
            (0, _) => n,
            (_, Shape::Path) => 2 * (n - u128::from(d)),
            (_, Shape::Clique) => n * (n - 1),
            // Both ways round are the same across an even ring.
            (_, Shape::Ring) if u128::from(d) * 2 == n => n,
            (_, Shape::Ring) => 2 * n,
        };
        (0..=self.diameter()).map(pairs).collect()
    }

    /// `out[x] = max over y of values[y] + d(x,y)`, in O(extent): running maxima on paths, the best two
    /// on cliques, sliding windows of half a turn on rings.
    pub(super) fn farthest(self, values: &[i32], out: &mut [i32]) {
        let n = values.len();
        match self.shape {
            Shape::Path => {
                let mut best = NOWHERE;
                for x in 0..n {
                    best = (best + 1).max(values[x]);
                    out[x] = best;
                }
                best = NOWHERE;
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
                        others.unwrap_or(NOWHERE)
                    } else {
                        values[top]
                    };
                    out[x] = values[x].max(away + 1);
                }
            }
            Shape::Ring => {
                // Clockwise and counter-clockwise reach: y from x-⌊n/2⌋ to x, and the mirror image.
                let half = n / 2;
                out.fill(NOWHERE);
                let mut window = std::collections::VecDeque::new();
                for mirrored in [false, true] {
                    let at = |step: usize| {
                        if mirrored {
                            (2 * n - 1 - step) % n
                        } else {
                            step % n
                        }
                    };
                    window.clear();
                    for step in n - half..2 * n {
                        let value = i64::from(values[at(step)]) - step as i64;
                        while window.back().is_some_and(|(_, v)| *v <= value) {
                            window.pop_back();
                        }
                        window.push_back((step, value));
                        while window.front().is_some_and(|(s, _)| s + half < step) {
                            window.pop_front();
                        }
                        if let (true, Some((_, best))) = (step >= n, window.front()) {
                            let x = at(step);
                            out[x] = out[x].max((best + step as i64) as i32);
                        }
                    }
                }
            }
        }
    }
}

/// Value of cells without a node in [`Axis::farthest`]: below all others, and no overflow when distances are added.
pub(super) const NOWHERE: i32 = i32::MIN / 2;

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
                    (0..extent).for_each(|b| pairs[axis.between(a, b) as usize] += 1);
                }
                assert_eq!(axis.ordered_pairs(), pairs, "{axis:?}");
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
