//! Dragonfly+, also called Megafly: groups of leaf and spine switches, the spine switches of all groups joined.
//!
//! # Drawing
//! ```text
//! dragonfly+:p=1,l=2,s=2,h=1     group 0          group 1          group 2
//! 3 groups of 2 leaf and         spine spine      spine spine      spine spine
//! 2 spine switches                 |  X  |          |  X  |          |  X  |
//!                                leaf  leaf       leaf  leaf       leaf  leaf
//! Every spine switch has one cable to one other group.
//! ```

use super::global_links::{CABLES_OPTION, GLOBAL_OPTION, GlobalLinks};
use crate::topology::context::Context;
use crate::topology::distance::{Label, Labels, Metric};
use crate::topology::family::{BuildNetwork, TopologyEntry, nodes_option};
use crate::topology::network::{Level, Network, on_request};
use crate::topology::sizes::{check_nodes, require_graph};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `dragonfly+:p=16,l=16,s=16,h=16,g=25`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "dragonfly+",
    about: "g groups of l leaf switches with p nodes each, and s spine switches \
     with h global ports each",
    example: "dragonfly+:p=4,l=4,s=4,h=4,g=9",
    options: &[
        Opt::whole("p", "nodes on each leaf switch"),
        Opt::whole("l", "leaf switches in each group"),
        Opt::whole("s", "spine switches in each group"),
        Opt::whole("h", "global ports on each spine switch"),
        Opt::whole("g", "groups").default_in_words("s·h + 1"),
        GLOBAL_OPTION,
        CABLES_OPTION,
        nodes_option(
            "chooses p, l, s, h, g, cables: p = l = s, the smallest p that fits \
             with h = p, as few groups as needed, all the cables between two that a \
             switch's p ports allow, and as few ports as these take",
        ),
    ],
    parse: parse_options,
};

/// Options of a dragonfly+. Leaf = group·l + position; spine switches follow, again group by group; node = leaf·p +
/// slot. In a group every leaf switch is linked to every spine switch. Groups are joined like those of
/// [`super::dragonfly`], by the ports of their spine switches: with g = s·h+1 groups one cable a pair, with fewer
/// ⌊s·h/(g-1)⌋.
///
/// Distance between leaf switches: 2 in a group, 3 between groups: up, over the cable, down. A leaf switch has degree
/// s; g·(l + s) switches, g·l·s links inside groups. O(links) to visit; distances in closed form.
///
/// # References
/// Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: Low Cost Topology for Scaling Datacenters",
/// HiPINEB 2017, section II; Flajslik, Borch, Parker, "Megafly: A Topology for Exascale Systems", ISC 2018. Ports left
/// over and parallel cables as in the dragonfly.
struct DragonflyPlusOptions {
    /// Nodes on each leaf switch.
    p: u32,
    /// Leaf switches in each group.
    leaves: u32,
    /// Spine switches in each group.
    spines: u32,
    /// Global ports on each spine switch.
    h: u32,
    global: GlobalLinks,
}

/// Reads the options of a dragonfly+.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    const HIGH: u32 = 1 << 20;
    let p = params.required_integer("p", 1, HIGH)?;
    let leaves = params.required_integer("l", 1, HIGH)?;
    let spines = params.required_integer("s", 1, HIGH)?;
    let h = params.required_integer("h", 0, HIGH)?;
    let (groups, global) = GlobalLinks::from_params(params, spines, h)?;
    let hosts = groups.saturating_mul(u64::from(leaves));
    check_nodes(params.location(), hosts.saturating_mul(u64::from(p)))?;
    let routers = groups.saturating_mul(u64::from(leaves) + u64::from(spines));
    check_nodes(params.location(), routers)?;
    let links = count_inside_links(groups, leaves, spines).saturating_add(global.max_links());
    require_graph(context, routers, links)?;
    Ok(Box::new(DragonflyPlusOptions {
        p,
        leaves,
        spines,
        h,
        global,
    }))
}

/// Counts the links between leaf and spine switches.
fn count_inside_links(groups: u64, leaves: u32, spines: u32) -> u64 {
    (u64::from(leaves) * u64::from(spines)).saturating_mul(groups)
}

impl BuildNetwork for DragonflyPlusOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let DragonflyPlusOptions {
            p,
            leaves,
            spines,
            h,
            global,
        } = *self;
        let groups = global.groups;
        let hosts = groups * leaves;
        // Two hops to another leaf switch, over a spine switch; one more where the cable to another group is
        // on the way.
        let leaf = Label {
            extent: hosts,
            stride: 1,
            weight: 2,
        };
        let group = Label {
            extent: groups,
            stride: leaves,
            weight: 1,
        };
        let global_part = global.spec_suffix();
        let spec = format!("dragonfly+:p={p},l={leaves},s={spines},h={h},g={groups}{global_part}");
        let routers = groups * (leaves + spines);
        let network = Network::new(spec, routers, p, move |visit| {
            for group in 0..groups {
                for leaf in group * leaves..(group + 1) * leaves {
                    (0..spines).for_each(|s| visit(leaf, hosts + group * spines + s, 1.0));
                }
                global.for_each_from(group, &mut |u, v, capacity| {
                    visit(hosts + u, hosts + v, capacity);
                });
            }
        });
        let inside = count_inside_links(groups.into(), leaves, spines);
        Ok(Network {
            hosts,
            link_count: on_request(move || inside + global.count_links()),
            idle_ports: global.count_idle_ports(),
            metric: Metric::Labels(Labels {
                labels: vec![leaf, group],
            }),
            levels: vec![
                Level::with_router_units("group", leaves, p),
                Level::with_router_units("leaf", 1, p),
            ],
            links_up: on_request(move || vec![global.count_links(), inside]),
            ..network
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_metric, check_refused};
    use nodeorder_base::NodeId;
    use proptest::prelude::*;

    #[test]
    fn balanced_groups_have_the_published_counts() {
        // k-port switches, half of the ports each way: (k/2)² nodes a group, (k/2)² + 1 groups, diameter 3.
        for half in [1u64, 2, 4, 6] {
            let machine = build(&format!("dragonfly+:p={half},l={half},s={half},h={half}"));
            let (s, g) = (machine.statistics().unwrap(), half * half + 1);
            assert_eq!((s.nodes, s.routers), (half * half * g, 2 * half * g));
            assert_eq!(s.links, g * half * half + g * (g - 1) / 2);
            assert_eq!(
                (u64::from(s.degree_min), u64::from(s.degree_max)),
                (half, 2 * half)
            );
            assert_eq!(s.diameter, 3);
        }
        let far = build("dragonfly+:p=2,l=2,s=2,h=1");
        assert_eq!(
            [1, 2, 4, 11].map(|n| far.distance(NodeId(0), NodeId(n))),
            [0, 2, 3, 3]
        );
    }

    proptest! {
        #[test]
        fn counts_and_distances_equal_the_graph(
            [p, l, s, h] in [1u32..4, 1u32..5, 1u32..4, 1u32..4],
            cut in 0.0f64..1.0,
            which in 0usize..3,
            keep in 0.2f64..1.0,
        ) {
            let groups = 1 + (cut * f64::from(s * h + 1)) as u32;
            let groups = groups.min(s * h + 1);
            let global = ["absolute", "relative", "circulant"][which];
            let spec = format!("dragonfly+:p={p},l={l},s={s},h={h},g={groups},global={global}");
            let machine = build(&spec);
            prop_assert_eq!(machine.spec(), &spec);
            check_links(&machine);
            check_metric(&machine);
            prop_assert_eq!(machine.network().routers(), groups * (l + s));
            let mut ports = vec![0.0; machine.network().routers() as usize];
            machine.network().for_each_link(&mut |u, v, capacity| {
                if u >= groups * l {
                    ports[u as usize] += capacity;
                    ports[v as usize] += capacity;
                }
            });
            prop_assert!(ports.iter().all(|used| *used <= f64::from(h)));
            let limit = ((f64::from(groups * l * p) * keep) as u32).max(1);
            check_metric(&build(&format!("{spec},limit={limit}")));
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("dragonfly+:p=1,l=4,s=2", "no `h`"),
            (
                "dragonfly+:p=1,l=4,s=2,h=2,g=6",
                "a whole number from 1 to 5",
            ),
            (
                "dragonfly+:p=1,l=1048576,s=1048576,h=1,g=2",
                "more than the 8.0 GB",
            ),
            ("dragonfly+:p=4,l=1048576,s=1048576,h=1", "a machine of"),
        ]);
    }
}
