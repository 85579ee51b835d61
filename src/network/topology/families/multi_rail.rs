//! Multi-rail networks: every node on several rails, each rail a fat tree of its own; domains of faster links inside.
//!
//! # Drawing
//! ```text
//! multi-rail:rails=2,domains=2,units=2,spines=1
//!
//! rail 0     spine                rail 1     spine
//!           /     \                         /     \
//!        leaf     leaf                   leaf     leaf
//!        /  \     /  \                   /  \     /  \
//!       0    1   2    3                 0    1   2    3      the same four nodes
//! ```

use super::totals::{add_all, multiply_all};
use crate::topology::bisection::CutBounds;
use crate::topology::context::Context;
use crate::topology::distance::{Label, Labels, Metric, Tree};
use crate::topology::family::{BuildNetwork, TopologyEntry, nodes_option};
use crate::topology::network::{JointVisitor, Level, LinkVisitor, Network, on_request};
use crate::topology::rails::Rails;
use crate::topology::sizes::{check_nodes, require_graph};
use nodeorder_base::{Error, Opt, Params, Result};

/// Entry of `multi-rail:rails=8,domains=32,units=4,spines=4`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "multi-rail",
    about: "rail-optimised GPU clusters: an interface of each node on each rail, a \
     leaf switch a rail in each unit; domains of faster \
            links",
    example: "multi-rail:rails=8,domains=32,units=4,spines=4",
    options: &[
        Opt::whole("rails", "interfaces of each node, one a rail"),
        Opt::whole(
            "domain",
            "nodes that a switch of faster links joins, such as NVLink's",
        )
        .default_value("1"),
        Opt::whole("domains", "domains of each unit"),
        Opt::whole("units", "units, each with one leaf switch a rail").default_value("1"),
        Opt::whole(
            "spines",
            "spine switches of each rail, linked to all its leaf switches",
        )
        .default_value("0"),
        Opt::whole(
            "cores",
            "core switches over the spines of each number, joining rails",
        )
        .default_value("0"),
        Opt::whole(
            "cables",
            "cables from a leaf switch to each spine switch of its rail",
        )
        .default_value("1"),
        Opt::whole(
            "core_cables",
            "cables from a spine switch to each of its core switches",
        )
        .default_value("1"),
        Opt::flag("gpus", "node ids are GPUs, one a rail of each node"),
        Opt::whole(
            "nvlink",
            "what a change of rail inside a domain counts in distances, up to fabric",
        )
        .default_value("0"),
        Opt::whole("fabric", "what a hop on a rail counts in distances").default_value("1"),
        Opt::number(
            "nvlink_capacity",
            "capacity of a link inside a domain; a cable's is 1",
        )
        .default_value("1"),
        nodes_option(
            "chooses domains, units: units of 32 nodes or, with larger domains, 8 \
             domains, as few as needed; \
             without spines as many cables from a leaf switch up as down, to spine switches of 64 ports if units allow",
        ),
    ],
    parse: parse_options,
};

/// Options of a multi-rail network: servers with one interface a rail. A unit has `domains` domains of `domain`
/// servers each and one leaf switch a rail, to which each of its servers has a cable; the leaf switches of a rail are
/// linked to its spine switches, so that each rail is a network of its own, and `cores` join the spine switches of
/// one number in all rails. Nodes are servers, or with `gpus` their GPUs. [`Rails`] numbers them.
///
/// Routers are the switches, and links the cables between them. Those of the servers to the leaf switches are node
/// links, one a rail and server. A domain's own links (NVLink) are neither: `map` reports what they carry by itself.
///
/// # Distances
/// A hop between switches counts `fabric` (f). Between servers: 0 in a unit, 2f between units, as on a tree. Between
/// GPUs besides `nvlink` (v ≤ f) where the rail differs: to a GPU on another rail traffic goes to the server's own
/// GPU on that rail first, or through the domain. Both are closed forms.
///
/// # Traffic
/// Servers share what they send equally among all rails, whatever the routing; core switches carry nothing.
///
/// # Complexity
/// O(links) to visit.
///
/// # References
/// NVIDIA, "DGX SuperPOD Reference Architecture Featuring NVIDIA DGX H100 Systems", RA-11333-001, 2023, section on the
/// compute fabric (rail-optimised, three levels); Wang et al., "Rail-only: A Low-Cost High-Performance Network for
/// Training LLMs with Trillion Parameters", 2023 (rails that nothing joins).
#[derive(Clone, Copy, Debug)]
struct MultiRailOptions {
    rails: Rails,
    /// Cables from a spine switch to each of its core switches.
    core_cables: u32,
    /// Distance that a change of rail inside a domain adds.
    nvlink: u32,
    /// Distance of a hop on a rail.
    fabric: u32,
}

/// Largest number of anything: more than any machine has, and products of three stay within 64 bits.
const MAX_COUNT: u32 = 1 << 20;
/// Largest weight: sums of six stay far from the limits of distances.
const MAX_WEIGHT: u32 = 1000;

/// Reads the options of a multi-rail network.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let positive = |key| params.required_integer(key, 1, MAX_COUNT);
    let fabric = params.required_integer("fabric", 1, MAX_WEIGHT)?;
    let nvlink_capacity = params.required_real("nvlink_capacity", 0.0, 1e9)?;
    if nvlink_capacity <= 0.0 {
        return Err(params.invalid_value("nvlink_capacity", "a number above 0"));
    }
    let rails = Rails {
        rails: positive("rails")?,
        domain: positive("domain")?,
        domains: positive("domains")?,
        units: positive("units")?,
        spines: params.required_integer("spines", 0, MAX_COUNT)?,
        cores: params.required_integer("cores", 0, MAX_COUNT)?,
        cables: positive("cables")?,
        gpus: params.is_set("gpus")?,
        nvlink_capacity,
    };
    if rails.units > 1 && rails.spines == 0 {
        let found = format!("{} units and no spine switches", rails.units);
        let location = params.location_of("units");
        return Err(Error::input(
            location,
            found,
            "spines= of 1 or more, which join units",
        ));
    }
    let options = MultiRailOptions {
        rails,
        core_cables: positive("core_cables")?,
        nvlink: params.required_integer("nvlink", 0, fabric)?,
        fabric,
    };
    let [r, d, u, s, c] = [
        rails.rails,
        rails.domains,
        rails.units,
        rails.spines,
        rails.cores,
    ];
    let each = if rails.gpus { r } else { 1 };
    let slots = multiply_all(&[u, d, rails.domain]).saturating_mul(each.into());
    check_nodes(params.location(), slots)?;
    let routers = add_all(&[
        multiply_all(&[u, r]),
        multiply_all(&[r, s]),
        multiply_all(&[s, c]),
    ]);
    check_nodes(params.location(), routers)?;
    let mut links = add_all(&[multiply_all(&[u, r, s]), multiply_all(&[r, s, c])]);
    // Servers join all their rails in pairs.
    if rails.gpus {
        links = links.saturating_add(multiply_all(&[u, r, r - 1]) / 2);
    }
    require_graph(context, routers, links)?;
    Ok(Box::new(options))
}

impl BuildNetwork for MultiRailOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let options = *self;
        let r = self.rails;
        let mut levels = vec![Level::with_equal_units("unit", r.nodes_per_unit())];
        if r.domain > 1 {
            levels.push(Level::with_equal_units("domain", r.nodes_per_domain()));
        }
        if r.gpus {
            levels.push(Level::with_equal_units("node", r.nodes_per_server()));
        }
        let [rails, units, spines, cores] = [r.rails, r.units, r.spines, r.cores].map(u64::from);
        let links = rails * spines * (units + cores);
        let mut links_up = vec![0; levels.len()];
        links_up[0] = links;
        let joints = move |visit: &mut JointVisitor<'_>| {
            for unit in 0..r.units {
                for b in 0..r.rails {
                    (0..b).for_each(|a| {
                        visit(
                            r.leaf_switch(unit, a),
                            r.leaf_switch(unit, b),
                            options.nvlink,
                        )
                    });
                }
            }
        };
        let fabric = self.fabric;
        // Cables of a unit up, where they can be counted.
        let up = u32::try_from(rails.saturating_mul(spines * u64::from(r.cables)));
        let m = [r.nodes_per_unit(), r.units];
        let cut_bounds = match up {
            Ok(up) => on_request(move || CutBounds::for_fat_tree(&m, &[1, up])),
            Err(_) => None,
        };
        Ok(Network {
            hosts: r.units * r.nodes_per_server(),
            dealt_over: r.nodes_per_server(),
            // Without weights the graph is smaller and its searches are faster.
            link_weights: if fabric == 1 {
                None
            } else {
                on_request(move || vec![fabric; links as usize])
            },
            joints: if r.gpus && r.rails > 1 {
                Some(Box::new(joints))
            } else {
                None
            },
            rails: Some(r),
            link_count: on_request(move || links),
            metric: self.closed_form(),
            levels,
            links_up: on_request(move || links_up.clone()),
            cut_bounds,
            ..Network::new(
                self.canonical_spec(),
                r.switch_count(),
                r.servers_per_unit(),
                move |visit| options.for_each_link(visit),
            )
        })
    }
}

impl MultiRailOptions {
    /// Visits every link with its capacity.
    fn for_each_link(&self, visit: &mut LinkVisitor<'_>) {
        let r = self.rails;
        for unit in 0..r.units {
            for rail in 0..r.rails {
                for spine in 0..r.spines {
                    visit(
                        r.leaf_switch(unit, rail),
                        r.spine_switch(rail, spine),
                        r.cables.into(),
                    );
                }
            }
        }
        let capacity = self.core_cables.into();
        for rail in 0..r.rails {
            for spine in 0..r.spines {
                for core in 0..r.cores {
                    visit(
                        r.spine_switch(rail, spine),
                        r.core_switch(spine, core),
                        capacity,
                    );
                }
            }
        }
    }

    /// Writes the canonical inline specification: options that have their default are left out.
    fn canonical_spec(&self) -> String {
        let Rails {
            rails,
            domain,
            domains,
            units,
            spines,
            ..
        } = self.rails;
        let mut spec = format!("multi-rail:rails={rails},domain={domain},domains={domains}");
        spec += &format!(",units={units},spines={spines}");
        for (key, value, default) in [
            ("cores", self.rails.cores.to_string(), "0"),
            ("cables", self.rails.cables.to_string(), "1"),
            ("core_cables", self.core_cables.to_string(), "1"),
            ("gpus", self.rails.gpus.to_string(), "false"),
            ("nvlink", self.nvlink.to_string(), "0"),
            ("fabric", self.fabric.to_string(), "1"),
            (
                "nvlink_capacity",
                self.rails.nvlink_capacity.to_string(),
                "1",
            ),
        ] {
            if value != default {
                spec += &format!(",{key}={value}");
            }
        }
        spec
    }

    /// Makes the distance of leaf switches: on a tree; with GPUs, or where hops do not count 1, by labels.
    fn closed_form(&self) -> Metric {
        let r = self.rails;
        if !r.gpus && self.fabric == 1 {
            return Metric::Tree(Tree {
                arity: vec![r.units],
            });
        }
        let each = r.nodes_per_server();
        let rail = Label {
            extent: each,
            stride: 1,
            weight: self.nvlink,
        };
        let unit = Label {
            extent: r.units,
            stride: each,
            weight: 2 * self.fabric,
        };
        Metric::Labels(Labels {
            labels: vec![rail, unit],
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_metric, check_refused};
    use proptest::prelude::*;

    #[test]
    fn nodes_know_their_switches() {
        for gpus in [false, true] {
            let machine = build(&format!(
                "multi-rail:rails=3,domain=2,domains=2,units=4,spines=2,gpus={gpus}"
            ));
            let (network, rails) = (machine.network(), *machine.network().rails().unwrap());
            let mut all = Vec::new();
            for router in 0..network.routers() {
                for node in machine.nodes_of(nodeorder_base::ids::RouterId(router)) {
                    assert_eq!(machine.router_of(node).0, router);
                    let (unit, rail) = (node.0 / rails.nodes_per_unit(), rails.rail_of(node));
                    assert_eq!(router, rails.leaf_switch(unit, rail.unwrap_or(0)));
                    all.push(node);
                }
            }
            all.sort_unstable();
            assert_eq!(all, machine.nodes().iter().collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn counts_and_distances_equal_the_graph(
            [rails, domain, domains, units] in [1u32..4, 1u32..4, 1u32..4, 1u32..4],
            [spines, cores] in [1u32..3, 0u32..3],
            gpus in any::<bool>(),
            (nvlink, more) in (0u32..3, 0u32..3),
            keep in 0.2f64..1.0,
        ) {
            let fabric = (nvlink + more).max(1);
            let spec = format!(
                "multi-rail:rails={rails},domain={domain},domains={domains},units={units},spines={spines},\
                 cores={cores},gpus={gpus},nvlink={nvlink},fabric={fabric}"
            );
            let machine = build(&spec);
            check_links(&machine);
            check_metric(&machine);
            let per = if gpus { rails } else { 1 };
            let nodes = units * domains * domain * per;
            let routers = units * rails + rails * spines + spines * cores;
            prop_assert_eq!((machine.node_count() as u32, machine.network().routers()), (nodes, routers));
            let again = build(machine.spec());
            prop_assert_eq!(again.spec(), machine.spec());
            let limit = ((f64::from(nodes) * keep) as u32).max(1);
            check_metric(&build(&format!("{spec},limit={limit}")));
            let full = machine.statistics().unwrap();
            prop_assert_eq!(full.node_links, u64::from(units * domains * domain * rails));
            if units > 1 {
                let apart = if gpus && rails > 1 { nvlink } else { 0 };
                prop_assert_eq!(full.diameter, 2 * fabric + apart);
            }
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("multi-rail:rails=2", "no `domains`"),
            (
                "multi-rail:rails=2,domains=2,units=2",
                "2 units and no spine switches",
            ),
            ("multi-rail:rails=2,domains=2,nvlink=2", "from 0 to 1"),
            ("multi-rail:rails=2,domains=2,nvlink_capacity=0", "above 0"),
            (
                "multi-rail:rails=1048576,domains=1048576,gpus=true",
                "a machine of 1099511627776 nodes",
            ),
            (
                "multi-rail:rails=1048576,domains=1,units=2000,spines=2",
                "more than the 8.0 GB",
            ),
        ]);
    }
}
