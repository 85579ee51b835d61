//! The canonical dragonfly: groups of routers joined all-to-all, groups joined all-to-all by single cables.
//!
//! # Drawing
//! ```text
//! dragonfly:p=2,a=2,h=1          group 0      group 1      group 2
//! 3 groups of 2 routers,         0 --- 1      2 --- 3      4 --- 5
//! 2 nodes a router               |     |      |     |      |     |
//!                                1.0   2.0    0.0   2.1    0.1   1.1   group.port at the far end
//! ```

use super::global_links::{CABLES_OPTION, GLOBAL_OPTION, GlobalLinks};
use super::totals::count_pairs;
use crate::topology::bisection::CutBounds;
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry, nodes_option};
use crate::topology::network::{Level, Network, on_request};
use crate::topology::sizes::{check_nodes, require_graph};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `dragonfly:p=4,a=8,h=4,g=33,global=absolute`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "dragonfly",
    about: "g groups of a routers, p nodes and h global ports each; \
     global=absolute|relative|circulant",
    example: "dragonfly:p=4,a=8,h=4,g=33",
    options: &[
        Opt::whole("p", "nodes on each router"),
        Opt::whole("a", "routers in each group"),
        Opt::whole("h", "global ports on each router"),
        Opt::whole("g", "groups").default_in_words("a·h + 1"),
        GLOBAL_OPTION,
        CABLES_OPTION,
        nodes_option(
            "chooses p, a, h, g, cables: balanced, a = 2p, the smallest p that fits \
             with h = p, as few groups as needed, all the cables between two that \
             a router's p ports allow, and as few ports as these take",
        ),
    ],
    parse: parse_options,
};

/// Options of a dragonfly, by the letters of the paper. Router = group·a + position, node = router·p + slot; global
/// port j of a group belongs to its router ⌊j/h⌋. Local links join the routers of a group all-to-all.
///
/// With g = a·h+1 groups (the default) every pair of groups has one cable. With fewer, every pair gets
/// c = ⌊a·h/(g-1)⌋: the arrangement repeats on ports 0..g-2, g-1..2g-3, …, and the a·h - c(g-1) ports left
/// over stay empty. With `cables` every pair has that many, and they are dealt over all routers of the group in turn.
/// Cables between the same two routers are one link of their summed capacity. O(links) to visit;
/// distances by breadth-first search.
///
/// # References
/// Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA'08, section 3,
/// <https://doi.org/10.1109/ISCA.2008.19>. Arrangements: Camarero, Vallejo, Beivide, "Topological
/// characterization of Hamming and dragonfly networks and its implications on routing", TACO 11(4), 2014,
/// <https://doi.org/10.1145/2677038>; Hastings et al., "Comparing global link arrangements for dragonfly
/// networks", CLUSTER'15, section II, <https://doi.org/10.1109/CLUSTER.2015.57>. The sources are silent on
/// ports left over and on parallel cables.
struct DragonflyOptions {
    /// Nodes on each router.
    p: u32,
    /// Routers in each group.
    a: u32,
    /// Global ports on each router.
    h: u32,
    global: GlobalLinks,
}

/// Reads the options of a dragonfly.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    const HIGH: u32 = 1 << 20;
    let p = params.required_integer("p", 1, HIGH)?;
    let a = params.required_integer("a", 1, HIGH)?;
    let h = params.required_integer("h", 0, HIGH)?;
    let (groups, global) = GlobalLinks::from_params(params, a, h)?;
    // The number of nodes is checked first: it names the fault that users see at once.
    let routers = groups.saturating_mul(u64::from(a));
    check_nodes(params.location(), routers.saturating_mul(u64::from(p)))?;
    let links = count_local_links(groups, a).saturating_add(global.max_links());
    require_graph(context, routers, links)?;
    Ok(Box::new(DragonflyOptions { p, a, h, global }))
}

/// Counts the links inside all groups.
fn count_local_links(groups: u64, routers: u32) -> u64 {
    groups * count_pairs(routers.into())
}

impl BuildNetwork for DragonflyOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let DragonflyOptions { p, a, h, global } = *self;
        let groups = global.groups;
        let spec = format!(
            "dragonfly:p={p},a={a},h={h},g={groups}{}",
            global.spec_suffix()
        );
        let network = Network::new(spec, groups * a, p, move |visit| {
            for group in 0..groups {
                let first = group * a;
                for x in 0..a {
                    (x + 1..a).for_each(|y| visit(first + x, first + y, 1.0));
                }
                global.for_each_from(group, visit);
            }
        });
        let local = count_local_links(groups.into(), a);
        let [g, size, ports] = [groups, a, h].map(u64::from);
        Ok(Network {
            link_count: on_request(move || local + global.count_links()),
            idle_ports: global.count_idle_ports(),
            cut_bounds: on_request(move || CutBounds::for_dragonfly(g, size, ports, global.cables)),
            levels: vec![
                Level::with_router_units("group", a, p),
                Level::with_router_units("router", 1, p),
            ],
            ..network
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_refused};
    use proptest::prelude::*;

    const GLOBALS: [&str; 3] = ["absolute", "relative", "circulant"];

    #[test]
    fn the_published_size_has_diameter_three() {
        for global in GLOBALS {
            let s = build(&format!("dragonfly:p=4,a=8,h=4,global={global}"))
                .statistics()
                .unwrap();
            assert_eq!((s.nodes, s.routers, s.diameter), (1056, 264, 3), "{global}");
            assert_eq!((s.degree_min, s.degree_max), (7 + 4, 11));
            assert_eq!(s.links, 33 * 28 + 33 * 32 / 2);
        }
    }

    #[test]
    fn parallel_cables_are_one_link() {
        // Two groups, 8 ports each, all to the other group: router x to router x, 4 cables each.
        let pair = build("dragonfly:p=1,a=2,h=4,g=2");
        assert_eq!(
            pair.graph()
                .unwrap()
                .neighbour_capacities(nodeorder_base::ids::RouterId(0)),
            [1.0, 4.0]
        );
        assert_eq!(pair.statistics().unwrap().links, 2 + 2);
        let clique = build("dragonfly:p=2,a=6,h=3,g=1").statistics().unwrap();
        assert_eq!((clique.nodes, clique.links, clique.diameter), (12, 15, 1));
    }

    proptest! {
        #[test]
        fn every_pair_of_groups_gets_its_cables(
            a in 1u32..6, h in 1u32..6, cut in 0.0f64..1.0, which in 0usize..3,
        ) {
            let groups = 2 + (cut * f64::from(a * h - 1)) as u32;
            let spec = format!("dragonfly:p=1,a={a},h={h},g={groups},global={}", GLOBALS[which]);
            let machine = build(&spec);
            check_links(&machine);
            prop_assert_eq!(machine.spec(), spec);
            let mut cables = vec![0.0; (groups * groups) as usize];
            let mut ports = vec![0.0; (groups * a) as usize];
            machine.network().for_each_link(&mut |u, v, capacity| {
                if u / a != v / a {
                    cables[(u / a * groups + v / a) as usize] += capacity;
                    ports[u as usize] += capacity;
                    ports[v as usize] += capacity;
                }
            });
            let each = f64::from(a * h / (groups - 1));
            for i in 0..groups {
                for t in i + 1..groups {
                    prop_assert_eq!(cables[(i * groups + t) as usize], each);
                }
            }
            prop_assert!(ports.iter().all(|used| *used <= f64::from(h)));
            prop_assert_eq!(machine.graph().unwrap().count_components(), 1);
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("dragonfly:p=1,a=4", "no `h`"),
            ("dragonfly:p=0,a=4,h=2", "p = `0`"),
            ("dragonfly:p=1,a=4,h=2,g=10", "a whole number from 1 to 9"),
            (
                "dragonfly:p=1,a=4,h=2,global=absolut",
                "did you mean `absolute`",
            ),
            (
                "dragonfly:p=1,a=1048576,h=1048576",
                "a machine of 1152921504607895552 nodes",
            ),
            ("dragonfly:p=1,a=1048576,h=1,g=2", "more than the 8.0 GB"),
            (
                "dragonfly:p=1,a=2,h=1048576,g=1000000",
                "more than the 8.0 GB",
            ),
        ]);
    }
}
