//! Slots of a snapshot: how many more jobs of a size fit now, and what the free nodes beyond them are worth.
//!
//! A job of s nodes that has to lie in one unit of a level has ⌊f/s⌋ slots in a unit with f free nodes. Say two racks
//! have 5 and 3 free nodes: jobs of 4 have one slot and leave 4 of the 8 free nodes *stranded*. In segments of 2, which
//! may lie in different racks, there are 2 + 1 segments and again one slot.

use super::snapshot::{LevelState, Snapshot};
use nodeorder_base::{Error, Result};

/// Size of jobs whose slots are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSize {
    /// Number of nodes of a job.
    pub nodes: u32,
    /// Number of nodes of each segment, which lies in one unit; all nodes of the job if it is not cut into segments.
    pub segment: u32,
}

impl JobSize {
    /// Reads sizes `S` and `S:segment=G`, separated by commas.
    ///
    /// # Errors
    /// A size of 0, or one that is no multiple of its segment.
    pub fn parse_list(text: &str) -> Result<Vec<JobSize>> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            let (nodes, segment) = part.split_once(":segment=").unwrap_or((part, part));
            match (nodes.trim().parse::<u32>(), segment.trim().parse::<u32>()) {
                (Ok(nodes), Ok(segment)) if segment > 0 && nodes > 0 && nodes % segment == 0 => {
                    sizes.push(JobSize { nodes, segment });
                }
                _ => {
                    let expected =
                        "numbers of nodes, as in 4,16,64:segment=8 (segments divide the job)";
                    return Err(Error::option(
                        format!("--sizes {text}"),
                        format!("`{part}`"),
                        expected,
                    ));
                }
            }
        }
        Ok(sizes)
    }
}

/// Slots of one size at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotRow {
    /// Number of the level, from the leaf.
    pub level: usize,
    /// Size of the jobs.
    pub size: JobSize,
    /// Number of further jobs of this size that fit.
    pub slots: u32,
    /// Number of free nodes that would be left when all slots are taken.
    pub stranded: u32,
    /// Running jobs, each with the number of slots that its end alone would add; only at the innermost level with a
    /// unit of the job's size, else empty.
    pub gains: Vec<(u32, u32)>,
}

impl SlotRow {
    /// Writes the size, and its segment where a job is cut into several.
    pub fn write_size(&self) -> String {
        let JobSize { nodes, segment } = self.size;
        if segment < nodes {
            format!("{nodes}:segment={segment}")
        } else {
            nodes.to_string()
        }
    }
}

/// States of units: all nodes free and in service; some free nodes and others; no free node, of which jobs hold some;
/// all out of service.
pub const UNIT_STATES: [&str; 4] = ["whole", "part", "full", "out"];

impl LevelState {
    /// Counts the units in each of [`UNIT_STATES`].
    pub fn count_units(&self) -> [u32; 4] {
        let mut counts = [0; 4];
        for unit in &self.units {
            let state = match (unit.free, unit.count_held()) {
                (0, 0) => 3,
                (0, _) => 2,
                (free, _) if free == unit.nodes => 0,
                _ => 1,
            };
            counts[state] += 1;
        }
        counts
    }

    /// Counts the segments that fit into the free nodes.
    fn count_segments(&self, segment: u32) -> u32 {
        self.units.iter().map(|unit| unit.free / segment).sum()
    }

    /// Counts the further jobs of a size that fit: ⌊Σ_u ⌊f_u/g⌋·g/s⌋.
    pub fn count_slots(&self, size: JobSize) -> u32 {
        self.count_segments(size.segment) / (size.nodes / size.segment)
    }

    /// Counts the free nodes.
    fn count_free(&self) -> u32 {
        self.units.iter().map(|unit| unit.free).sum()
    }

    /// Finds the nodes of the largest unit.
    fn largest_unit(&self) -> u32 {
        self.units.iter().map(|unit| unit.nodes).max().unwrap_or(0)
    }

    /// Lists the jobs whose end alone would gain slots, with the slots gained.
    fn list_gains(&self, size: JobSize, jobs: usize) -> Vec<(u32, u32)> {
        let mut more = vec![0; jobs];
        for unit in &self.units {
            for (job, held) in &unit.jobs {
                let freed = unit.free + held.alone;
                more[*job as usize] += freed / size.segment - unit.free / size.segment;
            }
        }
        let now = self.count_segments(size.segment);
        let segments_of_job = size.nodes / size.segment;
        let gained = (0..)
            .zip(more)
            .map(|(job, more)| (job, (now + more) / segments_of_job - now / segments_of_job));
        gained.filter(|(_, slots)| *slots > 0).collect()
    }
}

impl Snapshot {
    /// Finds the innermost level with a unit of at least `nodes`, counted from the leaf.
    fn innermost_level(&self, nodes: u32) -> Option<usize> {
        self.levels
            .iter()
            .position(|level| level.largest_unit() >= nodes)
    }

    /// Counts the slots of `sizes` at every level; of the powers of two that one of the level's units could hold unless
    /// sizes are given.
    ///
    /// # Complexity
    /// O(levels · sizes · (units + jobs in units)).
    pub fn list_slots(&self, sizes: Option<&[JobSize]>) -> Vec<SlotRow> {
        let powers: Vec<JobSize> = (0..31)
            .map(|i| JobSize {
                nodes: 1 << i,
                segment: 1 << i,
            })
            .collect();
        let mut rows = Vec::new();
        for (i, level) in self.levels.iter().enumerate() {
            for size in sizes.unwrap_or(&powers) {
                if sizes.is_none() && size.nodes > level.largest_unit() {
                    continue;
                }
                let slots = level.count_slots(*size);
                let innermost = self.innermost_level(size.segment) == Some(i);
                rows.push(SlotRow {
                    level: i,
                    size: *size,
                    slots,
                    stranded: level.count_free() - slots * size.nodes,
                    gains: if innermost {
                        level.list_gains(*size, self.running.len())
                    } else {
                        Vec::new()
                    },
                });
            }
        }
        rows
    }

    /// Computes the fragmentation for the jobs that wait: the share of the free nodes that would be stranded, each
    /// job's size counted at the innermost level that has a unit of that size, on average over the jobs. `None` where
    /// nothing is free or no job waits that the machine could hold.
    pub fn fragmentation(&self) -> Option<f64> {
        let mut stranded = 0;
        let mut jobs = 0;
        // Requests of 0 nodes are records without a number.
        for nodes in self.waiting.iter().copied().filter(|nodes| *nodes > 0) {
            let Some(level) = self.innermost_level(nodes) else {
                continue;
            };
            let level = &self.levels[level];
            let slots = level.count_slots(JobSize {
                nodes,
                segment: nodes,
            });
            stranded += u64::from(level.count_free() - slots * nodes);
            jobs += 1;
        }
        let all = jobs * u64::from(self.whole_machine().free);
        (all > 0).then(|| stranded as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::{HeldNodes, RunningJob, UnitState};
    use super::*;
    use nodeorder_base::random::{random_below, seed_generator};
    use std::collections::BTreeMap;

    /// Leaves of 6 nodes, three to a group. Jobs are placed one node at a time.
    fn random_snapshot(seed: u64) -> (Snapshot, Vec<Vec<Option<u32>>>) {
        let mut random = seed_generator(seed);
        let mut draw = |below: u64| random_below(below, &mut random);
        // A node is free, out of service (9) or held.
        let leaves: Vec<Vec<Option<u32>>> = (0..9)
            .map(|_| {
                (0..6)
                    .map(|_| [None, None, Some(0), Some(1), Some(9)][draw(5) as usize])
                    .collect()
            })
            .collect();
        let unit = |nodes: &[Option<u32>]| {
            let mut jobs: BTreeMap<u32, HeldNodes> = BTreeMap::new();
            for job in nodes.iter().flatten().filter(|job| **job < 9) {
                let held = jobs.entry(*job).or_default();
                held.nodes += 1;
                held.alone += 1;
            }
            UnitState {
                nodes: nodes.len() as u32,
                free: nodes.iter().filter(|node| node.is_none()).count() as u32,
                out: nodes.iter().filter(|node| **node == Some(9)).count() as u32,
                jobs,
                ..UnitState::default()
            }
        };
        let level = |name: &str, leaves_each: usize| LevelState {
            name: name.into(),
            units: leaves
                .chunks(leaves_each)
                .map(|leaves| unit(&leaves.concat()))
                .collect(),
            growth: Vec::new(),
        };
        let job = RunningJob {
            name: "j".into(),
            nodes: 0,
            start: 0,
            end: None,
        };
        let snapshot = Snapshot {
            running: vec![job.clone(), job],
            waiting: vec![4, 5, 5, 9, 0, 100],
            levels: vec![level("leaf", 1), level("group", 3), level("machine", 9)],
            ..Snapshot::default()
        };
        (snapshot, leaves)
    }

    /// Places jobs one after the other, each in the first unit that has room, until none does.
    fn place_all(free: &mut [u32], size: u32) -> u32 {
        let mut placed = 0;
        while let Some(unit) = free.iter_mut().find(|free| **free >= size) {
            *unit -= size;
            placed += 1;
        }
        placed
    }

    /// Slots, stranded nodes, gains and states of units against plain counts.
    #[test]
    fn slots_are_those_of_a_plain_count() {
        for seed in 0..30 {
            let (snapshot, leaves) = random_snapshot(seed);
            let sizes = JobSize::parse_list("1,2,3,5,8,6:segment=2,8:segment=4").unwrap();
            let rows = snapshot.list_slots(Some(&sizes));
            assert_eq!(rows.len(), 3 * sizes.len());
            for row in &rows {
                let each = [1, 3, 9][row.level];
                let free = |ended: Option<u32>| -> Vec<u32> {
                    let is_free =
                        |node: &&Option<u32>| node.is_none() || ended.is_some() && **node == ended;
                    let units = leaves.chunks(each);
                    units
                        .map(|unit| unit.iter().flatten().filter(is_free).count() as u32)
                        .collect()
                };
                let slots = |ended: Option<u32>| {
                    let segments = place_all(&mut free(ended), row.size.segment);
                    segments / (row.size.nodes / row.size.segment)
                };
                let all: u32 = free(None).iter().sum();
                assert_eq!(
                    (row.slots, row.stranded),
                    (slots(None), all - slots(None) * row.size.nodes)
                );
                let innermost = [6, 18, 54]
                    .iter()
                    .position(|nodes| *nodes >= row.size.segment);
                let gains = (0..2).map(|job| (job, slots(Some(job)) - slots(None)));
                let gains = gains.filter(|(_, slots)| *slots > 0 && innermost == Some(row.level));
                assert_eq!(row.gains, gains.collect::<Vec<_>>());
            }
            for (level, each) in snapshot.levels.iter().zip([1, 3, 9]) {
                let found = level.count_units();
                let mut counts = [0; 4];
                for unit in leaves.chunks(each).map(|leaves| leaves.concat()) {
                    let has = |is: fn(&Option<u32>) -> bool| unit.iter().any(is);
                    let held = has(|node| node.is_some_and(|job| job < 9));
                    let state = match (has(Option::is_none), held, has(|node| *node == Some(9))) {
                        (true, false, false) => 0,
                        (true, ..) => 1,
                        (false, true, _) => 2,
                        (false, false, _) => 3,
                    };
                    counts[state] += 1;
                }
                assert_eq!(found, counts);
            }
            // Jobs of 4 and 5 count in leaves, that of 9 in groups; those of 0 and of 100 nowhere.
            let free = snapshot.whole_machine().free;
            let mut sum = 0;
            for (size, each) in [(4, 1), (5, 1), (5, 1), (9, 3)] {
                let mut rooms: Vec<u32> = leaves
                    .chunks(each)
                    .map(|unit| unit.iter().flatten().filter(|node| node.is_none()).count() as u32)
                    .collect();
                place_all(&mut rooms, size);
                sum += rooms.iter().sum::<u32>();
            }
            let expected = (free > 0).then(|| f64::from(sum) / f64::from(4 * free));
            assert_eq!(snapshot.fragmentation(), expected);
        }
    }

    #[test]
    fn sizes_are_powers_of_two_unless_given() {
        let (snapshot, _) = random_snapshot(1);
        let rows = snapshot.list_slots(None);
        let sizes = |level| {
            rows.iter()
                .filter(|row| row.level == level)
                .map(|row| row.size.nodes)
                .collect::<Vec<_>>()
        };
        assert_eq!([sizes(0), sizes(1)], [vec![1, 2, 4], vec![1, 2, 4, 8, 16]]);
        for wrong in ["", "0", "a", "8:segment=3", "8:segment=0", "4,,8"] {
            assert!(JobSize::parse_list(wrong).is_err(), "{wrong}");
        }
    }
}
