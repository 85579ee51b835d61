//! Topologies: routers, links, nodes and the distance between them.
//!
//! Each family is one file with a [`TopologyEntry`] constant; [`TOPOLOGIES`] is the table of all of them. A
//! [`Topology`] is a family's [`Network`] with the machine's choice of schedulable nodes and their names.
//! [`TopologyOptions`] are the options of a machine, parsed before it is built. The router graph is built on first
//! use; distances on grids and trees come from closed forms.

pub mod arcs;
mod bisection;
mod broken;
mod by_size;
mod cabling;
pub mod capacity_units;
pub mod check;
mod components;
mod context;
pub mod distance;
mod families;
mod family;
mod from_links;
pub mod graph;
mod import;
pub mod lattice;
pub mod levels;
mod link_list;
mod machine;
mod machine_options;
mod name_source;
mod names;
mod network;
mod node_names;
pub mod nodes;
mod options;
pub mod rails;
mod recognise;
pub mod search;
pub mod site;
mod sizes;
mod source_file;
pub mod statistics;
mod table;
#[cfg(test)]
#[path = "tests/testing.rs"]
pub mod testing;
mod to_petgraph;

pub use context::Context;
pub use distance::Metric;
pub use family::{BuildNetwork, ParseNetwork, TopologyEntry, by_x, per_router, per_router_suffix};
pub use from_links::LinkedRouters;
pub use graph::RouterGraph;
pub use import::host_list::compress_host_list as compact_list;
pub use lattice::Lattice;
pub use link_list::number_sets;
pub use machine::Topology;
pub use machine_options::COMMON_OPTIONS;
pub use network::{Level, LinkVisitor, Network};
pub use node_names::NumberMeaning;
pub use nodes::NodeSet;
pub use options::TopologyOptions;
pub use sizes::MAX_NODES;
pub use sizes::{check_nodes, multiply_sizes, require_graph};
pub use source_file::SHIPPED;
pub use statistics::Statistics;
pub use table::TOPOLOGIES;

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Params;
    use proptest::prelude::*;

    /// Small machines of every family whose distance is a closed form. Fat trees have their own test.
    fn closed_form() -> impl Strategy<Value = String> {
        let dims = prop::collection::vec(1u32..6, 1..4);
        let kind = prop::sample::select(vec!["mesh", "torus", "hyperx", "grid"]);
        let products = (kind, dims, 1u32..4, any::<u8>()).prop_map(|(kind, dims, per, bits)| {
            let wrap: String = (0..dims.len())
                .map(|i| if bits >> i & 1 == 1 { '1' } else { '0' })
                .collect();
            let wrap = if kind == "grid" {
                format!(",wrap={wrap}")
            } else {
                String::new()
            };
            format!("{kind}:{}{wrap},per_router={per}", by_x(&dims))
        });
        let cascades = ([1u32..5, 1u32..4, 1u32..5], 1u32..4, any::<bool>()).prop_map(
            |(dims, per, single)| {
                let global = if single { ",global=single" } else { "" };
                format!("cascade:{},per_router={per}{global}", by_x(&dims))
            },
        );
        prop_oneof![3 => products, 1 => cascades]
    }

    proptest! {
        #[test]
        fn closed_forms_equal_a_search(spec in closed_form(), keep in 0.1f64..1.0) {
            let full = Topology::inline(&spec, &Context::default()).unwrap();
            prop_assert!(!matches!(full.metric(), Metric::Hops));
            testing::check_links(&full);
            testing::check_metric(&full);
            let limit = ((f64::from(full.nodes().slot_count()) * keep) as u32).max(1);
            let part = Topology::inline(&format!("{spec},limit={limit}"), &Context::default());
            testing::check_metric(&part.unwrap());
        }
    }

    fn reads_a_file(family: &TopologyEntry) -> bool {
        family.options.iter().any(|option| option.key == "file")
    }

    #[test]
    fn families_read_the_options_that_they_declare() {
        let read = |family: &TopologyEntry, params: &Params| {
            let nodes = by_size::choose_shape(family, params)?;
            if nodes.is_some() {
                return Ok(());
            }
            (family.parse)(params, &Context::default()).map(|_| ())
        };
        nodeorder_base::registry::testing::check_table(&TOPOLOGIES, read);
    }

    #[test]
    fn every_example_builds_and_comes_back() {
        // Examples that name a file, which is not here, are left to the families' own tests.
        for family in TOPOLOGIES.iter().filter(|f| !reads_a_file(f)) {
            let machine = Topology::inline(family.example, &Context::default()).unwrap();
            testing::check_links(&machine);
            let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
            assert_eq!(again.spec(), machine.spec());
            let total = |machine: &Topology| machine.statistics().unwrap().total_distance;
            assert_eq!(total(&again), total(&machine));
            for level in machine.network().levels() {
                assert_eq!(
                    machine.network().slots() % level.slots,
                    0,
                    "{}",
                    family.name
                );
            }
        }
    }
}
