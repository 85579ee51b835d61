//! Shared by the random families: their size, a seeded generator, and redrawing until connected.

use petgraph::unionfind::UnionFind;
use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::topology::family::{per_router, per_router_suffix};
use crate::topology::link_list::network_of_links;
use crate::topology::network::Network;
use crate::topology::sizes::check_nodes;
use nodeorder_base::{Error, Params, Result, SourceLocation};

/// Options of every random family: routers, nodes on each, and the seed.
pub struct RandomGraphSize {
    /// Number of routers, from 1.
    pub routers: u32,
    /// Nodes on each router.
    per_router: u32,
    /// Seed of the stream of random numbers.
    seed: u64,
    /// Place that an error names where no draw is connected.
    location: SourceLocation,
}

impl RandomGraphSize {
    /// Reads `n`, `per_router` and `seed`.
    pub fn from_params(params: &Params) -> Result<Self> {
        let routers = params.required_integer("n", 1, 1 << 31)?;
        let per_router = per_router(params)?;
        check_nodes(
            params.location(),
            u64::from(routers) * u64::from(per_router),
        )?;
        Ok(RandomGraphSize {
            routers,
            per_router,
            seed: params.seed()?,
            location: params.location().clone(),
        })
    }
}

/// Draws networks of `links` links until one is connected, all from one stream of random numbers (PCG-64 seeded with
/// the seed), so that the seed alone decides. `draw` may give up with `None`.
///
/// # Errors
/// No draw among [`max_draws`] is connected; the message ends with `advice`.
pub fn draw_connected(
    size: &RandomGraphSize,
    family: &str,
    links: u64,
    advice: &str,
    mut draw: impl FnMut(&mut Pcg64) -> Option<Vec<(u32, u32)>>,
) -> Result<Network> {
    let mut rng = Pcg64::seed_from_u64(size.seed);
    for _ in 0..max_draws(links) {
        // Every draw goes on with the same stream: a seed of its own for each could repeat one of another run.
        let Some(links) = draw(&mut rng) else {
            continue;
        };
        if is_connected(size.routers, &links) {
            let suffix = per_router_suffix(size.per_router);
            let spec = format!("{family},seed={}{suffix}", size.seed);
            return Ok(network_of_links(
                spec,
                size.routers,
                size.per_router,
                links,
                Vec::new(),
            ));
        }
    }
    // Too few links to connect: more draws would not help.
    let problem = format!("no connected network in {} draws", max_draws(links));
    Err(Error::unsuited(size.location.clone(), problem, advice))
}

/// Collects the links of a graph, ascending, from the neighbours of every router.
pub fn collect_links<'a>(neighbours: impl Iterator<Item = &'a [u32]>) -> Vec<(u32, u32)> {
    let mut links: Vec<(u32, u32)> = (0..)
        .zip(neighbours)
        .flat_map(|(u, row)| row.iter().filter(move |v| **v > u).map(move |v| (u, *v)))
        .collect();
    links.sort_unstable();
    links
}

/// Chooses how often to redraw: 1000 times, fewer where a draw has more than 10⁵ links, at least 20 times.
fn max_draws(links: u64) -> u64 {
    (100_000_000 / links.max(1)).clamp(20, 1000)
}

/// Checks whether links join all routers.
fn is_connected(routers: u32, links: &[(u32, u32)]) -> bool {
    let mut parts = routers;
    let mut sets = UnionFind::<u32>::new(routers as usize);
    for (u, v) in links {
        parts -= u32::from(sets.union(*u, *v));
    }
    parts == 1
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::topology::{Context, Topology, testing};

    /// Builds, checks that the links are simple and join all routers, that the canonical specification
    /// draws the same network, and returns it with its links.
    pub fn check(spec: &str) -> (Topology, Vec<(u32, u32)>) {
        let machine = Topology::inline(spec, &Context::default()).unwrap();
        testing::check_links(&machine);
        assert_eq!(machine.graph().unwrap().count_components(), 1, "{spec}");
        let again = Topology::inline(
            machine.spec(),
            &Context {
                seed: 77,
                ..Context::default()
            },
        );
        let (links, same) = (links(&machine), links(&again.unwrap()));
        assert_eq!(links, same, "{spec}");
        (machine, links)
    }

    pub fn links(machine: &Topology) -> Vec<(u32, u32)> {
        let mut links = Vec::new();
        machine
            .network()
            .for_each_link(&mut |u, v, _| links.push((u, v)));
        links
    }

    /// FNV-1a hash of the links, which holds a generator to its result across versions and platforms.
    pub fn hash(links: &[(u32, u32)]) -> u64 {
        let bytes = links
            .iter()
            .flat_map(|(u, v)| [u.to_le_bytes(), v.to_le_bytes()])
            .flatten();
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    #[test]
    fn connectedness_is_seen() {
        assert!(is_connected(1, &[]) && is_connected(3, &[(0, 2), (2, 1)]));
        assert!(!is_connected(2, &[]) && !is_connected(4, &[(0, 1), (2, 3)]));
    }

    #[test]
    fn the_run_s_seed_is_the_default_and_is_recorded() {
        for kind in [
            "watts-strogatz:n=40,k=4,p=0.3",
            "random-regular:n=40,d=3",
            "gnm:n=40,m=100",
        ] {
            let with = |seed| {
                Topology::inline(
                    kind,
                    &Context {
                        seed,
                        ..Context::default()
                    },
                )
                .unwrap()
            };
            let (one, two) = (with(1), with(2));
            assert_eq!(one.spec(), format!("{kind},seed=1"));
            assert_ne!(links(&one), links(&two));
            assert_eq!(links(&one), check(&format!("{kind},seed=1")).1);
        }
    }
}
