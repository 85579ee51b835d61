//! Connected sets of free nodes.

use super::entry::AllocatorContext;
use super::ranks_by_location::RanksByLocation;
use nodeorder_base::{FreeSet, Ranks, Result, RouterId};
use nodeorder_network::RouterGraph;

/// A breadth-first search over free nodes: nodes of one router are neighbours, and so are nodes on linked
/// routers; neighbours are visited in rank order.
pub struct FreeSearch<'a> {
    graph: &'a RouterGraph,
    /// Ranks by router; its counts of free ranks are not used.
    locations: RanksByLocation,
    /// By router: whether all neighbours are met; false between searches.
    expanded: Vec<bool>,
    /// By rank: whether it was met; false between searches.
    reached: Vec<bool>,
    /// The ranks met so far, in the order they were met.
    pub met: Vec<u32>,
    /// Number of ranks at the head of `met` that have been visited.
    visited: usize,
    /// Routers that are expanded.
    routers: Vec<u32>,
}

impl<'a> FreeSearch<'a> {
    /// Prepares the search on a machine. Fails if the router graph does not fit into memory.
    pub fn new(context: &AllocatorContext<'a>) -> Result<Self> {
        let locations = RanksByLocation::by_router(context);
        Ok(FreeSearch {
            graph: context.topology.graph()?,
            expanded: vec![false; locations.location_count()],
            reached: vec![false; context.distances.len() as usize],
            locations,
            met: Vec::new(),
            visited: 0,
            routers: Vec::new(),
        })
    }

    /// Starts at the lowest free rank from `from` on that was not met, and returns it; `None` if there is none.
    pub fn start_search(&mut self, free: &FreeSet, from: u32) -> Option<u32> {
        let mut starts = std::iter::successors(free.next_free(from), |r| free.next_free(r + 1));
        let start = starts.find(|rank| !self.reached[*rank as usize])?;
        self.reached[start as usize] = true;
        self.met.push(start);
        Some(start)
    }

    /// Continues until `count` ranks are met or no more can be reached.
    pub fn grow_to(&mut self, free: &FreeSet, count: usize) {
        while self.met.len() < count && self.visited < self.met.len() {
            let router = self.locations.location_of(self.met[self.visited]);
            self.visited += 1;
            // The other nodes of a router have the same neighbours as the first: one look is enough.
            if !self.expanded[router as usize] {
                self.expanded[router as usize] = true;
                self.routers.push(router);
                self.add_free_neighbours(free, router);
            }
        }
    }

    /// Adds the free neighbours of a node on `router` that are not yet met.
    fn add_free_neighbours(&mut self, free: &FreeSet, router: u32) {
        let before = self.met.len();
        let neighbours = self.graph.neighbours(RouterId(router));
        for near in std::iter::once(&router).chain(neighbours) {
            for rank in self.locations.ranks_at(*near) {
                if free.is_free(*rank) && !self.reached[*rank as usize] {
                    self.reached[*rank as usize] = true;
                    self.met.push(*rank);
                }
            }
        }
        self.met[before..].sort_unstable();
    }

    /// Forgets what was met.
    pub fn clear_search(&mut self) {
        for rank in self.met.drain(..) {
            self.reached[rank as usize] = false;
        }
        for router in self.routers.drain(..) {
            self.expanded[router as usize] = false;
        }
        self.visited = 0;
    }
}

/// Finder of the connected sets of free nodes on a network. Nodes of one router are connected, and so are nodes on
/// linked routers. On networks whose switches carry no nodes, such as fat trees, each set is the free nodes of one
/// router.
pub struct FreeComponents<'a>(FreeSearch<'a>);

impl<'a> FreeComponents<'a> {
    /// Prepares the search on a machine. O(routers + nodes) memory.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] where the router graph does not fit.
    pub fn new(context: &AllocatorContext<'a>) -> Result<Self> {
        FreeSearch::new(context).map(FreeComponents)
    }

    /// Splits `free` into its components, by their lowest ranks. O(size/64 + free · degree), sorting aside.
    pub fn split_free(&mut self, free: &FreeSet) -> Vec<Ranks> {
        let mut components = Vec::new();
        let mut from = 0;
        let mut first = 0;
        while let Some(start) = self.0.start_search(free, from) {
            from = start + 1;
            self.0.grow_to(free, usize::MAX);
            let members = &mut self.0.met[first..];
            members.sort_unstable();
            let mut ranks = Ranks::default();
            ranks.push_ranks(members);
            components.push(ranks);
            first = self.0.met.len();
        }
        self.0.clear_search();
        components
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use nodeorder_base::Run;
    use nodeorder_network::Topology;
    use nodeorder_order::NodeOrder;
    use nodeorder_order::metric::rank_distances::RankDistances;

    proptest! {
        /// Against a flood by distances: two nodes are neighbours where they are at most one hop apart.
        #[test]
        fn components_are_those_of_a_plain_flood(
            spec in prop::sample::select(vec![
                "torus:4x5x3", "grid:6x4,wrap=10,per_router=3", "mesh:40", "random-regular:n=48,d=3,seed=2",
                "dragonfly:p=2,a=4,h=2,g=9", "fat-tree:k=6",
            ]),
            order in prop::sample::select(vec!["row-major", "random:seed=5"]),
            free in prop::collection::vec(any::<bool>(), 1..90),
        ) {
            let topology = Topology::inline(spec, &Default::default()).unwrap();
            let order = NodeOrder::make(&topology, order).unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            let context = AllocatorContext { topology: &topology, order: &order, distances: &distances };
            let mut set = FreeSet::new(distances.len());
            let taken = (0..distances.len()).filter(|rank| !free[*rank as usize % free.len()]);
            taken.for_each(|first| set.take_run(Run { first, count: 1 }));
            let mut left: BTreeSet<u32> = set.iter().collect();
            let mut plain = Vec::new();
            while let Some(first) = left.pop_first() {
                let (mut component, mut at) = (vec![first], 0);
                while let Some(rank) = component.get(at).copied() {
                    at += 1;
                    let near: Vec<u32> =
                        left.iter().copied().filter(|r| distances.hops_between(rank, *r) <= 1).collect();
                    near.iter().for_each(|r| _ = left.remove(r));
                    component.extend(near);
                }
                component.sort_unstable();
                plain.push(component);
            }
            let mut components = FreeComponents::new(&context).unwrap();
            // Twice: the first call must leave nothing behind.
            for _ in 0..2 {
                let found: Vec<Vec<u32>> =
                    components.split_free(&set).iter().map(|ranks| ranks.iter().collect()).collect();
                prop_assert_eq!(&found, &plain);
            }
        }
    }
}
