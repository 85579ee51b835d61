//! Breadth-first over free nodes.

use super::ranks_by_location::RanksByLocation;
use super::{Allocator, AllocatorEntry};
use crate::ids::RouterId;
use crate::ranks::{FreeSet, Ranks};
use crate::topology::RouterGraph;

/// `bfs`: the free nodes that a breadth-first search reaches first. It starts at the lowest free rank and goes
/// from free node to free node: nodes of one router are neighbours, and so are nodes on linked routers;
/// neighbours are visited in rank order. Where no more can be reached it goes on at the lowest free rank left.
///
/// The source waits for a contiguous allocation instead. On networks whose switches carry no nodes, such as fat
/// trees, only nodes of one router are neighbours.
///
/// # Complexity
/// O(nodes reached · degree), sorting neighbours aside.
///
/// # References
/// Hu et al., "Job mapping and scheduling on random topologies", 2020, Algorithm 2.
pub(super) const BFS: AllocatorEntry = AllocatorEntry::plain(
    "bfs",
    "breadth-first over free neighbours from the lowest free rank on",
    |_, context| {
        let locations = RanksByLocation::routers(context);
        Ok(Box::new(Bfs {
            graph: context.topology.graph()?,
            expanded: vec![false; locations.count()],
            reached: vec![false; context.distances.len() as usize],
            locations,
            queue: Vec::new(),
            routers: Vec::new(),
        }))
    },
);

struct Bfs<'a> {
    graph: &'a RouterGraph,
    /// Only its lists are used; free ranks need not be counted.
    locations: RanksByLocation,
    /// Routers whose neighbours are all in the queue; none between calls.
    expanded: Vec<bool>,
    /// Ranks in the queue; none between calls.
    reached: Vec<bool>,
    queue: Vec<u32>,
    routers: Vec<u32>,
}

impl Bfs<'_> {
    /// Queues the free neighbours of a node on `router` that are not yet there.
    fn expand(&mut self, free: &FreeSet, router: u32) {
        let before = self.queue.len();
        let here = std::iter::once(&router);
        for near in here.chain(self.graph.neighbours(RouterId(router))) {
            for rank in self.locations.ranks(*near) {
                if free.contains(*rank) && !self.reached[*rank as usize] {
                    self.reached[*rank as usize] = true;
                    self.queue.push(*rank);
                }
            }
        }
        self.queue[before..].sort_unstable();
    }
}

impl Allocator for Bfs<'_> {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) {
        let count = count as usize;
        let (mut next, mut from) = (0, 0);
        while self.queue.len() < count {
            if next == self.queue.len() {
                // A new component: all free ranks below `from` are in the queue.
                let mut starts =
                    std::iter::successors(free.next_free(from), |r| free.next_free(r + 1));
                let Some(start) = starts.find(|rank| !self.reached[*rank as usize]) else { break };
                self.reached[start as usize] = true;
                self.queue.push(start);
                from = start + 1;
            }
            let router = self.locations.of(self.queue[next]);
            next += 1;
            // The other nodes of a router have the neighbours of the first.
            if !self.expanded[router as usize] {
                self.expanded[router as usize] = true;
                self.routers.push(router);
                self.expand(free, router);
            }
        }
        self.queue.iter().take(count).for_each(|rank| chosen.push_rank(*rank));
        self.queue.drain(..).for_each(|rank| self.reached[rank as usize] = false);
        self.routers.drain(..).for_each(|router| self.expanded[router as usize] = false);
    }
}
