//! Counts of the units that a set of nodes spans at each level of the machine, beside the fewest that could hold as
//! many nodes.
//!
//! A level is one of the machine's own (pods, groups, leaf switches); where routers have several nodes and no level is
//! made of single routers, these are a level, too. Five nodes on a tree with leaves of 4 that lie on three leaves
//! span 3 units, where 2 would do.

use std::borrow::Cow;

use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_network::topology::Level;

/// Levels of a machine, leaf first.
#[derive(Clone, Debug)]
pub struct Units {
    levels: Vec<UnitLevel>,
}

/// One level with the sizes of its units.
#[derive(Clone, Debug)]
struct UnitLevel {
    level: Level,
    /// Most schedulable nodes that one, two, three, … units have together.
    room: Vec<u64>,
}

impl Units {
    /// Measures the levels of `topology`; none if its nodes are each on a router of their own and it has no hierarchy.
    ///
    /// # Complexity
    /// O(levels · nodes) time, 8 bytes a unit.
    pub fn new(topology: &Topology) -> Units {
        let slots = topology.network().slots();
        let mut levels = Vec::new();
        for level in topology.measured_levels() {
            let mut room = vec![0u64; level.unit_count(slots) as usize];
            for node in topology.nodes().iter() {
                room[level.unit_of(node) as usize] += 1;
            }
            // Prefix sums of the fullest units first tell how many are needed.
            room.sort_unstable_by(|a, b| b.cmp(a));
            for unit in 1..room.len() {
                room[unit] += room[unit - 1];
            }
            levels.push(UnitLevel { level, room });
        }
        Units { levels }
    }

    /// Lists the names of the levels, leaf first.
    pub fn level_names(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().map(|level| &*level.level.name)
    }

    /// Lists the names of the levels.
    pub fn name_list(&self) -> Vec<String> {
        self.level_names().map(String::from).collect()
    }

    /// Returns the number of levels.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Checks whether there is no level.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Finds the unit of a level, counted from the leaf, that a node is in; `None` above the last level.
    pub fn unit_of(&self, level: usize, node: NodeId) -> Option<u32> {
        Some(self.levels.get(level)?.level.unit_of(node))
    }

    /// Looks up the name of a unit of a level; `None` above the last level.
    pub fn unit_name(&self, level: usize, unit: u32) -> Option<String> {
        Some(self.levels.get(level)?.level.unit_name(unit))
    }

    /// Finds the fewest units of a level, counted from the leaf, that have `nodes` schedulable nodes; all of
    /// them if the machine has fewer nodes.
    ///
    /// # Complexity
    /// O(log units).
    pub fn fewest_units(&self, level: usize, nodes: u32) -> u32 {
        let room = &self.levels[level].room;
        let fewer = room.partition_point(|room| *room < u64::from(nodes));
        (fewer + 1).min(room.len()) as u32
    }

    /// Counts the segments of `segment` nodes each of a job that have nodes of one unit, and those that do not, at the
    /// lowest level with a unit that large. `None` if no level has one, and for segments of no nodes.
    ///
    /// # Complexity
    /// O(nodes · log nodes).
    pub fn count_segments(&self, nodes: &[NodeId], segment: u32) -> Option<(u32, u32)> {
        let mut levels = self.levels.iter();
        let level = levels.find(|level| {
            let largest = level.room.first().copied().unwrap_or(0);
            segment > 0 && largest >= u64::from(segment)
        })?;
        let mut units: Vec<u32> = nodes
            .iter()
            .map(|node| level.level.unit_of(*node))
            .collect();
        units.sort_unstable();
        // A unit holds as many segments as fit whole; the rest of its nodes make segments with those of others.
        let whole = units
            .chunk_by(|a, b| a == b)
            .map(|unit| unit.len() as u32 / segment)
            .sum();
        Some((whole, (nodes.len() as u32).div_ceil(segment) - whole))
    }
}

/// Counts the units that sets of nodes span; holds the marks for that.
#[derive(Debug)]
pub struct UnitCounter<'u> {
    /// Levels whose units are counted.
    pub(super) units: Cow<'u, Units>,
    /// By level and unit: number (see `set`) of the last set that has nodes in the unit. So no marks need be
    /// cleared before the next set.
    marks: Vec<Vec<u32>>,
    /// Number of the last set.
    set: u32,
}

impl<'u> UnitCounter<'u> {
    /// Creates a counter over the units of a machine.
    pub fn new(units: &'u Units) -> Self {
        UnitCounter::with_units(Cow::Borrowed(units))
    }

    /// Creates a counter over units that may be its own.
    pub(super) fn with_units(units: Cow<'u, Units>) -> Self {
        let marks = units
            .levels
            .iter()
            .map(|level| vec![0; level.room.len()])
            .collect();
        UnitCounter {
            units,
            marks,
            set: 0,
        }
    }

    /// Counts the units of each level, leaf first, that these nodes span.
    ///
    /// # Complexity
    /// O(levels · nodes).
    pub fn count_units(&mut self, nodes: impl Iterator<Item = NodeId>) -> Vec<u32> {
        if self.set == u32::MAX {
            // The next number would be one that marks may still hold.
            self.marks.iter_mut().for_each(|marks| marks.fill(0));
            self.set = 0;
        }
        self.set += 1;
        let mut counts = vec![0; self.units.len()];
        for node in nodes {
            let levels = self.units.levels.iter().zip(&mut self.marks);
            for ((level, marks), count) in levels.zip(&mut counts) {
                let mark = &mut marks[level.level.unit_of(node) as usize];
                *count += u32::from(*mark != self.set);
                *mark = self.set;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::build;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn levels_are_leaf_first() {
        let names = |spec: &str| {
            Units::new(&build(spec))
                .level_names()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(names("fat-tree:k=8"), "leaf pod");
        assert_eq!(names("dragonfly:p=2,a=4,h=2"), "router group");
        assert_eq!(names("cascade:4x3x2,per_router=2"), "blade chassis group");
        assert_eq!(names("torus:4x4,per_router=2"), "router");
        assert_eq!(names("torus:4x4"), "");
    }

    #[test]
    fn the_fewest_units_are_those_with_the_most_nodes() {
        // Leaves of 4, of which the first has 1 node and the second 3.
        let units = Units::new(&build("fat-tree:k=8,exclude=0-2+4"));
        let fewest = |nodes| (units.fewest_units(0, nodes), units.fewest_units(1, nodes));
        assert_eq!([fewest(1), fewest(4), fewest(5)], [(1, 1), (1, 1), (2, 1)]);
        assert_eq!(
            [fewest(16), fewest(17), fewest(32)],
            [(4, 1), (5, 2), (8, 2)]
        );
        // 30 leaves of 4 have 120 of the 124 nodes.
        assert_eq!(
            [fewest(120).0, fewest(121).0, fewest(124).0, fewest(9999).0],
            [30, 31, 32, 32]
        );
    }

    /// The closest set found by trying all.
    fn fewest_by_search(rooms: &[u64], nodes: u64) -> u32 {
        (0..1u32 << rooms.len())
            .filter(|set| {
                (0..rooms.len())
                    .filter(|i| set >> i & 1 == 1)
                    .map(|i| rooms[i])
                    .sum::<u64>()
                    >= nodes
            })
            .map(u32::count_ones)
            .min()
            .unwrap()
    }

    proptest! {
        #[test]
        fn counts_are_those_of_sets(nodes in proptest::collection::btree_set(0u32..128, 1..60), seed in 0u32..9) {
            let spec = ["fat-tree:k=8,exclude=3-9", "dragonfly:p=4,a=4,h=2,g=8", "cascade:4x4x2,per_router=4"][seed as usize % 3];
            let machine = build(spec);
            let units = Units::new(&machine);
            let mut counter = UnitCounter::new(&units);
            let nodes: Vec<NodeId> = nodes.into_iter().map(NodeId).collect();
            for _ in 0..2 {
                let counts = counter.count_units(nodes.iter().copied());
                for (i, count) in counts.iter().enumerate() {
                    let set: BTreeSet<u32> = nodes.iter().map(|n| units.levels[i].level.unit_of(*n)).collect();
                    prop_assert_eq!(*count as usize, set.len());
                }
            }
            for (i, level) in units.levels.iter().enumerate().filter(|(_, level)| level.room.len() <= 12) {
                let mut rooms = level.room.clone();
                (1..rooms.len()).rev().for_each(|i| rooms[i] -= rooms[i - 1]);
                let size = (nodes.len() as u64).min(level.room[rooms.len() - 1]);
                prop_assert_eq!(units.fewest_units(i, size as u32), fewest_by_search(&rooms, size));
            }
        }
    }
}
