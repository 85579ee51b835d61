//! One route for each pair of routers, for programs that take a single path.
//!
//! Grids and their like: dimension by dimension, dimension 0 first, the shorter way round; of two equal ways
//! round a ring, up from even coordinates and down from odd ones, so that both directions are used alike.
//! Elsewhere: a shortest path that goes, at every router, to one of the neighbours nearer to the target,
//! chosen by the target's number. The first are paths of the routing `dimension-order`, the others of
//! `ecmp-path` and `ecmp-hop`.

use crate::error::Result;
use crate::ids::RouterId;
use crate::topology::distance::{Axis, Product, Shape};
use crate::topology::{Metric, RouterGraph, Topology};

/// Finds routes, target by target.
pub(super) struct Routes<'t> {
    graph: &'t RouterGraph,
    grid: Option<&'t Product>,
    hops: Vec<u32>,
    queue: Vec<u32>,
    target: u32,
}

impl<'t> Routes<'t> {
    /// Of a machine.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the router graph does not fit.
    pub(super) fn new(topology: &'t Topology) -> Result<Self> {
        let graph = topology.graph()?;
        let grid = match topology.metric() {
            Metric::Product(product) => Some(product),
            _ => None,
        };
        Ok(Routes { graph, grid, hops: Vec::new(), queue: Vec::new(), target: u32::MAX })
    }

    /// Puts the routers of the route into `path`, both ends included.
    ///
    /// # Complexity
    /// O(hops·degree); a search of the whole graph where `target` is another than before and there is no grid.
    pub(super) fn path(&mut self, source: u32, target: u32, path: &mut Vec<u32>) {
        path.clear();
        path.push(source);
        if let Some(grid) = self.grid {
            return by_dimension(grid, target, path);
        }
        if self.target != target || self.hops.is_empty() {
            self.hops.resize(self.graph.router_count(), 0);
            self.graph.fill_hops(RouterId(target), &mut self.hops, &mut self.queue);
            self.target = target;
        }
        let mut at = source;
        while at != target {
            let hop = self.hops[at as usize];
            let nearer = |v: &&u32| self.hops[**v as usize] + 1 == hop;
            let neighbours = self.graph.neighbours(RouterId(at));
            let count = neighbours.iter().filter(nearer).count();
            // A connected network always has one nearer neighbour.
            let Some(next) = neighbours.iter().filter(nearer).nth(target as usize % count.max(1))
            else {
                return;
            };
            at = *next;
            path.push(at);
        }
    }
}

fn by_dimension(grid: &Product, target: u32, path: &mut Vec<u32>) {
    for (i, axis) in grid.axes.iter().enumerate() {
        let stride = grid.stride(i);
        let Some(&start) = path.last() else { return };
        let (a, b) = (grid.coordinate(i, start), grid.coordinate(i, target));
        let base = start - a * stride;
        let mut at = a;
        while at != b {
            at = step(*axis, a, at, b);
            path.push(base + at * stride);
        }
    }
}

/// The coordinate after `at` on the way from `a` to `b`.
fn step(axis: Axis, a: u32, at: u32, b: u32) -> u32 {
    let n = axis.extent;
    match axis.shape {
        Shape::Clique => b,
        Shape::Path if b > a => at + 1,
        Shape::Path => at - 1,
        Shape::Ring => {
            let (up, down) = ((b + n - a) % n, (a + n - b) % n);
            let upwards = up < down || (up == down && a.is_multiple_of(2));
            if upwards { (at + 1) % n } else { (at + n - 1) % n }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::topology::Context;

    #[test]
    fn routes_are_shortest_walks_along_links() {
        for spec in [
            "torus:6x5",
            "torus:4x4x2",
            "mesh:3x4",
            "hyperx:3x4",
            "grid:4x6,wrap=01",
            "fat-tree:k=4",
            "dragonfly:p=1,a=4,h=2",
            "cascade:3x2x3",
            "random-regular:n=20,d=3",
        ] {
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let graph = machine.graph().unwrap();
            let mut routes = Routes::new(&machine).unwrap();
            let per = machine.network().per_router();
            let mut path = Vec::new();
            for target in 0..machine.network().hosts() {
                for source in 0..machine.network().hosts() {
                    routes.path(source, target, &mut path);
                    assert_eq!((path[0], path[path.len() - 1]), (source, target), "{spec}");
                    let joined = |w: &[u32]| graph.neighbours(RouterId(w[0])).contains(&w[1]);
                    assert!(path.windows(2).all(joined), "{spec}: {path:?}");
                    let hops = machine.distance(NodeId(source * per), NodeId(target * per));
                    assert_eq!(path.len() as u32 - 1, hops, "{spec}: {path:?}");
                }
            }
        }
    }

    /// Over all pairs of an even ring both directions carry the same.
    #[test]
    fn ties_use_both_directions() {
        let ring = Topology::inline("torus:8", &Context::default()).unwrap();
        let mut routes = Routes::new(&ring).unwrap();
        let mut path = Vec::new();
        let mut up = 0i32;
        for a in 0..8 {
            for b in 0..8 {
                routes.path(a, b, &mut path);
                for w in path.windows(2) {
                    up += if w[1] == (w[0] + 1) % 8 { 1 } else { -1 };
                }
            }
        }
        assert_eq!(up, 0);
    }
}
