//! Operations on one form of distance between ranks.

use std::fmt::Debug;

use super::cuts::Cuts;
use nodeorder_base::ranks::Run;

/// A form of distance between ranks, with sums over a set of ranks (the members) that changes.
///
/// The members are kept as counters, which the caller owns: [`DistanceKernel::counters`] of them, all 0 for the
/// empty set. A `Run` here is `count` ranks on the router of its `first` rank.
///
/// Provided methods are compiled once for each form, so that a caller pays for one dynamic call, not for one a rank.
pub(super) trait DistanceKernel: Debug + Send + Sync {
    /// Hops between two ranks.
    fn between(&self, a: u32, b: u32) -> u32;

    /// Counters for a set of members.
    fn counters(&self) -> usize;

    /// Adds `by` ranks on the router of `rank` to the members; a negative number takes them away.
    fn change(&self, counters: &mut [u64], rank: u32, by: i64);

    /// Σ of the distances from `rank` to the members.
    fn star(&self, counters: &[u64], rank: u32) -> u64;

    /// Number of members up to which sums over pairs are faster than counters.
    fn few(&self) -> usize {
        8
    }

    /// Σ of the distances over all pairs of ranks in `members`, by counters; these are 0 before and after.
    fn total(&self, counters: &mut [u64], members: &[Run]) -> u64 {
        let mut sum = 0;
        for run in members {
            sum += u64::from(run.count) * self.star(counters, run.first);
            self.change(counters, run.first, run.count.into());
        }
        members
            .iter()
            .for_each(|run| self.change(counters, run.first, -i64::from(run.count)));
        sum
    }

    /// Σ of the distances over all pairs of ranks in `members`, pair by pair.
    fn total_by_pairs(&self, members: &[Run]) -> u64 {
        let mut sum = 0;
        for (i, a) in members.iter().enumerate() {
            let hops = |b: &Run| u64::from(b.count) * u64::from(self.between(a.first, b.first));
            sum += u64::from(a.count) * members[..i].iter().map(hops).sum::<u64>();
        }
        sum
    }

    /// The first window of `n` entries with the smallest pair-distance sum: its start and sum. Stops at a window
    /// whose sum is `floor` or less. Counters are 0 before and after.
    fn best_window(
        &self,
        counters: &mut [u64],
        entries: &[u32],
        n: usize,
        floor: u64,
    ) -> (usize, u64) {
        let few = n <= self.few();
        let star = |counters: &[u64], rank: u32, others: &[u32]| match few {
            true => others
                .iter()
                .map(|other| u64::from(self.between(rank, *other)))
                .sum(),
            false => self.star(counters, rank),
        };
        let change = |counters: &mut [u64], rank: u32, by: i64| {
            if !few {
                self.change(counters, rank, by);
            }
        };
        let mut sum: u64 = 0;
        for (i, rank) in entries[..n].iter().enumerate() {
            sum += star(counters, *rank, &entries[..i]);
            change(counters, *rank, 1);
        }
        let (mut start, mut least) = (0, sum);
        for (i, (leaving, entering)) in entries.iter().zip(&entries[n..]).enumerate() {
            if least <= floor {
                break;
            }
            let rest = &entries[i + 1..i + n];
            change(counters, *leaving, -1);
            sum = sum - star(counters, *leaving, rest) + star(counters, *entering, rest);
            change(counters, *entering, 1);
            if sum < least {
                (start, least) = (i + 1, sum);
            }
        }
        if !few {
            counters.fill(0);
        }
        (start, least)
    }

    /// Lays out what [`DistanceKernel::row`] needs of a list of ranks, beside the ranks.
    fn lay_out(&self, _ranks: &[u32], _labels: &mut Vec<u32>) {}

    /// Puts the hops from `rank` to each of `ranks` into `out`, which has as many entries; `labels` as
    /// [`DistanceKernel::lay_out`] left it.
    fn row(&self, rank: u32, ranks: &[u32], _labels: &[u32], out: &mut [u32]) {
        out.iter_mut()
            .zip(ranks)
            .for_each(|(hops, to)| *hops = self.between(rank, *to));
    }

    /// The distance as a sum of few cuts, where it is one.
    fn cuts(&self) -> Option<Cuts> {
        None
    }
}
