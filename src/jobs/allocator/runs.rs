//! The free ranks as maximal runs, being taken piece by piece while one job is placed.

use nodeorder_base::{FreeSet, Opt, Ranks, Run};

/// The option `gap`: the largest step between neighbours in a run of free ranks.
pub const GAP: Opt = Opt::whole("gap", "largest step between neighbours in a run")
    .default_value("1")
    .positional();

/// The free runs in ascending order. Runs that are used up stay, empty.
///
/// With a gap g, a *g-run* is a maximal stretch of free ranks whose neighbours differ by at most g: one or
/// several of the runs kept here (for g = 0, single ranks). Ranks are only ever taken, so g-runs only shrink
/// and never join. Within stretches ([`FreeRuns::within_stretches`]) a run ends with its stretch, and so does one that
/// [`FreeRuns::find_first_run`] finds.
#[derive(Clone, Debug, Default)]
pub struct FreeRuns {
    /// Runs of free ranks, of which some may be empty.
    pub runs: Vec<Run>,
    /// By rank: number of its stretch, at whose ends runs end, too; empty if runs end only at ranks that are not free.
    stretches: Vec<u32>,
    /// Bounds proved by earlier searches.
    known: Vec<SearchBound>,
    /// Buffer of [`FreeRuns::take_longest`].
    longest: Vec<GapRun>,
}

/// A bound: no g-run that begins before `start` has `count` ranks.
#[derive(Clone, Copy, Debug)]
struct SearchBound {
    gap: u32,
    count: u32,
    start: usize,
}

/// A g-run: the run at which it begins, and its number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapRun {
    /// Index of the first run that it joins.
    pub start: usize,
    /// Number of ranks of its runs together.
    pub count: u32,
}

impl FreeRuns {
    /// Creates free runs none of which reaches into another stretch: consecutive ranks whose unit, given by rank, is
    /// the same. Ranks of another unit part two stretches even when they are taken, so that runs never join.
    pub fn within_stretches(units: &[u32]) -> Self {
        let mut stretches = Vec::with_capacity(units.len());
        for (number, stretch) in (0..).zip(units.chunk_by(|a, b| a == b)) {
            stretches.resize(stretches.len() + stretch.len(), number);
        }
        FreeRuns {
            stretches,
            ..FreeRuns::default()
        }
    }

    /// Takes over the free ranks. O(size/64 + runs), within stretches O(size).
    pub fn load_free(&mut self, free: &FreeSet) {
        self.runs.clear();
        self.known.clear();
        if self.stretches.is_empty() {
            self.runs.extend(free.free_runs());
            return;
        }
        for run in free.free_runs() {
            let mut first = run.first;
            let stretches = &self.stretches[first as usize..run.end() as usize];
            for piece in stretches.chunk_by(|a, b| a == b) {
                let count = piece.len() as u32;
                self.runs.push(Run { first, count });
                first += count;
            }
        }
    }

    /// Takes over the free ranks, with rank r as rank `size` - 1 - r: the list read from its end.
    pub fn load_reversed(&mut self, free: &FreeSet) {
        self.load_free(free);
        self.runs.reverse();
        for run in &mut self.runs {
            run.first = free.rank_count() - run.end();
        }
    }

    /// Lists the g-runs, ascending.
    pub fn gap_runs(&self, gap: u32) -> impl Iterator<Item = GapRun> + '_ {
        let mut at = 0;
        // Ranks of runs[at] already returned as g-runs of one, for g = 0.
        let mut returned = 0;
        std::iter::from_fn(move || {
            while self.runs.get(at)?.count == returned {
                at += 1;
                returned = 0;
            }
            if gap == 0 {
                returned += 1;
                return Some(GapRun {
                    start: at,
                    count: 1,
                });
            }
            let mut run = GapRun {
                start: at,
                count: self.runs[at].count,
            };
            let mut end = self.runs[at].end();
            at += 1;
            while let Some(next) = self.runs.get(at) {
                if next.count > 0 {
                    // The last of the one and the first of the other differ by first - (end - 1).
                    if next.first - end >= gap {
                        break;
                    }
                    run.count += next.count;
                    end = next.end();
                }
                at += 1;
            }
            Some(run)
        })
    }

    /// Finds the index of the run at which the first g-run of at least `count` ranks begins; `None` if there is none.
    /// Amortised over one job: O(runs) for every different (gap, count) asked for.
    pub fn find_first_run(&mut self, gap: u32, count: u32) -> Option<usize> {
        let mut start = 0;
        let mut slot = None;
        for (i, known) in self.known.iter().enumerate() {
            // A larger gap's search also answers this one where it found nothing.
            let answers = known.gap == gap || known.gap > gap && known.start == self.runs.len();
            if answers && known.count <= count {
                start = start.max(known.start);
            }
            if known.gap == gap && known.count == count {
                slot = Some(i);
            }
        }
        let (found, longest) = self.search_from(start, gap, count);
        // A search that finds nothing has seen the longest run: no larger count needs another.
        let count = if found.is_none() && start == 0 {
            longest + 1
        } else {
            count
        };
        let known = SearchBound {
            gap,
            count,
            start: found.unwrap_or(self.runs.len()),
        };
        match slot {
            Some(i) => self.known[i] = known,
            None => self.known.push(known),
        }
        found
    }

    /// Checks whether two ranks are in different stretches.
    fn are_parted(&self, a: u32, b: u32) -> bool {
        self.stretches.get(a as usize) != self.stretches.get(b as usize)
    }

    /// Finds the first g-run of at least `count` ranks from run `start` on, if there is one, and the length of
    /// the longest met.
    fn search_from(&self, start: usize, gap: u32, count: u32) -> (Option<usize>, u32) {
        let mut begins = start;
        let mut held = 0;
        let mut longest = 0;
        // One past the last rank of the run before, if there was one.
        let mut end = None::<u32>;
        for (i, run) in self.runs.iter().enumerate().skip(start) {
            if run.count == 0 {
                continue;
            }
            // The last of the one and the first of the other differ by first - (end - 1).
            if end.is_none_or(|end| run.first - end >= gap || self.are_parted(end - 1, run.first)) {
                begins = i;
                held = 0;
            }
            held = if gap == 0 { 1 } else { held + run.count };
            longest = longest.max(held);
            if held >= count {
                return (Some(begins), longest);
            }
            end = Some(run.end());
        }
        (None, longest)
    }

    /// Takes the longest g-runs whole, longest first, the lowest of equals first, until one has room for all that
    /// is left of `count`. Returns what is left, the number of runs taken, and the g-runs with room for what is left.
    pub fn take_longest(
        &mut self,
        gap: u32,
        count: u32,
        chosen: &mut Ranks,
    ) -> (u32, u64, impl Iterator<Item = GapRun>) {
        let mut longest = std::mem::take(&mut self.longest);
        longest.clear();
        longest.extend(self.gap_runs(gap));
        let mut left = count;
        let mut whole = 0;
        if longest.iter().all(|run| run.count < left) {
            // Taking a run whole leaves all others as they are: one sort gives their order.
            longest.sort_by_key(|run| std::cmp::Reverse(run.count));
            while let Some(run) = longest.get(whole).filter(|run| run.count < left) {
                self.take_ranks(run.start, run.count, chosen);
                left -= run.count;
                whole += 1;
            }
        }
        self.longest = longest;
        let rest = self.longest[whole..].iter().copied();
        (
            left,
            whole as u64,
            rest.filter(move |run| run.count >= left),
        )
    }

    /// Moves the first `count` ranks from run `start` on to `chosen`.
    pub fn take_ranks(&mut self, start: usize, count: u32, chosen: &mut Ranks) {
        let mut left = count;
        for run in &mut self.runs[start..] {
            let taken = run.count.min(left);
            chosen.push(Run {
                first: run.first,
                count: taken,
            });
            run.first += taken;
            run.count -= taken;
            left -= taken;
            if left == 0 {
                break;
            }
        }
    }
}
