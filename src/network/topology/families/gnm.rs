//! Uniform random graphs of n routers and m links.

use super::random_graph::{RandomGraphSize, draw_connected};
use super::totals::count_pairs;
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option};
use crate::topology::network::Network;
use crate::topology::sizes::require_graph;
use nodeorder_base::params::SEED;
use nodeorder_base::{Opt, Params, Result};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Entry of `gnm:n=1024,m=4096,seed=1`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "gnm",
    about: "uniform random connected graph of n routers and m links",
    example: "gnm:n=1024,m=4096,seed=1",
    options: &[
        Opt::whole("n", "routers"),
        Opt::whole("m", "links"),
        PER_ROUTER,
        SEED,
        nodes_option(
            "chooses n: as few routers as needed; unless m is given, as many links \
             as nearly always connect",
        ),
    ],
    parse: parse_options,
};

/// Options of a uniform random network: each simple graph of n routers and m links equally likely, redrawn until
/// connected. Above half of all n(n-1)/2 pairs, the pairs left out are drawn instead. Errors: m below n-1 or above
/// n(n-1)/2; too few links to come out connected: that takes about n·ln(n)/2. O(m log m) expected a draw, 8 bytes a
/// link.
///
/// # References
/// Erdős, Rényi, "On random graphs I", Publ. Math. Debrecen 6, 1959: the model, and when it is connected.
struct GnmOptions {
    size: RandomGraphSize,
    /// Number of links.
    m: u64,
}

/// Reads the options of a uniform random network.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let size = RandomGraphSize::from_params(params)?;
    let n = u64::from(size.routers);
    let m = params.required_integer("m", n - 1, count_pairs(n))?;
    require_graph(context, n, m)?;
    // Expected number of routers without any link; more than 25 of them never all vanish.
    let alone = n as f64 * (-2.0 * m as f64 / n as f64).exp();
    if alone > 25.0 {
        let problem = format!("{m} links leave about {alone:.0} of {n} routers without any");
        return Err(params.unsuited_error(problem, advise_links(n)));
    }
    Ok(Box::new(GnmOptions { size, m }))
}

/// Writes the advice where no draw is connected: a number of links that is enough.
fn advise_links(n: u64) -> String {
    let comfortable = ((n as f64) * (n as f64).ln() / 2.0 + n as f64).ceil() as u64;
    let links = comfortable.min(count_pairs(n));
    format!("expected more links: m = {links} connects nearly always")
}

impl BuildNetwork for GnmOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let m = self.m;
        let routers = self.size.routers;
        let n = u64::from(routers);
        let pairs = count_pairs(n);
        let family = format!("gnm:n={n},m={m}");
        draw_connected(&self.size, &family, m, &advise_links(n), |rng| {
            if m <= pairs / 2 {
                return Some(draw_pairs(routers, m, rng));
            }
            let mut left_out = draw_pairs(routers, pairs - m, rng).into_iter().peekable();
            let all = (0..routers).flat_map(|u| (u + 1..routers).map(move |v| (u, v)));
            Some(
                all.filter(|pair| left_out.next_if_eq(pair).is_none())
                    .collect(),
            )
        })
    }
}

/// Draws `count` distinct pairs u < v, sorted. Pairs are drawn with repetition until enough distinct ones are
/// together: which set that is depends on no order, so all sets are equally likely.
fn draw_pairs(n: u32, count: u64, rng: &mut Pcg64) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(count as usize);
    while (pairs.len() as u64) < count {
        for _ in pairs.len() as u64..count {
            let u = rng.random_range(0..n);
            // One of the n-1 others.
            let v = rng.random_range(0..n - 1);
            let v = v + u32::from(v >= u);
            pairs.push((u.min(v), u.max(v)));
        }
        pairs.sort_unstable();
        pairs.dedup();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::random_graph::tests::{check, hash};
    use super::*;
    use crate::topology::testing::check_refused;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn simple_connected_and_of_m_links(n in 1u32..30, fill in 0.0f64..1.0, seed in 0u64..99) {
            // From where a draw connects often enough up to the complete graph.
            let pairs = n * (n - 1) / 2;
            let low = ((f64::from(n) * f64::from(n).ln() / 2.0) as u32 + n - 1).min(pairs);
            let m = low + (fill * f64::from(pairs - low)).round() as u32;
            let (machine, links) = check(&format!("gnm:n={n},m={m},seed={seed}"));
            prop_assert_eq!(links.len() as u32, m);
            prop_assert!(links.is_sorted());
            prop_assert_eq!(machine.node_count() as u32, n);
        }
    }

    #[test]
    fn all_pairs_are_equally_likely() {
        // 4000 draws of 5 of the 15 pairs of 6 routers: 1333 expected, standard deviation 30.
        let mut rng = <Pcg64 as rand::SeedableRng>::seed_from_u64(1);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..4000 {
            draw_pairs(6, 5, &mut rng)
                .into_iter()
                .for_each(|pair| *seen.entry(pair).or_insert(0) += 1);
        }
        assert_eq!(seen.len(), 15);
        assert!(
            seen.values().all(|n: &u32| n.abs_diff(1333) < 150),
            "{seen:?}"
        );
    }

    #[test]
    fn the_generator_is_pinned() {
        let (_, links) = check("gnm:n=1024,m=4096,seed=1");
        assert_eq!(links[..3], [(0, 308), (0, 352), (0, 381)]);
        assert_eq!(hash(&links), 9725669122064935070);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        check_refused(&[
            ("gnm:n=10,m=8", "a whole number from 9 to 45"),
            ("gnm:n=10,m=46", "a whole number from 9 to 45"),
            ("gnm:n=2000000,m=1000000000000", "more than the 8.0 GB"),
            ("gnm:n=2147483648,m=3000000000", "more than the 8.0 GB"),
            (
                "gnm:n=100000,m=100000",
                "links leave about 13534 of 100000 routers without any",
            ),
            ("gnm:n=200,m=300", "no connected network in 1000 draws"),
            ("gnm:n=1000", "no `m`"),
            ("gnm:n=0,m=0", "n = `0`"),
        ]);
    }
}
