//! First Fit with a gap, and its variants.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use super::runs::{FreeRuns, GAP};
use super::units::{LEVEL, LevelOption};
use nodeorder_base::{FreeSet, Opt, Ranks, Result, Run};

/// `first-fit:G[:level=NAME]`: the first run (gap G) of at least n ranks gives its first n. Where there is none, n is
/// split into ⌊n/2⌋ and the rest, each placed by the same rule, the first half taking its ranks before the
/// second looks. With `level=` a run also ends before the next rank, free or not, of another unit of that level.
/// O(size/64 + runs·log n), with `level=` O(size + runs·log n).
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 4.2; that
/// a gap should know the machine's levels is its section 9.
pub const FIRST_FIT: AllocatorEntry = AllocatorEntry {
    name: "first-fit",
    about: "the first run of free ranks with steps of at most GAP that is long enough; else halves",
    example: "first-fit:8",
    options: &[GAP, LEVEL.default_in_words("none: a gap knows ranks alone")],
    parse: |params| {
        let gap = params.required_integer("gap", 0, u32::MAX)?;
        let level = LevelOption::parse_level(params)?;
        if params.has_key("level") {
            return Ok(Box::new(LevelFit { gap, level }));
        }
        Ok(Box::new(FirstFit::new(Some(gap), 0)))
    },
};

/// `fifo-fit:K:G`: First Fit on the free list, which is read from its end for jobs of fewer than K nodes.
/// The whole job's size decides, once.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 5.2.1.
pub const FIFO_FIT: AllocatorEntry = AllocatorEntry {
    name: "fifo-fit",
    about: "first-fit:GAP, from the end of the free list for jobs of fewer than BELOW nodes",
    example: "fifo-fit:16:8",
    options: &[
        Opt::whole("below", "jobs of fewer nodes are placed from the end").positional(),
        GAP,
    ],
    parse: |params| {
        let reversed_below = params.required_integer("below", 0, u32::MAX)?;
        let gap = Some(params.required_integer("gap", 0, u32::MAX)?);
        Ok(Box::new(FirstFit::new(gap, reversed_below)))
    },
};

/// `varying-fit`: First Fit with gap ⌊ln(2m)⌋, m the number of nodes looked for in that call.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 5.3.1.
pub const VARYING_FIT: AllocatorEntry = AllocatorEntry::plain(
    "varying-fit",
    "first-fit with gap ⌊ln(2m)⌋ for the m nodes looked for",
    |_| Ok(Box::new(FirstFit::new(None, 0))),
);

/// Options of First Fit inside the units of a level.
struct LevelFit {
    gap: u32,
    level: LevelOption,
}

impl BuildAllocator for LevelFit {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let number = self.level.find_level(context.topology)?;
        let level = &context.topology.network().levels()[number];
        let nodes = context.order.nodes().iter();
        let units: Vec<u32> = nodes.map(|node| level.unit_of(*node)).collect();
        Ok(Box::new(FirstFit {
            runs: FreeRuns::within_stretches(&units),
            ..FirstFit::new(Some(self.gap), 0)
        }))
    }
}

/// First Fit in all its variants.
#[derive(Clone)]
struct FirstFit {
    /// Largest step between neighbours in a run; `None`: ⌊ln(2m)⌋ for the m nodes looked for.
    gap: Option<u32>,
    /// Jobs of fewer nodes are placed from the end of the free list.
    reversed_below: u32,
    runs: FreeRuns,
    /// Number of searches for the last job: each part of a split one reads the free list anew.
    searches: u64,
}

impl Allocator for FirstFit {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.searches = 0;
        if count >= self.reversed_below {
            self.runs.load_free(free);
            self.place_halves(count, chosen);
            return Choice::Placed;
        }
        self.runs.load_reversed(free);
        // Placed on the mirrored list, then mirrored back.
        let mut mirrored = Ranks::default();
        self.place_halves(count, &mut mirrored);
        mirrored.sort_and_join();
        for run in mirrored.list_runs().iter().rev() {
            chosen.push(Run {
                first: free.rank_count() - run.end(),
                ..*run
            });
        }
        Choice::Placed
    }

    fn list_refreshes(&self) -> u64 {
        self.searches
    }
}

impl FirstFit {
    /// Creates the allocator of one variant.
    fn new(gap: Option<u32>, reversed_below: u32) -> Self {
        FirstFit {
            gap,
            reversed_below,
            runs: FreeRuns::default(),
            searches: 0,
        }
    }

    /// Places `count` nodes, in halves if no run holds them.
    fn place_halves(&mut self, count: u32, chosen: &mut Ranks) {
        self.searches += 1;
        // No whole number is a power of e, so the logarithm of 2m is never near one: the floor is safe.
        let gap = self
            .gap
            .unwrap_or_else(|| (2.0 * f64::from(count)).ln() as u32);
        match self.runs.find_first_run(gap, count) {
            Some(start) => self.runs.take_ranks(start, count, chosen),
            // A single rank is always found, so the halves come to an end.
            None => {
                self.place_halves(count / 2, chosen);
                self.place_halves(count - count / 2, chosen);
            }
        }
    }
}
