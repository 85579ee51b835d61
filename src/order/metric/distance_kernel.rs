//! Operations that every form of distance between ranks has.
//!
//! Sums over a set of ranks, its *members*, come from counters of them (how many have each label, say), so that the
//! distances from one rank to all members, its *star*, cost less than one look at each.

use std::fmt::Debug;

use multiversion::multiversion;

use super::cuts::Cuts;
use nodeorder_base::Run;

/// A form of distance between ranks, with sums over a set of members that changes.
///
/// The members are kept as counters, which the caller owns: [`DistanceKernel::counter_count`] of them, all 0 for the
/// empty set. A `Run` here is `count` ranks on the router of its `first` rank.
///
/// Provided methods are compiled once for each form, so that a caller pays for one dynamic call, not for one a rank.
pub trait DistanceKernel: Debug + Send + Sync {
    /// Computes the hops between two ranks.
    fn hops_between(&self, a: u32, b: u32) -> u32;

    /// Counts the counters that a set of members needs.
    fn counter_count(&self) -> usize;

    /// Adds `by` ranks on the router of `rank` to the members; a negative number takes them away.
    fn change_members(&self, counters: &mut [u64], rank: u32, by: i64);

    /// Adds up the distances from `rank` to the members.
    fn distances_to_members(&self, counters: &[u64], rank: u32) -> u64;

    /// Tells up to how many members sums over pairs are faster than counters.
    fn few_members(&self) -> usize {
        8
    }

    /// Sums the distances over all pairs of ranks in `members`, by counters; these are 0 before and after.
    fn total_by_counters(&self, counters: &mut [u64], members: &[Run]) -> u64 {
        let mut sum = 0;
        for run in members {
            sum += u64::from(run.count) * self.distances_to_members(counters, run.first);
            self.change_members(counters, run.first, run.count.into());
        }
        for run in members {
            self.change_members(counters, run.first, -i64::from(run.count));
        }
        sum
    }

    /// Sums the distances over all pairs of ranks in `members`, pair by pair.
    fn total_by_pairs(&self, members: &[Run]) -> u64 {
        let mut sum = 0;
        for (i, a) in members.iter().enumerate() {
            for b in &members[..i] {
                let hops = u64::from(self.hops_between(a.first, b.first));
                sum += u64::from(a.count) * u64::from(b.count) * hops;
            }
        }
        sum
    }

    /// Finds the first window of `n` entries with the smallest pair-distance sum: its start and sum. Stops at a window
    /// whose sum is `floor` or less. Counters are 0 before and after.
    fn best_window(
        &self,
        counters: &mut [u64],
        entries: &[u32],
        n: usize,
        floor: u64,
    ) -> (usize, u64) {
        let few = n <= self.few_members();
        let best = slide_window(entries, n, floor, |rank, others, by| {
            if few {
                return others
                    .iter()
                    .map(|other| u64::from(self.hops_between(rank, *other)))
                    .sum();
            }
            // The others are the members: without the one that leaves, and not yet with the one that enters.
            if by < 0 {
                self.change_members(counters, rank, by);
            }
            let star = self.distances_to_members(counters, rank);
            if by > 0 {
                self.change_members(counters, rank, by);
            }
            star
        });
        if !few {
            counters.fill(0);
        }
        best
    }

    /// Lays out what [`DistanceKernel::fill_row`] needs of a list of ranks, beside the ranks.
    fn lay_out(&self, _ranks: &[u32], _labels: &mut Vec<u32>) {}

    /// Puts the hops from `rank` to each of `ranks` into `out`, which has as many entries; `labels` as
    /// [`DistanceKernel::lay_out`] left it.
    fn fill_row(&self, rank: u32, ranks: &[u32], _labels: &[u32], out: &mut [u32]) {
        for (hops, to) in out.iter_mut().zip(ranks) {
            *hops = self.hops_between(rank, *to);
        }
    }

    /// Writes the distance as a sum of few cuts. `None` if it is no such sum.
    fn list_cuts(&self) -> Option<Cuts> {
        None
    }
}

/// Slides a window of `n` entries over all and finds the first with the smallest sum: its start and sum. `pass` adds
/// a rank to the window (1) or takes it away (-1) and returns its distances to the other entries in it. Stops at a
/// window whose sum is `floor` or less: none can be better.
#[inline(always)]
pub fn slide_window(
    entries: &[u32],
    n: usize,
    floor: u64,
    mut pass: impl FnMut(u32, &[u32], i64) -> u64,
) -> (usize, u64) {
    let mut sum = 0;
    for (i, rank) in entries[..n].iter().enumerate() {
        sum += pass(*rank, &entries[..i], 1);
    }
    let mut start = 0;
    let mut least = sum;
    for (i, (leaving, entering)) in entries.iter().zip(&entries[n..]).enumerate() {
        if least <= floor {
            break;
        }
        let rest = &entries[i + 1..i + n];
        sum -= pass(*leaving, rest, -1);
        sum += pass(*entering, rest, 1);
        if sum < least {
            start = i + 1;
            least = sum;
        }
    }
    (start, least)
}

/// Sums hops times members; counts are below 2³², so that a product takes one vector instruction.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
pub fn weighted_sum<T: Copy + Into<u64>>(hops: &[T], counts: &[u64]) -> u64 {
    let mut sum = 0;
    for (hops, n) in hops.iter().zip(counts) {
        sum += (*hops).into() * u64::from(*n as u32);
    }
    sum
}
