//! Stoltzfus' two models of a Cray Cascade: all groups linked router by router, or by one router each.
//!
//! ```text
//! cascade:2x1x3, two blades a chassis, one chassis a group, three groups
//! in each group     0-1, 2-3, 4-5
//! best case         0, 2, 4 all linked, and 1, 3, 5
//! global=single     0, 2, 4 all linked
//! ```

use super::grid::grid_network;
use super::totals::count_pairs;
use crate::topology::context::Context;
use crate::topology::distance::{Hub, Metric, Product, Shape};
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, by_x, nodes_option, per_router, per_router_suffix,
};
use crate::topology::lattice::Lattice;
use crate::topology::network::{Cables, Level, Network, on_request};
use crate::topology::sizes::multiply_sizes;
use nodeorder_base::{Opt, Params, Result};

/// Entry of `cascade:16x6x8,per_router=4[,global=single]`.
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
            "chooses dims: groups of 16x6 blades, 4 nodes a blade unless per_router \
             is given, as many as needed",
        ),
    ],
    parse: parse_options,
};

/// Options of a Hamming dragonfly: `dims` are blades a chassis, chassis a group, groups.
///
/// Best case (default): any two routers that differ in one coordinate are linked; distance = number of
/// levels in which two differ, at most 3. Worst case (`global=single`): inside a group as before; between
/// groups only the routers (0,0) are linked; `ham(a→(0,0)) + 1 + ham((0,0)→b)`, at most 5.
/// Node id = ((group·chassis + c)·blades + b)·per_router + slot: the group is slowest.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, sections 7.2.1
/// and 7.2.2.
struct CascadeOptions {
    /// Blades a chassis, chassis a group, groups.
    dims: [u32; 3],
    per_router: u32,
    /// Whether each two groups are joined by one link alone.
    single: bool,
}

/// Reads the options of a Cascade.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let expected = "three extents, blades x chassis x groups, as in 16x6x8";
    let dims = params.required_extents("dims", expected)?;
    let Ok(dims) = <[u32; 3]>::try_from(dims) else {
        return Err(params.invalid_value("dims", expected));
    };
    multiply_sizes(&params.location_of("dims"), dims)?;
    Ok(Box::new(CascadeOptions {
        dims,
        per_router: per_router(params)?,
        single: params.required_choice("global")? == "single",
    }))
}

impl BuildNetwork for CascadeOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let [blades, chassis, groups] = self.dims;
        let per_router = self.per_router;
        let network = if self.single {
            let group = Product::of_shape(Shape::Clique, &[chassis, blades]);
            hub_network(group, groups, per_router)
        } else {
            let whole = Product::of_shape(Shape::Clique, &[groups, chassis, blades]);
            grid_network("cascade", whole, per_router, false)
        };
        let lattice = Lattice::with_router_cells(vec![groups, chassis, blades], vec![false; 3]);
        let global = if self.single { ",global=single" } else { "" };
        let [b, c, g] = self.dims.map(u64::from);
        // All links of two groups: router by router, or one.
        let between = if self.single { 1 } else { b * c };
        let up = [
            between * count_pairs(g),
            g * b * count_pairs(c),
            g * c * count_pairs(b),
        ];
        let (fewest, most) = network.degrees();
        let cables = Cables {
            all: up.iter().sum(),
            fewest_and_most_at_hosts: (fewest, most),
            most,
        };
        Ok(Network {
            cables: Some(cables),
            spec: format!(
                "cascade:{}{}{global}",
                by_x(&self.dims),
                per_router_suffix(per_router)
            ),
            link_count: on_request(move || up.iter().sum()),
            links_up: on_request(move || up.to_vec()),
            lattice: Some(Lattice {
                axes: ["group", "chassis", "blade"].map(String::from).to_vec(),
                ..lattice
            }),
            levels: vec![
                Level::with_router_units("group", chassis * blades, per_router),
                Level::with_router_units("chassis", blades, per_router),
                Level::with_router_units("blade", 1, per_router),
            ],
            ..network
        })
    }
}

/// Creates the network of groups whose first routers alone are linked.
fn hub_network(group: Product, groups: u32, per_router: u32) -> Network {
    let size = group.count_routers() as u32;
    let (inside, _) = group.degree_range();
    let first = inside + groups - 1;
    let metric = Metric::Hub(Hub {
        group: group.clone(),
        groups,
    });
    let spec = String::new();
    let network = Network::new(spec, groups * size, per_router, move |visit| {
        for g in 0..groups {
            group.for_each_link(&mut |u, v, _| visit(g * size + u, g * size + v, 1.0));
            (g + 1..groups).for_each(|h| visit(g * size, h * size, 1.0));
        }
    });
    Network {
        // A group of one router has no router but its first.
        degrees: Some((if size > 1 { inside } else { first }, first)),
        metric,
        ..network
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links};
    use nodeorder_base::NodeId;

    /// The formulas against a walk over the links.
    #[test]
    fn links_are_counted_by_formula() {
        for global in ["all", "single"] {
            for dims in ["4x3x5", "1x1x6", "2x1x1", "1x4x3", "1x1x1"] {
                let machine = build(&format!("cascade:{dims},global={global}"));
                let network = machine.network();
                check_links(&machine);
                let mut between = [0; 3];
                network.for_each_link(&mut |u, v, _| {
                    let apart = |size: u32| u / size != v / size;
                    let levels = network.levels();
                    between[levels.iter().position(|l| apart(l.slots)).unwrap()] += 1;
                });
                assert_eq!(network.links_up().unwrap(), between, "{dims} {global}");
            }
        }
    }

    #[test]
    fn best_case_has_diameter_three_and_worst_case_five() {
        let best = build("cascade:16x6x8,per_router=4,limit=2816")
            .statistics()
            .unwrap();
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
        assert_eq!(
            [far(3), far(4), far(64), far(68), far(384), far(452)],
            [0, 1, 1, 2, 1, 3]
        );
    }
}
