//! Sums for networks without a closed form: batches of 256 ranks search the router graph together,
//! and their distances go straight into the lag sums, bit by bit. No N×N matrix: O(routers · batch) a thread.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use super::lag_bits::LagBits;
use super::sums::PairSums;
use nodeorder_base::{NodeId, Result, RouterId};
use nodeorder_network::topology::search::{self, BatchSearch, WIDTH, first_sources};
use nodeorder_network::{RouterGraph, Topology};

/// Computes the sums over all pairs, lags up to `last` only (rows and columns are whole in any case). Fails if the
/// graph or the buffers need more memory than allowed. O(N/256 · hops · links) for the searches, O(N · last / 64)
/// additions of words for the lags, batches in parallel.
pub fn search_sums(topology: &Topology, nodes: &[NodeId], last: usize) -> Result<PairSums> {
    let graph = topology.graph()?;
    let routers: Vec<RouterId> = nodes.iter().map(|n| topology.router_of(*n)).collect();
    let n = routers.len();
    // A rank's row is looked up once, not once a batch: the ranks may be far from each other in that table.
    let rows: Vec<u32> = routers
        .iter()
        .map(|router| graph.rows_for_search().row_of(*router) as u32)
        .collect();
    let threads = rayon::current_num_threads();
    // Each thread has a search and the sums of all ranks.
    let buffers = threads as u64 * (search::buffer_bytes(graph) + 64 * n as u64);
    topology.require_memory(search::SEARCH_MEMORY, buffers)?;
    let batches = n.div_ceil(WIDTH);
    // Each task takes the next batch that is left. Sums of integers do not depend on which task adds which batch.
    let next = AtomicUsize::new(0);
    let total = (0..threads.min(batches))
        .into_par_iter()
        .map(|_| {
            let mut partial = PartialSums {
                graph,
                routers: &routers,
                last,
                rows: &rows,
                sums: PairSums::zero(n),
                lags: LagBits::new(n),
                search: BatchSearch::new(graph),
            };
            loop {
                let batch = next.fetch_add(1, Relaxed);
                if batch >= batches {
                    let lags = n.min(last + 1);
                    partial.lags.add_to_lags(&mut partial.sums.lag[..lags]);
                    return partial.sums;
                }
                partial.add_batch(batch * WIDTH);
            }
        })
        .reduce_with(|a, b| a.add_up(&b));
    Ok(total.unwrap_or_else(|| PairSums::zero(n)))
}

/// Sums over the pairs of the batches that one task searched.
struct PartialSums<'g> {
    graph: &'g RouterGraph,
    /// Router of every rank.
    routers: &'g [RouterId],
    /// Largest lag that counts.
    last: usize,
    /// Row of every rank's router in the search.
    rows: &'g [u32],
    sums: PairSums,
    /// Lag sums that are not in `sums` yet.
    lags: LagBits,
    search: BatchSearch<'g>,
}

impl PartialSums<'_> {
    /// Adds all pairs of the batch of sources that begins at rank `start`: pairs with a higher rank to that
    /// rank's column and to the lags, pairs with a lower rank to that rank's row.
    fn add_batch(&mut self, start: usize) {
        let routers = self.routers;
        let sources = &routers[start..routers.len().min(start + WIDTH)];
        // Distances above 255 do not fit the search's bit planes, and links with weights have no hops.
        if self.search.run_batch(sources).is_none() {
            return self.add_one_by_one(start);
        }
        let after = start + sources.len();
        // Ranks below are in the rows of the sources' pairs, ranks above in their columns.
        for (sum, row) in self.sums.row[..start].iter_mut().zip(self.rows) {
            *sum += self.search.total_hops_of_row(*row);
        }
        for (sum, row) in self.sums.col[after..].iter_mut().zip(&self.rows[after..]) {
            *sum += self.search.total_hops_of_row(*row);
        }
        for (below, j) in (start..after).enumerate() {
            let column = self.search.sum_hops(routers[j], &first_sources(below));
            self.sums.col[j] += column;
            self.sums.row[j] += self.search.total_hops(routers[j]) - column;
        }
        // Ranks from `end` on are further than `last` from every source: they count for columns only.
        let end = routers.len().min(after + self.last);
        self.lags.add_batch(&self.search, self.rows, start..end);
    }

    /// Adds the pairs of [`PartialSums::add_batch`] by one search a rank.
    fn add_one_by_one(&mut self, start: usize) {
        let routers = self.routers;
        let mut hops = vec![0; self.graph.router_count()];
        let mut queue = Vec::new();
        for i in start..routers.len().min(start + WIDTH) {
            self.graph.fill_hops(routers[i], &mut hops, &mut queue);
            for (j, router) in routers.iter().enumerate() {
                let d = u64::from(hops[router.index()]);
                if j < i {
                    self.sums.row[j] += d;
                } else {
                    self.sums.col[j] += d;
                    if (1..=self.last).contains(&(j - i)) {
                        self.sums.lag[j - i] += d;
                    }
                }
            }
        }
    }
}
