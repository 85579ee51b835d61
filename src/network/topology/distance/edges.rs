//! Lower bound of the mean distance inside a small set of routers of a grid or torus, by the links inside it.
//!
//! Let a set have S routers and d axes. A line of the network with j of them, j > 0, has at most j-1 links inside the
//! set, or j where it is a full ring. So along axis a there are at most S - P(a) + S/n(a) links, where P(a) counts
//! the lines that are met: the projection of the set along a. The projections' product is at least S^(d-1) (Loomis &
//! Whitney, "An inequality related to the isoperimetric inequality", 1949), so their sum is at least d·S^(1-1/d).
//!
//! A router with g links inside the set has g others at distance 1, and the S-1-g nearest further ones at best. That
//! is convex in g, so the mean over all is at least what it is at the mean of g: twice the links over S.

use super::axis::{Axis, Shape};

/// Largest set for which this bound is computed: for larger sets the bound by entropy is higher.
const MAX_SIZE: usize = 4096;

/// Computes lower bounds of the mean distance over pairs of any S routers, for S = 2, 3, …, at most `largest`. Empty
/// where an axis is a clique of more than two. O((sum of the extents)²), and O(axes + log(diameter)) for each size.
pub fn bound_means_by_links(axes: &[Axis], largest: usize) -> Vec<f64> {
    if axes
        .iter()
        .any(|a| a.shape == Shape::Clique && a.extent > 2)
    {
        return Vec::new();
    }
    let dimensions = axes.len() as f64;
    let near = NearestRouters::new(axes);
    let mut means = Vec::new();
    for size in 2..=largest.min(MAX_SIZE) {
        let routers = size as f64;
        // Projections are whole numbers; the float's rounding must not lift their sum to the next one.
        let projections = (dimensions * routers.powf(1.0 - 1.0 / dimensions) - 1e-9).ceil();
        // Only rings of three or more have one link more than a path.
        let full: usize = axes
            .iter()
            .filter(|a| a.shape == Shape::Ring && a.extent > 2)
            .map(|a| size / a.extent as usize)
            .sum();
        let links = dimensions * routers - projections + full as f64;
        let inside = (2.0 * links / routers)
            .min(near.router_degree())
            .min(routers - 1.0);
        let outside = near.router_degree() - inside;
        means.push((near.sum_nearest(routers - 1.0 + outside) - outside) / (routers - 1.0));
    }
    means
}

/// Numbers of routers by distance from one router, on a torus that contains the axes.
struct NearestRouters {
    /// Number of routers within 1, 2, … hops, the one itself left out, and the sum of their distances.
    cumulative: Vec<(f64, f64)>,
}

impl NearestRouters {
    /// Counts the routers near one of them on the torus that holds the product of `axes`: each path as a part of a
    /// ring.
    fn new(axes: &[Axis]) -> Self {
        let mut shells = vec![1.0];
        for axis in axes {
            let extent = if axis.shape == Shape::Path {
                2 * axis.extent - 2
            } else {
                axis.extent
            };
            let ring = Axis {
                extent,
                shape: Shape::Ring,
            };
            let along = ring.count_ordered_pairs();
            let mut next = vec![0.0; shells.len() + along.len() - 1];
            for (h, count) in shells.iter().enumerate() {
                for (k, pairs) in along.iter().enumerate() {
                    next[h + k] += count * *pairs as f64 / f64::from(extent);
                }
            }
            shells = next;
        }
        let mut count = 0.0;
        let mut sum = 0.0;
        let mut within = Vec::with_capacity(shells.len());
        for (hops, shell) in shells.into_iter().enumerate().skip(1) {
            count += shell;
            sum += shell * hops as f64;
            within.push((count, sum));
        }
        NearestRouters { cumulative: within }
    }

    /// Looks up the number of neighbours of a router; 0 where there is one router.
    fn router_degree(&self) -> f64 {
        self.cumulative.first().map_or(0.0, |(count, _)| *count)
    }

    /// Sums the distances to the nearest `count` routers, linearly between whole numbers and beyond the last.
    fn sum_nearest(&self, count: f64) -> f64 {
        let hops = self
            .cumulative
            .partition_point(|(within, _)| *within < count);
        let (before, sum) = if hops == 0 {
            (0.0, 0.0)
        } else {
            self.cumulative[hops - 1]
        };
        sum + (count - before) * (hops + 1) as f64
    }
}
