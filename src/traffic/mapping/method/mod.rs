//! Mapping methods: which process goes on which of the allocated nodes.
//!
//! A method gives every process a *slot*: the nodes of the job, by rank, are slots 0, 1, … It knows the hops between
//! slots and the volume between processes ([`MappingProblem`]) and lowers hop-bytes, the sum over messages of volume
//! times hops on shortest paths, below what processes in rank order have. For a ring of four processes 0-2-1-3-0 on a
//! ring of four nodes, rank order has 1·2 + 1·1 + 1·2 + 1·1 = 6 hop-bytes; slots 0, 2, 1, 3 have 4.
//!
//! Each method is one file with a [`MappingMethodEntry`]; [`METHODS`] is the table that names them all.

use super::guest::Guest;
use super::process_mapping::ProcessMapping;
use nodeorder_base::{Error, NodeId, Observer, Result, SourceLocation};
use nodeorder_network::Topology;

mod best;
mod bisection;
mod entry;
mod greedy;
mod grid;
mod problem;
mod product;
mod rank;
mod refine;
mod table;
mod tabu;

pub use entry::{MapProcesses, MappingMethodEntry, MappingResult, ParseMethod};
pub use problem::MappingProblem;
pub use table::METHODS;

/// A guest on its nodes.
pub struct PlacedGuest {
    /// Node of every process.
    pub mapping: ProcessMapping,
    /// Name of the method that found it: one of [`METHODS`].
    pub method: &'static str,
    /// Methods that `best` did not run to their end, for want of time.
    pub unfinished: Vec<&'static str>,
}

/// Puts `guest` on `nodes` (one for each process, in rank order; repeats allowed) by the method that `text`
/// names. `observer` has the clock of methods that search for a time.
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
) -> Result<PlacedGuest> {
    let (method, params) = METHODS.find_and_read(text, topology.context().seed)?;
    let method = (method.parse)(&params)?;
    let Some(nodes) = nodes.get(..guest.processes() as usize) else {
        return Err(Error::unsuited(
            SourceLocation::option(text),
            format!("{} processes on {} nodes", guest.processes(), nodes.len()),
            "give a node for each process",
        ));
    };
    let problem = MappingProblem::new(topology, guest, nodes)?;
    let found = method.map_processes(&problem, observer)?;
    let slots = found.slots.iter();
    let nodes = slots.map(|slot| nodes[*slot as usize]).collect();
    Ok(PlacedGuest {
        mapping: ProcessMapping::new(topology, text, nodes)?,
        method: found.method,
        unfinished: found.unfinished,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Fabric, FixedRouting, analyse};
    use crate::testing::build;
    use nodeorder_network::Context;
    use nodeorder_order::NodeOrder;
    use nodeorder_order::ordering::NoObserver;
    use proptest::prelude::*;

    pub(super) fn guest(text: &str) -> Guest {
        Guest::make(text, &Context::default()).unwrap()
    }

    /// A guest on the first nodes of a machine in random order.
    pub(super) fn problem(machine: &Topology, guest: &Guest, seed: u64) -> MappingProblem {
        let order = NodeOrder::make(machine, &format!("random:seed={seed}")).unwrap();
        let nodes = &order.nodes()[..guest.processes() as usize];
        MappingProblem::new(machine, guest, nodes).unwrap()
    }

    /// Mean dilation that a method reaches on the first nodes in id order.
    fn reached(spec: &str, guest: &Guest, method: &str) -> f64 {
        let machine = build(spec);
        let order = NodeOrder::make(&machine, "row-major").unwrap();
        let nodes = &order.nodes()[..guest.processes() as usize];
        let place = || place(&machine, guest, nodes, method, &NoObserver).unwrap();
        let mapping = place().mapping;
        let mut used = mapping.nodes().to_vec();
        used.sort_unstable();
        assert_eq!(used, nodes, "{method} uses every node it was given");
        assert_eq!(mapping, place().mapping);
        let fabric = Fabric::new(&machine).unwrap();
        let routing = FixedRouting::find_by_name("ecmp-hop").unwrap();
        analyse(&fabric, guest, &mapping, routing)
            .unwrap()
            .dilation
            .mean
    }

    /// Four processes in a ring, and a ring of four nodes.
    fn rings() -> (Topology, Guest, Vec<NodeId>) {
        let ring = build("torus:4");
        let nodes = ring.nodes().iter().collect();
        (ring, guest("ring:n=4"), nodes)
    }

    /// A guest whose processes are numbered at random.
    pub(super) fn shuffled(text: &str) -> Guest {
        let guest = guest(text);
        let line = build(&format!("mesh:{}", guest.processes()));
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
                assert!(
                    refined <= mean && refined < 1.6,
                    "{spec}: {method} {mean} to {refined}"
                );
            }
        }
    }

    #[test]
    fn methods_read_the_options_that_they_declare() {
        nodeorder_base::registry::testing::check_table(&METHODS, |entry, params| {
            (entry.parse)(params).map(drop)
        });
    }

    #[test]
    fn all_to_all_stays_in_rank_order() {
        for method in METHODS.iter() {
            let guest = guest("all-to-all:n=32");
            let mean = reached("torus:4x8", &guest, method.name);
            assert_eq!(mean, 96.0 / 31.0, "{}", method.name);
        }
    }

    #[test]
    fn unknown_names_and_options_are_refused() {
        let (machine, guest, nodes) = rings();
        let error = |nodes: &[NodeId], text| {
            let refused = place(&machine, &guest, nodes, text, &NoObserver).err();
            refused.unwrap().to_string()
        };
        assert!(error(&nodes, "refin").contains("did you mean `refine`"));
        assert!(error(&nodes, "refine:step=4").contains("did you mean `steps`"));
        assert!(error(&nodes[..3], "rank").contains("4 processes on 3 nodes"));
    }

    /// With distances kept or not, every method finds the same.
    #[test]
    fn distances_on_demand_change_nothing() {
        for (spec, text) in [
            ("torus:6x5", "stencil:5x6"),
            ("mesh:4x4,per_router=2", "random:n=32,degree=3"),
        ] {
            let (machine, guest) = (build(spec), shuffled(text));
            let nodes: Vec<NodeId> = NodeOrder::make(&machine, "random")
                .unwrap()
                .nodes()
                .to_vec();
            for method in [
                "rank",
                "grid",
                "greedy",
                "bisection",
                "refine:steps=50",
                "best:rounds=1",
            ] {
                let found = [usize::MAX, 0].map(|kept| {
                    let problem =
                        MappingProblem::keeping_distances(&machine, &guest, &nodes, kept).unwrap();
                    let (method, params) = METHODS.find_and_read(method, 1).unwrap();
                    let found = (method.parse)(&params)
                        .unwrap()
                        .map_processes(&problem, &NoObserver);
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
            let guest = guest(&format!("random:n=12,degree=3,seed={seed}"));
            let problem = problem(&build("torus:4x3,per_router=2"), &guest, order);
            let mut slot: Vec<u32> = (0..12).collect();
            let before = problem.hop_bytes(&slot);
            let gain = if a == b { 0.0 } else { problem.swap_gain(&slot, a, b) };
            slot.swap(a as usize, b as usize);
            prop_assert_eq!(problem.hop_bytes(&slot), before + gain);
        }
    }
}
