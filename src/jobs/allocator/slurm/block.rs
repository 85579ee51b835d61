//! topology/block: base blocks within aggregated ones, and segments.
//!
//! Base blocks of B nodes stand in a row; `BlockSizes` names aggregated blocks of 2^l neighbouring base blocks,
//! aligned to their size. The rule for a segment of n nodes (a job without segments is one):
//!
//! 1. The smallest aggregated block that can hold n nodes; of all of its size that have room, the one with the fewest
//!    free nodes, the last among equals.
//! 2. Inside it the segment may touch only as many *small* blocks, about half its size, as n nodes need.
//! 3. Base block by base block: first in small blocks that are in use, else in the tightest that holds the rest; there
//!    the tightest base block that holds the rest, else the fullest.
//!
//! ```text
//! base blocks of 4, BlockSizes=4,8,16; free nodes 4 4 | 1 3 || 4 2 | 4 4      (| ends 8 nodes, || ends 16)
//! 7 nodes: need 2 base blocks, so an aggregated block of 8. Free there: 8, 4, 6, 8; the last of those with 8 is
//! taken.
//! ```

use super::rule::{JobSizeRange, SelectRequest, SelectionRule, SlurmRequest};
use crate::allocator::units::UnitSet;
use nodeorder_base::FreeSet;

const NO_BLOCK: &str = "no block has enough free nodes";

/// The base blocks in the order of the file, and the sizes of aggregated ones.
pub struct Blocks {
    units: UnitSet,
    /// Number of nodes of a base block, as configured.
    base: u32,
    /// Exponents l of the sizes of aggregated blocks, which hold 2^l base blocks.
    levels: Vec<u32>,
    /// By base block: number of free ranks that the job may still take.
    left: Vec<u32>,
    /// By base block: number of ranks that the job has taken.
    taken: Vec<u32>,
}

/// Sizes of the blocks in which a segment is looked for.
struct SegmentPlan {
    /// Number of ranks of the segment.
    ranks: u32,
    /// Number of base blocks of the aggregated block that holds it.
    block: usize,
    /// Number of base blocks of a small block. If these would fill the whole aggregated block, the aggregated block
    /// counts as one small block.
    small_block: usize,
    /// Number of small blocks that it may use.
    max_small_blocks: usize,
}

/// Checks whether the first of two units suits `need` ranks better: one that has enough, the tighter of two, the
/// fuller if neither has; `None` if both suit alike.
fn prefers_first_unit(free: u32, other: u32, need: u32) -> Option<bool> {
    match (free >= need, other >= need) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ if free == other => None,
        (fits, _) => Some((free < other) == fits),
    }
}

impl Blocks {
    /// Creates blocks of ranks; `sizes` as in `BlockSizes`, empty if there are none.
    pub fn new(size: u32, blocks: Vec<Vec<u32>>, sizes: &[u32]) -> Self {
        let first = blocks
            .iter()
            .map(Vec::len)
            .find(|len| *len > 0)
            .unwrap_or(1) as u32;
        let base = sizes.first().copied().unwrap_or(first).max(1);
        let levels = match sizes {
            [] => (0..5).collect(),
            sizes => sizes
                .iter()
                .map(|size| (size / base).max(1).ilog2())
                .collect(),
        };
        let none = vec![0; blocks.len()];
        Blocks {
            units: UnitSet::new(size, blocks),
            base,
            levels,
            left: none.clone(),
            taken: none,
        }
    }

    /// Counts the base blocks of the smallest aggregated block of at least 2^`least`: all if there is none.
    fn aggregate_size(&self, least: u32) -> usize {
        let level = self
            .levels
            .iter()
            .copied()
            .filter(|level| *level >= least)
            .min();
        level.map_or(self.left.len().max(1), |level| 1 << level)
    }

    /// Computes ⌈log2 ⌈ranks/base⌉⌉: how often a base block must be doubled to hold the ranks.
    fn count_doublings(&self, ranks: u32) -> u32 {
        ranks.div_ceil(self.base).next_power_of_two().ilog2()
    }

    /// Plans a segment of a number of ranks.
    fn plan_segment(&self, ranks: u32) -> SegmentPlan {
        let doublings = self.count_doublings(ranks);
        let block = self.aggregate_size(doublings);
        let below = doublings.saturating_sub(1);
        let level = self
            .levels
            .iter()
            .copied()
            .filter(|level| *level <= below)
            .max()
            .unwrap_or(0);
        let small = 1usize << level;
        let most = ranks.div_ceil(self.base << level) as usize;
        // Small blocks that make up the whole rule nothing out.
        let whole = block == small * most;
        SegmentPlan {
            ranks,
            block,
            small_block: if whole { block } else { small },
            max_small_blocks: if whole { 1 } else { most },
        }
    }

    /// Lists the base blocks of the aggregated block of `count` that begins at `from`; the last one may be cut off.
    fn block_range(&self, from: usize, count: usize) -> std::ops::Range<usize> {
        from..(from + count).min(self.left.len())
    }

    /// Sums up the free nodes left in an aggregated block of `count` base blocks.
    fn free_in_block(&self, from: usize, count: usize) -> u32 {
        self.left[self.block_range(from, count)].iter().sum()
    }

    /// Finds the largest number of free nodes that a segment can take in the aggregated block that begins at `from`.
    fn max_free_for_segment(&self, plan: &SegmentPlan, from: usize) -> u32 {
        let all = &self.left[self.block_range(from, plan.block)];
        let mut sums: Vec<u32> = all
            .chunks(plan.small_block)
            .map(|chunk| chunk.iter().sum())
            .collect();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        sums.iter().take(plan.max_small_blocks).sum()
    }

    /// Places one segment in the base blocks `inside`, and returns the first base block of its aggregated block;
    /// `None` if it has no place.
    fn place_segment(
        &mut self,
        plan: &SegmentPlan,
        inside: &[bool],
        free: &FreeSet,
        spread: bool,
        chosen: &mut Vec<u32>,
    ) -> Option<usize> {
        let open = (0..self.left.len())
            .step_by(plan.block)
            .filter(|from| inside[*from] && self.max_free_for_segment(plan, *from) >= plan.ranks);
        // Slurm takes the last of equal ones.
        let from = open.min_by_key(|from| {
            (
                self.free_in_block(*from, plan.block),
                std::cmp::Reverse(*from),
            )
        })?;
        let mut in_use = vec![false; plan.block.div_ceil(plan.small_block)];
        let mut used = Vec::new();
        let mut need = plan.ranks;
        while need > 0 {
            let small = |unit: usize| (unit - from) / plan.small_block;
            let candidates = self
                .block_range(from, plan.block)
                .filter(|unit| self.left[*unit] > 0);
            let unit = candidates.reduce(|best, unit| {
                let apart = small(unit) != small(best);
                let mine = in_use[small(unit)];
                // Small blocks in use come first: a new one counts against those that the segment may use.
                let by_small = if apart && mine != in_use[small(best)] {
                    Some(mine)
                } else if apart && !mine {
                    let free =
                        self.free_in_block(from + small(unit) * plan.small_block, plan.small_block);
                    let other =
                        self.free_in_block(from + small(best) * plan.small_block, plan.small_block);
                    prefers_first_unit(free, other, need)
                } else {
                    None
                };
                // The last of equal ones.
                if by_small
                    .or_else(|| prefers_first_unit(self.left[unit], self.left[best], need))
                    .unwrap_or(true)
                {
                    unit
                } else {
                    best
                }
            })?;
            let begun = &mut in_use[(unit - from) / plan.small_block];
            let new = !std::mem::replace(begun, true);
            if new && in_use.iter().filter(|used| **used).count() > plan.max_small_blocks {
                return None;
            }
            let count = self.left[unit].min(need);
            self.units
                .take_free_ranks(unit, free, self.taken[unit], count, chosen);
            self.taken[unit] += count;
            need -= count;
            // A segment takes from a base block once; with `spread` later segments do not either.
            used.push((unit, std::mem::take(&mut self.left[unit]) - count));
        }
        if !spread {
            for (unit, rest) in used {
                self.left[unit] = rest;
            }
        }
        Some(from)
    }
}

impl SelectionRule for Blocks {
    fn count_covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn unit_of(&self, rank: u32) -> Option<usize> {
        self.units.unit_of(rank)
    }

    fn is_used(&self, unit: usize) -> bool {
        self.units.free[unit] < self.units.unit_size(unit)
    }

    fn list_sizes(&self, request: &SlurmRequest, most: u32) -> Vec<JobSizeRange> {
        let mut all = Vec::new();
        let segment = request.segment.filter(|segment| *segment < most);
        if let Some(segment) = segment {
            // The rounds of a larger job begin with those of a smaller one, unless all are in one aggregated block.
            let segments = JobSizeRange::segment_multiples(segment, most);
            if request.consolidate {
                for i in (0..segments.count).rev() {
                    all.push(JobSizeRange::consecutive_sizes(
                        segments.first + i * segment,
                        1,
                    ));
                }
            } else {
                all.push(segments);
            }
        }
        // Sizes that take equally many base blocks follow one rule: where one is placed, so are the smaller ones.
        let most = segment.unwrap_or(most);
        for first in (0..most).step_by(self.base as usize).rev() {
            all.push(JobSizeRange::consecutive_sizes(
                first + 1,
                self.base.min(most - first),
            ));
        }
        all
    }

    /// Sums up the sizes of all base and aggregated blocks that are not wholly free, and the nodes that are taken. An
    /// aggregated block that the last lines do not fill is none; one that begins with free base blocks counts in the
    /// place where a later one is taken.
    ///
    /// # References
    /// Slurm 26.05, `topology_p_get_fragmentation` of topology/block.
    fn count_broken_nodes(&mut self, _free: &FreeSet) -> Option<u64> {
        let units = &self.units.free;
        let sizes: Vec<usize> = self.levels.iter().map(|level| 1 << level).collect();
        let mut begun = vec![false; sizes.len()];
        let mut blocks = 0u64;
        for (unit, free) in units.iter().enumerate() {
            for (size, begun) in sizes.iter().zip(&mut begun) {
                let begins = unit.is_multiple_of(*size) && *size <= units.len() - unit;
                if *free >= self.base {
                    *begun |= begins && *size > 1;
                } else if std::mem::take(begun) || begins {
                    blocks += *size as u64;
                }
            }
        }
        let all: u64 = (0..units.len())
            .map(|unit| u64::from(self.units.unit_size(unit)))
            .sum();
        let open: u64 = units.iter().map(|free| u64::from(*free)).sum();
        Some(blocks * u64::from(self.base) + all - open)
    }

    fn pick_ranks(
        &mut self,
        ask: &SelectRequest<'_>,
        chosen: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        let SelectRequest {
            free,
            count,
            request,
            closed,
        } = *ask;
        let segment = ask.segment_size();
        let plan = self.plan_segment(segment);
        let mut start = self.units.free.clone();
        for (unit, start) in start.iter_mut().enumerate() {
            if closed.contains(&unit) || (request.exclusive && self.is_used(unit)) {
                *start = 0;
            }
        }
        // Segments that share no base block take whole ones.
        let nodes = if request.spread {
            segment.div_ceil(self.base) * self.base * (count / segment)
        } else {
            count
        };
        let aggregate = if request.consolidate {
            self.aggregate_size(self.count_doublings(nodes))
        } else {
            start.len().max(1)
        };
        // Aggregated blocks in which the first segments had a place, but not all: tried once, then left out.
        let mut dropped = vec![false; start.len().div_ceil(aggregate)];
        loop {
            self.left.clone_from(&start);
            self.taken.fill(0);
            chosen.clear();
            let mut home = None;
            for _ in 0..count / segment {
                // Consolidated, the first segment goes where all have room, the others to where it went.
                let mut inside = vec![true; start.len()];
                for (from, inside) in inside
                    .iter_mut()
                    .enumerate()
                    .filter(|_| request.consolidate)
                {
                    let own = from / aggregate;
                    *inside = match home {
                        None => {
                            let all = self.block_range(own * aggregate, aggregate);
                            !dropped[own] && start[all].iter().sum::<u32>() >= count
                        }
                        Some(home) => own == home,
                    };
                }
                match self.place_segment(&plan, &inside, free, request.spread, chosen) {
                    Some(from) => home = Some(from / aggregate),
                    None if request.consolidate && home.is_some() => break,
                    None => return Err(NO_BLOCK),
                }
            }
            match home {
                Some(home) if (chosen.len() as u32) < count => dropped[home] = true,
                _ => return Ok(()),
            }
        }
    }
}
