//! Kueue's topology-aware scheduling.

use super::entry::AllocatorContext;
use super::kit::*;
use super::units::{LEVEL, UnitRanks, Units, level, levels};

/// `kueue-tas[:level=L,mode=required|preferred,profile=most-free|least-free]`: one unit of the level for all nodes of a
/// job. Where none has room, `required` waits; `preferred` tries the levels above, and at the outermost takes
/// several units. Below, level by level down to nodes, as many units as needed.
///
/// `most-free` (Kueue's BestFit) takes the units with the most free nodes first, and as the last one the tightest
/// that holds the rest; `least-free` (LeastFreeCapacity) those with the fewest first. Among equal ones the order of
/// the network decides, among nodes the order of ranks.
///
/// # Limits
/// A pod a node. Slices of a job, taints and balanced placement are left out.
///
/// # Complexity
/// O(size/64 + free · levels + units · log units).
///
/// # References
/// Kueue, KEP-2724 "Topology Aware Scheduling", section "Computing the assignment".
pub(super) const KUEUE_TAS: AllocatorEntry = AllocatorEntry::new(
    "kueue-tas",
    "Kueue's topology-aware scheduling: one unit of a level, or (preferred) few units of those above",
    &[
        LEVEL.or_else("the innermost with units of several nodes"),
        Opt::one_of("mode", &["preferred", "required"], "required: wait for one unit of the level"),
        Opt::one_of("profile", &["most-free", "least-free"], "units that are taken first"),
    ],
    |params, context| Ok(Box::new(KueueTas::new(params, context)?)),
);

struct KueueTas {
    /// Ranks by unit, level by level, the outermost first.
    levels: Vec<Units>,
    /// By level and unit: the unit above it.
    outer: Vec<Vec<u32>>,
    level: usize,
    required: bool,
    most_free: bool,
}

impl KueueTas {
    fn new(params: &Params, context: &AllocatorContext<'_>) -> Result<Self> {
        let several = |level: &crate::topology::Level| level.slots > 1;
        let innermost = |all: &[crate::topology::Level]| all.iter().rposition(several).unwrap_or(0);
        let level = level(params, context, innermost)?;
        let all = levels(context);
        let of = |units: &Vec<UnitRanks>| {
            let ranks = units.iter().map(|unit| unit.ranks.clone()).collect();
            Units::new(context.order.len() as u32, ranks)
        };
        Ok(KueueTas {
            levels: all.iter().map(of).collect(),
            outer: all.iter().map(|units| units.iter().map(|unit| unit.outer).collect()).collect(),
            level,
            required: params.choice("mode")? == "required",
            most_free: params.choice("profile")? == "most-free",
        })
    }

    /// The units in the order in which they are taken: free ranks and number.
    fn sorted(&self, units: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
        let mut units: Vec<_> = units.filter(|(free, _)| *free > 0).collect();
        // The sort is stable: equal units stay in the order of the network.
        units.sort_by(|a, b| if self.most_free { b.0.cmp(&a.0) } else { a.0.cmp(&b.0) });
        units
    }

    /// As many units as `count` ranks need.
    fn fewest(&self, units: &[(u32, u32)], count: u32) -> Vec<u32> {
        let (mut taken, mut need) = (Vec::new(), count);
        for (i, (free, unit)) in units.iter().enumerate() {
            if *free >= need {
                let rest = units[i..].iter().filter(|(free, _)| *free >= need);
                let tightest = rest.min_by_key(|(free, _)| *free).map_or(*unit, |(_, unit)| *unit);
                taken.push(if self.most_free { tightest } else { *unit });
                break;
            }
            taken.push(*unit);
            need -= free;
        }
        taken
    }
}

impl Allocator for KueueTas {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.levels.iter_mut().for_each(|units| _ = units.count_free(free));
        // The lowest level, from the one asked for up, with a unit that has room.
        let lowest = if self.required { self.level } else { 0 };
        let fits = |level: &usize| self.levels[*level].free.iter().any(|free| *free >= count);
        let found = (lowest..=self.level).rev().find(fits);
        if found.is_none() && self.required {
            let units = &self.levels[self.level];
            let room = (0..units.count()).any(|unit| units.size(unit) >= count);
            let reason = "no unit of the required level has enough";
            return if room {
                Choice::NotNow(format!("{reason} free nodes").into())
            } else {
                Choice::Never(format!("{reason} nodes").into())
            };
        }
        let mut level = found.unwrap_or(0);
        let all = self.sorted(self.levels[level].free.iter().copied().zip(0..));
        let mut units = match found {
            Some(_) => {
                let fitting: Vec<_> = all.into_iter().filter(|(free, _)| *free >= count).collect();
                self.fewest(&fitting, count)
            }
            None => self.fewest(&all, count),
        };
        while level + 1 < self.levels.len() {
            level += 1;
            let below = (self.levels[level].free.iter().copied().zip(0..))
                .filter(|(_, unit)| units.contains(&self.outer[level][*unit as usize]));
            units = self.fewest(&self.sorted(below), count);
        }
        // Nodes are all alike: unit by unit in the order taken.
        let mut taken = Vec::new();
        for unit in units {
            let need = count - taken.len() as u32;
            self.levels[level].take(unit as usize, free, 0, need, &mut taken);
        }
        taken.into_iter().for_each(|rank| chosen.push_rank(rank));
        Choice::Placed
    }

    fn may_refuse(&self) -> bool {
        self.required
    }
}

#[cfg(test)]
mod tests {
    use crate::allocator::{AllocatorContext, Choice, make};
    use crate::metric::rank_distances::RankDistances;
    use crate::ordering::NodeOrder;
    use crate::ranks::{FreeSet, Ranks, Run};
    use crate::topology::testing::from_file;

    /// Ranks by rack (a letter each) that an allocator takes of racks with so many nodes, `taken` of which are not free.
    fn racks(sizes: &[(&str, u32)], taken: &[u32], text: &str, count: u32) -> (Choice, String) {
        let mut lines = "host,rack,block\n".to_string();
        let mut letters = Vec::new();
        for (i, (block, nodes)) in sizes.iter().enumerate() {
            for node in 0..*nodes {
                lines += &format!("h{i}x{node:02},r{i},{block}\n");
                letters.push((b'a' + i as u8) as char);
            }
        }
        let topology = from_file("tiers", &lines, ",order=leaf-first").unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context =
            AllocatorContext { topology: &topology, order: &order, distances: &distances };
        let mut free = FreeSet::new(order.len() as u32);
        taken.iter().for_each(|rank| free.take(Run { first: *rank, count: 1 }));
        let mut chosen = Ranks::default();
        let choice = make(text, &context).unwrap().choose(&free, count, &mut chosen);
        chosen.settle();
        (choice, chosen.iter().map(|rank| letters[rank as usize]).collect())
    }

    /// The examples of the section "Computing the assignment": domains that hold 3, 3, 2 and 1, and a job of 7.
    #[test]
    fn the_examples_of_its_documentation() {
        let rack = [("b", 3), ("b", 3), ("b", 2), ("b", 1)];
        let took = |text: &str| racks(&rack, &[], text, 7).1;
        assert_eq!(took("kueue-tas"), "aaabbbd");
        // 1, 2, 3, and one of the last.
        assert_eq!(took("kueue-tas:profile=least-free"), "aaabccd");
    }

    #[test]
    fn one_unit_the_tightest_or_the_level_above() {
        let rack = [("x", 4), ("x", 3), ("y", 6), ("y", 2)];
        let took = |text: &str, count| racks(&rack, &[], text, count);
        assert_eq!(took("kueue-tas", 3).1, "bbb");
        assert_eq!(took("kueue-tas:profile=least-free", 4).1, "aaaa");
        // Both blocks have room for 7: the tighter one, its fuller rack first.
        assert_eq!(took("kueue-tas", 7).1, "aaaabbb");
        assert_eq!(took("kueue-tas", 8).1, "ccccccdd");
        // No block has 10: both, the one with more free nodes first; then racks of either.
        assert_eq!(took("kueue-tas", 10).1, "aaaacccccc");
    }

    #[test]
    fn required_waits_or_never_fits() {
        let rack = [("x", 4), ("x", 3), ("y", 6), ("y", 2)];
        let text = "kueue-tas:mode=required,level=rack";
        assert_eq!(racks(&rack, &[], text, 6).1, "cccccc");
        assert!(matches!(racks(&rack, &[7], text, 6).0, Choice::NotNow(_)));
        assert!(matches!(racks(&rack, &[], text, 7).0, Choice::Never(_)));
        // Blocks x and y have 7 free nodes each: the first.
        assert_eq!(racks(&rack, &[7], "kueue-tas:mode=required,level=block", 7).1, "aaaabbb");
    }
}
