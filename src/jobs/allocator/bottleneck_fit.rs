//! Windows of free nodes whose traffic between groups crowds no link.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use super::units::{LEVEL, LevelOption};
use nodeorder_base::{FreeSet, Ranks, Result, RouterId};
use std::collections::BTreeMap;

/// `bottleneck-fit[:level=NAME]`: the window of n consecutive free entries whose all-to-all traffic crowds the links
/// between units least; of equals the one of least linear span, then the first. Units u and v with a and b nodes of
/// the job send a·b each way over what joins the two; what u sends to units that it has no link with leaves by all its
/// links. The load of the most crowded, divided by its capacity, counts. So a job inside one unit has 0, and on a
/// dragonfly with one cable between two groups, two halves of a job are worse than a large part and small ones.
/// O(size/64 + free · (1 + links between units)).
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 9, asks for
/// an algorithm that knows "where the bottlenecks in placement" are, such as "the single connection across groups"; the
/// rule is ours.
pub const BOTTLENECK_FIT: AllocatorEntry = AllocatorEntry {
    name: "bottleneck-fit",
    about: "the window of free entries whose all-to-all traffic crowds the links between groups least",
    example: "bottleneck-fit",
    options: &[LEVEL.default_in_words("the outermost")],
    parse: |params| {
        let level = LevelOption::parse_level(params)?;
        Ok(Box::new(BottleneckOptions { level }))
    },
};

struct BottleneckOptions {
    level: LevelOption,
}

impl BuildAllocator for BottleneckOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let number = self.level.find_level(context.topology)?;
        let network = context.topology.network();
        let level = &network.levels()[number];
        let unit_count = level.unit_count(network.slots()) as usize;
        let mut joined: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); unit_count];
        let mut leaving = vec![0.0; unit_count];
        network.for_each_link(&mut |u, v, capacity| {
            let ends = [u, v].map(|router| {
                let first = network.slots_of(RouterId(router)).next();
                first.map(|node| level.unit_of(node))
            });
            for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                // Switches without nodes are in no unit; links inside a unit are never the bottleneck between two.
                let Some(unit) = from.filter(|_| from != to) else {
                    continue;
                };
                leaving[unit as usize] += capacity;
                if let Some(other) = to {
                    *joined[unit as usize].entry(other).or_default() += capacity;
                }
            }
        });
        let nodes = context.order.nodes().iter();
        Ok(Box::new(BottleneckFit {
            unit_of: nodes.map(|node| level.unit_of(*node)).collect(),
            joined: joined
                .into_iter()
                .map(|units| units.into_iter().collect())
                .collect(),
            leaving,
            entries: Vec::new(),
        }))
    }
}

/// The units of a level with the capacities of the links between them.
struct BottleneckFit {
    /// By rank: the unit of its node.
    unit_of: Vec<u32>,
    /// By unit: the units that it has links with, and the capacity of these.
    joined: Vec<Vec<(u32, f64)>>,
    /// By unit: capacity of all links that leave it.
    leaving: Vec<f64>,
    /// The free ranks, ascending.
    entries: Vec<u32>,
}

impl BottleneckFit {
    /// Computes the highest load over capacity of a job with `counts` nodes in each unit, `count` in all. Units without
    /// a link out have infinite ones.
    fn rate_counts(&self, counts: &[u32], count: u32) -> f64 {
        let mut worst: f64 = 0.0;
        for (unit, here) in counts.iter().enumerate().filter(|(_, here)| **here > 0) {
            let mut elsewhere = count - here;
            for (other, capacity) in &self.joined[unit] {
                let there = counts[*other as usize];
                elsewhere -= there;
                worst = worst.max(f64::from(*here) * f64::from(there) / capacity);
            }
            if elsewhere > 0 {
                worst = worst.max(f64::from(*here) * f64::from(elsewhere) / self.leaving[unit]);
            }
        }
        worst
    }
}

impl Allocator for BottleneckFit {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.entries.clear();
        self.entries
            .extend(free.free_runs().flat_map(|run| run.first..run.end()));
        let length = count as usize;
        let mut counts = vec![0; self.leaving.len()];
        for rank in &self.entries[..length] {
            counts[self.unit_of[*rank as usize] as usize] += 1;
        }
        let mut rate = self.rate_counts(&counts, count);
        let mut best = (rate, self.entries[length - 1] - self.entries[0], 0);
        for start in 1..=self.entries.len() - length {
            let last = self.entries[start + length - 1];
            let out = self.unit_of[self.entries[start - 1] as usize] as usize;
            let into = self.unit_of[last as usize] as usize;
            // Most windows differ by nodes of one unit: the rate stays.
            if out != into {
                counts[out] -= 1;
                counts[into] += 1;
                rate = self.rate_counts(&counts, count);
            }
            let span = last - self.entries[start];
            if (rate, span) < (best.0, best.1) {
                best = (rate, span, start);
            }
        }
        chosen.push_ranks(&self.entries[best.2..][..length]);
        Choice::Placed
    }
}

#[cfg(test)]
mod tests {
    use crate::allocator::testing::build;
    use crate::allocator::{AllocatorContext, make};
    use nodeorder_base::{FreeSet, Ranks, Run};
    use nodeorder_order::NodeOrder;
    use nodeorder_order::metric::rank_distances::RankDistances;
    use proptest::collection::hash_set;
    use proptest::prelude::*;

    /// Nodes that the allocator chooses on a machine ordered by node id, with `taken` taken before.
    fn choose_nodes(spec: &str, taken: impl Iterator<Item = u32>, count: u32) -> Vec<u32> {
        let topology = build(spec);
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let mut free = FreeSet::new(order.len() as u32);
        for first in taken {
            free.take_run(Run { first, count: 1 });
        }
        let mut chosen = Ranks::default();
        let mut allocator = make("bottleneck-fit", &context).unwrap();
        let choice = allocator.choose_ranks(&free, count, &mut chosen);
        assert!(choice.is_placed());
        chosen.sort_and_join();
        chosen.iter().collect()
    }

    /// Finds the window of least rate, then of least span, by rating every one.
    fn find_window(free: &[u32], count: usize, rate: impl Fn(&[u32]) -> u32) -> Vec<u32> {
        let windows = free.windows(count);
        let best = windows.min_by_key(|window| (rate(window), window[count - 1] - window[0]));
        best.unwrap().to_vec()
    }

    /// Messages over the busiest of the cables that join each two groups of eight nodes, every node sending one to every
    /// other.
    fn count_on_cables(window: &[u32]) -> u32 {
        let mut loads = [[0; 9]; 9];
        for a in window {
            for b in window.iter().filter(|b| *b / 8 != a / 8) {
                loads[*a as usize / 8][*b as usize / 8] += 1;
            }
        }
        loads.into_iter().flatten().max().unwrap()
    }

    /// Messages that leave the leaf switch, of four nodes each, that sends the most.
    fn count_on_leaves(window: &[u32]) -> u32 {
        let mut loads = [0; 18];
        for a in window {
            loads[*a as usize / 4] += window.iter().filter(|b| *b / 4 != a / 4).count() as u32;
        }
        loads.into_iter().max().unwrap()
    }

    proptest! {
        #[test]
        fn no_window_crowds_a_link_less(taken in hash_set(0u32..72, 0..50), part in 0.0..1.0f64) {
            let free: Vec<u32> = (0..72).filter(|node| !taken.contains(node)).collect();
            let count = 1 + (part * (free.len() - 1) as f64) as usize;
            let choose = |spec: &str| choose_nodes(spec, taken.iter().copied(), count as u32);
            let chosen = choose("dragonfly:p=2,a=4,h=2");
            prop_assert_eq!(chosen, find_window(&free, count, count_on_cables));
            let chosen = choose("xgft:h=2,m=4x18,w=1x2");
            prop_assert_eq!(chosen, find_window(&free, count, count_on_leaves));
        }
    }

    #[test]
    fn a_large_part_and_a_small_one_are_better_than_halves() {
        // Groups of eight: 4 and 4 free ones of the first two send 16 messages each way, 7 and 1 of the next two 7.
        let taken = (0..4).chain(12..17).chain(25..72);
        let chosen = choose_nodes("dragonfly:p=2,a=4,h=2", taken, 8);
        assert_eq!(chosen, [17, 18, 19, 20, 21, 22, 23, 24]);
    }

    #[test]
    fn groups_without_a_cable_share_those_that_leave_them() {
        // The cable between groups 0 and 1 is cut: what they send each other leaves over seven others.
        let whole = build("dragonfly:p=2,a=4,h=2");
        let mut cable = None;
        whole.network().for_each_link(&mut |u, v, _| {
            if (u / 4, v / 4) == (0, 1) {
                cable = Some(format!("{u},{v}\n"));
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.csv");
        std::fs::write(&path, cable.unwrap()).unwrap();
        let cut = format!("dragonfly:p=2,a=4,h=2,broken={}", path.display());
        // Free are four nodes each of groups 0 to 3. Over one cable 4 and 4 nodes send 16 messages; 2, 4 and 2 send 8.
        let taken = (4..8).chain(12..20).chain(28..72);
        let chosen = choose_nodes("dragonfly:p=2,a=4,h=2", taken.clone(), 8);
        assert_eq!(chosen, [10, 11, 20, 21, 22, 23, 24, 25]);
        assert_eq!(choose_nodes(&cut, taken, 8), [0, 1, 2, 3, 8, 9, 10, 11]);
    }
}
