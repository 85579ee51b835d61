//! Closest Fit by rank steps.

use super::entry::{Allocator, AllocatorEntry, Choice};
use super::runs::FreeRuns;
use nodeorder_base::{FreeSet, Opt, Ranks};

/// `closest-fit[:G]`: the window of n consecutive free entries with the smallest largest step between
/// neighbours, the first of those; the first window whose largest step is at most G is taken at once
/// (G is 1 unless given). A single node gets the first free rank. O(size/64 + runs·log runs): a window of largest step
/// t is the head of a run with gap t, so the smallest t with a run long enough is found by bisection over the steps
/// there are.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 5.4.1.
pub const CLOSEST_FIT: AllocatorEntry = AllocatorEntry {
    name: "closest-fit",
    about: "the window of free entries with the smallest largest step; a step of at most STEP is good enough",
    example: "closest-fit:2",
    options: &[
        Opt::whole("step", "a largest step of at most this is good enough")
            .default_value("1")
            .positional(),
    ],
    parse: |params| {
        let enough = params.required_integer("step", 0, u32::MAX)?;
        Ok(Box::new(ClosestFit {
            enough,
            runs: FreeRuns::default(),
            steps: Vec::new(),
        }))
    },
};

/// Closest Fit with the step that is good enough.
#[derive(Clone)]
struct ClosestFit {
    /// Largest step, in hops, of a window that is good enough to be taken at once.
    enough: u32,
    runs: FreeRuns,
    /// The different steps between free runs, ascending.
    steps: Vec<u32>,
}

impl Allocator for ClosestFit {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.runs.load_free(free);
        let enough = self.enough.max(1);
        let mut start = self.runs.find_first_run(enough, count);
        if start.is_none() {
            // Only steps that there are can be the largest of a window.
            let runs = &self.runs.runs;
            self.steps.clear();
            self.steps
                .extend(runs.windows(2).map(|w| w[1].first - w[0].last()));
            self.steps.sort_unstable();
            self.steps.dedup();
            let least = self
                .steps
                .partition_point(|step| self.runs.gap_runs(*step).all(|run| run.count < count));
            // All entries are one run at the largest step, so there is one.
            start = self
                .steps
                .get(least)
                .and_then(|step| self.runs.find_first_run(*step, count));
        }
        if let Some(start) = start {
            self.runs.take_ranks(start, count, chosen);
        }
        Choice::Placed
    }
}
