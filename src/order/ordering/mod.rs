//! Orderings: sequences of distinct schedulable nodes; a node's rank is its position.
//!
//! Each family is one file with an [`OrderingEntry`]; [`ORDERINGS`] is the table that names them all: constructions,
//! and searches, which start from constructions. A family reads its options for a topology ([`OrderNodes`]) and
//! returns node ids, nothing else. [`NodeOrder`] accepts only what is a valid ordering of its topology.

mod constructions;
mod coverage;
pub mod defaults;
mod entry;
mod file;
mod node_order;
mod order_objective;
mod search;
mod search_result;
mod table;

pub use entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
pub use node_order::NodeOrder;
pub use nodeorder_base::observer::{NoObserver, Observer};
pub use order_objective::{MakeRater, OrderObjective, OrderRater, RateOrders};
pub use search::optimise;
pub use search_result::SearchResult;
pub use table::{ORDERINGS, suitable};

#[cfg(test)]
mod tests {
    use super::entry::{Needs, OrderingEntry};
    use super::node_order::NodeOrder;
    use super::table::ORDERINGS;
    use crate::testing::{build, error};
    use proptest::prelude::*;

    /// A permutation of exactly the schedulable nodes; those of a router consecutive, except where the entry says
    /// otherwise.
    fn check(spec: &str, by: &str) {
        let topology = build(spec);
        let order =
            NodeOrder::make(&topology, by).unwrap_or_else(|e| panic!("{by} on {spec}: {e}"));
        let mut sorted = order.nodes().to_vec();
        sorted.sort_unstable();
        assert!(
            sorted.into_iter().eq(topology.nodes().iter()),
            "{by} on {spec}"
        );
        let entry = ORDERINGS.get(by).unwrap();
        if entry.parse.keeps_routers || by.contains("unit=router") {
            let routers: Vec<u32> = order
                .nodes()
                .iter()
                .map(|n| topology.router_of(*n).0)
                .collect();
            let mut stretches: Vec<u32> = routers.chunk_by(|a, b| a == b).map(|c| c[0]).collect();
            let count = stretches.len();
            stretches.sort_unstable();
            stretches.dedup();
            assert_eq!(stretches.len(), count, "{by} on {spec} parts a router");
        }
        assert_eq!(order, NodeOrder::make(&topology, by).unwrap());
    }

    fn check_all(spec: &str) {
        let machine = build(spec);
        for method in ORDERINGS
            .iter()
            .filter(|entry| entry.parse.works_on(&machine))
        {
            let axes = machine.lattice().map_or(0, |l| l.extents.len());
            let wide = machine.lattice().is_some_and(|l| {
                l.extents.iter().filter(|n| **n > 1).count() > 3 || l.extents.len() > 10
            });
            let back: String = (0..axes).rev().map(|d| d.to_string()).collect();
            let turned = format!("{}:axes={back},reverse=0", method.name);
            match method.name {
                "gilbert" if wide => {
                    assert!(error(spec, "gilbert").contains("at most three"));
                }
                "hierarchical" if machine.network().levels().is_empty() => {
                    let block = vec!["2"; axes].join("x");
                    check(spec, &format!("hierarchical:block={block}"));
                    check(
                        spec,
                        &format!("hierarchical:block={block},scatter=true,axes={back}"),
                    );
                }
                "hierarchical" => {
                    check(spec, "hierarchical");
                    check(spec, "hierarchical:scatter=true");
                }
                "brick" => {
                    check(spec, "brick");
                    check(spec, "brick:inner=gray,outer=hilbert,reverse=0");
                    check(spec, &format!("brick:inner=row,outer=row,axes={back}"));
                }
                "ilp" => {}
                "optimise" => {
                    check(spec, "optimise:steps=40,weights=harmonic,window=8");
                    check(spec, "optimise:steps=40,window=5,ring=true");
                }
                "random" => {
                    check(spec, "random");
                    check(spec, "random:unit=router,seed=3");
                }
                _ => {
                    check(spec, method.name);
                    if method.parse.needs == Needs::Lattice {
                        check(spec, &turned);
                    }
                }
            }
        }
    }

    #[test]
    fn every_method_orders_every_node_once() {
        for spec in [
            "mesh:8x8x5",
            "torus:1",
            "torus:2x1x2",
            "torus:5x4x3,per_router=2,limit=111,exclude=0-2+17+40-47",
            "grid:6x5x4,wrap=101,per_router=3,exclude=0-119",
            "mesh:3x2x4x2,exclude=5",
            "mesh:1x1x1x1x1x1x1x1x1x1",
            "cascade:4x3x2,per_router=2,limit=40,exclude=0-5",
            "cascade:4x3x2,global=single",
        ] {
            check_all(spec);
        }
    }

    /// A machine for the example of an ordering.
    fn suiting(entry: &OrderingEntry) -> &'static str {
        match entry.parse.needs {
            Needs::Levels => "cascade:16x6x8,per_router=4",
            _ if entry.name == "ilp" => "torus:4x4",
            _ => "torus:6x4x4",
        }
    }

    #[test]
    fn examples_work_somewhere() {
        for method in ORDERINGS.iter() {
            check(suiting(method), method.example);
        }
    }

    #[test]
    fn families_read_what_they_declare() {
        nodeorder_base::registry::testing::check_table(&ORDERINGS, |entry, params| {
            (entry.parse.options)(&build(suiting(entry)), params).map(drop)
        });
    }

    #[test]
    fn more_axes_than_any_array_holds_are_no_problem() {
        let ones = vec!["1"; 40].join("x");
        check(&format!("mesh:{ones}x3"), "snake");
        check(&format!("mesh:{ones}x3"), "morton");
        check(&format!("mesh:{ones}x3"), "brick");
        check(&format!("mesh:{ones}x300"), "gilbert");
        assert!(error(&format!("mesh:{ones}x300"), "hilbert").contains("more than 128 bits"));
    }

    proptest! {
        // Searches are among them: a few machines are many seconds.
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_method_orders_any_grid(
            dims in prop::collection::vec(1u32..6, 1..5),
            per_router in 1u32..3,
            torus in any::<bool>(),
        ) {
            let x: Vec<String> = dims.iter().map(u32::to_string).collect();
            let kind = if torus { "torus" } else { "mesh" };
            check_all(&format!("{kind}:{},per_router={per_router}", x.join("x")));
        }
    }
}
