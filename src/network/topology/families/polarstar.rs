//! PolarStar: a polarity graph in which every point is a group of routers; diameter 3.
//!
//! # Drawing
//! ```text
//! polarstar:q=2,d=3     7 points, each a supernode of 8 routers of degree 3:
//!                       router x of one point is linked to router f(x) of each point
//!                       that the polarity graph joins to it
//! ```

use super::galois::{Field, name_nearest, prime_power};
use super::polarity::PolarityGraph;
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option, per_router, per_router_suffix,
};
use crate::topology::network::{Level, Network, on_request};
use crate::topology::sizes::{check_nodes, require_graph};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `polarstar:q=5,d=4`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "polarstar",
    about: "q^2 + q + 1 supernodes of routers, degree q + 1 + d at diameter 3, q a prime power",
    example: "polarstar:q=5,d=4",
    options: &[
        Opt::whole("q", "a prime power"),
        Opt::whole("d", "links of a router inside its supernode"),
        Opt::one_of(
            "supernode",
            &["quad", "paley"],
            "quad: 2d + 2 routers, d is 0 or 3 mod 4; paley: 2d + 1 routers, a prime power, d even",
        ),
        PER_ROUTER,
        nodes_option("chooses q: the smallest q that fits; d = 4 unless given"),
    ],
    parse: parse_options,
};

/// Graph of the routers of one point, and the bijection f by which the routers of linked points are linked.
struct Supernode {
    /// Links between routers of the point, each once.
    links: Vec<(u32, u32)>,
    /// By router x of a point: its image f(x) under the bijection.
    images: Vec<u32>,
}

/// Largest degree inside a supernode.
const MAX_D: u32 = 1 << 12;

/// Options of a PolarStar: the star product of the polarity graph ER_q with a supernode graph: router point·n + x.
/// Inside a point, x and y are linked as in the supernode graph; between points u < v that ER_q joins, x of u is
/// linked to f(x) of v.
///
/// - `quad`: pairs {0,1}, {2,3}, …, f swaps the two of a pair, and d links a router are such that every two routers of
///   different pairs are linked, or else their images under f are. With such a graph (property R*) the diameter is 3;
///   at quadrics, whose loop the product keeps, x is linked to f(x): degree q + 1 + d everywhere. The paper builds
///   graphs of this order and degree inductively ("Inductive-Quad"); here they come from a tournament, see
///   [`quad_supernode`].
/// - `paley`: GF(n), n = 2d + 1, two elements linked where they differ by a square, f multiplies by a primitive
///   element. Loops are left out: at quadrics the degree is q + d.
///
/// O(links) to visit; distances by breadth-first search.
///
/// # References
/// Lakhotia, Monroe, Isham, Besta, Blach, Hoefler, Petrini, "PolarStar: Expanding the Horizon of Diameter-3 Networks",
/// SPAA 2024; the star product is that of Bermond, Delorme, Farhi, "Large graphs with given degree and diameter
/// II", 1984.
struct PolarStarOptions {
    graph: PolarityGraph,
    /// Links of a router inside its supernode.
    d: u32,
    /// Field of Paley supernodes; `None` for quads.
    field: Option<Field>,
    per_router: u32,
}

/// Reads the options of a PolarStar.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let d: u32 = params.required_integer("d", 0, MAX_D)?;
    let paley = params.required_choice("supernode")? == "paley";
    let graph = PolarityGraph::from_params(params)?;
    let n = count_members(d, paley);
    let size = u64::from(n);
    let routers = u64::from(graph.count_points()) * size;
    check_nodes(
        params.location(),
        routers.saturating_mul(u64::from(per_router)),
    )?;
    let links = routers * u64::from(d) / 2 + graph.count_links() * size + routers;
    require_graph(context, routers, links)?;
    if !has_supernode(d, paley) {
        let what = if paley {
            "an even number with 2d + 1 a prime power"
        } else {
            "a multiple of 4, or one less"
        };
        let expected = format!(
            "{what}; near it are {}",
            name_nearest(d, |d| has_supernode(d, paley))
        );
        return Err(params.invalid_value("d", expected));
    }
    Ok(Box::new(PolarStarOptions {
        graph,
        d,
        field: Field::new(n).filter(|_| paley),
        per_router,
    }))
}

/// Counts the routers of a supernode.
fn count_members(d: u32, paley: bool) -> u32 {
    if paley { 2 * d + 1 } else { 2 * d + 2 }
}

/// Checks whether there is a supernode of degree d.
fn has_supernode(d: u32, paley: bool) -> bool {
    if paley {
        d > 0 && d.is_multiple_of(2) && prime_power(2 * d + 1).is_some()
    } else {
        matches!(d % 4, 0 | 3)
    }
}

impl BuildNetwork for PolarStarOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let graph = self.graph.clone();
        let d = self.d;
        let per_router = self.per_router;
        let paley = self.field.is_some();
        let n = count_members(d, paley);
        let supernode = match &self.field {
            Some(field) => paley_supernode(field, n),
            None => quad_supernode(d),
        };
        let q = graph.q;
        let points = graph.count_points();
        let size = u64::from(n);
        let routers = u64::from(points) * size;
        // Links between the two routers of a pair, at the quadrics alone.
        let loops = if paley {
            0
        } else {
            u64::from(q + 1) * size / 2
        };
        let links =
            u64::from(points) * supernode.links.len() as u64 + graph.count_links() * size + loops;
        let all = q + 1 + d;
        let kind = if paley { ",supernode=paley" } else { "" };
        let spec = format!(
            "polarstar:q={q},d={d}{kind}{}",
            per_router_suffix(per_router)
        );
        let network = Network::new(spec, routers as u32, per_router, move |visit| {
            for u in 0..points {
                for (x, y) in &supernode.links {
                    visit(u * n + x, u * n + y, 1.0);
                }
                graph.for_each_neighbour(u, |v| {
                    for (x, image) in (0..n).zip(&supernode.images) {
                        // At a quadric each pair is seen from both of its routers.
                        if v > u || v == u && !paley && x < *image {
                            visit(u * n + x, v * n + image, 1.0);
                        }
                    }
                });
            }
        });
        Ok(Network {
            link_count: on_request(move || links),
            degrees: Some((all - u32::from(paley), all)),
            levels: vec![
                Level::with_router_units("supernode", n, per_router),
                Level::with_router_units("router", 1, per_router),
            ],
            ..network
        })
    }
}

/// Creates the Paley graph of n elements, n = 1 mod 4.
fn paley_supernode(field: &Field, n: u32) -> Supernode {
    let mut square = vec![false; n as usize];
    // Even powers of a primitive element are the squares. As -1 is one, too, a-b and b-a are both or neither.
    for i in (0..n - 1).step_by(2) {
        square[field.power(i) as usize] = true;
    }
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    Supernode {
        links: pairs
            .filter(|(a, b)| square[field.subtract(*a, *b) as usize])
            .collect(),
        images: (0..n).map(|x| field.multiply(field.power(1), x)).collect(),
    }
}

/// Creates a graph of degree d, 0 or 3 mod 4, on the d+1 pairs {2i, 2i+1}, with property R* under the swap of pairs:
/// between two pairs one of the four routers, the hub, is linked to both of the other pair. Of the links x-y and
/// f(x)-f(y), exactly one is there.
///
/// Which of two pairs has the hub is a tournament; a router that is h times the hub, in a pair whose other router is
/// as often, has degree 2h + (d - 2h) = d. So every pair must win an even number of times: from the tournament that
/// the first pair always wins, the games of neighbours i, i+1 are turned round, from the first on, where i has won an
/// odd number. The last comes out even, as the number of all games, (d+1)d/2, is.
fn quad_supernode(d: u32) -> Supernode {
    let pairs = d + 1;
    // Whether i lost to i+1.
    let mut lost = vec![false; pairs as usize];
    let mut wins: Vec<u32> = (0..pairs).map(|i| d - i).collect();
    for i in 0..pairs as usize - 1 {
        if wins[i] % 2 == 1 {
            lost[i] = true;
            wins[i] -= 1;
            wins[i + 1] += 1;
        }
    }
    let mut links = Vec::new();
    for i in 0..pairs {
        // Of neighbours, the lower one wins unless it lost; of others, always.
        let beaten = (0..pairs).filter(|&j| {
            if j > i {
                j > i + 1 || !lost[i as usize]
            } else {
                j + 1 == i && lost[j as usize]
            }
        });
        for (game, j) in (0..).zip(beaten) {
            // The two routers of a pair are hubs equally often.
            let hub = 2 * i + u32::from(game >= wins[i as usize] / 2);
            links.extend([2 * j, 2 * j + 1].map(|other| (hub.min(other), hub.max(other))));
        }
    }
    Supernode {
        links,
        images: (0..2 * pairs).map(|x| x ^ 1).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{build, check_links, check_refused};

    #[test]
    fn supernodes_have_the_property_that_the_diameter_rests_on() {
        for d in [0, 3, 4, 7, 8, 11, 12, 15] {
            let Supernode { links, images } = quad_supernode(d);
            let n = 2 * d + 2;
            assert_eq!((images.len() as u32, links.len() as u32), (n, n * d / 2));
            let linked = |a: u32, b: u32| links.contains(&(a.min(b), a.max(b)));
            let image = |x: u32| images[x as usize];
            for a in 0..n {
                assert_eq!(
                    (0..n).filter(|b| linked(a, *b)).count() as u32,
                    d,
                    "d = {d}"
                );
                for b in (0..n).filter(|b| *b != a && *b != image(a)) {
                    assert!(
                        linked(a, b) != linked(image(a), image(b)),
                        "d = {d}: {a}, {b}"
                    );
                }
                assert!(image(image(a)) == a && !linked(a, image(a)));
            }
        }
    }

    #[test]
    fn the_diameter_is_three() {
        for (q, d) in [
            (2u64, 0u64),
            (2, 3),
            (3, 3),
            (3, 4),
            (4, 3),
            (5, 4),
            (7, 3),
            (4, 7),
        ] {
            let machine = build(&format!("polarstar:q={q},d={d}"));
            check_links(&machine);
            let s = machine.statistics().unwrap();
            let routers = (q * q + q + 1) * (2 * d + 2);
            assert_eq!((s.routers, s.links), (routers, routers * (q + 1 + d) / 2));
            assert_eq!(u64::from(s.degree_min), q + 1 + d);
            assert_eq!(s.diameter, 3, "q = {q}, d = {d}");
        }
        for (q, d) in [(2u64, 2u64), (3, 2), (4, 6), (5, 4), (3, 8), (7, 2)] {
            let machine = build(&format!("polarstar:q={q},d={d},supernode=paley"));
            check_links(&machine);
            let s = machine.statistics().unwrap();
            let (points, n) = (q * q + q + 1, 2 * d + 1);
            assert_eq!((s.routers, s.diameter), (points * n, 3), "q = {q}, d = {d}");
            assert_eq!(s.links, points * n * d / 2 + q * (q + 1) * (q + 1) / 2 * n);
            assert_eq!(
                (u64::from(s.degree_min), u64::from(s.degree_max)),
                (q + d, q + 1 + d)
            );
        }
    }

    #[test]
    fn wrong_parameters_name_their_neighbours() {
        check_refused(&[
            ("polarstar:q=5,d=5", "near it are 4 and 7"),
            ("polarstar:q=5,d=3,supernode=paley", "near it are 2 and 4"),
            ("polarstar:q=6,d=4", "near it are 5 and 7"),
            ("polarstar:q=5", "no `d`"),
            ("polarstar:q=46337,d=4", "a machine of"),
            ("polarstar:q=499,d=4", "more than the 8.0 GB"),
        ]);
    }
}
