//! The closed walk over the nodes of a job in rank order: what ring collectives take.

use std::collections::HashMap;

use crate::error::Result;
use crate::ids::{NodeId, RouterId};
use crate::topology::search::{Search, WIDTH};
use crate::topology::{Metric, Topology};

/// A closed walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ring {
    /// Steps between nodes that no path joins.
    pub unreachable: u64,
    /// Hops of the other steps, the one from the last node to the first included.
    pub hops: u64,
    /// The longest of these, in hops.
    pub longest: u32,
}

/// The closed walks over the nodes of each sequence.
///
/// # Errors
/// More memory than allowed, where distances need the router graph.
///
/// # Complexity
/// O(nodes · axes) where distances have a closed form, else a search for every 512 routers that the sequences stand
/// on, and O(nodes).
pub fn rings(topology: &Topology, sequences: &[&[NodeId]]) -> Result<Vec<Ring>> {
    let mut rings = vec![Ring::default(); sequences.len()];
    let step = |ring: &mut Ring, hops: u32| {
        ring.hops += u64::from(hops);
        ring.longest = ring.longest.max(hops);
    };
    let closed = !matches!(topology.metric(), Metric::Hops);
    // The steps from each router, by walk.
    let mut from: HashMap<RouterId, Vec<(usize, RouterId)>> = HashMap::new();
    for (walk, nodes) in sequences.iter().enumerate() {
        let next = nodes.iter().skip(1).chain(nodes.first()).take(nodes.len());
        for (a, b) in nodes.iter().zip(next) {
            let (u, v) = (topology.router_of(*a), topology.router_of(*b));
            if topology.component_of(*a) != topology.component_of(*b) {
                rings[walk].unreachable += 1;
            } else if closed {
                step(&mut rings[walk], topology.metric().between(u, v).unwrap_or(0));
            } else if u != v {
                from.entry(u).or_default().push((walk, v));
            }
        }
    }
    if from.is_empty() {
        return Ok(rings);
    }
    let graph = topology.graph()?;
    topology.require("searching from 512 routers at once", 640 * graph.router_count() as u64)?;
    let mut sources: Vec<RouterId> = from.keys().copied().collect();
    sources.sort_unstable();
    let mut search = Search::new(graph);
    for batch in sources.chunks(WIDTH) {
        let near = search.run(batch).is_some();
        for (i, source) in batch.iter().enumerate() {
            let all = if near { Vec::new() } else { graph.hops_from(*source) };
            for (walk, to) in &from[source] {
                let hops = if near { search.hops(*to, i) } else { all[to.index()] };
                step(&mut rings[*walk], hops);
            }
        }
    }
    Ok(rings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Context;

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
            let found = rings(&machine, &[&all, &some, &all[..1], &[]]).unwrap();
            for (nodes, ring) in [all.as_slice(), &some, &all[..1], &[]].into_iter().zip(found) {
                let steps = (0..nodes.len())
                    .map(|i| machine.distance(nodes[i], nodes[(i + 1) % nodes.len()]));
                let hops = steps.clone().map(u64::from).sum();
                let longest = steps.max().unwrap_or(0);
                assert_eq!(ring, Ring { unreachable: 0, hops, longest }, "{spec}");
            }
        }
    }
}
