//! Largest Fit with a gap.

use super::runs::{GapRun, Runs};
use super::{Allocator, AllocatorEntry, GAP};
use crate::ranks::{FreeSet, Ranks};

/// `largest-fit:G`: the first run (gap G) with room for what remains gives its first ranks; where there is
/// none, the longest run (the first of those) is taken whole, and again for the rest.
///
/// # Complexity
/// O(size/64 + runs·log runs).
///
/// # References
/// Stoltzfus, "Job placement on HECToR", 2013, section 4.3. The pseudo-code printed there drops the node
/// that ends a run; here it begins the next.
pub(super) const LARGEST_FIT: AllocatorEntry = AllocatorEntry {
    name: "largest-fit",
    about: "the first run with steps of at most GAP that is long enough; else the longest, whole, and again",
    example: "largest-fit:8",
    options: &[GAP],
    build: |params, _| {
        let gap = params.whole("gap", 0, u32::MAX)?;
        Ok(Box::new(LargestFit { gap, runs: Runs::default(), longest: Vec::new() }))
    },
};

struct LargestFit {
    gap: u32,
    runs: Runs,
    longest: Vec<GapRun>,
}

impl Allocator for LargestFit {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) {
        self.runs.load(free);
        if let Some(start) = self.runs.first(self.gap, count) {
            return self.runs.take(start, count, chosen);
        }
        // Taking a run whole leaves all others as they are: one sort tells the order of them.
        self.longest.clear();
        self.longest.extend(self.runs.gap_runs(self.gap));
        self.longest.sort_by_key(|run| std::cmp::Reverse(run.count));
        let mut left = count;
        let whole = self.longest.iter().take_while(|run| {
            let taken = run.count < left;
            left -= if taken { run.count } else { 0 };
            taken
        });
        let whole = whole.count();
        for run in &self.longest[..whole] {
            self.runs.take(run.start, run.count, chosen);
        }
        let fits = self.longest[whole..].iter().filter(|run| run.count >= left);
        if let Some(run) = fits.min_by_key(|run| run.start) {
            self.runs.take(run.start, left, chosen);
        }
    }
}
