//! The router graph: petgraph's compressed adjacency, built from a network's links on demand.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use petgraph::Directed;
use petgraph::csr::Csr;

use super::{Context, Network};
use crate::error::Result;
use crate::ids::RouterId;

/// Distance of a router that cannot be reached.
pub const UNREACHED: u32 = u32::MAX;

/// Routers and links: every link stands in both directions, with its capacity and what a hop over it counts.
#[derive(Debug)]
pub struct RouterGraph {
    arcs: Csr<(), f64, Directed, u32>,
    /// Where hops do not all count 1.
    weights: Option<Weights>,
    /// Made when first asked for.
    rows: OnceLock<Rows>,
}

/// What a hop over each arc counts.
#[derive(Debug)]
struct Weights {
    /// Where the arcs of each router begin, and the end.
    first: Vec<usize>,
    all: Vec<u32>,
}

/// Routers and links without capacities, under numbers of their own: rows.
#[derive(Debug)]
pub struct Rows {
    /// The row of every router.
    of: Vec<u32>,
    /// The rows linked to row r are `linked[starts[r]..starts[r + 1]]`.
    starts: Vec<u32>,
    linked: Vec<u32>,
}

impl Rows {
    /// The row of a router.
    #[inline]
    pub fn of(&self, router: RouterId) -> usize {
        self.of[router.index()] as usize
    }

    /// The rows linked to a row.
    #[inline]
    pub fn linked(&self, row: usize) -> &[u32] {
        &self.linked[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

impl RouterGraph {
    /// Collects the links of `network`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the adjacency would not fit.
    ///
    /// # Complexity
    /// O(links · log links) time, 56 bytes a link while building, 24 after, 8 more with [`RouterGraph::rows`].
    pub fn build(network: &Network, context: &Context) -> Result<Self> {
        let (routers, links) = (network.routers(), network.link_count());
        context.require("the router graph", 64 * links + 28 * u64::from(routers))?;
        if let Some(weights) = network.link_weights() {
            let (mut arcs, mut weights) = (Vec::with_capacity(2 * links as usize), weights.iter());
            network.for_each_link(&mut |u, v, capacity| {
                let weight = weights.next().copied().unwrap_or(1);
                arcs.push((u, v, capacity, weight));
                arcs.push((v, u, capacity, weight));
            });
            return Ok(RouterGraph::from_weighted(routers, arcs));
        }
        let mut arcs = Vec::with_capacity(2 * links as usize);
        network.for_each_link(&mut |u, v, capacity| {
            arcs.push((u, v, capacity));
            arcs.push((v, u, capacity));
        });
        Ok(RouterGraph::from_arcs(routers, arcs))
    }

    /// From arcs in both directions, in any order, each once.
    pub(crate) fn from_arcs(routers: u32, mut arcs: Vec<(u32, u32, f64)>) -> Self {
        arcs.sort_unstable_by_key(|(u, v, _)| (*u, *v));
        // petgraph takes the node count from the largest index: isolated routers at the end are added.
        let mut csr: Csr<(), f64, Directed, u32> = if arcs.is_empty() {
            Csr::with_nodes(0)
        } else {
            Csr::from_sorted_edges(&arcs).expect("networks visit every pair of routers once")
        };
        while csr.node_count() < routers as usize {
            csr.add_node(());
        }
        RouterGraph { arcs: csr, weights: None, rows: OnceLock::new() }
    }

    /// From arcs in both directions with their capacities and weights, in any order, each once.
    fn from_weighted(routers: u32, mut arcs: Vec<(u32, u32, f64, u32)>) -> Self {
        arcs.sort_unstable_by_key(|(u, v, ..)| (*u, *v));
        let first = |router| arcs.partition_point(|(u, ..)| *u < router);
        let weights = Weights {
            first: (0..=routers).map(first).collect(),
            all: arcs.iter().map(|(.., weight)| *weight).collect(),
        };
        let plain = arcs.into_iter().map(|(u, v, capacity, _)| (u, v, capacity)).collect();
        RouterGraph { weights: Some(weights), ..RouterGraph::from_arcs(routers, plain) }
    }

    /// Whether hops over some links do not count 1.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// What a hop over each link of `router` counts, in the order of [`RouterGraph::neighbours`].
    pub fn weights(&self, router: RouterId) -> impl Iterator<Item = u32> + '_ {
        let count = self.neighbours(router).len();
        let first = self.weights.as_ref().map_or(0, |w| w.first[router.index()]);
        (first..first + count).map(|i| self.weights.as_ref().map_or(1, |w| w.all[i]))
    }

    /// The shortest ways from one router to all, as `distance · 2³² + links`, `u64::MAX` where there is no path: of
    /// ways of the same distance, those over the fewest links. `queue` gets the routers reached, nearest first.
    ///
    /// # Complexity
    /// O(links · log routers).
    pub(crate) fn fill_ways(&self, from: RouterId, ways: &mut [u64], queue: &mut Vec<u32>) {
        ways.fill(u64::MAX);
        ways[from.index()] = 0;
        queue.clear();
        let mut heap = BinaryHeap::from([Reverse((0, from.0))]);
        while let Some(Reverse((way, u))) = heap.pop() {
            if way > ways[u as usize] {
                continue;
            }
            queue.push(u);
            let u = RouterId(u);
            for (v, weight) in self.neighbours(u).iter().zip(self.weights(u)) {
                let longer = way + step(weight);
                if longer < ways[*v as usize] {
                    ways[*v as usize] = longer;
                    heap.push(Reverse((longer, *v)));
                }
            }
        }
    }

    /// Number of routers.
    pub fn router_count(&self) -> usize {
        self.arcs.node_count()
    }

    /// Number of links, each counted once.
    pub fn link_count(&self) -> usize {
        self.arcs.edge_count() / 2
    }

    /// The routers linked to `router`, ascending.
    pub fn neighbours(&self, router: RouterId) -> &[u32] {
        self.arcs.neighbors_slice(router.0)
    }

    /// The graph with its routers numbered as a breadth-first search meets them, from router 0 and, where that leaves
    /// some out, from the lowest of those; or as they are, where linked routers are nearer to each other so. O(routers +
    /// links), 8 bytes a link and 12 a router, once.
    pub fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| {
            let n = self.router_count() as u32;
            let mut of = vec![u32::MAX; n as usize];
            let mut met = Vec::with_capacity(n as usize);
            for root in 0..n {
                let mut next = met.len();
                if of[root as usize] == u32::MAX {
                    of[root as usize] = met.len() as u32;
                    met.push(root);
                }
                while let Some(&u) = met.get(next) {
                    next += 1;
                    for v in self.arcs.neighbors_slice(u) {
                        if of[*v as usize] == u32::MAX {
                            of[*v as usize] = met.len() as u32;
                            met.push(*v);
                        }
                    }
                }
            }
            let apart = |number: &dyn Fn(u32) -> u32| -> u64 {
                let links = (0..n).map(|u| {
                    let ends = self.arcs.neighbors_slice(u).iter();
                    ends.map(|v| u64::from(number(u).abs_diff(number(*v)))).sum::<u64>()
                });
                links.sum()
            };
            if apart(&|u| u) <= apart(&|u| of[u as usize]) {
                (0..n).for_each(|u| (of[u as usize], met[u as usize]) = (u, u));
            }
            let (mut starts, mut linked) = (vec![0], Vec::new());
            for u in met {
                linked.extend(self.arcs.neighbors_slice(u).iter().map(|v| of[*v as usize]));
                starts.push(linked.len() as u32);
            }
            Rows { of, starts, linked }
        })
    }

    /// The capacities of the links of `router`, in the order of [`RouterGraph::neighbours`].
    pub fn capacities(&self, router: RouterId) -> &[f64] {
        self.arcs.edges_slice(router.0)
    }

    /// Hops from one router to all, [`UNREACHED`] where there is no path. O(routers + links).
    pub fn hops_from(&self, from: RouterId) -> Vec<u32> {
        let mut hops = vec![UNREACHED; self.router_count()];
        let mut queue = Vec::new();
        self.fill_hops(from, &mut hops, &mut queue);
        hops
    }

    /// As [`RouterGraph::hops_from`], into buffers kept by the caller. Returns how many were reached.
    pub fn fill_hops(&self, from: RouterId, hops: &mut [u32], queue: &mut Vec<u32>) -> usize {
        if self.is_weighted() {
            let mut ways = vec![0; hops.len()];
            self.fill_ways(from, &mut ways, queue);
            hops.iter_mut().zip(ways).for_each(|(hop, way)| *hop = (way >> 32) as u32);
            return queue.len();
        }
        hops.fill(UNREACHED);
        hops[from.index()] = 0;
        queue.clear();
        queue.push(from.0);
        let mut next = 0;
        while let Some(&u) = queue.get(next) {
            next += 1;
            let hop = hops[u as usize] + 1;
            for &v in self.arcs.neighbors_slice(u) {
                if hops[v as usize] == UNREACHED {
                    hops[v as usize] = hop;
                    queue.push(v);
                }
            }
        }
        next
    }

    /// Whether every router reaches every other.
    pub fn is_connected(&self) -> bool {
        self.components() <= 1
    }

    /// How many pieces there are that no path joins.
    pub fn components(&self) -> usize {
        petgraph::algo::connected_components(&self.arcs)
    }

    /// The graph of some of the routers, given ascending and numbered by their positions.
    pub fn induced(&self, routers: &[u32]) -> RouterGraph {
        let (mut arcs, mut weights) = (Vec::new(), Vec::new());
        for (from, router) in (0..).zip(routers) {
            let router = RouterId(*router);
            let neighbours = self.neighbours(router).iter().zip(self.capacities(router));
            for ((to, capacity), weight) in neighbours.zip(self.weights(router)) {
                if let Ok(to) = routers.binary_search(to) {
                    arcs.push((from, to as u32, *capacity));
                    weights.push(weight);
                }
            }
        }
        let routers = routers.len() as u32;
        if self.is_weighted() {
            let weighted = arcs.into_iter().zip(weights).map(|((u, v, c), w)| (u, v, c, w));
            return RouterGraph::from_weighted(routers, weighted.collect());
        }
        RouterGraph::from_arcs(routers, arcs)
    }
}

/// What one link of this weight adds to a way, as [`RouterGraph::fill_ways`] counts.
pub(crate) fn step(weight: u32) -> u64 {
    u64::from(weight) << 32 | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All distances by Floyd and Warshall, as (distance, links).
    fn plainly(routers: usize, arcs: &[(u32, u32, f64, u32)]) -> Vec<Vec<Option<(u32, u32)>>> {
        let mut far = vec![vec![None; routers]; routers];
        (0..routers).for_each(|u| far[u][u] = Some((0, 0)));
        for (u, v, _, weight) in arcs {
            far[*u as usize][*v as usize] = Some((*weight, 1));
        }
        for (middle, u, v) in (0..routers)
            .flat_map(|m| (0..routers).flat_map(move |u| (0..routers).map(move |v| (m, u, v))))
        {
            if let (Some((a, x)), Some((b, y))) = (far[u][middle], far[middle][v]) {
                let longer = (a + b, x + y);
                if far[u][v].is_none_or(|so_far| longer < so_far) {
                    far[u][v] = Some(longer);
                }
            }
        }
        far
    }

    proptest! {
        #[test]
        fn weighted_ways_are_the_shortest(
            routers in 1u32..12,
            links in prop::collection::btree_map((0u32..12, 0u32..12), 0u32..4, 0..30),
            keep in any::<u16>(),
        ) {
            let links = links.into_iter().filter(|((u, v), _)| u < v && *v < routers);
            let arcs: Vec<(u32, u32, f64, u32)> =
                links.flat_map(|((u, v), w)| [(u, v, 1.0, w), (v, u, 1.0, w)]).collect();
            let graph = RouterGraph::from_weighted(routers, arcs.clone());
            prop_assert!(graph.is_weighted());
            let far = plainly(routers as usize, &arcs);
            let (mut ways, mut queue) = (vec![0; routers as usize], Vec::new());
            for (u, far) in far.iter().enumerate() {
                graph.fill_ways(RouterId(u as u32), &mut ways, &mut queue);
                for (way, far) in ways.iter().zip(far) {
                    let expected = far.map_or(u64::MAX, |(d, links)| u64::from(d) << 32 | u64::from(links));
                    prop_assert_eq!(*way, expected);
                }
                prop_assert!(queue.windows(2).all(|w| ways[w[0] as usize] <= ways[w[1] as usize]));
                let hops = graph.hops_from(RouterId(u as u32));
                prop_assert!(hops.iter().zip(far).all(|(h, f)| *h == f.map_or(UNREACHED, |f| f.0)));
            }
            let some: Vec<u32> = (0..routers).filter(|r| keep >> r & 1 == 1).collect();
            let number = |r: &u32| some.binary_search(r).map(|i| i as u32);
            let within: Vec<(u32, u32, f64, u32)> = arcs
                .iter()
                .filter_map(|(u, v, c, w)| Some((number(u).ok()?, number(v).ok()?, *c, *w)))
                .collect();
            let (part, far) = (graph.induced(&some), plainly(some.len(), &within));
            for (u, far) in far.iter().enumerate() {
                let hops = part.hops_from(RouterId(u as u32));
                prop_assert!(hops.iter().zip(far).all(|(h, f)| *h == f.map_or(UNREACHED, |f| f.0)));
            }
        }
    }
}
