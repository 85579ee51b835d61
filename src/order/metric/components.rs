//! Connected components of an allocation's routers, counted fast for many allocations of one ordering.
//!
//! Routers are renumbered as the ordering first comes to them (*vertices*), so that a job's neighbourhood lies
//! together in memory. Good orderings go from router to linked router: a *segment* of vertices each linked to the
//! next is one piece without a look at other links. Vertices 3 4 5 9, with 3-4 and 4-5 linked, are the segments 3-5
//! and 9; only links between these two remain to be looked at.

use nodeorder_base::{Ranks, Result};
use nodeorder_network::Topology;
use petgraph::unionfind::UnionFind;

/// Mark that stands for no vertex and no segment.
const NONE: u32 = u32::MAX;

/// Vertices of one ordering and the links between them.
#[derive(Debug)]
pub struct RankAdjacency {
    /// Vertex of each rank; none where it is the rank itself.
    of_rank: Option<Vec<u32>>,
    /// By vertex: number of vertices below it that are not linked to the next.
    breaks: Vec<u32>,
    /// By vertex: index of its first link in `above`.
    starts: Vec<u32>,
    /// By vertex: linked vertices two or more above it.
    above: Vec<u32>,
}

impl RankAdjacency {
    /// Numbers the vertices of an ordering with these routers, rank by rank, and collects their links. Fails if
    /// that takes more memory than allowed. O(ranks + links) time and memory.
    pub fn new(routers: &[u32], topology: &Topology) -> Result<Self> {
        let network = topology.network();
        let bytes = 12 * u64::from(network.routers()) + 4 * network.link_count();
        topology.require_memory("the links between ranks", bytes)?;
        let mut vertex_of = vec![NONE; network.routers() as usize];
        let mut vertices = 0;
        for router in routers {
            if vertex_of[*router as usize] == NONE {
                vertex_of[*router as usize] = vertices as u32;
                vertices += 1;
            }
        }
        let of_rank = (vertices < routers.len())
            .then(|| routers.iter().map(|r| vertex_of[*r as usize]).collect());
        // Links are visited twice, counted and then noted: a router graph takes eight times as much memory.
        let for_each_link = |visit: &mut dyn FnMut(usize, u32)| {
            let mut between = |u: u32, v: u32| {
                let u = vertex_of[u as usize];
                let v = vertex_of[v as usize];
                if u != NONE && v != NONE {
                    visit(u.min(v) as usize, u.max(v));
                }
            };
            network.for_each_link(&mut |u, v, _| between(u, v));
            network.for_each_joint(&mut |u, v, _| between(u, v));
        };
        let mut breaks = vec![1; vertices + 1];
        let mut starts = vec![0; vertices + 1];
        breaks[0] = 0;
        for_each_link(&mut |low, high| {
            if high as usize == low + 1 {
                breaks[low + 1] = 0;
            } else {
                starts[low + 1] += 1;
            }
        });
        for vertex in 0..vertices {
            breaks[vertex + 1] += breaks[vertex];
            starts[vertex + 1] += starts[vertex];
        }
        let mut above = vec![0; starts[vertices] as usize];
        for_each_link(&mut |low, high| {
            if high as usize > low + 1 {
                above[starts[low] as usize] = high;
                starts[low] += 1;
            }
        });
        // Each index has moved to the first link of the next vertex.
        starts.copy_within(..vertices, 1);
        starts[0] = 0;
        Ok(RankAdjacency {
            of_rank,
            breaks,
            starts,
            above,
        })
    }

    /// Looks up the vertices linked to `vertex` that are two or more above it.
    fn links_above(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.above[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Checks whether a vertex is linked to the next.
    fn is_joined(&self, vertex: u32) -> bool {
        self.breaks[vertex as usize] == self.breaks[vertex as usize + 1]
    }
}

/// Counts components of allocations; holds the buffers for that.
#[derive(Debug)]
pub struct ComponentCounter<'s> {
    adjacency: &'s RankAdjacency,
    /// Segment of each vertex that is a member; [`NONE`] everywhere between calls.
    segment: Vec<u32>,
    /// Vertices of the allocation, ascending.
    members: Vec<u32>,
}

impl<'s> ComponentCounter<'s> {
    pub fn new(adjacency: &'s RankAdjacency) -> Self {
        ComponentCounter {
            adjacency,
            segment: vec![NONE; adjacency.breaks.len() - 1],
            members: Vec::new(),
        }
    }

    /// Counts the connected components of the routers under `ranks`. O(1) where the ranks are one run of linked
    /// vertices; else O(s·degree) with s members, less where few links already join all.
    pub fn count_components(&mut self, ranks: &Ranks) -> u32 {
        // Most allocations are one run: a difference of two prefix counts then shows that nothing in it is broken.
        if self.adjacency.of_rank.is_none()
            && let [run] = ranks.list_runs()
            && self.adjacency.breaks[run.last() as usize]
                == self.adjacency.breaks[run.first as usize]
        {
            return 1;
        }
        let mut pieces = self.split_segments(ranks);
        if pieces > 1 {
            // Segments are already joined, so that only links between segments remain to be looked at.
            let mut joined = UnionFind::<u32>::new(pieces as usize);
            'all: for vertex in &self.members {
                let a = self.segment[*vertex as usize];
                for other in self.adjacency.links_above(*vertex) {
                    let b = self.segment[*other as usize];
                    if b != NONE && a != b && joined.union(a, b) {
                        pieces -= 1;
                        if pieces == 1 {
                            break 'all;
                        }
                    }
                }
            }
        }
        for vertex in &self.members {
            self.segment[*vertex as usize] = NONE;
        }
        pieces
    }

    /// Lists the vertices under `ranks`, ascending, and divides them into segments of linked ones. Returns the
    /// number of segments.
    fn split_segments(&mut self, ranks: &Ranks) -> u32 {
        self.members.clear();
        match &self.adjacency.of_rank {
            None => self.members.extend(ranks.iter()),
            Some(vertex_of) => {
                self.members
                    .extend(ranks.iter().map(|rank| vertex_of[rank as usize]));
                self.members.sort_unstable();
                self.members.dedup();
            }
        }
        let mut last = None;
        let mut segments = 0;
        for vertex in &self.members {
            let goes_on =
                last.is_some_and(|last| last + 1 == *vertex && self.adjacency.is_joined(last));
            segments += u32::from(!goes_on);
            self.segment[*vertex as usize] = segments - 1;
            last = Some(*vertex);
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ordering::NodeOrder;
    use nodeorder_base::RouterId;
    use nodeorder_network::RouterGraph;

    /// Components by a flood over the whole graph.
    fn flood(graph: &RouterGraph, routers: &[u32]) -> u32 {
        let mut left: std::collections::BTreeSet<u32> = routers.iter().copied().collect();
        let mut components = 0;
        while let Some(first) = left.pop_first() {
            components += 1;
            let mut at = vec![first];
            while let Some(router) = at.pop() {
                at.extend(
                    graph
                        .neighbours(RouterId(router))
                        .iter()
                        .filter(|v| left.remove(v)),
                );
            }
        }
        components
    }

    proptest! {
        #[test]
        fn the_count_is_a_flood_s(
            spec in prop::sample::select(vec![
                "torus:4x5x3", "grid:6x4,wrap=10,per_router=3", "mesh:40", "random-regular:n=48,d=3,seed=2",
                "dragonfly:p=2,a=4,h=2,g=9", "fat-tree:k=6",
            ]),
            order in prop::sample::select(vec!["row-major", "random:seed=5", "bfs"]),
            picks in prop::collection::vec((0u32..72, 1u32..12), 1..6),
        ) {
            let topology = Topology::inline(spec, &Default::default()).unwrap();
            let order = NodeOrder::make(&topology, order).unwrap();
            let routers: Vec<u32> = order.nodes().iter().map(|n| topology.router_of(*n).0).collect();
            let graph = topology.graph().unwrap();
            let adjacency = RankAdjacency::new(&routers, &topology).unwrap();
            let mut pieces = ComponentCounter::new(&adjacency);
            // Twice: the first set must leave nothing behind.
            for skip in 0..2 {
                let members: std::collections::BTreeSet<u32> = picks.iter().skip(skip)
                    .flat_map(|(first, count)| *first..first + count)
                    .filter(|rank| (*rank as usize) < routers.len()).collect();
                if members.is_empty() {
                    continue;
                }
                let mut ranks = Ranks::default();
                members.iter().for_each(|rank| ranks.push_rank(*rank));
                let under: Vec<u32> = members.iter().map(|rank| routers[*rank as usize]).collect();
                prop_assert_eq!(pieces.count_components(&ranks), flood(graph, &under));
            }
        }
    }
}
