//! Closest Fit by mean pairwise distance.

use std::collections::HashMap;

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use nodeorder_base::{FreeSet, Opt, Ranks, Result};
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::window::WindowFinder;

/// `closest-mind`: the window of n consecutive free entries with the smallest sum of pairwise distances, the
/// first of those. Sums are exact integers. With `exit=G` the first window whose mean distance is at most G is taken at
/// once; with `whole-hops=true` means are cut to whole hops, and the first window of the smallest is taken.
///
/// # Complexity
/// As [`WindowFinder::find_best`] for windows that any change of the free ranks since the last job of that size can
/// reach: all of them for the first, and with either option always. O(ranks/64) beside.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 5.4,
/// where it took two hours a year of placements;
/// its Fig. 23 leaves early at a gap of 1, and its distances are whole numbers (`exit=1,whole-hops=true`).
pub const CLOSEST_MIND: AllocatorEntry = AllocatorEntry {
    name: "closest-mind",
    about: "the window of free entries with the smallest mean pairwise distance",
    example: "closest-mind",
    options: &[
        Opt::whole("exit", "take the first window of at most so many hops")
            .default_in_words("none"),
        Opt::flag("whole-hops", "cut means to whole hops"),
    ],
    parse: |params| {
        Ok(Box::new(ClosestMindOptions {
            exit: params.optional_integer("exit", 0, u32::MAX)?,
            whole_hops: params.is_set("whole-hops")?,
        }))
    },
};

struct ClosestMindOptions {
    exit: Option<u32>,
    whole_hops: bool,
}

impl BuildAllocator for ClosestMindOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        if self.exit.is_none() && !self.whole_hops {
            return Ok(Box::new(ClosestMind::new(context.distances, 16)));
        }
        Ok(Box::new(EarlyMind {
            window: WindowFinder::new(context.distances),
            exit: self.exit.unwrap_or(0),
            whole_hops: self.whole_hops,
            entries: Vec::new(),
            total: 0,
        }))
    }
}

/// The rule with an early exit, or with means in whole hops.
struct EarlyMind<'a> {
    window: WindowFinder<'a>,
    /// Mean distance, in hops, that is good enough.
    exit: u32,
    whole_hops: bool,
    entries: Vec<u32>,
    /// Sum of the distances of the ranks chosen last, in hops.
    total: u64,
}

impl EarlyMind<'_> {
    /// Finds the largest sum of distances over `pairs` pairs whose mean is at most `hops`.
    fn largest_sum(&self, hops: u64, pairs: u64) -> u64 {
        let cut = u64::from(self.whole_hops);
        // No sum of distances is as large; twice that is still a number.
        (hops + cut).saturating_mul(pairs).min(u64::MAX / 4) - cut
    }
}

impl Allocator for EarlyMind<'_> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.entries.clear();
        free.append_free(&mut self.entries);
        // One node has no pairs: its mean is 0.
        let pairs = (u64::from(count) * u64::from(count - 1) / 2).max(1);
        let enough = self.largest_sum(self.exit.into(), pairs);
        let mut found = self.window.find_within(&self.entries, count, enough);
        if self.whole_hops && found.1 > enough {
            // Earlier windows of the same whole mean go first.
            let enough = self.largest_sum(found.1 / pairs, pairs);
            found = self.window.find_within(&self.entries, count, enough);
        }
        self.total = found.1;
        chosen.push_ranks(&self.entries[found.0..][..count as usize]);
        Choice::Placed
    }

    fn total_distance(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// Windows of the free list with what is known of them from earlier calls.
struct ClosestMind<'a> {
    distances: &'a RankDistances,
    window: WindowFinder<'a>,
    /// The free ranks of the block being searched.
    entries: Vec<u32>,
    /// Sum of the distances of the ranks chosen last, in hops.
    total: u64,
    /// Number of words of 64 ranks in a stretch.
    stretch: usize,
    /// The free ranks when it was last asked.
    seen: Vec<u64>,
    /// By stretch: number of the last call that found it changed.
    changed: Vec<u64>,
    /// Number of calls so far.
    calls: u64,
    /// By job size: the best window that starts in each block of ranks. A block is a power of two of stretches, at
    /// least four times the job.
    known: HashMap<u32, Vec<BestWindow>>,
}

/// The best of the windows that start in a block.
#[derive(Clone, Copy, Default)]
struct BestWindow {
    /// Number of the call that found it; 0 if none did.
    call: u64,
    /// The last stretch whose ranks these windows depend on.
    last: usize,
    /// The smallest sum and the first rank of the first window that has it; `None` if there is no window.
    best: Option<(u64, u32)>,
}

impl<'a> ClosestMind<'a> {
    /// Prepares the search on an ordering; `stretch` words of ranks are compared together.
    fn new(distances: &'a RankDistances, stretch: usize) -> Self {
        ClosestMind {
            distances,
            window: WindowFinder::new(distances),
            entries: Vec::new(),
            total: 0,
            stretch,
            seen: Vec::new(),
            changed: Vec::new(),
            calls: 0,
            known: HashMap::new(),
        }
    }

    /// Marks the stretches that changed since the last call.
    fn mark_changed(&mut self, words: &[u64]) {
        self.calls += 1;
        self.seen.resize(words.len(), 0);
        self.changed.resize(words.len().div_ceil(self.stretch), 0);
        let seen = self
            .seen
            .chunks_mut(self.stretch)
            .zip(words.chunks(self.stretch));
        for (changed, (seen, now)) in self.changed.iter_mut().zip(seen) {
            if seen != now {
                *changed = self.calls;
                seen.copy_from_slice(now);
            }
        }
    }

    /// Scans all windows of `count` free entries that start in `length` words from `from` on.
    fn scan_block(&mut self, free: &FreeSet, count: u32, from: usize, length: usize) -> BestWindow {
        let end = 64 * (from + length) as u32;
        self.entries.clear();
        // Windows that start in the block end at most `count` entries beyond it.
        let mut beyond = 0;
        for rank in free.iter_from(from) {
            beyond += u32::from(rank >= end);
            if beyond == count {
                break;
            }
            self.entries.push(rank);
        }
        let last = match self.entries.last() {
            Some(rank) if beyond == count => (*rank).max(end - 1),
            _ => free.rank_count() - 1,
        };
        let starts = self.entries.first().is_some_and(|rank| *rank < end);
        let best = (starts && self.entries.len() >= count as usize).then(|| {
            let (start, total) = self.window.find_best(&self.entries, count);
            (total, self.entries[start])
        });
        BestWindow {
            call: self.calls,
            last: last as usize / 64 / self.stretch,
            best,
        }
    }
}

impl Allocator for ClosestMind<'_> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        // One node has no distances: every window is as good.
        if count == 1 {
            self.total = 0;
            free.copy_lowest(1, chosen);
            return Choice::Placed;
        }
        self.mark_changed(free.free_words());
        let stretches = (4 * count.div_ceil(64) as usize)
            .div_ceil(self.stretch)
            .next_power_of_two();
        let length = stretches * self.stretch;
        let floor = self.distances.pair_sum_floor(count);
        let mut blocks = self.known.remove(&count).unwrap_or_default();
        blocks.resize(
            free.free_words().len().div_ceil(length),
            BestWindow::default(),
        );
        let mut best = (u64::MAX, 0);
        for (i, block) in blocks.iter_mut().enumerate() {
            let reach = i * stretches..=block.last;
            if block.call == 0 || self.changed[reach].iter().any(|call| *call > block.call) {
                *block = self.scan_block(free, count, i * length, length);
            }
            best = best.min(block.best.unwrap_or(best));
            // No set of ranks has a smaller sum, and later windows of the same sum do not count.
            if best.0 <= floor {
                break;
            }
        }
        self.known.insert(count, blocks);
        self.total = best.0;
        let ranks = free
            .iter_from(best.1 as usize / 64)
            .skip_while(|rank| *rank < best.1);
        for rank in ranks.take(count as usize) {
            chosen.push_rank(rank);
        }
        Choice::Placed
    }

    fn total_distance(&self) -> Option<u64> {
        Some(self.total)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use nodeorder_network::Topology;
    use nodeorder_order::NodeOrder;

    /// More ranks than cuts hold among them, odd and even rings, paths, weights, searches; several blocks each.
    const MACHINES: &[&str] = &[
        "torus:60x90,limit=700",
        "torus:301x3x2,exclude=3+170-190",
        "mesh:310x3",
        "grid:9x90,wrap=01",
        "hyperx:150x3,per_router=2",
        "dragonfly:p=2,a=4,h=2,g=9",
        "random-regular:n=400,d=4,seed=1",
        concat!(
            "graph:",
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/data/weighted.csv,per_router=7"
        ),
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        /// Against every window of the free entries, placement by placement, with jobs that end.
        #[test]
        fn remembered_blocks_give_the_first_best_window(
            machine in 0..MACHINES.len(),
            shuffled in any::<bool>(),
            moves in prop::collection::vec((prop_oneof![3 => 2u32..14, 1 => 2u32..90], 0usize..9), 1..40),
        ) {
            let topology = Topology::inline(MACHINES[machine], &Default::default()).unwrap();
            let by = if shuffled { "random:seed=3" } else { "row-major" };
            let order = NodeOrder::make(&topology, by).unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            let mut allocator = ClosestMind::new(&distances, 1);
            let mut free = FreeSet::new(distances.len());
            let mut live: Vec<Ranks> = Vec::new();
            for (count, ends) in moves {
                if ends < live.len() && ends % 3 > 0 {
                    live.swap_remove(ends).list_runs().iter().for_each(|run| free.release_run(*run));
                }
                if count > free.free_count() {
                    continue;
                }
                let entries: Vec<u32> = free.iter().collect();
                let star = |set: &[u32], rank: u32| -> u64 {
                    set.iter().map(|other| u64::from(distances.hops_between(*other, rank))).sum()
                };
                let n = count as usize;
                let mut sum: u64 = (0..n).map(|i| star(&entries[..i], entries[i])).sum();
                let mut best = (sum, 0);
                for i in 1..=entries.len() - n {
                    sum -= star(&entries[i - 1..][..n], entries[i - 1]);
                    sum += star(&entries[i..][..n], entries[i + n - 1]);
                    best = best.min((sum, i));
                }
                let mut chosen = Ranks::default();
                prop_assert!(allocator.choose_ranks(&free, count, &mut chosen).is_placed());
                prop_assert_eq!(allocator.total_distance(), Some(best.0));
                prop_assert_eq!(chosen.iter().collect::<Vec<_>>(), &entries[best.1..][..n]);
                chosen.list_runs().iter().for_each(|run| free.take_run(*run));
                live.push(chosen);
            }
        }
    }
}
