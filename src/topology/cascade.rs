//! Stoltzfus' two pictures of a Cray Cascade: all groups linked router by router, or by one router each.

use super::bisection::CutBounds;
use super::distance::{Axis, Hub, Product, Shape};
use super::{Context, Lattice, Level, LinkVisitor, Metric, Network, PER_ROUTER, TopologyEntry};
use super::{by_x, nodes_option, per_router, per_router_suffix, product};
use crate::error::Result;
use crate::params::{Opt, Params};

/// `cascade:16x6x8,per_router=4[,global=single]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "cascade",
    about: "blades x chassis x groups, all-to-all at each level (best case) or global=single (worst)",
    example: "cascade:16x6x8,per_router=4",
    options: &[
        Opt::extents("dims", "blades a chassis, chassis a group, groups").positional(),
        PER_ROUTER,
        Opt::one_of(
            "global",
            &["all", "single"],
            "links between groups: router by router, or one a pair of groups",
        ),
        nodes_option(
            "in the place of dims: groups of 16x6 blades, 4 nodes a blade unless per_router is given, as many as needed",
        ),
    ],
    build: Cascade::from_params,
};

/// A Hamming dragonfly: `dims` are blades a chassis, chassis a group, groups.
///
/// Best case (default): any two routers that differ in one coordinate are linked; distance = number of
/// levels in which two differ, at most 3. Worst case (`global=single`): inside a group as before; between
/// groups only the routers (0,0) are linked; `ham(a→(0,0)) + 1 + ham((0,0)→b)`, at most 5.
/// Node id = ((group·chassis + c)·blades + b)·per_router + slot: the group is slowest.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, sections 7.2.1
/// and 7.2.2.
#[derive(Debug)]
struct Cascade {
    blades: u32,
    chassis: u32,
    groups: u32,
    per_router: u32,
    single: bool,
}

impl Cascade {
    fn from_params(params: &Params, _: &Context) -> Result<Box<dyn Network>> {
        let expected = "three extents, blades x chassis x groups, as in 16x6x8";
        let dims = params.dims("dims", expected)?;
        let &[blades, chassis, groups] = dims.as_slice() else {
            return Err(params.wrong("dims", expected));
        };
        product(&params.location_of("dims"), dims)?;
        Ok(Box::new(Cascade {
            blades,
            chassis,
            groups,
            per_router: per_router(params)?,
            single: params.choice("global")? == "single",
        }))
    }

    /// The all-to-all product of `extents`, slowest first.
    fn hamming(extents: &[u32]) -> Product {
        let clique = |extent: &u32| Axis { extent: *extent, shape: Shape::Clique };
        Product { axes: extents.iter().map(clique).collect() }
    }

    fn group(&self) -> Product {
        Cascade::hamming(&[self.chassis, self.blades])
    }

    fn whole(&self) -> Product {
        Cascade::hamming(&[self.groups, self.chassis, self.blades])
    }
}

/// Pairs of `n` things.
fn pairs(n: u32) -> u64 {
    u64::from(n) * (u64::from(n) - 1) / 2
}

impl Network for Cascade {
    fn spec(&self) -> String {
        let dims = by_x(&[self.blades, self.chassis, self.groups]);
        let global = if self.single { ",global=single" } else { "" };
        format!("cascade:{dims}{}{global}", per_router_suffix(self.per_router))
    }

    fn routers(&self) -> u32 {
        self.blades * self.chassis * self.groups
    }

    fn per_router(&self) -> u32 {
        self.per_router
    }

    fn for_each_link(&self, visit: &mut LinkVisitor<'_>) {
        if !self.single {
            return self.whole().for_each_link(&mut |u, v, _| visit(u, v, 1.0));
        }
        let (group, size) = (self.group(), self.blades * self.chassis);
        for g in 0..self.groups {
            group.for_each_link(&mut |u, v, _| visit(g * size + u, g * size + v, 1.0));
            (g + 1..self.groups).for_each(|h| visit(g * size, h * size, 1.0));
        }
    }

    fn link_count(&self) -> u64 {
        match self.single {
            true => u64::from(self.groups) * self.group().links() + pairs(self.groups),
            false => self.whole().links(),
        }
    }

    fn degrees(&self) -> (u32, u32) {
        if !self.single {
            return self.whole().degrees();
        }
        let (inside, _) = self.group().degrees();
        let first = inside + self.groups - 1;
        (if self.group().routers() > 1 { inside } else { first }, first)
    }

    fn links_up(&self) -> Option<Vec<u64>> {
        let [blades, chassis, groups] = [self.blades, self.chassis, self.groups].map(u64::from);
        let between = if self.single { 1 } else { blades * chassis };
        Some(vec![
            between * pairs(self.groups),
            groups * blades * pairs(self.chassis),
            groups * chassis * pairs(self.blades),
        ])
    }

    fn metric(&self) -> Metric {
        if self.single {
            Metric::Hub(Hub { group: self.group(), groups: self.groups })
        } else {
            Metric::Product(self.whole())
        }
    }

    fn lattice(&self) -> Option<Lattice> {
        let mut lattice =
            Lattice::of_routers(vec![self.groups, self.chassis, self.blades], vec![false; 3]);
        lattice.axes = ["group", "chassis", "blade"].map(String::from).to_vec();
        Some(lattice)
    }

    fn levels(&self) -> Vec<Level> {
        vec![
            Level::even("group", self.chassis * self.blades),
            Level::even("chassis", self.blades),
            Level::even("blade", 1),
        ]
    }

    fn cut_bounds(&self) -> Option<CutBounds> {
        (!self.single).then(|| CutBounds::of_product(&self.whole(), false))
    }

    fn vertex_transitive(&self) -> bool {
        !self.single
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::NodeId;
    use crate::topology::testing::build;

    /// The formulas against a walk over the links.
    #[test]
    fn links_are_counted_by_formula() {
        for global in ["all", "single"] {
            for dims in ["4x3x5", "1x1x6", "2x1x1", "1x4x3", "1x1x1"] {
                let machine = build(&format!("cascade:{dims},global={global}"));
                let network = machine.network();
                let mut degree = vec![0; network.routers() as usize];
                let (mut links, mut between) = (0, [0; 3]);
                network.for_each_link(&mut |u, v, _| {
                    links += 1;
                    degree[u as usize] += 1;
                    degree[v as usize] += 1;
                    let apart = |size: u32| u / size != v / size;
                    let levels = network.levels();
                    between[levels.iter().position(|l| apart(l.routers)).unwrap()] += 1;
                });
                assert_eq!(network.link_count(), links, "{dims} {global}");
                let found = (degree.iter().min().copied(), degree.iter().max().copied());
                let (least, most) = network.degrees();
                assert_eq!((Some(least), Some(most)), found, "{dims} {global}");
                assert_eq!(network.links_up().unwrap(), between, "{dims} {global}");
            }
        }
    }

    #[test]
    fn best_case_has_diameter_three_and_worst_case_five() {
        let best = build("cascade:16x6x8,per_router=4,limit=2816").statistics().unwrap();
        assert_eq!((best.nodes, best.routers, best.diameter), (2816, 768, 3));
        assert_eq!((best.degree_min, best.degree_max), (15 + 5 + 7, 27));
        assert_eq!(best.links, 768 * 27 / 2);
        let worst = build("cascade:16x6x8,per_router=4,global=single,limit=2816");
        let worst = worst.statistics().unwrap();
        assert_eq!((worst.diameter, worst.links), (5, 768 * 20 / 2 + 28));
    }

    #[test]
    fn ids_run_with_the_group_slowest() {
        let best = build("cascade:16x6x8,per_router=4");
        // Node 0 and 3 share a blade; 4 is the next blade; 64 the next chassis; 384 the next group.
        let far = |n| best.distance(NodeId(0), NodeId(n));
        assert_eq!([far(3), far(4), far(64), far(68), far(384), far(452)], [0, 1, 1, 2, 1, 3]);
    }
}
