//! topology/block: base blocks within aggregated ones, and segments.

use super::rule::{Ask, Request, Rule, Sizes};
use crate::allocator::units::Units;
use nodeorder_base::ranks::FreeSet;

const NO_BLOCK: &str = "no block has enough free nodes";

/// Base blocks in the order of the file, and the sizes of aggregated ones.
pub(super) struct Blocks {
    units: Units,
    /// Nodes of a base block, as configured.
    base: u32,
    /// Aggregated blocks hold 2^l base blocks, for these l.
    levels: Vec<u32>,
    /// By base block: free ranks that the job may still take, and how many it has taken.
    left: Vec<u32>,
    taken: Vec<u32>,
}

/// Sizes by which a segment is looked for.
struct Plan {
    /// Ranks of the segment.
    ranks: u32,
    /// Base blocks of the aggregated block that holds it.
    block: usize,
    /// Base blocks of a small block, and the number of small blocks it may use. Where these small blocks make up the
    /// whole aggregated block, that block is the only small one.
    small: usize,
    most: usize,
}

/// Whether one of two units suits `need` ranks better: one that has enough, the tighter of two, the fuller where
/// neither has.
fn better(free: u32, other: u32, need: u32) -> Option<bool> {
    match (free >= need, other >= need) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ if free == other => None,
        (fits, _) => Some((free < other) == fits),
    }
}

impl Blocks {
    /// Blocks of ranks; `sizes` as in `BlockSizes`, empty where there are none.
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
            units: Units::new(size, blocks),
            base,
            levels,
            left: none.clone(),
            taken: none,
        }
    }

    /// Base blocks of the smallest aggregated block of 2^`least` base blocks and more: all where there is none.
    fn aggregate(&self, least: u32) -> usize {
        let level = self
            .levels
            .iter()
            .copied()
            .filter(|level| *level >= least)
            .min();
        level.map_or(self.left.len().max(1), |level| 1 << level)
    }

    /// ⌈log2 ⌈ranks/base⌉⌉.
    fn doublings(&self, ranks: u32) -> u32 {
        ranks.div_ceil(self.base).next_power_of_two().ilog2()
    }

    fn plan(&self, ranks: u32) -> Plan {
        let doublings = self.doublings(ranks);
        let block = self.aggregate(doublings);
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
        let gains = block != small * most;
        if gains {
            Plan {
                ranks,
                block,
                small,
                most,
            }
        } else {
            Plan {
                ranks,
                block,
                small: block,
                most: 1,
            }
        }
    }

    /// The base blocks of the aggregated block of `count` that begins at `from`.
    fn range(&self, from: usize, count: usize) -> std::ops::Range<usize> {
        from..(from + count).min(self.left.len())
    }

    /// Free nodes left in an aggregated block of `count` base blocks.
    fn sum(&self, from: usize, count: usize) -> u32 {
        self.left[self.range(from, count)].iter().sum()
    }

    /// The most free nodes that a segment can take in the aggregated block that begins at `from`.
    fn within_reach(&self, plan: &Plan, from: usize) -> u32 {
        let all = &self.left[self.range(from, plan.block)];
        let mut sums: Vec<u32> = all
            .chunks(plan.small)
            .map(|chunk| chunk.iter().sum())
            .collect();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        sums.iter().take(plan.most).sum()
    }

    /// Places one segment in the base blocks `inside`. Returns the first base block of its aggregated block.
    fn segment(
        &mut self,
        plan: &Plan,
        inside: impl Fn(usize) -> bool,
        free: &FreeSet,
        spread: bool,
        chosen: &mut Vec<u32>,
    ) -> Option<usize> {
        let open = (0..self.left.len())
            .step_by(plan.block)
            .filter(|from| inside(*from));
        let open = open.filter(|from| self.within_reach(plan, *from) >= plan.ranks);
        // Slurm takes the last of equal ones.
        let from =
            open.min_by_key(|from| (self.sum(*from, plan.block), std::cmp::Reverse(*from)))?;
        let mut in_use = vec![false; plan.block.div_ceil(plan.small)];
        let (mut used, mut need) = (Vec::new(), plan.ranks);
        while need > 0 {
            let small = |unit: usize| (unit - from) / plan.small;
            let in_small = |unit: usize| self.sum(from + small(unit) * plan.small, plan.small);
            let candidates = self
                .range(from, plan.block)
                .filter(|unit| self.left[*unit] > 0);
            let unit = candidates.reduce(|best, unit| {
                let apart = small(unit) != small(best);
                let by_small = match (in_use[small(unit)], in_use[small(best)]) {
                    _ if !apart => None,
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    (true, true) => None,
                    (false, false) => better(in_small(unit), in_small(best), need),
                };
                let by_base = || better(self.left[unit], self.left[best], need);
                if by_small.or_else(by_base).unwrap_or(true) {
                    unit
                } else {
                    best
                }
            })?;
            let begun = &mut in_use[(unit - from) / plan.small];
            let new = !std::mem::replace(begun, true);
            if new && in_use.iter().filter(|used| **used).count() > plan.most {
                return None;
            }
            let count = self.left[unit].min(need);
            self.units.take(unit, free, self.taken[unit], count, chosen);
            self.taken[unit] += count;
            need -= count;
            // A segment takes from a base block once; with `spread` later segments do not either.
            used.push((unit, std::mem::take(&mut self.left[unit]) - count));
        }
        if !spread {
            used.iter()
                .for_each(|(unit, rest)| self.left[*unit] = *rest);
        }
        Some(from)
    }
}

impl Rule for Blocks {
    fn covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn unit_of(&self, rank: u32) -> Option<usize> {
        self.units.of(rank)
    }

    fn is_used(&self, unit: usize) -> bool {
        self.units.free[unit] < self.units.size(unit)
    }

    fn sizes(&self, request: &Request, most: u32) -> Vec<Sizes> {
        let mut all = Vec::new();
        let segment = request.segment.filter(|segment| *segment < most);
        if let Some(segment) = segment {
            // The rounds of a larger job begin with those of a smaller one, unless all are in one aggregated block.
            let segments = Sizes::segments(segment, most);
            match request.consolidate {
                false => all.push(segments),
                true => all.extend(
                    (0..segments.count)
                        .rev()
                        .map(|i| Sizes::row(segments.first + i * segment, 1)),
                ),
            }
        }
        // Sizes that take equally many base blocks follow one rule: where one is placed, so are the smaller ones.
        let most = segment.unwrap_or(most);
        let row = |first: u32| Sizes::row(first + 1, self.base.min(most - first));
        all.extend((0..most).step_by(self.base as usize).rev().map(row));
        all
    }

    /// The sizes of all base and aggregated blocks that are not wholly free, and the nodes that are taken. An
    /// aggregated block that the last lines do not fill is none; one that begins with free base blocks counts in the
    /// place where a later one is taken.
    ///
    /// # References
    /// Slurm 26.05, `topology_p_get_fragmentation` of topology/block.
    fn fragmentation(&mut self, _free: &FreeSet) -> Option<u64> {
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
            .map(|unit| u64::from(self.units.size(unit)))
            .sum();
        let open: u64 = units.iter().map(|free| u64::from(*free)).sum();
        Some(blocks * u64::from(self.base) + all - open)
    }

    fn pick(&mut self, ask: &Ask<'_>, chosen: &mut Vec<u32>) -> Result<(), &'static str> {
        let (
            Ask {
                free,
                count,
                request,
                closed,
            },
            segment,
        ) = (*ask, ask.segment());
        let plan = self.plan(segment);
        let mut start = self.units.free.clone();
        for (unit, start) in start.iter_mut().enumerate() {
            if closed.contains(&unit) || (request.exclusive && self.is_used(unit)) {
                *start = 0;
            }
        }
        let doublings = match request.spread {
            true => self.doublings(segment.div_ceil(self.base) * self.base * (count / segment)),
            false => self.doublings(count),
        };
        let aggregate = if request.consolidate {
            self.aggregate(doublings)
        } else {
            start.len().max(1)
        };
        let mut dropped = vec![false; start.len().div_ceil(aggregate)];
        loop {
            self.left.clone_from(&start);
            self.taken.fill(0);
            chosen.clear();
            let mut home = None;
            for _ in 0..count / segment {
                let enough = |from: usize| {
                    let all = self.range(from / aggregate * aggregate, aggregate);
                    !dropped[from / aggregate] && start[all].iter().sum::<u32>() >= count
                };
                let inside: Vec<bool> = (0..start.len())
                    .map(|from| match home {
                        _ if !request.consolidate => true,
                        None => enough(from),
                        Some(home) => from / aggregate == home,
                    })
                    .collect();
                match self.segment(&plan, |from| inside[from], free, request.spread, chosen) {
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
