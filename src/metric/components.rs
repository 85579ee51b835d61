//! The connected pieces of an allocation: routers renumbered in the order of ranks, so that a job's
//! neighbourhood lies together in memory.

use petgraph::unionfind::UnionFind;

use crate::ids::RouterId;
use crate::ranks::Ranks;
use crate::topology::RouterGraph;

/// No seat, no segment.
const NONE: u32 = u32::MAX;

/// The routers of one ordering as *adjacency*, numbered as the ordering first comes to them, and the links
/// between adjacency.
///
/// A link of a seat to the next one counts as a *joint*: a stretch of joined adjacency is one piece without a
/// look at the links.
#[derive(Debug)]
pub(super) struct RankAdjacency {
    /// The seat of each rank; none where it is the rank itself.
    of_rank: Option<Vec<u32>>,
    /// How many adjacency below this one are not joined to the next.
    breaks: Vec<u32>,
    /// Where the links of each seat begin in `above`.
    starts: Vec<u32>,
    /// For each seat the linked adjacency two or more above it.
    above: Vec<u32>,
}

impl RankAdjacency {
    /// The adjacency of an ordering with these routers, rank by rank. O(ranks + links) time and memory.
    pub fn new(routers: &[u32], graph: &RouterGraph) -> Self {
        let mut seat_of = vec![NONE; graph.router_count()];
        let mut adjacency = Vec::with_capacity(routers.len());
        for router in routers {
            if seat_of[*router as usize] == NONE {
                seat_of[*router as usize] = adjacency.len() as u32;
                adjacency.push(*router);
            }
        }
        let of_rank = (adjacency.len() < routers.len())
            .then(|| routers.iter().map(|r| seat_of[*r as usize]).collect());
        let (mut breaks, mut starts, mut above) = (vec![0], vec![0], Vec::new());
        let mut broken = 0;
        for (seat, router) in adjacency.iter().enumerate() {
            let linked = graph.neighbours(RouterId(*router)).iter().map(|r| seat_of[*r as usize]);
            let mut joined = false;
            for other in linked.filter(|other| *other != NONE) {
                joined |= other as usize == seat + 1;
                if other as usize > seat + 1 {
                    above.push(other);
                }
            }
            broken += u32::from(!joined);
            breaks.push(broken);
            starts.push(above.len() as u32);
        }
        RankAdjacency { of_rank, breaks, starts, above }
    }

    fn above(&self, seat: u32) -> &[u32] {
        &self.above[self.starts[seat as usize] as usize..self.starts[seat as usize + 1] as usize]
    }

    /// Whether a seat is linked to the next.
    fn joined(&self, seat: u32) -> bool {
        self.breaks[seat as usize] == self.breaks[seat as usize + 1]
    }
}

/// Counts pieces, with the buffers that takes.
#[derive(Debug)]
pub(super) struct ComponentCounter<'s> {
    adjacency: &'s RankAdjacency,
    /// The segment of each seat that is a member; empty between calls.
    segment: Vec<u32>,
    members: Vec<u32>,
}

impl<'s> ComponentCounter<'s> {
    pub fn new(adjacency: &'s RankAdjacency) -> Self {
        let segment = vec![NONE; adjacency.breaks.len() - 1];
        ComponentCounter { adjacency, segment, members: Vec::new() }
    }

    /// Connected components of the routers under `ranks`.
    ///
    /// # Complexity
    /// O(runs) where every run of adjacency is joined and there is one; else O(s·degree) with s members, less
    /// where few links already join all.
    pub fn count(&mut self, ranks: &Ranks) -> u32 {
        if self.adjacency.of_rank.is_none()
            && let [run] = ranks.runs()
            && self.adjacency.breaks[run.last() as usize]
                == self.adjacency.breaks[run.first as usize]
        {
            return 1;
        }
        let mut pieces = self.split(ranks);
        if pieces > 1 {
            let mut joined = UnionFind::<u32>::new(pieces as usize);
            'all: for seat in &self.members {
                let a = self.segment[*seat as usize];
                for other in self.adjacency.above(*seat) {
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
        self.members.iter().for_each(|seat| self.segment[*seat as usize] = NONE);
        pieces
    }

    /// Lists the adjacency under `ranks`, ascending, and tells them into segments of joined ones; how many those
    /// are.
    fn split(&mut self, ranks: &Ranks) -> u32 {
        self.members.clear();
        match &self.adjacency.of_rank {
            None => self.members.extend(ranks.iter()),
            Some(adjacency) => {
                self.members.extend(ranks.iter().map(|rank| adjacency[rank as usize]));
                self.members.sort_unstable();
                self.members.dedup();
            }
        }
        let (mut last, mut segments) = (None, 0);
        for seat in &self.members {
            let apart = |last: u32| last + 1 != *seat || !self.adjacency.joined(last);
            segments += u32::from(last.is_none_or(apart));
            self.segment[*seat as usize] = segments - 1;
            last = Some(*seat);
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ordering::NodeOrder;
    use crate::topology::Topology;

    /// Components by a flood over the whole graph.
    fn flood(graph: &RouterGraph, routers: &[u32]) -> u32 {
        let mut left: std::collections::BTreeSet<u32> = routers.iter().copied().collect();
        let mut components = 0;
        while let Some(first) = left.pop_first() {
            components += 1;
            let mut at = vec![first];
            while let Some(router) = at.pop() {
                at.extend(graph.neighbours(RouterId(router)).iter().filter(|v| left.remove(v)));
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
            let adjacency = RankAdjacency::new(&routers, graph);
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
                prop_assert_eq!(pieces.count(&ranks), flood(graph, &under));
            }
        }
    }
}
