//! Slim Fly: the McKay-Miller-Širáň graphs, close to the most routers a degree allows at diameter 2.
//!
//! # Drawing
//! ```text
//! slim-fly:q=5, the Hoffman-Singleton graph: 50 routers of degree 7
//! (0,x,y): 5 pentagons        (1,m,c): 5 pentagrams
//! y joined to y±1             c joined to c±2            (0,x,y) - (1,m,c) where y = m·x + c mod 5
//! ```

use super::galois::{Field, name_nearest, prime_power};
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option, per_router, per_router_suffix,
};
use crate::topology::network::{Level, Network, on_request};
use crate::topology::sizes::{check_nodes, require_graph};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `slim-fly:q=5`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "slim-fly",
    about: "2q^2 routers at diameter 2, q a prime power of the form 4w-1, 4w or 4w+1",
    example: "slim-fly:q=5",
    options: &[
        Opt::whole("q", "a prime power of the form 4w-1, 4w or 4w+1"),
        PER_ROUTER,
        nodes_option(
            "chooses q: the smallest q that fits; per_router half the degree unless given",
        ),
    ],
    parse: parse_options,
};

/// Checks whether there is an MMS graph of q: a prime power of at least 3 that is not 2 mod 4.
pub(crate) fn is_valid_order(q: u32) -> bool {
    q >= 3 && q % 4 != 2 && prime_power(q).is_some()
}

/// Computes the degree of every router, (3q-d)/2 with d = 1, 0, -1 for q = 1, 0, 3 mod 4: three times q halved,
/// rounded to whole generators.
pub(crate) fn router_degree(q: u32) -> u64 {
    let q = u64::from(q);
    match q % 4 {
        1 => (3 * q - 1) / 2,
        3 => (3 * q).div_ceil(2),
        _ => 3 * q / 2,
    }
}

/// Options of a Slim Fly: the MMS graph of a prime power q = 4w + d, d in {-1, 0, 1}, over GF(q) with primitive
/// element ξ:
///
/// - (0,x,y) - (0,x,y') where y-y' is in X, (1,m,c) - (1,m,c') where c-c' is in X',
///   (0,x,y) - (1,m,c) where y = m·x + c;
/// - d = 1: X the even powers of ξ, X' the odd ones;
/// - d = 0: X = {1, ξ², …, ξ^(q-2)}, X' = {ξ, ξ³, …, ξ^(q-1)};
/// - d = -1: X = {1, ξ², …, ξ^(2w-2)} ∪ {ξ^(2w-1), ξ^(2w+1), …, ξ^(4w-3)}, X' = ξ·X.
///
/// Router (s,x,y) has id s·q² + x·q + y. 2q² routers of degree (3q-d)/2, diameter 2. O(links) to visit; distances by
/// breadth-first search.
///
/// # References
/// Besta, Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC'14, section II-B,
/// <https://doi.org/10.1109/SC.2014.34>, for d = ±1; McKay, Miller, Širáň, J. Combin. Theory B 74, 1998,
/// <https://doi.org/10.1006/jctb.1998.1828>; Hafner, "Geometric realisation of the graphs of
/// McKay-Miller-Širáň", J. Combin. Theory B 90, 2004, <https://doi.org/10.1016/j.jctb.2003.07.002>, for
/// d = 0. How many nodes a router carries is left open here (the paper takes half its degree).
struct SlimFlyOptions {
    q: u32,
    per_router: u32,
    field: Field,
}

/// Reads the options of a Slim Fly.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let q: u32 = params.required_integer("q", 3, 1 << 30)?;
    let per_router = per_router(params)?;
    let routers = 2 * u64::from(q) * u64::from(q);
    check_nodes(
        params.location(),
        routers.saturating_mul(u64::from(per_router)),
    )?;
    let Some(field) = Field::new(q).filter(|_| is_valid_order(q)) else {
        // 3 is valid, and every power of two above: both searches end.
        let form = "a prime power of the form 4w-1, 4w or 4w+1";
        return Err(params.invalid_value(
            "q",
            format!("{form}; near it are {}", name_nearest(q, is_valid_order)),
        ));
    };
    require_graph(context, routers, routers * router_degree(q) / 2)?;
    Ok(Box::new(SlimFlyOptions {
        q,
        per_router,
        field,
    }))
}

impl BuildNetwork for SlimFlyOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let q = self.q;
        let per_router = self.per_router;
        let f = self.field.clone();
        let routers = 2 * u64::from(q) * u64::from(q);
        let degree = router_degree(q) as u32;
        let links = routers * u64::from(degree) / 2;
        // X and X'.
        let generators: [Vec<u32>; 2] =
            generator_exponents(q).map(|x| x.into_iter().map(|i| f.power(i)).collect());
        let spec = format!("slim-fly:q={q}{}", per_router_suffix(per_router));
        let network = Network::new(spec, routers as u32, per_router, move |visit| {
            for (s, generators) in generators.iter().enumerate() {
                for x in 0..q {
                    let first = (s as u32 * q + x) * q;
                    for y in 0..q {
                        // X = -X: each link is seen from both ends.
                        for generator in generators {
                            let other = f.add(y, *generator);
                            if other > y {
                                visit(first + y, first + other, 1.0);
                            }
                        }
                        if s == 0 {
                            for m in 0..q {
                                let c = f.subtract(y, f.multiply(m, x));
                                visit(first + y, (q + m) * q + c, 1.0);
                            }
                        }
                    }
                }
            }
        });
        Ok(Network {
            link_count: on_request(move || links),
            degrees: Some((degree, degree)),
            levels: vec![
                Level::with_router_units("subgroup", q, per_router),
                Level::with_router_units("router", 1, per_router),
            ],
            ..network
        })
    }
}

/// Lists the exponents of the primitive element in X and in X'.
fn generator_exponents(q: u32) -> [Vec<u32>; 2] {
    let first: Vec<u32> = if q % 4 == 3 {
        let w = q.div_ceil(4);
        (0..w)
            .map(|i| 2 * i)
            .chain((0..w).map(|i| 2 * w - 1 + 2 * i))
            .collect()
    } else {
        (0..q / 2).map(|i| 2 * i).collect()
    };
    let second = first.iter().map(|i| i + 1).collect();
    [first, second]
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_refused};

    #[test]
    fn every_kind_of_q_gives_diameter_two() {
        for q in [3u64, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 25, 27] {
            let machine = build(&format!("slim-fly:q={q}"));
            check_links(&machine);
            let s = machine.statistics().unwrap();
            assert_eq!((s.routers, s.diameter), (2 * q * q, 2), "q = {q}");
            let d = [0, 1, 9, -1][(q % 4) as usize];
            let degree = (3 * q as i64 - d) / 2;
            assert_eq!(
                (i64::from(s.degree_min), i64::from(s.degree_max)),
                (degree, degree)
            );
            // At diameter 2 all that are not linked are two hops away.
            let pairs = (s.routers * (s.routers - 1) / 2) as u128;
            assert_eq!(s.total_distance, 2 * pairs - u128::from(s.links));
        }
    }

    #[test]
    fn wrong_q_names_its_neighbours() {
        check_refused(&[
            ("slim-fly:q=6", "near it are 5 and 7"),
            ("slim-fly:q=2", "from 3 to"),
            ("slim-fly:q=15", "near it are 13 and 16"),
            ("slim-fly:q=50", "near it are 49 and 53"),
            ("slim-fly", "no `q`"),
            ("slim-fly:q=100003", "a machine of 20001200018 nodes"),
            ("slim-fly:q=16381", "more than the 8.0 GB"),
        ]);
    }
}
