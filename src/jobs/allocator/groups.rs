//! Jobs packed into few groups of a dragonfly, or spread over all.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use nodeorder_base::{FreeSet, Params, Ranks, Result};
use std::cmp::Reverse;

use super::units::{LEVEL, LevelOption, UnitSet, list_levels};

/// `dragonfly-pack[:level=group]`: one group, the tightest that has room; else the groups with the most free nodes,
/// and as the last one the tightest that holds the rest. In a group the lowest ranks. O(size/64 + free + groups ·
/// groups taken).
pub const PACK: AllocatorEntry = AllocatorEntry::new(
    "dragonfly-pack",
    "few groups: the tightest one that has room, else those with the most free nodes",
    &[LEVEL.default_in_words("the outermost")],
    |params| parse_options(params, false),
);

/// `dragonfly-spread[:level=group]`: equally many nodes of each group, as far as they are free; the nodes left over
/// come one by one from the groups with the most free nodes. In a group the lowest ranks. O(size/64 + free + groups ·
/// log groups).
pub const SPREAD: AllocatorEntry = AllocatorEntry::new(
    "dragonfly-spread",
    "all groups alike: the same number of nodes from each, as far as they are free",
    &[LEVEL.default_in_words("the outermost")],
    |params| parse_options(params, true),
);

struct GroupsOptions {
    level: LevelOption,
    /// Whether nodes are taken evenly from all groups (`dragonfly-spread`); else from as few groups as possible
    /// (`dragonfly-pack`).
    spread: bool,
}

/// Reads the options of either allocator.
fn parse_options(params: &Params, spread: bool) -> Result<Box<dyn BuildAllocator>> {
    Ok(Box::new(GroupsOptions {
        level: LevelOption::parse_level(params)?,
        spread,
    }))
}

impl BuildAllocator for GroupsOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let level = self.level.find_level(context.topology)?;
        let units = list_levels(context)
            .swap_remove(level)
            .into_iter()
            .map(|unit| unit.ranks)
            .collect();
        Ok(Box::new(Groups {
            units: UnitSet::new(context.order.len() as u32, units),
            spread: self.spread,
            taken: Vec::new(),
        }))
    }
}

/// The groups of a machine.
struct Groups {
    units: UnitSet,
    /// Whether nodes are taken evenly from all groups; else from as few groups as possible.
    spread: bool,
    /// The ranks chosen so far.
    taken: Vec<u32>,
}

impl Groups {
    /// Takes all nodes from few groups.
    fn pack_groups(&mut self, free: &FreeSet, count: u32) {
        let mut need = count;
        while need > 0 {
            let open = (0..self.units.unit_count()).filter(|unit| self.units.free[*unit] > 0);
            // Groups that hold the rest go first, the tightest of them; else the one with the most.
            let best = open.min_by_key(|unit| match self.units.free[*unit] {
                free if free >= need => (0, free),
                free => (1, u32::MAX - free),
            });
            let Some(unit) = best else { break };
            let taken = self.units.free[unit].min(need);
            self.units
                .take_free_ranks(unit, free, 0, taken, &mut self.taken);
            self.units.free[unit] = 0;
            need -= taken;
        }
    }

    /// Sums up the free nodes of all groups, at most `most` of each.
    fn sum_capped(&self, most: u32) -> u64 {
        let free = self.units.free.iter();
        free.map(|free| u64::from(*free.min(&most))).sum()
    }

    /// Takes equally many nodes from each group, as far as they are free.
    fn spread_over_groups(&mut self, free: &FreeSet, count: u32) {
        let mut all: Vec<usize> = (0..self.units.unit_count()).collect();
        all.sort_by_key(|unit| (Reverse(self.units.free[*unit]), *unit));
        // Every group gives `low` nodes, or all it has: the largest such number that does not exceed the job, by
        // bisection. The nodes left over come one each from the groups with the most.
        let mut low = 0;
        let mut high = count;
        while low < high {
            let most = (low + high).div_ceil(2);
            if self.sum_capped(most) <= u64::from(count) {
                low = most;
            } else {
                high = most - 1;
            }
        }
        let mut rest = count - self.sum_capped(low) as u32;
        for unit in all {
            let more = u32::from(rest > 0 && self.units.free[unit] > low);
            rest -= more;
            let taken = self.units.free[unit].min(low) + more;
            self.units
                .take_free_ranks(unit, free, 0, taken, &mut self.taken);
        }
    }
}

impl Allocator for Groups {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.units.count_free(free);
        self.taken.clear();
        if self.spread {
            self.spread_over_groups(free, count)
        } else {
            self.pack_groups(free, count)
        }
        chosen.push_ranks(&self.taken);
        Choice::Placed
    }
}

#[cfg(test)]
mod tests {
    use crate::allocator::{AllocatorContext, make};
    use nodeorder_base::{FreeSet, Ranks, Run};
    use nodeorder_network::{Context, Topology};
    use nodeorder_order::NodeOrder;
    use nodeorder_order::metric::rank_distances::RankDistances;

    /// Nodes by group that an allocator takes on nine groups of eight nodes, the first ones of groups taken already.
    fn by_group(text: &str, taken: [u32; 9], count: u32) -> Vec<u32> {
        let topology = Topology::inline("dragonfly:p=2,a=4,h=2", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let mut free = FreeSet::new(72);
        for (group, count) in (0..).zip(taken) {
            free.take_run(Run {
                first: 8 * group,
                count,
            });
        }
        let mut chosen = Ranks::default();
        assert!(
            make(text, &context)
                .unwrap()
                .choose_ranks(&free, count, &mut chosen)
                .is_placed()
        );
        chosen.sort_and_join();
        assert_eq!(chosen.len(), count);
        assert!(chosen.iter().all(|rank| free.is_free(rank)));
        (0..9)
            .map(|group| chosen.iter().filter(|rank| rank / 8 == group).count() as u32)
            .collect()
    }

    /// Nodes taken before a job starts, by group.
    const TAKEN: [u32; 9] = [0, 3, 5, 0, 7, 8, 8, 8, 8];

    #[test]
    fn packed_into_few_groups() {
        for (count, expected) in [
            (3, [0, 0, 3, 0, 0, 0, 0, 0, 0]),
            (6, [6, 0, 0, 0, 0, 0, 0, 0, 0]),
            // 8 + 8, and the tightest group that holds the rest.
            (17, [8, 0, 0, 8, 1, 0, 0, 0, 0]),
            (25, [8, 5, 3, 8, 1, 0, 0, 0, 0]),
        ] {
            assert_eq!(by_group("dragonfly-pack", TAKEN, count), expected);
        }
    }

    #[test]
    fn spread_over_all_groups() {
        for (taken, count, expected) in [
            ([0; 9], 9, [1; 9]),
            ([0; 9], 11, [2, 2, 1, 1, 1, 1, 1, 1, 1]),
            (TAKEN, 5, [1, 1, 1, 1, 1, 0, 0, 0, 0]),
            (TAKEN, 14, [4, 3, 3, 3, 1, 0, 0, 0, 0]),
            (TAKEN, 25, [8, 5, 3, 8, 1, 0, 0, 0, 0]),
        ] {
            assert_eq!(by_group("dragonfly-spread", taken, count), expected);
        }
        assert_eq!(
            by_group("dragonfly-spread:level=group", TAKEN, 25),
            by_group("dragonfly-spread", TAKEN, 25)
        );
    }
}
