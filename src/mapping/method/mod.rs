//! Mapping methods: which process goes on which of the allocated nodes.
//!
//! Each method is one file with a [`MappingMethodEntry`]; [`METHODS`] is the table that names them all. They
//! lower hop-bytes, the sum over messages of volume times hops on shortest paths: what is left on the table
//! by taking the nodes in rank order.

use rayon::prelude::*;

use super::guest::{Guest, Traffic};
use super::process_mapping::ProcessMapping;
use crate::error::{Error, Result, SourceLocation};
use crate::ids::{NodeId, RouterId};
use crate::observer::Observer;
use crate::params::Params;
use crate::registry::{Entry, Registry};
use crate::topology::{Metric, Topology};

mod best;
mod bisection;
mod greedy;
mod grid;
mod product;
mod rank;
mod refine;
mod tabu;

/// A mapping method: an entry of [`METHODS`]. It finds the slot of every process.
pub type MappingMethodEntry = Entry<Build>;

type Build = fn(&MappingProblem, &Params, &dyn Observer) -> Result<Found>;

/// What a method found.
pub struct Found {
    /// The slot of every process, each once.
    pub slots: Vec<u32>,
    /// The method that found it: one of [`METHODS`].
    pub method: &'static str,
}

/// Every mapping method.
pub static METHODS: Registry<Build> = Registry::new(
    "mapping method",
    "--map",
    &[
        rank::METHOD,
        bisection::METHOD,
        greedy::METHOD,
        refine::METHOD,
        tabu::METHOD,
        grid::METHOD,
        best::METHOD,
    ],
);

/// Puts `guest` on `nodes` (one for each process, in rank order; repeats allowed) by the method that `text`
/// names, and says which method found the mapping. `observer` has the clock of methods that search for a time.
///
/// # Errors
/// An unknown method or option; fewer nodes than processes; a guest or nodes that a method cannot work on; more
/// memory than allowed: all distances between the routers of the allocation are kept, unless those are many and have a
/// closed form.
pub fn place(
    topology: &Topology,
    guest: &Guest,
    nodes: &[NodeId],
    text: &str,
    observer: &dyn Observer,
) -> Result<(ProcessMapping, &'static str)> {
    let (method, params) = METHODS.read(text, topology.context().seed)?;
    let Some(nodes) = nodes.get(..guest.processes() as usize) else {
        let problem = format!("{} processes on {} nodes", guest.processes(), nodes.len());
        let remedy = "give a node for each process";
        return Err(Error::unsuited(SourceLocation::option(text), problem, remedy));
    };
    let problem = MappingProblem::new(topology, guest, nodes)?;
    let found = (method.build)(&problem, &params, observer)?;
    params.finish()?;
    let nodes = found.slots.iter().map(|slot| nodes[*slot as usize]).collect();
    Ok((ProcessMapping::new(topology, text, nodes)?, found.method))
}

/// Processes with their partners, and slots (allocated nodes by rank) with their distances.
pub struct MappingProblem {
    /// Where the partners of each process start in `partners`.
    first: Vec<usize>,
    /// The other process and the volume in both directions together.
    partners: Vec<(u32, f64)>,
    /// The router of each slot, as an index into `hops`.
    router: Vec<u32>,
    routers: usize,
    hops: Hops,
    /// Of every router, the linked ones of the allocation: `linked[starts[r]..starts[r + 1]]`, ascending.
    starts: Vec<usize>,
    linked: Vec<u32>,
}

/// Routers from which on distances are not kept where they have a closed form.
const KEPT: usize = 8192;

/// Hops between the routers of an allocation.
enum Hops {
    /// All of them, row by row.
    Table(Vec<u32>),
    /// From their coordinates, when asked for.
    Closed { metric: Metric, routers: Vec<RouterId> },
}

impl Hops {
    fn new(topology: &Topology, routers: &[RouterId], kept: usize) -> Result<Self> {
        if routers.len() > kept && !matches!(topology.metric(), Metric::Hops) {
            return Ok(Hops::Closed {
                metric: topology.metric().clone(),
                routers: routers.to_vec(),
            });
        }
        let count = routers.len() as u64;
        topology.require("the distances inside the allocation", 4 * count * count)?;
        let row = |from: &_| -> Result<Vec<u32>> {
            let hops = topology.hops_from(*from)?;
            Ok(routers.iter().map(|to| hops[to.index()]).collect())
        };
        let rows: Result<Vec<Vec<u32>>> = routers.par_iter().map(row).collect();
        Ok(Hops::Table(rows?.concat()))
    }
}

impl MappingProblem {
    fn new(topology: &Topology, guest: &Guest, nodes: &[NodeId]) -> Result<Self> {
        MappingProblem::keeping(topology, guest, nodes, KEPT)
    }

    /// With so many routers whose distances are kept in any case.
    fn keeping(topology: &Topology, guest: &Guest, nodes: &[NodeId], kept: usize) -> Result<Self> {
        let mut routers: Vec<_> = nodes.iter().map(|n| topology.router_of(*n)).collect();
        let of_slot = routers.clone();
        routers.sort_unstable();
        routers.dedup();
        let position = |r| routers.binary_search(&r).unwrap_or(0) as u32;
        let router = of_slot.into_iter().map(position).collect();
        let graph = topology.graph()?;
        let (mut starts, mut linked) = (vec![0], Vec::new());
        for from in &routers {
            let neighbours = graph.neighbours(*from).iter();
            let inside = neighbours.filter_map(|to| routers.binary_search(&RouterId(*to)).ok());
            linked.extend(inside.map(|to| to as u32));
            starts.push(linked.len());
        }
        let mut problem = MappingProblem {
            first: vec![0; nodes.len() + 1],
            partners: Vec::new(),
            router,
            routers: routers.len(),
            hops: Hops::new(topology, &routers, kept)?,
            starts,
            linked,
        };
        // Every mapping of all-to-all traffic costs the same: no partner is worth knowing.
        if let Traffic::Messages(messages) = guest.traffic() {
            topology.require("the partners of every process", 64 * messages.len() as u64)?;
            let mut both: Vec<(u32, u32, f64)> = messages
                .iter()
                .flat_map(|m| [(m.source, m.target, m.volume), (m.target, m.source, m.volume)])
                .collect();
            both.sort_by_key(|(a, b, _)| (*a, *b));
            both.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                if same {
                    kept.2 += next.2;
                }
                same
            });
            both.iter().for_each(|(a, ..)| problem.first[*a as usize + 1] += 1);
            for i in 0..nodes.len() {
                problem.first[i + 1] += problem.first[i];
            }
            problem.partners = both.into_iter().map(|(_, b, volume)| (b, volume)).collect();
        }
        Ok(problem)
    }

    /// Number of processes and of slots.
    fn len(&self) -> usize {
        self.router.len()
    }

    /// The partners of a process, and the volume in both directions.
    fn partners(&self, process: u32) -> &[(u32, f64)] {
        &self.partners[self.first[process as usize]..self.first[process as usize + 1]]
    }

    /// Hops between two slots.
    #[inline]
    fn hops(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.router[a as usize] as usize, self.router[b as usize] as usize);
        f64::from(match &self.hops {
            Hops::Table(hops) => hops[a * self.routers + b],
            Hops::Closed { metric, routers } => metric.between(routers[a], routers[b]).unwrap_or(0),
        })
    }

    /// The routers of the allocation that are linked to one of them, by their indices, ascending.
    fn linked(&self, router: usize) -> &[u32] {
        &self.linked[self.starts[router]..self.starts[router + 1]]
    }

    /// Hop-bytes of a mapping.
    fn cost(&self, slot: &[u32]) -> f64 {
        let of = |p: u32| -> f64 {
            let partners = self.partners(p).iter();
            partners.map(|(q, v)| v * self.hops(slot[p as usize], slot[*q as usize])).sum()
        };
        // Every message stands at both ends.
        (0..self.len() as u32).map(of).sum::<f64>() / 2.0
    }

    /// What swapping the slots of two processes adds to the cost.
    fn swap_gain(&self, slot: &[u32], a: u32, b: u32) -> f64 {
        let (at_a, at_b) = (slot[a as usize], slot[b as usize]);
        let moved = |p: u32, other: u32, from: u32, to: u32| -> f64 {
            let partners = self.partners(p).iter().filter(|(q, _)| *q != other);
            partners
                .map(|(q, v)| {
                    let there = slot[*q as usize];
                    v * (self.hops(to, there) - self.hops(from, there))
                })
                .sum()
        };
        moved(a, b, at_a, at_b) + moved(b, a, at_b, at_a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Fabric, RoutingEntry, analyse};
    use crate::ordering::{NoObserver, NodeOrder};
    use crate::topology::Context;
    use proptest::prelude::*;

    /// Mean dilation that a method reaches on the first nodes in id order.
    fn reached(spec: &str, guest: &Guest, method: &str) -> f64 {
        let machine = machine(spec);
        let order = NodeOrder::make(&machine, "row-major").unwrap();
        let nodes = &order.nodes()[..guest.processes() as usize];
        let (mapping, _) = place(&machine, guest, nodes, method, &NoObserver).unwrap();
        let mut used = mapping.nodes().to_vec();
        used.sort_unstable();
        assert_eq!(used, nodes, "{method} uses every node it was given");
        assert_eq!(mapping, place(&machine, guest, nodes, method, &NoObserver).unwrap().0);
        let fabric = Fabric::new(&machine).unwrap();
        let routing = RoutingEntry::named("ecmp-hop").unwrap();
        analyse(&fabric, guest, &mapping, routing).unwrap().dilation.mean
    }

    fn machine(spec: &str) -> Topology {
        Topology::inline(spec, &Context::default()).unwrap()
    }

    /// Four processes in a ring, and a ring of four nodes.
    fn rings() -> (Topology, Guest, Vec<NodeId>) {
        let ring = machine("torus:4");
        let nodes = ring.nodes().iter().collect();
        (ring, Guest::make("ring:n=4", &Context::default()).unwrap(), nodes)
    }

    /// A guest whose processes are numbered at random.
    fn shuffled(text: &str) -> Guest {
        let guest = Guest::make(text, &Context::default()).unwrap();
        let line = machine(&format!("mesh:{}", guest.processes()));
        let order = NodeOrder::make(&line, "random:seed=5").unwrap();
        let name = |p: u32| order.nodes()[p as usize].0;
        let mut messages = Vec::new();
        guest.for_each_message(|m| messages.push((name(m.source), name(m.target), m.volume)));
        Guest::new("shuffled", guest.processes(), messages).unwrap()
    }

    #[test]
    fn shuffled_processes_find_together_again() {
        for (spec, guest) in [
            ("torus:4x4x4", "stencil:4x4x4,wrap=true"),
            ("torus:8x8", "ring:n=64"),
            ("mesh:8x8", "stencil:8x8"),
        ] {
            let guest = shuffled(guest);
            let rank = reached(spec, &guest, "rank");
            for method in ["bisection", "greedy"] {
                let mean = reached(spec, &guest, method);
                assert!(mean < 0.75 * rank, "{spec}: {method} {mean}, {rank}");
                let refined = reached(spec, &guest, &format!("refine:from={method}"));
                assert!(refined <= mean && refined < 1.6, "{spec}: {method} {mean} to {refined}");
            }
        }
    }

    #[test]
    fn methods_ask_for_what_they_declare() {
        let (machine, guest, nodes) = rings();
        let problem = MappingProblem::new(&machine, &guest, &nodes).unwrap();
        crate::registry::testing::check(&METHODS, |entry, params| {
            (entry.build)(&problem, params, &NoObserver).map(|_| ())
        });
    }

    #[test]
    fn all_to_all_stays_in_rank_order() {
        for method in &METHODS {
            let guest = Guest::make("all-to-all:n=32", &Context::default()).unwrap();
            let mean = reached("torus:4x8", &guest, method.name);
            assert_eq!(mean, 96.0 / 31.0, "{}", method.name);
        }
    }

    #[test]
    fn unknown_names_and_options_are_refused() {
        let (machine, guest, nodes) = rings();
        let error = |nodes: &[NodeId], text| {
            place(&machine, &guest, nodes, text, &NoObserver).unwrap_err().to_string()
        };
        assert!(error(&nodes, "refin").contains("did you mean `refine`"));
        assert!(error(&nodes, "refine:step=4").contains("did you mean `steps`"));
        assert!(error(&nodes[..3], "rank").contains("4 processes on 3 nodes"));
    }

    /// With distances kept or not, every method finds the same.
    #[test]
    fn distances_on_demand_change_nothing() {
        for (spec, text) in
            [("torus:6x5", "stencil:5x6"), ("mesh:4x4,per_router=2", "random:n=32,degree=3")]
        {
            let (machine, guest) = (machine(spec), shuffled(text));
            let nodes: Vec<NodeId> = NodeOrder::make(&machine, "random").unwrap().nodes().to_vec();
            for method in
                ["rank", "grid", "greedy", "bisection", "refine:steps=50", "best:rounds=1"]
            {
                let found = [usize::MAX, 0].map(|kept| {
                    let problem = MappingProblem::keeping(&machine, &guest, &nodes, kept).unwrap();
                    let (method, params) = METHODS.read(method, 1).unwrap();
                    let found = (method.build)(&problem, &params, &NoObserver);
                    found.map_err(|e| e.to_string()).map(|f| f.slots)
                });
                assert_eq!(found[0], found[1], "{spec} {method}");
            }
        }
    }

    proptest! {
        /// The gain of a swap is the difference of the costs.
        #[test]
        fn swaps_gain_what_they_cost_less(
            seed in 0u64..1000, a in 0u32..12, b in 0u32..12, order in 0u64..50,
        ) {
            let context = Context::default();
            let machine = machine("torus:4x3,per_router=2");
            let guest = Guest::make(&format!("random:n=12,degree=3,seed={seed}"), &context).unwrap();
            let order = NodeOrder::make(&machine, &format!("random:seed={order}")).unwrap();
            let problem = MappingProblem::new(&machine, &guest, &order.nodes()[..12]).unwrap();
            let mut slot: Vec<u32> = (0..12).collect();
            let before = problem.cost(&slot);
            let gain = if a == b { 0.0 } else { problem.swap_gain(&slot, a, b) };
            slot.swap(a as usize, b as usize);
            prop_assert_eq!(problem.cost(&slot), before + gain);
        }
    }
}
