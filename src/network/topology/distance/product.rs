//! Distances on Cartesian products of paths, rings and cliques.

use super::axis::{Axis, NO_NODE, Shape};

/// A Cartesian product of paths, rings and cliques: the distance is the sum over axes. Routers are numbered
/// row-major, the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The axes, slowest first.
    pub axes: Vec<Axis>,
}

impl Product {
    /// Creates the product of axes of one shape, slowest first.
    pub fn of_shape(shape: Shape, extents: &[u32]) -> Self {
        Product {
            axes: extents
                .iter()
                .map(|&extent| Axis { extent, shape })
                .collect(),
        }
    }

    /// Computes the hops between two routers. O(axes).
    #[inline]
    pub fn distance_between(&self, mut a: u32, mut b: u32) -> u32 {
        let mut sum = 0;
        for axis in self.axes.iter().rev() {
            sum += axis.distance_between(a % axis.extent, b % axis.extent);
            a /= axis.extent;
            b /= axis.extent;
        }
        sum
    }

    /// Counts the routers.
    pub fn count_routers(&self) -> u64 {
        self.axes.iter().map(|a| u64::from(a.extent)).product()
    }

    /// Computes the largest distance between any two routers.
    pub fn diameter(&self) -> u32 {
        self.axes.iter().map(|a| a.diameter()).sum()
    }

    /// Computes the difference of router numbers for one step along axis `i`.
    pub fn stride(&self, i: usize) -> u32 {
        self.axes[i + 1..].iter().map(|a| a.extent).product()
    }

    /// Computes the coordinate of `router` along axis `i`.
    pub fn coordinate(&self, i: usize, router: u32) -> u32 {
        router / self.stride(i) % self.axes[i].extent
    }

    /// Counts the links of the whole network.
    pub fn count_links(&self) -> u64 {
        let routers = self.count_routers();
        self.axes
            .iter()
            .map(|a| routers / u64::from(a.extent) * a.count_links())
            .sum()
    }

    /// Computes the smallest and the largest number of links at a router.
    pub fn degree_range(&self) -> (u32, u32) {
        self.axes
            .iter()
            .map(|a| a.degree_range())
            .fold((0, 0), |(l, h), (a, b)| (l + a, h + b))
    }

    /// Visits every link `(u, v)` once, u < v, with its axis.
    pub fn for_each_link(&self, visit: &mut dyn FnMut(u32, u32, Axis)) {
        let routers = self.count_routers();
        for u in 0..routers {
            for (i, axis) in self.axes.iter().enumerate() {
                let stride = u64::from(self.stride(i));
                let n = u64::from(axis.extent);
                let x = u / stride % n;
                let mut to = |steps: u64| visit(u as u32, (u + steps * stride) as u32, *axis);
                match axis.shape {
                    Shape::Clique => (1..n - x).for_each(&mut to),
                    Shape::Path | Shape::Ring => {
                        if x + 1 < n {
                            to(1);
                        }
                        // The link that closes a ring; in a ring of two it is the one there already.
                        if axis.shape == Shape::Ring && x == 0 && n > 2 {
                            to(n - 1);
                        }
                    }
                }
            }
        }
    }

    /// Sums the distances over unordered node pairs, for `count[r]` nodes on router r.
    /// O(routers·axes).
    pub fn pair_sum(&self, count: &[u32]) -> u128 {
        let mut sum = 0;
        for (i, axis) in self.axes.iter().enumerate() {
            let stride = self.stride(i) as usize;
            let mut along = vec![0u64; axis.extent as usize];
            for (line, chunk) in count.chunks(stride).enumerate() {
                along[line % axis.extent as usize] +=
                    chunk.iter().map(|c| u64::from(*c)).sum::<u64>();
            }
            sum += axis.pair_sum(&along);
        }
        sum
    }

    /// Finds the largest distance between two routers that carry nodes: those with `count` above 0.
    ///
    /// The farthest distance from every router to the set is found axis by axis:
    /// `f(x) = max over y in the set of Σ d_i(x_i, y_i)` separates into one maximum an axis.
    /// O(routers·axes).
    pub fn occupied_diameter(&self, count: &[u32]) -> u32 {
        let mut far: Vec<i32> = count
            .iter()
            .map(|c| if *c > 0 { 0 } else { NO_NODE })
            .collect();
        let mut line = Vec::new();
        let mut reach = Vec::new();
        for (i, axis) in self.axes.iter().enumerate() {
            let stride = self.stride(i) as usize;
            let n = axis.extent as usize;
            reach.resize(n, 0);
            for block in far.chunks_mut(stride * n) {
                for offset in 0..stride {
                    line.clear();
                    line.extend((0..n).map(|x| block[offset + x * stride]));
                    // A line without nodes stays without, whatever is added to its `NO_NODE`.
                    if line.iter().any(|f| *f >= 0) {
                        axis.fill_farthest(&line, &mut reach);
                        (0..n).for_each(|x| block[offset + x * stride] = reach[x]);
                    }
                }
            }
        }
        let occupied = far.iter().zip(count).filter(|(_, c)| **c > 0);
        occupied.map(|(f, _)| *f).max().unwrap_or(0).max(0) as u32
    }
}
