//! The one-dimensional strategies of Cplant: intervals of free ranks, and windows of least span.

use super::entry::{Allocator, AllocatorEntry, BuildAllocator, Choice};
use super::runs::FreeRuns;
use nodeorder_base::{FreeSet, Opt, Params, Ranks, Result, Run};

/// `span-first-fit[:linear]`: the first free interval that holds the job gives its lowest ranks. Where none
/// does, the n circularly consecutive free entries of least ring span, the one of lowest starting rank among
/// those; with `:linear`, of least linear span. O(size/64 + intervals).
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", 2002, section 2.3. The linear variant is that of Sandia's later scheduler in SST.
pub const FIRST: AllocatorEntry = AllocatorEntry::new(
    "span-first-fit",
    "the first free interval that holds the job; else the window of least span",
    &[SPAN],
    |params| SpanAllocator::parse_strategy(IntervalRule::First, params),
);

/// `span-best-fit[:linear]`: as [`FIRST`], the interval that leaves the fewest.
pub const BEST: AllocatorEntry = AllocatorEntry::new(
    "span-best-fit",
    "the free interval that leaves the fewest ranks; else the window of least span",
    &[SPAN],
    |params| SpanAllocator::parse_strategy(IntervalRule::Best, params),
);

/// `span-sum-of-squares[:linear]`: as [`FIRST`], the interval after which Σ N(i)² is least, N(i) the number
/// of free intervals of i ranks. With `scattered=true` the same rule chooses for a job that no interval holds: of the
/// windows that begin with an interval the one after which the sum is least, of equals the narrowest, then the first;
/// O(intervals · intervals in a window).
///
/// # References
/// As [`FIRST`], and its section 5, which leaves the rule for scattered jobs open: this one is ours. Csirik et al.,
/// "On the sum-of-squares algorithm for bin packing", 2006,
/// <https://doi.org/10.1145/1120582.1120583>.
pub const SUM_OF_SQUARES: AllocatorEntry = AllocatorEntry::new(
    "span-sum-of-squares",
    "minimises the sum over sizes of (free intervals of that size) squared (Leung et al. 2.3); else the window of least span",
    &[SPAN, SCATTERED],
    |params| {
        let scattered = params.is_set("scattered")?;
        SpanAllocator::parse_strategy(IntervalRule::SumOfSquares { scattered }, params)
    },
);

/// The option `span`: whether windows go around the end of the ranks.
const SPAN: Opt = Opt::one_of(
    "span",
    &["ring", "linear"],
    "span of a window: the first rank follows the last, or not",
)
.positional();

/// The option `scattered` of [`SUM_OF_SQUARES`].
const SCATTERED: Opt = Opt::flag(
    "scattered",
    "where no interval holds the job, too: the window after which lengths are most varied",
);

/// Rule for the interval that is taken, of those that hold the job.
#[derive(Clone, Copy)]
enum IntervalRule {
    /// The first interval that holds the job.
    First,
    /// The interval that leaves the fewest ranks.
    Best,
    /// The interval that leaves the least Σ N(i)²; `scattered`: whether windows are chosen by this sum, too.
    SumOfSquares { scattered: bool },
}

/// A strategy of Cplant.
#[derive(Clone)]
struct SpanAllocator {
    fit: IntervalRule,
    /// Whether windows end with the last rank.
    linear: bool,
    runs: FreeRuns,
    /// N(i): number of free intervals of i ranks; all 0 between choices.
    intervals: Vec<i64>,
}

impl SpanAllocator {
    /// Reads the options of a strategy.
    fn parse_strategy(fit: IntervalRule, params: &Params) -> Result<Box<dyn BuildAllocator>> {
        let linear = params.required_choice("span")? == "linear";
        Ok(Box::new(SpanAllocator {
            fit,
            linear,
            runs: FreeRuns::default(),
            intervals: Vec::new(),
        }))
    }

    /// Finds the index of the run where the job begins: the interval that holds it, else the window.
    fn find_start(&mut self, size: u32, count: u32) -> usize {
        let runs = &self.runs.runs;
        let ring = (!self.linear).then_some(size);
        let mut fitting = runs
            .iter()
            .enumerate()
            .filter(|(_, run)| run.count >= count);
        let interval = match self.fit {
            IntervalRule::First => fitting.next(),
            IntervalRule::Best => fitting.min_by_key(|(_, run)| run.count),
            IntervalRule::SumOfSquares { scattered } => {
                self.intervals.resize(size as usize + 1, 0);
                for run in runs {
                    self.intervals[run.count as usize] += 1;
                }
                let mut starts: Vec<_> = fitting.collect();
                if starts.is_empty() && scattered {
                    starts.extend(runs.iter().enumerate());
                }
                let chosen = starts.into_iter().min_by_key(|(start, _)| {
                    rate_window(runs, *start, count, ring, &mut self.intervals)
                });
                for run in runs {
                    self.intervals[run.count as usize] = 0;
                }
                chosen
            }
        };
        match interval {
            Some((start, _)) => start,
            None => find_narrowest_window(runs, count, ring),
        }
    }
}

/// Computes by how much Σ N(i)² rises when the window of `count` free entries from run `start` on is taken, and the
/// window's span; the greatest values where the ranks end before. N is given by `intervals`, which end as they were.
fn rate_window(
    runs: &[Run],
    start: usize,
    count: u32,
    ring: Option<u32>,
    intervals: &mut [i64],
) -> (i64, u32) {
    let mut rise = 0;
    let mut left = count;
    let mut end = 0;
    let mut steps = Vec::new();
    for (i, run) in (start..).zip(runs[start..].iter().chain(runs)) {
        let beyond = ring.filter(|_| i >= runs.len());
        if left == 0 || i >= runs.len() && beyond.is_none() {
            break;
        }
        let taken = run.count.min(left);
        left -= taken;
        end = run.first + taken + beyond.unwrap_or(0);
        // An interval of one length becomes one of another: (N-1)² - N² there, (N+1)² - N² here.
        for (length, by) in [(run.count, -1), (run.count - taken, 1)] {
            if length > 0 {
                let number = &mut intervals[length as usize];
                rise += 2 * by * *number + 1;
                *number += by;
                steps.push((length, by));
            }
        }
    }
    for (length, by) in steps {
        intervals[length as usize] -= by;
    }
    if left > 0 {
        return (i64::MAX, u32::MAX);
    }
    (rise, end - runs[start].first)
}

impl Allocator for SpanAllocator {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.runs.load_free(free);
        let start = self.find_start(free.rank_count(), count);
        let runs = &self.runs.runs;
        // On the ring the window may go on at the first rank.
        chosen.push_first(runs[start..].iter().chain(runs).copied(), count);
        Choice::Placed
    }
}

/// Finds the index of the run at whose first rank the narrowest window of `count` free entries begins, the first such;
/// `ring` is the number of ranks where windows go around the end.
///
/// The narrowest window does begin with a run: moved on within a run, its span stays or grows. And the shortest
/// stretch that covers a window is, for the narrowest window, the stretch from its first to its last entry:
/// were there a longer gap inside, the window that begins after it would be narrower still.
fn find_narrowest_window(runs: &[Run], count: u32, ring: Option<u32>) -> usize {
    let all = runs.len();
    let laps = if ring.is_some() { 2 } else { 1 };
    // Entries and ranks before run i, going around.
    let first = |i: usize| runs[i % all].first + if i >= all { ring.unwrap_or(0) } else { 0 };
    let mut best = 0;
    let mut least = u32::MAX;
    let mut end = 0;
    let mut held = 0;
    for (start, run) in runs.iter().enumerate() {
        // Runs start .. end hold at least `count` entries, without the last of them fewer.
        while held < count {
            if end == laps * all {
                return best;
            }
            held += runs[end % all].count;
            end += 1;
        }
        let surplus = held - count;
        let span = first(end - 1) + runs[(end - 1) % all].count - surplus - run.first;
        if span < least {
            best = start;
            least = span;
        }
        held -= run.count;
    }
    best
}
