//! Best fit over nodes in order, as in Slurm's linear and tree selections.

use crate::allocator::entry::{Allocator, AllocatorEntry, Choice};
use crate::allocator::runs::FreeRuns;
use nodeorder_base::{FreeSet, Opt, Ranks};

/// `slurm-best-fit[:26]`: the shortest free run that is long enough, the lowest of those; where there is none,
/// the longest run (the lowest of those) whole, and again for the rest. With `:26`, a single node is the first
/// free one, as in Slurm 26.05.
///
/// # Complexity
/// O(size/64 + runs·log runs).
///
/// # References
/// Observed on Slurm 22.05 and 26.05 (select/cons_tres, one block of nodes in name order).
pub const BEST_FIT: AllocatorEntry = AllocatorEntry::new(
    "slurm-best-fit",
    "Slurm: the tightest free run that is long enough; else the longest, whole, and again (:26: one node takes the first free)",
    &[Opt::one_of(
        "release",
        &["22", "26"],
        "Slurm's: from 26 on a job of one node takes the first free one",
    )
    .positional()],
    |params| {
        let first_for_one = params.required_choice("release")? == "26";
        Ok(Box::new(BestFit::new(first_for_one)))
    },
);

/// The best-fit rule, which other plugins fall back on.
#[derive(Clone)]
pub struct BestFit {
    /// Whether a single node is the first free one.
    first_for_one: bool,
    runs: FreeRuns,
}

impl BestFit {
    /// Creates the rule; `first_for_one`: a single node is the first free one.
    pub fn new(first_for_one: bool) -> Self {
        BestFit {
            first_for_one,
            runs: FreeRuns::default(),
        }
    }
}

impl Allocator for BestFit {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count == 1 && self.first_for_one {
            free.copy_lowest(1, chosen);
            return Choice::Placed;
        }
        self.runs.load_free(free);
        let (left, _, fits) = self.runs.take_longest(1, count, chosen);
        if let Some(run) = fits.min_by_key(|run| (run.count, run.start)) {
            self.runs.take_ranks(run.start, left, chosen);
        }
        Choice::Placed
    }
}
