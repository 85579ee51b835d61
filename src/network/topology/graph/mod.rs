//! The router graph: adjacency of routers in compressed rows, built on demand from the links of a network.
//!
//! Every link stands twice, once in each direction, sorted by the router that it leaves and then by the one that it
//! enters. A directed link's position in that order is its index, and what is known of links (capacities, weights,
//! loads) are arrays by this index:
//!
//! ```text
//! mesh:3   0 - 1 - 2
//! index of the link    0    1    2    3
//! from → to            0→1  1→0  1→2  2→1
//! first link of router 0, 1, 2: 0, 1, 3; at last the number of links, 4
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::OnceLock;

use petgraph::unionfind::UnionFind;

use crate::topology::arcs::both_directions;
use crate::topology::context::Context;
use crate::topology::network::Network;
use nodeorder_base::{Result, RouterId};

mod rows;

pub use rows::Rows;

/// Distance of a router that cannot be reached.
pub const UNREACHED: u32 = u32::MAX;

/// Routers and links: every link in both directions, with its capacity and weight. Directed links are sorted by the
/// router they leave, then by the one they enter, and have an index in that order; loads are arrays by this index.
#[derive(Debug, Default)]
pub struct RouterGraph {
    /// Index of the first link that leaves each router; at last the number of links.
    first_links: Vec<usize>,
    /// Router that each link enters.
    heads: Vec<u32>,
    /// Capacity of each link; infinite for joints.
    capacities: Vec<f64>,
    /// Weight of each link: its length in distances; `None` where all are 1.
    weights: Option<Vec<u32>>,
    /// Number of directed links that are joints.
    joints: usize,
    /// The graph renumbered for searches, made on first use.
    rows: OnceLock<Rows>,
}

impl RouterGraph {
    /// Collects the links and joints of `network`.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the adjacency would not fit.
    ///
    /// # Complexity
    /// O(links · log links) time, 56 bytes a link while building, 24 after, at most 12 more with
    /// [`RouterGraph::rows_for_search`].
    pub fn build(network: &Network, context: &Context) -> Result<Self> {
        let routers = network.routers();
        let links = network.link_count();
        let weights = network.link_weights();
        let mut joints = 0;
        network.for_each_joint(&mut |_, _, _| joints += 1);
        context.require_memory(
            "the router graph",
            64 * (links + joints) + 28 * u64::from(routers),
        )?;
        // Most networks have no weights: their arcs are a third smaller while they are sorted.
        if weights.is_none() && joints == 0 {
            let mut arcs = Vec::with_capacity(2 * links as usize);
            network.for_each_link(&mut |u, v, capacity| {
                arcs.extend(both_directions(u, v, capacity));
            });
            return Ok(RouterGraph::from_arcs(routers, arcs));
        }
        let mut arcs = Vec::with_capacity(2 * (links + joints) as usize);
        let mut weights = weights.iter().flatten();
        network.for_each_link(&mut |u, v, capacity| {
            let weight = weights.next().copied().unwrap_or(1);
            arcs.extend(both_directions(u, v, (capacity, weight)));
        });
        network.for_each_joint(&mut |u, v, weight| {
            arcs.extend(both_directions(u, v, (f64::INFINITY, weight)));
        });
        Ok(RouterGraph {
            joints: 2 * joints as usize,
            ..RouterGraph::from_weighted(routers, arcs)
        })
    }

    /// Creates a graph without weights from arcs (from, to, capacity) in both directions, in any order, each once.
    pub fn from_arcs(routers: u32, arcs: Vec<(u32, u32, f64)>) -> Self {
        let (first, heads, capacities) = sort_arcs(routers, arcs);
        RouterGraph {
            first_links: first,
            heads,
            capacities,
            ..RouterGraph::default()
        }
    }

    /// Creates a graph from arcs (from, to, (capacity, weight)) in both directions, in any order, each once.
    fn from_weighted(routers: u32, arcs: Vec<(u32, u32, (f64, u32))>) -> Self {
        let (first, heads, values) = sort_arcs(routers, arcs);
        let (capacities, weights) = values.into_iter().unzip();
        RouterGraph {
            first_links: first,
            heads,
            capacities,
            weights: Some(weights),
            ..RouterGraph::default()
        }
    }

    /// Checks whether links have weights, so that hops over some of them may not count 1.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Checks whether all links are joints: then each pair is as far apart as its joint says, and there are no ways.
    pub fn is_distance_table(&self) -> bool {
        self.joints == self.len() && self.joints > 0
    }

    /// Lists the weights of the links of `router`, in the order of [`RouterGraph::neighbours`].
    pub fn neighbour_weights(&self, router: RouterId) -> impl Iterator<Item = u32> + '_ {
        self.links_from(router.0).map(|link| self.weight_of(link))
    }

    /// Finds the shortest paths from one router to all. Fills `ways` with `distance · 2³² + links` of each, `u64::MAX`
    /// where there is no path: of paths of the same distance, one of the fewest links. `queue` gets the routers
    /// reached, nearest first. O(links · log routers).
    pub fn fill_path_lengths(&self, from: RouterId, ways: &mut [u64], queue: &mut Vec<u32>) {
        ways.fill(u64::MAX);
        ways[from.index()] = 0;
        queue.clear();
        if self.is_distance_table() {
            queue.push(from.0);
            for link in self.links_from(from.0) {
                ways[self.heads[link] as usize] = pack_link_length(self.weight_of(link));
                queue.push(self.heads[link]);
            }
            queue.sort_by_key(|router| ways[*router as usize]);
            return;
        }
        let mut heap = BinaryHeap::from([Reverse((0, from.0))]);
        while let Some(Reverse((way, u))) = heap.pop() {
            // A shorter path was found after this entry was pushed.
            if way > ways[u as usize] {
                continue;
            }
            queue.push(u);
            for link in self.links_from(u) {
                let v = self.heads[link];
                let longer = way + pack_link_length(self.weight_of(link));
                if longer < ways[v as usize] {
                    ways[v as usize] = longer;
                    heap.push(Reverse((longer, v)));
                }
            }
        }
    }

    /// Counts the routers.
    pub fn router_count(&self) -> usize {
        self.first_links.len() - 1
    }

    /// Counts the links, each once.
    pub fn link_count(&self) -> usize {
        self.heads.len() / 2
    }

    /// Looks up the routers linked to `router`, ascending.
    pub fn neighbours(&self, router: RouterId) -> &[u32] {
        self.heads_from(router.0)
    }

    /// Renumbers the graph for searches, on first use. O(routers + links), about 8 bytes a link and 8 a router.
    pub fn rows_for_search(&self) -> &Rows {
        self.rows
            .get_or_init(|| Rows::new(self.router_count() as u32, |router| self.heads_from(router)))
    }

    /// Looks up the capacities of the links of `router`, in the order of [`RouterGraph::neighbours`].
    pub fn neighbour_capacities(&self, router: RouterId) -> &[f64] {
        &self.capacities[self.links_from(router.0)]
    }

    /// Finds the distance from one router to all: hops, or sums of weights; [`UNREACHED`] where there is no path.
    /// O(routers + links).
    pub fn hops_from(&self, from: RouterId) -> Vec<u32> {
        let mut hops = vec![UNREACHED; self.router_count()];
        let mut queue = Vec::new();
        self.fill_hops(from, &mut hops, &mut queue);
        hops
    }

    /// Fills buffers kept by the caller with the distances of [`RouterGraph::hops_from`] and with the routers reached,
    /// nearest first. Returns how many were reached.
    pub fn fill_hops(&self, from: RouterId, hops: &mut [u32], queue: &mut Vec<u32>) -> usize {
        if self.is_weighted() {
            let mut ways = vec![0; hops.len()];
            self.fill_path_lengths(from, &mut ways, queue);
            // The upper half of the way that no path has is `UNREACHED`.
            for (hop, way) in hops.iter_mut().zip(ways) {
                *hop = (way >> 32) as u32;
            }
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
            for &v in self.heads_from(u) {
                if hops[v as usize] == UNREACHED {
                    hops[v as usize] = hop;
                    queue.push(v);
                }
            }
        }
        next
    }

    /// Counts the connected components.
    pub fn count_components(&self) -> usize {
        let mut parts = UnionFind::<u32>::new(self.router_count());
        self.router_count() - self.iter().filter(|(u, v, _)| parts.union(*u, *v)).count()
    }

    /// Builds the graph of some of the routers, given ascending and numbered by their positions.
    pub fn induced_subgraph(&self, routers: &[u32]) -> RouterGraph {
        let mut part = RouterGraph::from_arcs(0, Vec::new());
        part.weights = self.weights.as_ref().map(|_| Vec::new());
        // Positions ascend as the routers do, so the links come out sorted.
        for router in routers {
            for link in self.links_from(*router) {
                if let Ok(head) = routers.binary_search(&self.heads[link]) {
                    part.heads.push(head as u32);
                    part.capacities.push(self.capacities[link]);
                    part.weights
                        .iter_mut()
                        .for_each(|weights| weights.push(self.weight_of(link)));
                }
            }
            part.first_links.push(part.heads.len());
        }
        if self.is_distance_table() {
            part.joints = part.len();
        }
        part
    }
}

/// Sorts arcs by the routers they leave and enter. Returns the index of each router's first arc (and at last their
/// number), the routers that they enter, and their values.
fn sort_arcs<T>(routers: u32, mut arcs: Vec<(u32, u32, T)>) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    arcs.sort_unstable_by_key(|(u, v, _)| (*u, *v));
    let once = arcs.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1));
    assert!(once, "networks visit every pair of routers once");
    let mut first = vec![0; routers as usize + 1];
    arcs.iter().for_each(|(u, ..)| first[*u as usize + 1] += 1);
    (1..first.len()).for_each(|router| first[router] += first[router - 1]);
    let (heads, values) = arcs.into_iter().map(|(_, v, value)| (v, value)).unzip();
    (first, heads, values)
}

/// Directed links, by their index.
impl RouterGraph {
    /// Returns the number of directed links: twice the links.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Counts the directed links of the network: all but joints, by which nodes pass traffic on without a
    /// cable of it. Joints have weights, no limit of capacity, and no part in loads.
    pub fn cabled_link_count(&self) -> usize {
        self.len() - self.joints
    }

    /// Checks whether link `index` is a joint.
    pub fn is_joint(&self, index: usize) -> bool {
        self.capacities[index] == f64::INFINITY
    }

    /// Checks whether there are no links: a machine of one router.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Looks up the indices of the links that leave `router`.
    pub fn links_from(&self, router: u32) -> Range<usize> {
        self.first_links[router as usize]..self.first_links[router as usize + 1]
    }

    /// Looks up the routers that the links from `router` enter, ascending, in the order of
    /// [`RouterGraph::links_from`].
    pub fn heads_from(&self, router: u32) -> &[u32] {
        &self.heads[self.links_from(router)]
    }

    /// Finds the two routers of link `index`: from, to. O(log routers).
    pub fn link_ends(&self, index: usize) -> (u32, u32) {
        let from = self.first_links.partition_point(|first| *first <= index) - 1;
        (from as u32, self.heads[index])
    }

    /// Looks up the router that link `index` enters.
    pub fn link_head(&self, index: usize) -> u32 {
        self.heads[index]
    }

    /// Finds the index of the link from one router to another; `None` if they are not linked. O(log degree).
    pub fn find_link(&self, from: u32, to: u32) -> Option<usize> {
        let position = self.heads_from(from).binary_search(&to).ok()?;
        Some(self.first_links[from as usize] + position)
    }

    /// Adds a volume from one router to another to the load of their link, if there is one.
    pub fn add_load(&self, from: u32, to: u32, volume: f64, loads: &mut [f64]) {
        if let Some(link) = self.find_link(from, to) {
            loads[link] += volume;
        }
    }

    /// Looks up the capacity of link `index`; 1 is an ordinary link.
    pub fn capacity(&self, index: usize) -> f64 {
        self.capacities[index]
    }

    /// Looks up the weight of link `index`: its length in distances.
    pub fn weight(&self, index: usize) -> f64 {
        self.weight_of(index).into()
    }

    fn weight_of(&self, index: usize) -> u32 {
        self.weights.as_ref().map_or(1, |weights| weights[index])
    }

    /// Lists `(from, to, index)` of every directed link, in order of the index.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        (0..self.router_count() as u32)
            .flat_map(move |from| self.links_from(from).map(move |i| (from, self.heads[i], i)))
    }
}

/// Packs the length of a link of this weight as [`RouterGraph::fill_path_lengths`] adds it up: weight · 2³² + 1.
pub fn pack_link_length(weight: u32) -> u64 {
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

    #[test]
    fn every_link_stands_twice_and_is_found() {
        let torus = crate::topology::testing::build("torus:4x2x3,double=true");
        let links = torus.graph().unwrap();
        assert_eq!(links.len(), 2 * links.link_count());
        let mut doubled = 0;
        for (i, (from, to, index)) in links.iter().enumerate() {
            assert_eq!(
                (i, links.link_ends(index), links.find_link(from, to)),
                (index, (from, to), Some(i))
            );
            let back = links.find_link(to, from).unwrap();
            assert_eq!(links.capacity(back), links.capacity(index));
            doubled += usize::from(links.capacity(index) == 2.0);
        }
        assert_eq!(doubled, 2 * 12);
        assert_eq!(links.find_link(0, 0), None);
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
            let paired = arcs.iter().map(|(u, v, c, w)| (*u, *v, (*c, *w))).collect();
            let graph = RouterGraph::from_weighted(routers, paired);
            prop_assert!(graph.is_weighted());
            let far = plainly(routers as usize, &arcs);
            let (mut ways, mut queue) = (vec![0; routers as usize], Vec::new());
            for (u, far) in far.iter().enumerate() {
                graph.fill_path_lengths(RouterId(u as u32), &mut ways, &mut queue);
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
            let (part, far) = (graph.induced_subgraph(&some), plainly(some.len(), &within));
            for (u, far) in far.iter().enumerate() {
                let hops = part.hops_from(RouterId(u as u32));
                prop_assert!(hops.iter().zip(far).all(|(h, f)| *h == f.map_or(UNREACHED, |f| f.0)));
            }
        }
    }
}
