//! Rings: closed walks over the nodes of a job in rank order, as ring collectives use them.

use std::collections::HashMap;

use super::rank_distances::RankDistances;
use nodeorder_base::{NodeId, Result, RouterId};
use nodeorder_network::topology::search::{self, BatchSearch, WIDTH};
use nodeorder_network::{Metric, Topology};

/// Length of a closed walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RingLength {
    /// Number of steps between nodes that no path joins.
    pub unreachable: u64,
    /// Sum of the hops of the other steps, the one from the last node to the first included.
    pub hops: u64,
    /// Longest of these steps, in hops.
    pub longest: u32,
}

impl RingLength {
    /// Adds a step.
    fn add_step(&mut self, hops: u32) {
        self.hops += u64::from(hops);
        self.longest = self.longest.max(hops);
    }
}

/// Lists the steps of a closed walk: each entry with the next, the last with the first.
fn walk_steps<T: Copy>(walk: &[T]) -> impl Iterator<Item = (T, T)> {
    walk.iter()
        .copied()
        .zip(walk.iter().copied().cycle().skip(1))
}

/// Measures the closed walk through these ranks, in the order given. Paths must join all of them, since a sum must not
/// hold distances between components ([`RankDistances::within_one_component`]).
///
/// # Complexity
/// O(ranks · axes).
pub fn measure_ring(distances: &RankDistances, ranks: &[u32]) -> RingLength {
    let mut ring = RingLength::default();
    for (a, b) in walk_steps(ranks) {
        ring.add_step(distances.hops_between(a, b));
    }
    ring
}

/// Measures the closed walks over the nodes of each sequence.
///
/// # Errors
/// More memory than allowed, where distances need the router graph.
///
/// # Complexity
/// O(nodes · axes) where distances have a closed form, else a search for every 256 routers that the sequences stand
/// on, and O(nodes).
pub fn measure_rings(topology: &Topology, sequences: &[&[NodeId]]) -> Result<Vec<RingLength>> {
    let mut rings = vec![RingLength::default(); sequences.len()];
    let closed = !matches!(topology.metric(), Metric::Hops);
    // Steps that need a search, by the router that they start from: walk and end.
    let mut from: HashMap<RouterId, Vec<(usize, RouterId)>> = HashMap::new();
    for (walk, nodes) in sequences.iter().enumerate() {
        for (a, b) in walk_steps(nodes) {
            let u = topology.router_of(a);
            let v = topology.router_of(b);
            if topology.component_of(a) != topology.component_of(b) {
                rings[walk].unreachable += 1;
            } else if closed {
                rings[walk].add_step(topology.metric().distance_between(u, v).unwrap_or(0));
            } else if u != v {
                from.entry(u).or_default().push((walk, v));
            }
        }
    }
    if from.is_empty() {
        return Ok(rings);
    }
    let graph = topology.graph()?;
    topology.require_memory(search::SEARCH_MEMORY, search::buffer_bytes(graph))?;
    let mut sources: Vec<RouterId> = from.keys().copied().collect();
    sources.sort_unstable();
    let mut search = BatchSearch::new(graph);
    for batch in sources.chunks(WIDTH) {
        // Farther than its bit planes count, a search of each source by itself does.
        let near = search.run_batch(batch).is_some();
        for (i, source) in batch.iter().enumerate() {
            let all = if near {
                Vec::new()
            } else {
                graph.hops_from(*source)
            };
            for (walk, to) in &from[source] {
                let hops = if near {
                    search.hops_between(*to, i)
                } else {
                    all[to.index()]
                };
                rings[*walk].add_step(hops);
            }
        }
    }
    Ok(rings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NodeOrder;
    use nodeorder_network::Context;
    use proptest::prelude::*;

    #[test]
    fn rings_are_the_steps_one_by_one() {
        for spec in [
            "torus:5x4,per_router=2",
            "random-regular:n=40,d=3",
            "mesh:300",
            "watts-strogatz:n=700,k=2,p=0",
        ] {
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let all: Vec<NodeId> = machine.nodes().iter().collect();
            let some: Vec<NodeId> = all.iter().rev().step_by(3).copied().collect();
            let found = measure_rings(&machine, &[&all, &some, &all[..1], &[]]).unwrap();
            for (nodes, ring) in [all.as_slice(), &some, &all[..1], &[]]
                .into_iter()
                .zip(found)
            {
                let steps = (0..nodes.len())
                    .map(|i| machine.distance(nodes[i], nodes[(i + 1) % nodes.len()]));
                let hops = steps.clone().map(u64::from).sum();
                let longest = steps.max().unwrap_or(0);
                assert_eq!(
                    ring,
                    RingLength {
                        unreachable: 0,
                        hops,
                        longest
                    },
                    "{spec}"
                );
            }
        }
    }

    proptest! {
        /// Both ways to the distances give the same walk.
        #[test]
        fn rings_of_ranks_are_rings_of_nodes(ranks in proptest::collection::vec(0u32..48, 0..20), spec in 0usize..3) {
            let spec = ["torus:4x4x4", "random-regular:n=60,d=3", "fat-tree:k=8,exclude=3-9"][spec];
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let order = NodeOrder::make(&machine, "random:seed=4").unwrap();
            let distances = RankDistances::new(&machine, &order).unwrap();
            let nodes: Vec<NodeId> = ranks.iter().map(|rank| order.nodes()[*rank as usize]).collect();
            prop_assert_eq!(vec![measure_ring(&distances, &ranks)], measure_rings(&machine, &[&nodes]).unwrap());
        }
    }
}
