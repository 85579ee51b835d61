//! Random networks in which every router has the same number of links.

use super::random_graph::{RandomGraphSize, collect_links, draw_connected};
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option};
use crate::topology::network::Network;
use crate::topology::sizes::require_graph;
use nodeorder_base::params::SEED;
use nodeorder_base::{Opt, Params, Result};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Entry of `random-regular:n=1024,d=6,seed=1`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "random-regular",
    about: "random connected graph of n routers, d links at each (Jellyfish)",
    example: "random-regular:n=1024,d=6,seed=1",
    options: &[
        Opt::whole("n", "routers"),
        Opt::whole("d", "links of each router"),
        PER_ROUTER,
        SEED,
        nodes_option("chooses n: as few routers as needed; d=6 unless given"),
    ],
    parse: parse_options,
};

/// Options of a random regular network. Every router has d free ports; two free ports chosen at random are joined
/// where that makes neither a loop nor a parallel link, until none is left. Two ports that cannot be joined at the
/// end break a random link and take one end each. Redrawn until connected. Where d exceeds half of n-1, the
/// complement is drawn.
///
/// Close to uniform for fixed d as n grows; the last few links are not exactly so. Errors: n·d odd, d ≥ n; d of 0 or 1
/// with more than d+1 routers; no connected network among many draws (d = 2). O(n·d²) expected a draw, 8 bytes a link
/// and 24 a router more than the result.
///
/// # References
/// Steger, Wormald, "Generating random regular graphs quickly", Comb. Probab. Comput. 8, 1999, section 2,
/// <https://doi.org/10.1017/S0963548399003867>. As a network, with the last ports joined by breaking a
/// link: Singla, Hong, Popa, Godfrey, "Jellyfish", NSDI'12, section 3.
struct RandomRegularOptions {
    size: RandomGraphSize,
    /// Links of each router.
    d: u32,
}

/// Advice where no draw is connected.
const ADVICE: &str = "expected d of 3 or more";

/// Number of failed attempts to add a link, in a row, after which a random link is broken.
const BREAK_AFTER: u32 = 64;
/// Number of failed attempts to add a link, in a row, after which the whole draw is given up.
const GIVE_UP_AFTER: u32 = 4096;

/// Reads the options of a random regular network.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let size = RandomGraphSize::from_params(params)?;
    let n = size.routers;
    let d: u32 = params.required_integer("d", 0, n - 1)?;
    let ends = u64::from(n) * u64::from(d);
    if ends % 2 == 1 {
        let expected =
            format!("an even number: {n} routers of {d} ports have an odd number of ends");
        return Err(params.invalid_value("d", expected));
    }
    if d < 2 && n > d + 1 {
        let problem = format!("{n} routers of degree {d} are never connected");
        return Err(params.unsuited_error(problem, ADVICE));
    }
    require_graph(context, n.into(), ends / 2)?;
    Ok(Box::new(RandomRegularOptions { size, d }))
}

impl BuildNetwork for RandomRegularOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let n = self.size.routers;
        let d = self.d;
        let family = format!("random-regular:n={n},d={d}");
        let links = u64::from(n) * u64::from(d) / 2;
        // Where most pairs are linked, few free ports fit together at the end; the pairs left out are drawn instead.
        let sparse = d <= (n - 1) / 2;
        let drawn_degree = if sparse { d } else { n - 1 - d };
        draw_connected(&self.size, &family, links, ADVICE, |rng| {
            let drawn = PartialGraph::draw_regular(n, drawn_degree, rng)?;
            if sparse {
                return Some(collect_links(drawn.neighbours.iter().map(Vec::as_slice)));
            }
            let pairs = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
            Some(pairs.filter(|(u, v)| !drawn.are_linked(*u, *v)).collect())
        })
    }
}

/// Graph of bounded degree under construction.
struct PartialGraph {
    /// Largest degree.
    d: u32,
    /// Routers linked to each router, in the order of the draws.
    neighbours: Vec<Vec<u32>>,
}

impl PartialGraph {
    /// Draws a graph of degree d; `None` where the last ports cannot be joined.
    fn draw_regular(n: u32, d: u32, rng: &mut Pcg64) -> Option<Self> {
        let mut draft = PartialGraph {
            d,
            neighbours: (0..n).map(|_| Vec::with_capacity(d as usize)).collect(),
        };
        let mut ports: Vec<u32> = (0..n).flat_map(|u| (0..d).map(move |_| u)).collect();
        let mut failures = 0;
        while !ports.is_empty() {
            let count = ports.len() as u64;
            let i = rng.random_range(0..count);
            let j = rng.random_range(0..count - 1);
            // One of the other ports.
            let j = (j + u64::from(j >= i)) as usize;
            let i = i as usize;
            let u = ports[i];
            let v = ports[j];
            let joined = if u != v && !draft.are_linked(u, v) {
                draft.add_link(u, v);
                true
            } else {
                failures += 1;
                failures > BREAK_AFTER && draft.break_random_link(u, v, rng)
            };
            if joined {
                failures = 0;
                // The later one first: the last port takes its place, which must not be the other of the two.
                ports.swap_remove(i.max(j));
                ports.swap_remove(i.min(j));
            } else if failures > GIVE_UP_AFTER {
                return None;
            }
        }
        Some(draft)
    }

    /// Checks whether two routers are linked.
    fn are_linked(&self, u: u32, v: u32) -> bool {
        self.neighbours[u as usize].contains(&v)
    }

    /// Links two routers.
    fn add_link(&mut self, u: u32, v: u32) {
        self.neighbours[u as usize].push(v);
        self.neighbours[v as usize].push(u);
    }

    /// Removes the link of two routers.
    fn remove_link(&mut self, u: u32, v: u32) {
        for (u, v) in [(u, v), (v, u)] {
            let row = &mut self.neighbours[u as usize];
            if let Some(at) = row.iter().position(|x| *x == v) {
                row.swap_remove(at);
            }
        }
    }

    /// Replaces a random link x-y by u-x and v-y. Returns whether that could be done with the link drawn.
    fn break_random_link(&mut self, u: u32, v: u32, rng: &mut Pcg64) -> bool {
        let x = rng.random_range(0..self.neighbours.len() as u64) as u32;
        // Routers with fewer links are chosen as often, but then nothing is broken: all links are equally likely.
        let nth = rng.random_range(0..self.d) as usize;
        let Some(&y) = self.neighbours[x as usize].get(nth) else {
            return false;
        };
        if x == u || y == v || self.are_linked(u, x) || self.are_linked(v, y) {
            return false;
        }
        self.remove_link(x, y);
        self.add_link(u, x);
        self.add_link(v, y);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_graph::tests::{check, hash};
    use crate::topology::testing::check_refused;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn simple_connected_and_regular(n in 2u32..24, d in 1u32..23, seed in 0u64..999) {
            let mut d = d.min(n - 1);
            if d < 3 && n > 8 {
                d = 3; // two links each seldom make one ring
            }
            if n * d % 2 == 1 {
                d -= 1;
            }
            prop_assume!((d >= 3 || n <= 8) && (d >= 2 || n == 2));
            let (machine, links) = check(&format!("random-regular:n={n},d={d},seed={seed}"));
            prop_assert_eq!(machine.network().degrees(), (d, d));
            prop_assert_eq!(links.len() as u32, n * d / 2);
            prop_assert!(links.is_sorted());
        }
    }

    #[test]
    fn small_and_dense_cases_are_drawn() {
        for (n, d) in [
            (1, 0),
            (2, 1),
            (3, 2),
            (4, 3),
            (6, 5),
            (100, 99),
            (60, 29),
            (61, 30),
            (50, 2),
        ] {
            check(&format!("random-regular:n={n},d={d},seed=5"));
        }
    }

    #[test]
    fn diameters_are_those_of_random_graphs() {
        let s = check("random-regular:n=3072,d=6,seed=1")
            .0
            .statistics()
            .unwrap();
        assert!(s.diameter <= 7 && s.mean_distance < 5.0, "{s:?}");
    }

    #[test]
    fn the_generator_is_pinned() {
        let (_, links) = check("random-regular:n=1024,d=6,seed=1");
        assert_eq!(links[..3], [(0, 402), (0, 610), (0, 642)]);
        assert_eq!(hash(&links), 11013908859253756153);
        let (_, links) = check("random-regular:n=40,d=30,seed=1");
        assert_eq!(hash(&links), 13265409700856492789);
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("random-regular:n=5,d=3", "an even number"),
            ("random-regular:n=5,d=5", "a whole number from 0 to 4"),
            ("random-regular:n=6,d=1", "never connected"),
            ("random-regular:n=6,d=0", "never connected"),
            ("random-regular:n=1000000,d=100000", "more than the 8.0 GB"),
            (
                "random-regular:n=2147483648,d=6,per_router=2",
                "a machine of 4294967296 nodes",
            ),
            ("random-regular:n=8", "no `d`"),
        ]);
    }
}
