//! The free ranks as maximal runs, being taken piece by piece while one job is placed.

use crate::ranks::{FreeSet, Ranks, Run};

/// The free runs in ascending order. Runs that were used up stay, empty.
///
/// With a gap g, a *g-run* is a maximal stretch of free ranks whose neighbours differ by at most g: one or
/// several of the runs kept here (for g = 0, single ranks). Ranks are only ever taken, so g-runs only shrink
/// and never join.
#[derive(Debug, Default)]
pub struct Runs {
    runs: Vec<Run>,
    /// What earlier searches proved: no g-run that begins before `start` has `count` ranks.
    known: Vec<Known>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    gap: u32,
    count: u32,
    start: usize,
}

/// A g-run: where it begins among the runs, and how many ranks it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapRun {
    /// Index of its first run.
    pub start: usize,
    /// Its ranks.
    pub count: u32,
}

impl Runs {
    /// Takes over the free ranks. O(size/64 + runs).
    pub fn load(&mut self, free: &FreeSet) {
        self.runs.clear();
        self.runs.extend(free.runs());
        self.known.clear();
    }

    /// As [`Runs::load`], with rank r as rank `size` - 1 - r: the list read from its end.
    pub fn load_reversed(&mut self, free: &FreeSet) {
        self.load(free);
        self.runs.reverse();
        self.runs.iter_mut().for_each(|run| run.first = free.size() - run.end());
    }

    /// The runs; some may be empty.
    pub fn all(&self) -> &[Run] {
        &self.runs
    }

    /// The g-runs, ascending.
    pub fn gap_runs(&self, gap: u32) -> impl Iterator<Item = GapRun> + '_ {
        self.gap_runs_from(0, gap)
    }

    fn gap_runs_from(&self, start: usize, gap: u32) -> impl Iterator<Item = GapRun> + '_ {
        let mut at = start;
        // Ranks of runs[at] already told as g-runs of one, for g = 0.
        let mut told = 0;
        std::iter::from_fn(move || {
            while self.runs.get(at)?.count == told {
                (at, told) = (at + 1, 0);
            }
            if gap == 0 {
                told += 1;
                return Some(GapRun { start: at, count: 1 });
            }
            let mut run = GapRun { start: at, count: self.runs[at].count };
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

    /// The first g-run of at least `count` ranks. Amortised over one job: O(runs) for every different
    /// (gap, count) asked for.
    pub fn first(&mut self, gap: u32, count: u32) -> Option<GapRun> {
        let helps = |k: &&Known| k.gap == gap && k.count <= count;
        let start = self.known.iter().filter(helps).map(|k| k.start).max().unwrap_or(0);
        let found = self.gap_runs_from(start, gap).find(|run| run.count >= count);
        let start = found.map_or(self.runs.len(), |run| run.start);
        match self.known.iter_mut().find(|k| k.gap == gap && k.count == count) {
            Some(known) => known.start = start,
            None => self.known.push(Known { gap, count, start }),
        }
        found
    }

    /// Moves the first `count` ranks from run `start` on to `chosen`.
    pub fn take(&mut self, start: usize, count: u32, chosen: &mut Ranks) {
        let mut left = count;
        for run in &mut self.runs[start..] {
            let taken = run.count.min(left);
            chosen.push(Run { first: run.first, count: taken });
            (run.first, run.count) = (run.first + taken, run.count - taken);
            left -= taken;
            if left == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn gap_runs_are_stretches_of_near_neighbours(
            free in prop::collection::vec(any::<bool>(), 1..90),
            gap in 0u32..6,
            moves in prop::collection::vec((1u32..6, 0u32..6), 0..8),
        ) {
            let mut set = FreeSet::new(free.len() as u32);
            let taken = (0..free.len() as u32).filter(|r| !free[*r as usize]);
            taken.for_each(|first| set.take(Run { first, count: 1 }));
            let mut runs = Runs::default();
            runs.load(&set);
            let mut entries: Vec<u32> = set.iter().collect();
            for (count, other) in [(1, gap)].into_iter().chain(moves) {
                // Plain stretches of the entries left.
                let stretches = |gap: u32| -> Vec<Vec<u32>> {
                    let mut all: Vec<Vec<u32>> = Vec::new();
                    for e in &entries {
                        match all.last_mut() {
                            Some(s) if e - s[s.len() - 1] <= gap => s.push(*e),
                            _ => all.push(vec![*e]),
                        }
                    }
                    all
                };
                let plain = stretches(gap);
                let told: Vec<u32> = runs.gap_runs(gap).map(|r| r.count).collect();
                prop_assert_eq!(told, plain.iter().map(|s| s.len() as u32).collect::<Vec<_>>());
                let fits = stretches(other).into_iter().find(|s| s.len() as u32 >= count);
                let found = runs.first(other, count);
                prop_assert_eq!(found.map(|r| r.count), fits.as_ref().map(|s| s.len() as u32));
                if let (Some(run), Some(stretch)) = (found, fits) {
                    let mut chosen = Ranks::default();
                    runs.take(run.start, count, &mut chosen);
                    let first = &stretch[..count as usize];
                    prop_assert_eq!(chosen.iter().collect::<Vec<_>>(), first.to_vec());
                    entries.retain(|e| !first.contains(e));
                }
            }
        }
    }
}
