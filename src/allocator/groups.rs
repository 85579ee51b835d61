//! Jobs packed into few groups of a dragonfly, or spread over all.

use std::cmp::Reverse;

use super::units::{LEVEL, Units, level, levels};
use super::{Allocator, AllocatorContext, AllocatorEntry, Choice};
use crate::error::Result;
use crate::params::Params;
use crate::ranks::{FreeSet, Ranks};

/// `dragonfly-pack[:level=group]`: one group, the tightest that has room; else the groups with the most free nodes, and
/// as the last one the tightest that holds the rest. In a group the lowest ranks.
///
/// # Complexity
/// O(size/64 + free + groups · groups taken).
pub(super) const PACK: AllocatorEntry = AllocatorEntry {
    name: "dragonfly-pack",
    about: "few groups: the tightest one that has room, else those with the most free nodes",
    example: "dragonfly-pack",
    options: &[LEVEL.or_else("the outermost")],
    build: |params, context| Ok(Box::new(Groups::new(params, context, false)?)),
};

/// `dragonfly-spread[:level=group]`: as many nodes of each group as of any other, as far as they are free; of nodes left
/// over one each from the groups with the most free nodes. In a group the lowest ranks.
///
/// # Complexity
/// O(size/64 + free + groups · log groups).
pub(super) const SPREAD: AllocatorEntry = AllocatorEntry {
    name: "dragonfly-spread",
    about: "all groups alike: the same number of nodes from each, as far as they are free",
    example: "dragonfly-spread",
    options: &[LEVEL.or_else("the outermost")],
    build: |params, context| Ok(Box::new(Groups::new(params, context, true)?)),
};

struct Groups {
    units: Units,
    spread: bool,
    taken: Vec<u32>,
}

impl Groups {
    fn new(params: &Params, context: &AllocatorContext<'_>, spread: bool) -> Result<Self> {
        let level = level(params, context, |_| 0)?;
        let units = levels(context).swap_remove(level).into_iter().map(|unit| unit.ranks).collect();
        let size = context.order.len() as u32;
        Ok(Groups { units: Units::new(size, units), spread, taken: Vec::new() })
    }

    fn pack(&mut self, free: &FreeSet, count: u32) {
        let mut need = count;
        while need > 0 {
            let left = |unit: usize| self.units.free[unit];
            let all = (0..self.units.count()).filter(|unit| left(*unit) > 0);
            let best = all.min_by_key(|unit| match left(*unit) {
                free if free >= need => (0, free),
                free => (1, u32::MAX - free),
            });
            let Some(unit) = best else { break };
            let count = left(unit).min(need);
            self.units.take(unit, free, 0, count, &mut self.taken);
            self.units.free[unit] = 0;
            need -= count;
        }
    }

    fn spread(&mut self, free: &FreeSet, count: u32) {
        let mut all: Vec<usize> = (0..self.units.count()).collect();
        all.sort_by_key(|unit| (Reverse(self.units.free[*unit]), *unit));
        // The most that each gives: as much as the last of those with the fewest.
        let given = |most: u32| self.units.free.iter().map(|free| u64::from(*free.min(&most))).sum::<u64>();
        let (mut low, mut high) = (0, count);
        while low < high {
            let most = (low + high).div_ceil(2);
            (low, high) = if given(most) <= u64::from(count) { (most, high) } else { (low, most - 1) };
        }
        let mut rest = count - given(low) as u32;
        for unit in all {
            let more = u32::from(rest > 0 && self.units.free[unit] > low);
            rest -= more;
            self.units.take(unit, free, 0, self.units.free[unit].min(low) + more, &mut self.taken);
        }
    }
}

impl Allocator for Groups {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.units.count_free(free);
        self.taken.clear();
        if self.spread { self.spread(free, count) } else { self.pack(free, count) }
        self.taken.iter().for_each(|rank| chosen.push_rank(*rank));
        Choice::Placed
    }
}
