//! Hops from many routers: by closed form, by searches from 256 at once, or by searches one at a time.

use rayon::prelude::*;

use nodeorder_base::{Result, RouterId};
use nodeorder_network::topology::search::{self, BatchSearch, WIDTH};
use nodeorder_network::{Metric, Topology};

/// Hops from one router to all others, in the form in which they were found.
pub enum Hops<'a> {
    /// A closed form, evaluated for each router asked for.
    Closed { metric: &'a Metric, from: RouterId },
    /// Search from many routers at once, of which `source` is the number of this one.
    Batch {
        search: &'a BatchSearch<'a>,
        source: usize,
    },
    /// Hops to every router, written out from such a search.
    Bytes(&'a [u8]),
    /// Hops to every router, from a search for this one alone.
    Filled(&'a [u32]),
}

impl Hops<'_> {
    /// Finds the hops to a router.
    #[inline]
    pub fn hops_to(&self, router: u32) -> u32 {
        match self {
            // A search takes over where there is no formula.
            Hops::Closed { metric, from } => metric
                .distance_between(*from, RouterId(router))
                .unwrap_or(0),
            Hops::Batch { search, source } => search.hops_between(RouterId(router), *source),
            Hops::Bytes(hops) => u32::from(hops[router as usize]),
            Hops::Filled(hops) => hops[router as usize],
        }
    }
}

/// Cost of a search from 256 routers for each link, in evaluations of a closed form (measured).
const SEARCH_COST: u64 = 32;

/// Cost of looking up one distance in a search, in distances of a row written out (measured).
const LOOKUP_COST: u64 = 8;

/// Calls `visit` with each of `sources`, by number, and the hops from it; `lookups` is about how many hops it will
/// ask for in all. A batch of sources adds to one `T`; these are returned in the order of the sources, whatever the
/// number of threads. Fails if more memory is needed than allowed.
pub fn visit_sources<T: Default + Send>(
    topology: &Topology,
    sources: &[u32],
    lookups: u64,
    visit: impl Fn(usize, &Hops<'_>, &mut T) + Sync,
) -> Result<Vec<T>> {
    let metric = topology.metric();
    let graph = topology.graph()?;
    let batches: Vec<&[u32]> = sources.chunks(WIDTH).collect();
    let searching =
        (batches.len() as u64).saturating_mul(2 * graph.link_count() as u64 * SEARCH_COST);
    // A closed form serves where few distances are asked for; for many, a search finds them faster.
    if !matches!(metric, Metric::Hops) && lookups <= searching {
        let sums = batches.par_iter().enumerate().map(|(b, batch)| {
            let mut sum = T::default();
            for (i, source) in batch.iter().enumerate() {
                let from = RouterId(*source);
                visit(WIDTH * b + i, &Hops::Closed { metric, from }, &mut sum);
            }
            sum
        });
        return Ok(sums.collect());
    }
    // Every thread has a search and a table of rows of its own.
    let planes = search::buffer_bytes(graph) + (WIDTH * graph.router_count()) as u64;
    let threads = rayon::current_num_threads().min(batches.len()) as u64;
    topology.require_memory(search::SEARCH_MEMORY, threads * planes)?;
    let pairs = (sources.len() as u64).saturating_mul(graph.router_count() as u64);
    let many = lookups >= pairs / LOOKUP_COST;
    let sums = batches.par_iter().enumerate().map_init(
        || (BatchSearch::new(graph), Rows::default()),
        |(search, rows), (b, batch)| {
            let mut sum = T::default();
            let routers: Vec<RouterId> = batch.iter().map(|r| RouterId(*r)).collect();
            if search.run_batch(&routers).is_some() {
                let search = &*search;
                if many {
                    rows.write_rows(search, graph.router_count(), routers.len());
                }
                for source in 0..routers.len() {
                    let hops = if many {
                        Hops::Bytes(rows.row_of(source))
                    } else {
                        Hops::Batch { search, source }
                    };
                    visit(WIDTH * b + source, &hops, &mut sum);
                }
                return sum;
            }
            // Too far for a search of many, which has a byte a distance.
            let mut hops = vec![0; graph.router_count()];
            let mut queue = Vec::new();
            for (i, source) in routers.iter().enumerate() {
                graph.fill_hops(*source, &mut hops, &mut queue);
                visit(WIDTH * b + i, &Hops::Filled(&hops), &mut sum);
            }
            sum
        },
    );
    Ok(sums.collect())
}

/// Hops that a search has found, source by source: in the search they stand router by router.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    /// Bytes from one source's row to the next.
    stride: usize,
}

impl Rows {
    /// Writes out the hops from `sources` sources of a search to all `routers` routers.
    fn write_rows(&mut self, search: &BatchSearch<'_>, routers: usize, sources: usize) {
        // Not a power of two: all rows at one router would share a few lines of the cache.
        self.stride = routers.next_multiple_of(64) + 64;
        self.bytes.resize(self.stride * sources, 0);
        let mut found = [0; WIDTH];
        for router in 0..routers {
            search.expand_hops(RouterId(router as u32), &mut found);
            for (source, hops) in found[..sources].iter().enumerate() {
                self.bytes[source * self.stride + router] = *hops;
            }
        }
    }

    /// Looks up the hops from one source, by router.
    fn row_of(&self, source: usize) -> &[u8] {
        &self.bytes[source * self.stride..][..self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    #[test]
    fn all_ways_to_find_hops_agree() {
        // Closed forms, batches, and a ring too long for batches.
        for (spec, lookups) in [
            ("torus:7x5x3", 1),
            ("torus:7x5x3", u64::MAX),
            ("random-regular:n=600,d=3,seed=2", 1),
            ("random-regular:n=600,d=3,seed=2", u64::MAX),
            ("watts-strogatz:n=700,k=2,p=0,seed=1", 1),
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let graph = topology.graph().unwrap();
            let sources: Vec<u32> = (0..graph.router_count() as u32).rev().collect();
            let found = visit_sources(
                &topology,
                &sources,
                lookups,
                |i, hops, rows: &mut Vec<_>| {
                    rows.push((
                        i,
                        (0..sources.len() as u32)
                            .map(|r| hops.hops_to(r))
                            .collect::<Vec<_>>(),
                    ));
                },
            );
            let rows: Vec<(usize, Vec<u32>)> = found.unwrap().concat();
            assert_eq!(rows.len(), sources.len());
            for (i, row) in rows {
                assert_eq!(row, graph.hops_from(RouterId(sources[i])), "{spec}, {i}");
            }
        }
    }
}
