//! Largest Fit with a gap.

use super::entry::{Allocator, AllocatorEntry, Choice};
use super::runs::{FreeRuns, GAP};
use nodeorder_base::{FreeSet, Ranks};

/// `largest-fit:G`: the first run (gap G) with room for what remains gives its first ranks; where there is
/// none, the longest run (the first of those) is taken whole, and again for the rest. O(size/64 + runs·log runs).
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 5.1.1.
/// The pseudo-code printed there drops the node
/// that ends a run; here it begins the next.
pub const LARGEST_FIT: AllocatorEntry = AllocatorEntry {
    name: "largest-fit",
    about: "the first run with steps of at most GAP that is long enough; else the longest, whole, and again",
    example: "largest-fit:8",
    options: &[GAP],
    parse: |params| {
        let gap = params.required_integer("gap", 0, u32::MAX)?;
        Ok(Box::new(LargestFit {
            gap,
            runs: FreeRuns::default(),
            pieces: 0,
        }))
    },
};

/// Largest Fit with its gap.
#[derive(Clone)]
struct LargestFit {
    gap: u32,
    runs: FreeRuns,
    /// Number of pieces of the last job: each reads the free list anew.
    pieces: u64,
}

impl Allocator for LargestFit {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.runs.load_free(free);
        // The first run that holds the job goes before a longer one: only what no run holds is split.
        if let Some(start) = self.runs.find_first_run(self.gap, count) {
            self.pieces = 1;
            self.runs.take_ranks(start, count, chosen);
            return Choice::Placed;
        }
        let (left, whole, fits) = self.runs.take_longest(self.gap, count, chosen);
        self.pieces = whole + 1;
        if let Some(run) = fits.min_by_key(|run| run.start) {
            self.runs.take_ranks(run.start, left, chosen);
        }
        Choice::Placed
    }

    fn list_refreshes(&self) -> u64 {
        self.pieces
    }
}
