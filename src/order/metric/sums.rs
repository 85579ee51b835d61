//! Pair-distance sums of sets of ranks, exactly: the sum of d(a,b) over all pairs of one allocation.

use super::rank_distances::RankDistances;
use nodeorder_base::{Ranks, Run};

/// Sums distances over sets of ranks; holds the counters for that, which are zero between calls.
#[derive(Debug)]
pub struct DistanceSums<'p> {
    distances: &'p RankDistances,
    counters: Vec<u64>,
    members: Vec<Run>,
}

impl<'p> DistanceSums<'p> {
    /// Prepares sums over sets of ranks of `distances`.
    pub fn new(distances: &'p RankDistances) -> Self {
        let counters = vec![0; distances.kernel.counter_count()];
        DistanceSums {
            distances,
            counters,
            members: Vec::new(),
        }
    }

    /// Sums the distances as [`DistanceSums::sum_pair_distances`], for runs of ranks that are disjoint and each on
    /// one router, in any order.
    pub fn sum_run_distances(&mut self, runs: &[Run]) -> u64 {
        let kernel = &*self.distances.kernel;
        // Counters cost a clearing of all axes, however few the members.
        if runs.len() <= kernel.few_members() {
            kernel.total_by_pairs(runs)
        } else {
            kernel.total_by_counters(&mut self.counters, runs)
        }
    }

    /// Sums d(a,b) over the pairs of `ranks`.
    ///
    /// # Complexity
    /// With r runs of ranks on one router each: O(r·axes + Σ extents) on grids, O(r·levels) on trees and hierarchies,
    /// O(r²) or O(r·hosts/4) on graphs, whichever is less; and O(ranks).
    pub fn sum_pair_distances(&mut self, ranks: &Ranks) -> u64 {
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        // Ranks of one router count together: their distances to all others are the same.
        let routers = self.distances.routers_by_rank();
        for rank in ranks.iter() {
            match members.last_mut() {
                Some(run) if routers[run.first as usize] == routers[rank as usize] => {
                    run.count += 1
                }
                _ => members.push(Run::of_rank(rank)),
            }
        }
        let sum = self.sum_run_distances(&members);
        self.members = members;
        sum
    }
}
