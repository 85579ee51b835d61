//! The sums where only a search finds distances: batches of 512 ranks search the router graph together,
//! and their distances go straight into the lag sums. No N×N matrix: O(routers · batch) a thread.

use multiversion::multiversion;
use rayon::prelude::*;

use super::PairSums;
use crate::error::Result;
use crate::ids::{NodeId, RouterId};
use crate::topology::Topology;
use crate::topology::search::{Search, WIDTH, first};

/// Sums over all pairs, lags up to `last` only (rows and columns are whole in any case).
///
/// # Errors
/// The graph or the buffers need more memory than allowed.
///
/// # Complexity
/// O(N/512 · hops · links) for the searches, O(N · last) byte additions for the lags, batches in
/// parallel.
pub(super) fn sums(topology: &Topology, nodes: &[NodeId], last: usize) -> Result<PairSums> {
    let graph = topology.graph()?;
    let routers: Vec<RouterId> = nodes.iter().map(|n| topology.router_of(*n)).collect();
    let n = routers.len();
    let threads = rayon::current_num_threads() as u64;
    let buffers = threads * (64 * 10 * graph.router_count() as u64 + 32 * n as u64);
    topology.require("searching from 512 routers at once", buffers)?;
    let zero = || Partial { sums: PairSums::zero(n), search: Search::new(graph) };
    let batches = n.div_ceil(WIDTH);
    // Early batches have the most ranks above them: dealing them out in turn keeps the threads even.
    let tasks = (rayon::current_num_threads() * 4).min(batches).max(1);
    let total = (0..tasks)
        .into_par_iter()
        .map(|task| {
            let mut partial = zero();
            for batch in (task..batches).step_by(tasks) {
                partial.add_batch(topology, &routers, batch * WIDTH, last)?;
            }
            Ok(partial.sums)
        })
        .try_reduce_with(|a: PairSums, b: PairSums| Ok::<_, crate::Error>(a.plus(&b)));
    total.unwrap_or_else(|| Ok(zero().sums))
}

struct Partial<'g> {
    sums: PairSums,
    search: Search<'g>,
}

impl Partial<'_> {
    /// Adds the pairs of the sources of the batch at `start`: each pair of a source and a rank above
    /// it to that rank's column and to the lags, each pair with a rank below to that rank's row.
    fn add_batch(
        &mut self,
        topology: &Topology,
        routers: &[RouterId],
        start: usize,
        last: usize,
    ) -> Result<()> {
        let sources = &routers[start..routers.len().min(start + WIDTH)];
        let Some(far) = self.search.run(sources) else {
            return self.add_plainly(topology, routers, start, last);
        };
        let all = first(sources.len());
        self.search.add_up(&all);
        // Ranks above `end` are further than `last` from every source: they count for columns only.
        let end = routers.len().min(start + sources.len() + last);
        let narrow = far as usize * WIDTH <= usize::from(u16::MAX);
        let mut lags16 = vec![0u16; if narrow { end - start + WIDTH } else { 0 }];
        let mut lags32 = vec![0u32; if narrow { 0 } else { end - start + WIDTH }];
        let mut bytes = [0u8; WIDTH];
        let mut expanded = None;
        for (j, router) in routers.iter().enumerate() {
            let below = sources.len().min(j.saturating_sub(start));
            let whole = self.search.added_up(*router);
            let column = match below {
                0 => 0,
                _ if below == sources.len() => whole,
                _ => self.search.sum(*router, &first(below)),
            };
            self.sums.col[j] += column;
            // A source above j is a pair of j's row.
            self.sums.row[j] += whole - column;
            if j < start || j >= end || below == 0 {
                continue;
            }
            if expanded != Some(*router) {
                self.search.expand(*router, &mut bytes);
                expanded = Some(*router);
            }
            // Source s is j - start - s ranks below: the reversed lag array starts where s = 0 falls.
            let at = end - j;
            let used = if below == sources.len() { WIDTH } else { below };
            if narrow {
                add_u16(&mut lags16[at..at + used], &bytes[..used]);
            } else {
                add_u32(&mut lags32[at..at + used], &bytes[..used]);
            }
        }
        // Position p holds lag end - start - p, for the sources that exist.
        for k in 1..(end - start).min(last + 1) {
            let p = end - start - k;
            let sum = if narrow { u32::from(lags16[p]) } else { lags32[p] };
            self.sums.lag[k] += u64::from(sum);
        }
        Ok(())
    }

    /// The same by one search a rank: for networks wider than a byte counts.
    fn add_plainly(
        &mut self,
        topology: &Topology,
        routers: &[RouterId],
        start: usize,
        last: usize,
    ) -> Result<()> {
        let graph = topology.graph()?;
        let mut hops = vec![0; graph.router_count()];
        let mut queue = Vec::new();
        for i in start..routers.len().min(start + WIDTH) {
            graph.fill_hops(routers[i], &mut hops, &mut queue);
            for (j, router) in routers.iter().enumerate() {
                let d = u64::from(hops[router.index()]);
                if j < i {
                    self.sums.row[j] += d;
                } else {
                    self.sums.col[j] += d;
                    if (1..=last).contains(&(j - i)) {
                        self.sums.lag[j - i] += d;
                    }
                }
            }
        }
        Ok(())
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add_u16(lags: &mut [u16], bytes: &[u8]) {
    for (lag, byte) in lags.iter_mut().zip(bytes) {
        *lag = lag.wrapping_add(u16::from(*byte));
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add_u32(lags: &mut [u32], bytes: &[u8]) {
    for (lag, byte) in lags.iter_mut().zip(bytes) {
        *lag = lag.wrapping_add(u32::from(*byte));
    }
}
