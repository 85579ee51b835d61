//! PolarFly: a polarity graph as a network, the most routers known for a degree at diameter 2.
//!
//! # Drawing
//! ```text
//! polarfly:q=2       (1,0,0) - (0,1,0), (0,0,1), (0,1,1)     seven points, each joined to those
//!                    (1,1,0) - (0,0,1), (1,1,1), itself      at product 0 with it over GF(2)
//!                    …
//! ```

use super::polarity::PolarityGraph;
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option, per_router, per_router_suffix,
};
use crate::topology::network::{Network, on_request};
use crate::topology::sizes::{check_nodes, require_graph};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `polarfly:q=7`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "polarfly",
    about: "q^2 + q + 1 routers of degree q + 1 at diameter 2, q a prime power",
    example: "polarfly:q=7",
    options: &[
        Opt::whole("q", "a prime power"),
        PER_ROUTER,
        nodes_option(
            "chooses q: the smallest q that fits; per_router half the degree unless given",
        ),
    ],
    parse: parse_options,
};

/// Options of a PolarFly: the polarity graph of [`PolarityGraph`] without its loops: q²+q+1 routers, q(q+1)²/2 links,
/// degree q+1 (q for the q+1 quadrics), diameter 2. O(links) to visit; distances by breadth-first search.
///
/// # References
/// Lakhotia, Besta, Monroe, Isham, Iff, Hoefler, Petrini, "PolarFly: A Cost-Effective and Flexible Low-Diameter
/// Topology", SC'22. Its racks are not modelled: routers stand in the order of their vectors. How many nodes a router
/// carries is left open here (the paper takes half its degree).
struct PolarFlyOptions {
    graph: PolarityGraph,
    per_router: u32,
}

/// Reads the options of a PolarFly.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let graph = PolarityGraph::from_params(params)?;
    let points = u64::from(graph.count_points());
    check_nodes(params.location(), points * u64::from(per_router))?;
    require_graph(context, points, graph.count_links())?;
    Ok(Box::new(PolarFlyOptions { graph, per_router }))
}

impl BuildNetwork for PolarFlyOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let graph = self.graph.clone();
        let q = graph.q;
        let points = graph.count_points();
        let links = graph.count_links();
        let per_router = self.per_router;
        let spec = format!("polarfly:q={q}{}", per_router_suffix(per_router));
        let network = Network::new(spec, points, per_router, move |visit| {
            for u in 0..points {
                graph.for_each_neighbour(u, |v| {
                    // Each link is seen from both ends, and a loop at each quadric.
                    if v > u {
                        visit(u, v, 1.0);
                    }
                });
            }
        });
        Ok(Network {
            link_count: on_request(move || links),
            degrees: Some((q, q + 1)),
            ..network
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_refused};

    #[test]
    fn every_prime_power_gives_diameter_two() {
        for q in [2u64, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17] {
            let machine = build(&format!("polarfly:q={q}"));
            check_links(&machine);
            let s = machine.statistics().unwrap();
            assert_eq!(
                (s.routers, s.links),
                (q * q + q + 1, q * (q + 1) * (q + 1) / 2)
            );
            assert_eq!(
                (u64::from(s.degree_min), u64::from(s.degree_max)),
                (q, q + 1)
            );
            assert_eq!(s.diameter, 2, "q = {q}");
            let pairs = u128::from(s.routers * (s.routers - 1) / 2);
            assert_eq!(s.total_distance, 2 * pairs - u128::from(s.links));
        }
    }

    #[test]
    fn the_published_network_has_radix_32() {
        // PolarFly, SC'22: q = 31, 993 routers of 32 network ports, 16 nodes each.
        let s = build("polarfly:q=31,per_router=16").statistics().unwrap();
        assert_eq!(
            (s.nodes, s.routers, s.degree_max, s.diameter),
            (15_888, 993, 32, 2)
        );
        assert_eq!(s.spec, "polarfly:q=31,per_router=16");
    }

    #[test]
    fn wrong_q_names_its_neighbours() {
        check_refused(&[
            ("polarfly:q=6", "near it are 5 and 7"),
            ("polarfly:q=1", "from 2 to"),
            ("polarfly", "no `q`"),
            (
                "polarfly:q=46337,per_router=2",
                "a machine of 4294327814 nodes",
            ),
            ("polarfly:q=1999", "more than the 8.0 GB"),
        ]);
    }
}
