//! Small worlds: a ring of near neighbours, some of its links moved at random.

use super::random_graph::{RandomGraphSize, collect_links, draw_connected};
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option};
use crate::topology::network::Network;
use crate::topology::sizes::require_graph;
use nodeorder_base::params::SEED;
use nodeorder_base::{Opt, Params, Result};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Entry of `watts-strogatz:n=1024,k=6,p=0.1,seed=1`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "watts-strogatz",
    about: "ring of n routers, each linked to its k nearest, links moved with probability p",
    example: "watts-strogatz:n=1024,k=6,p=0.1,seed=1",
    options: &[
        Opt::whole("n", "routers"),
        Opt::whole("k", "links of each router in the ring before rewiring"),
        Opt::number("p", "probability that a link is rewired, 0 to 1"),
        PER_ROUTER,
        SEED,
        nodes_option("chooses n: as few routers as needed; k=6 and p=0.1 unless given"),
    ],
    parse: parse_options,
};

/// Options of a small world: a ring of n routers, each linked to its k nearest (k-1 where k is odd); then every link
/// (u,v) is replaced with probability p by (u,w), w uniform over the routers not yet linked to u. Redrawn until
/// connected; n·⌊k/2⌋ links always.
///
/// Links are taken by distance along the ring, then by u, as in the paper; a router linked to all others
/// keeps its link. Errors: k below 2 or above n-1; no connected network among many draws. O(n·k²) expected a draw.
///
/// # References
/// Watts, Strogatz, "Collective dynamics of small-world networks", Nature 393, 1998, figure 1,
/// <https://doi.org/10.1038/30918>.
struct WattsStrogatzOptions {
    size: RandomGraphSize,
    /// Links of each router in the ring; one less where odd.
    k: u32,
    /// Probability that a link is replaced.
    p: f64,
}

/// Reads the options of a small world.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let size = RandomGraphSize::from_params(params)?;
    let n = size.routers;
    if n < 3 {
        return Err(params.invalid_value("n", "at least 3 routers, a ring"));
    }
    let k: u32 = params.required_integer("k", 2, n - 1)?;
    let p = params.required_real("p", 0.0, 1.0)?;
    require_graph(context, n.into(), count_links(n, k))?;
    Ok(Box::new(WattsStrogatzOptions { size, k, p }))
}

/// Counts the links of n routers that are each linked to k others.
fn count_links(n: u32, k: u32) -> u64 {
    u64::from(n) * u64::from(k / 2)
}

impl BuildNetwork for WattsStrogatzOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let n = self.size.routers;
        let WattsStrogatzOptions { k, p, .. } = *self;
        let family = format!("watts-strogatz:n={n},k={k},p={p}");
        let advice = "expected a larger k or a smaller p";
        draw_connected(&self.size, &family, count_links(n, k), advice, |rng| {
            Some(draw_rewired_ring(n, k / 2, p, rng))
        })
    }
}

/// Draws a small world of n routers: the ring, each router linked to `reach` on both sides, with links replaced.
fn draw_rewired_ring(n: u32, reach: u32, p: f64, rng: &mut Pcg64) -> Vec<(u32, u32)> {
    let mut neighbours: Vec<Vec<u32>> = (0..n)
        .map(|u| {
            (1..=reach)
                .flat_map(|step| [step_around(u, step, n), step_around(u, n - step, n)])
                .collect()
        })
        .collect();
    for step in 1..=reach {
        for u in 0..n {
            let v = step_around(u, step, n);
            // One number is drawn for every link, so that the seed means the same whatever the links are.
            if !rng.random_bool(p) || neighbours[u as usize].len() as u32 == n - 1 {
                continue;
            }
            let w = draw_unlinked(u, &neighbours[u as usize], n, rng);
            neighbours[u as usize].retain(|x| *x != v);
            neighbours[v as usize].retain(|x| *x != u);
            neighbours[u as usize].push(w);
            neighbours[w as usize].push(u);
        }
    }
    collect_links(neighbours.iter().map(Vec::as_slice))
}

/// Finds the router `step` routers on from u around a ring of n.
fn step_around(u: u32, step: u32, n: u32) -> u32 {
    ((u64::from(u) + u64::from(step)) % u64::from(n)) as u32
}

/// Draws a router other than u and its neighbours, uniformly; there must be one. By trial, or from a list where
/// u is joined to most routers and trials would seldom hit.
fn draw_unlinked(u: u32, known: &[u32], n: u32, rng: &mut Pcg64) -> u32 {
    if known.len() as u32 > n / 2 {
        let mut taken = vec![false; n as usize];
        taken[u as usize] = true;
        known.iter().for_each(|v| taken[*v as usize] = true);
        let nth = rng.random_range(0..n - 1 - known.len() as u32);
        let mut free = (0..n).filter(|w| !taken[*w as usize]);
        return free.nth(nth as usize).unwrap_or(u);
    }
    loop {
        let w = rng.random_range(0..n);
        if w != u && !known.contains(&w) {
            return w;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_graph::tests::{check, hash};
    use crate::topology::testing::check_refused;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn simple_connected_and_as_many_links_as_the_ring(
            n in 5u32..40, k in 4u32..39, p in 0.0f64..1.0, seed in 0u64..99,
        ) {
            let k = k.min(n - 1);
            let (_, links) = check(&format!("watts-strogatz:n={n},k={k},p={p},seed={seed}"));
            prop_assert_eq!(links.len() as u32, n * (k / 2));
        }
    }

    #[test]
    fn without_moves_it_is_the_ring() {
        let (ring, links) = check("watts-strogatz:n=20,k=5,p=0");
        let s = ring.statistics().unwrap();
        assert_eq!(
            (s.degree_min, s.degree_max, s.links, s.diameter),
            (4, 4, 40, 5)
        );
        assert_eq!(links[..4], [(0, 1), (0, 2), (0, 18), (0, 19)]);
        assert_eq!(ring.spec(), "watts-strogatz:n=20,k=5,p=0,seed=1");
    }

    #[test]
    fn about_p_of_the_links_move() {
        let (_, links) = check("watts-strogatz:n=3000,k=6,p=0.1,seed=3");
        let moved = links
            .iter()
            .filter(|(u, v)| (v - u).min(u + 3000 - v) > 3)
            .count();
        assert!((810..990).contains(&moved), "{moved} of 9000");
    }

    #[test]
    fn the_generator_is_pinned() {
        let (_, links) = check("watts-strogatz:n=1024,k=6,p=0.1,seed=1");
        assert_eq!(links[..3], [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(hash(&links), 2012293083271743319);
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            (
                "watts-strogatz:n=10,k=1,p=0.5",
                "a whole number from 2 to 9",
            ),
            (
                "watts-strogatz:n=10,k=10,p=0.5",
                "a whole number from 2 to 9",
            ),
            ("watts-strogatz:n=10,k=4", "no `p`"),
            ("watts-strogatz:n=10,k=4,p=1.5", "a number from 0 to 1"),
            ("watts-strogatz:n=2,k=2,p=0", "at least 3 routers"),
            (
                "watts-strogatz:n=2000000000,k=1000,p=0.1",
                "more than the 8.0 GB",
            ),
        ]);
    }
}
