//! The canonical dragonfly: groups of routers joined all-to-all, groups joined all-to-all by single cables.
//!
//! # Drawing
//! ```text
//! dragonfly:p=2,a=2,h=1          group 0      group 1      group 2
//! 3 groups of 2 routers,         0 --- 1      2 --- 3      4 --- 5
//! 2 nodes a router               |     |      |     |      |     |
//!                                1.0   2.0    0.0   2.1    0.1   1.1   group.port at the far end
//! ```

use super::bisection::CutBounds;
use super::{Context, Level, LinkVisitor, Network, TopologyEntry};
use super::{check_nodes, nodes_option, require_graph};
use crate::error::Result;
use crate::params::{Opt, Params};

/// `dragonfly:p=4,a=8,h=4,g=33,global=absolute`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "dragonfly",
    about: "g groups of a routers, p nodes and h global ports each; global=absolute|relative|circulant",
    example: "dragonfly:p=4,a=8,h=4,g=33",
    options: &[
        Opt::whole("p", "nodes on each router"),
        Opt::whole("a", "routers in each group"),
        Opt::whole("h", "global ports on each router"),
        Opt::whole("g", "groups").or_else("a·h + 1"),
        Opt::one_of(
            "global",
            &["absolute", "relative", "circulant"],
            "which group a global port leads to",
        ),
        nodes_option(
            "in the place of p, a, h, g: balanced, a = 2p = 2h, the smallest p that fits, as few groups as needed",
        ),
    ],
    build: Dragonfly::from_params,
};

/// Which group a global port leads to. Port j of group i, of g groups:
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrangement {
    /// group j, or j+1 where j ≥ i.
    Absolute,
    /// group i+j+1 mod g.
    Relative,
    /// group i+(⌊j/2⌋+1) for even j, i-(⌊j/2⌋+1) for odd j, mod g.
    Circulant,
}

impl Arrangement {
    /// The port of group `i` that leads to group `t`: the inverse of the rules above.
    fn port(self, i: u64, t: u64, groups: u64) -> u64 {
        let ahead = (t + groups - i) % groups;
        match self {
            Arrangement::Absolute => t - u64::from(t > i),
            Arrangement::Relative => ahead - 1,
            Arrangement::Circulant if ahead <= groups / 2 => 2 * (ahead - 1),
            Arrangement::Circulant => 2 * (groups - ahead - 1) + 1,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Arrangement::Absolute => "absolute",
            Arrangement::Relative => "relative",
            Arrangement::Circulant => "circulant",
        }
    }
}

/// Router = group·a + position, node = router·p + slot; global port j of a group belongs to its router
/// ⌊j/h⌋. Local links join the routers of a group all-to-all.
///
/// With g = a·h+1 groups (the default) every pair of groups has one cable. With fewer, every pair gets
/// c = ⌊a·h/(g-1)⌋: the arrangement repeats on ports 0..g-2, g-1..2g-3, …, and the a·h - c(g-1) ports left
/// over stay empty. Cables between the same two routers are one link of their summed capacity.
///
/// # Complexity
/// O(links) to visit; distances by breadth-first search.
///
/// # References
/// Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA'08, section 3,
/// <https://doi.org/10.1109/ISCA.2008.19>. Arrangements: Camarero, Vallejo, Beivide, "Topological
/// characterization of Hamming and dragonfly networks and its implications on routing", TACO 11(4), 2014,
/// <https://doi.org/10.1145/2677038>; Hastings et al., "Comparing global link arrangements for dragonfly
/// networks", CLUSTER'15, section II, <https://doi.org/10.1109/CLUSTER.2015.57>. The sources are silent on
/// ports left over and on parallel cables.
#[derive(Debug)]
struct Dragonfly {
    p: u32,
    a: u32,
    h: u32,
    groups: u32,
    global: Arrangement,
}

impl Dragonfly {
    fn from_params(params: &Params, context: &Context) -> Result<Box<dyn Network>> {
        const HIGH: u32 = 1 << 20;
        let p = params.whole("p", 1, HIGH)?;
        let a = params.whole("a", 1, HIGH)?;
        let h = params.whole("h", 0, HIGH)?;
        let most = u64::from(a) * u64::from(h) + 1;
        let groups = params.integer("g", 1, most)?.unwrap_or(most);
        let global = match params.choice("global")? {
            "relative" => Arrangement::Relative,
            "circulant" => Arrangement::Circulant,
            _ => Arrangement::Absolute,
        };
        let routers = groups.saturating_mul(u64::from(a));
        check_nodes(params.location(), routers.saturating_mul(u64::from(p)))?;
        let network = Dragonfly { p, a, h, groups: groups as u32, global };
        // Repeated arrangements step from router to router at most 2a times a pair of groups.
        let global = network.pairs() * network.cables().min(2 * u64::from(a));
        require_graph(context, routers, network.local_links().saturating_add(global))?;
        Ok(Box::new(network))
    }

    /// Pairs of groups.
    fn pairs(&self) -> u64 {
        let g = u64::from(self.groups);
        g * (g - 1) / 2
    }

    /// Cables between each pair of groups.
    fn cables(&self) -> u64 {
        match u64::from(self.groups) - 1 {
            0 => 0,
            others => u64::from(self.a) * u64::from(self.h) / others,
        }
    }

    fn local_links(&self) -> u64 {
        let a = u64::from(self.a);
        u64::from(self.groups) * (a * (a - 1) / 2)
    }

    /// Visits the links from group `i` to the groups after it. The router pairs of the repeated
    /// arrangement never go back, so runs of equal ones are the parallel cables.
    fn for_each_global(&self, i: u64, visit: &mut LinkVisitor<'_>) {
        let (g, a, h) = (u64::from(self.groups), u64::from(self.a), u64::from(self.h));
        let cables = self.cables();
        for t in i + 1..g {
            let (near, far) = (self.global.port(i, t, g), self.global.port(t, i, g));
            let mut c = 0;
            while c < cables {
                let router = |port: u64| (c * (g - 1) + port) / h;
                // The first repetition at which that end moves on to another router.
                let next = |port: u64| ((router(port) + 1) * h - port).div_ceil(g - 1);
                let end = next(near).min(next(far)).min(cables);
                let (u, v) = (i * a + router(near), t * a + router(far));
                visit(u as u32, v as u32, (end - c) as f64);
                c = end;
            }
        }
    }
}

impl Network for Dragonfly {
    fn spec(&self) -> String {
        let Dragonfly { p, a, h, groups, global } = self;
        format!("dragonfly:p={p},a={a},h={h},g={groups},global={}", global.name())
    }

    fn routers(&self) -> u32 {
        self.groups * self.a
    }

    fn per_router(&self) -> u32 {
        self.p
    }

    fn for_each_link(&self, visit: &mut LinkVisitor<'_>) {
        for group in 0..self.groups {
            let first = group * self.a;
            for x in 0..self.a {
                (x + 1..self.a).for_each(|y| visit(first + x, first + y, 1.0));
            }
            self.for_each_global(u64::from(group), visit);
        }
    }

    fn link_count(&self) -> u64 {
        let mut global = 0;
        if self.cables() <= 1 {
            global = self.pairs() * self.cables();
        } else {
            (0..u64::from(self.groups))
                .for_each(|i| self.for_each_global(i, &mut |_, _, _| global += 1));
        }
        self.local_links() + global
    }

    fn cut_bounds(&self) -> Option<CutBounds> {
        let (a, h) = (u64::from(self.a), u64::from(self.h));
        Some(CutBounds::of_dragonfly(u64::from(self.groups), a, h, self.cables()))
    }

    fn levels(&self) -> Vec<Level> {
        vec![Level::even("group", self.a), Level::even("router", 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{build, check_links, check_refused};
    use proptest::prelude::*;

    const GLOBALS: [&str; 3] = ["absolute", "relative", "circulant"];

    #[test]
    fn the_published_size_has_diameter_three() {
        for global in GLOBALS {
            let s = build(&format!("dragonfly:p=4,a=8,h=4,global={global}")).statistics().unwrap();
            assert_eq!((s.nodes, s.routers, s.diameter), (1056, 264, 3), "{global}");
            assert_eq!((s.degree_min, s.degree_max), (7 + 4, 11));
            assert_eq!(s.links, 33 * 28 + 33 * 32 / 2);
        }
    }

    #[test]
    fn ports_lead_where_the_arrangements_say() {
        // Hastings et al. draw g = 9 with a = 4, h = 2. Group 0: ports 0, 1 are router 0, 2, 3 router 1.
        for (global, reached) in [
            (Arrangement::Absolute, [1, 2, 3, 4, 5, 6, 7, 8]),
            (Arrangement::Relative, [1, 2, 3, 4, 5, 6, 7, 8]),
            (Arrangement::Circulant, [1, 8, 2, 7, 3, 6, 4, 5]),
        ] {
            for (port, group) in reached.into_iter().enumerate() {
                assert_eq!(global.port(0, group, 9), port as u64, "{global:?}");
            }
        }
        assert_eq!(Arrangement::Absolute.port(5, 3, 9), 3);
        assert_eq!(Arrangement::Absolute.port(5, 7, 9), 6);
        assert_eq!(Arrangement::Relative.port(5, 3, 9), 6);
        assert_eq!(Arrangement::Circulant.port(5, 3, 9), 3);
    }

    #[test]
    fn parallel_cables_are_one_link() {
        // Two groups, 8 ports each, all to the other group: router x to router x, 4 cables each.
        let pair = build("dragonfly:p=1,a=2,h=4,g=2");
        assert_eq!(pair.graph().unwrap().capacities(crate::RouterId(0)), [1.0, 4.0]);
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
            prop_assert!(machine.graph().unwrap().is_connected());
        }

        #[test]
        fn ports_are_a_permutation(groups in 2u64..40, which in 0usize..3) {
            let global =
                [Arrangement::Absolute, Arrangement::Relative, Arrangement::Circulant][which];
            for i in 0..groups {
                let mut ports: Vec<u64> =
                    (0..groups).filter(|t| *t != i).map(|t| global.port(i, t, groups)).collect();
                ports.sort_unstable();
                prop_assert_eq!(ports, (0..groups - 1).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("dragonfly:p=1,a=4", "no `h`"),
            ("dragonfly:p=0,a=4,h=2", "p = `0`"),
            ("dragonfly:p=1,a=4,h=2,g=10", "a whole number from 1 to 9"),
            ("dragonfly:p=1,a=4,h=2,global=absolut", "did you mean `absolute`"),
            ("dragonfly:p=1,a=1048576,h=1048576", "a machine of 1152921504607895552 nodes"),
            ("dragonfly:p=1,a=1048576,h=1,g=2", "more than the 8.0 GB"),
            ("dragonfly:p=1,a=2,h=1048576,g=1000000", "more than the 8.0 GB"),
        ]);
    }
}
