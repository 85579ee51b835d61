//! How fairly a schedule treats its jobs: percentiles of waits, waits by job size, and jobs that starve.

use super::result::{MIN_SLOWDOWN_SECONDS, Record, ScheduleResult};
use nodeorder_base::ratio::divide_exactly;

/// A task counts as starved if it waited for longer than this multiple of the schedule's mean wait, and was overtaken
/// by at least [`STARVED_OVERTAKEN`] tasks.
pub const STARVED_WAITS: u32 = 10;

/// Number of tasks behind it in the queue that must have started before a task for it to count as starved (see
/// [`STARVED_WAITS`]).
pub const STARVED_OVERTAKEN: u32 = 10;

/// Waits and slowdowns of the tasks whose sizes lie between two powers of two; times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SizeClass {
    /// Smallest size, a power of two.
    pub from: u32,
    /// Largest size, 2·`from` - 1.
    pub to: u32,
    /// Number of tasks of these sizes that ran.
    pub jobs: usize,
    /// Mean of start - submit.
    pub mean_wait: f64,
    /// Largest start - submit.
    pub max_wait: f64,
    /// Mean bounded slowdown, as in [`super::ScheduleSummary`].
    pub mean_slowdown: f64,
}

/// A task that starved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starved {
    /// Index of the task in queue order.
    pub task: u32,
    /// Start - submit, in ticks.
    pub wait: i64,
    /// Number of tasks behind it in the queue that started at an earlier time.
    pub overtaken: u32,
}

/// Computes the bounded slowdown of one record: response over run time, which counts as [`MIN_SLOWDOWN_SECONDS`] if
/// shorter; at least 1.
pub fn bounded_slowdown(result: &ScheduleResult, record: &Record) -> f64 {
    let submit = result.task_of_record(record).submit;
    let bound = (record.end - record.start).max(MIN_SLOWDOWN_SECONDS * result.ticks);
    ((record.end - submit) as f64 / bound as f64).max(1.0)
}

impl ScheduleResult {
    /// Computes how long the job of a record waited, start - submit, in ticks.
    fn wait_ticks(&self, record: &Record) -> i64 {
        record.start - self.task_of_record(record).submit
    }

    /// Computes the 50th, 90th and 99th percentile p of the waits, in seconds: the smallest wait such that at least p
    /// per cent of the jobs waited no longer. 0 without jobs. O(jobs · log jobs).
    pub(super) fn wait_percentiles(&self) -> [f64; 3] {
        let mut waits: Vec<i64> = self.records.iter().map(|r| self.wait_ticks(r)).collect();
        waits.sort_unstable();
        [50, 90, 99].map(|percent| {
            let at = (waits.len() * percent).div_ceil(100).max(1) - 1;
            waits.get(at).map_or(0.0, |wait| {
                divide_exactly(wait.unsigned_abs().into(), self.ticks as u128)
            })
        })
    }

    /// Sums up waits and slowdowns of the tasks that ran by powers of two of their sizes, ascending; classes without
    /// tasks are left out.
    pub(super) fn waits_by_size(&self) -> Vec<SizeClass> {
        let mut classes = [SizeClass::default(); 32];
        // Waits in whole ticks: a sum of ticks is exact, one of seconds would be rounded.
        let mut waits = [(0u128, 0u64); 32];
        for record in &self.records {
            let power = self.task_of_record(record).nodes.ilog2() as usize;
            let wait = self.wait_ticks(record).unsigned_abs();
            classes[power].jobs += 1;
            classes[power].mean_slowdown += bounded_slowdown(self, record);
            waits[power].0 += u128::from(wait);
            waits[power].1 = waits[power].1.max(wait);
        }
        let ticks = self.ticks as u128;
        let mut filled = Vec::new();
        for (power, (mut class, (total, longest))) in classes.into_iter().zip(waits).enumerate() {
            if class.jobs == 0 {
                continue;
            }
            class.from = 1 << power;
            class.to = ((2u64 << power) - 1) as u32;
            class.mean_wait = divide_exactly(total, ticks * class.jobs as u128);
            class.max_wait = divide_exactly(longest.into(), ticks);
            class.mean_slowdown /= class.jobs as f64;
            filled.push(class);
        }
        filled
    }

    /// Finds the tasks that starved, in queue order: those that waited for longer than [`STARVED_WAITS`] times
    /// the mean wait and were overtaken by at least [`STARVED_OVERTAKEN`] tasks that were submitted later (or in
    /// the same second and stand behind them in the trace) and started at an earlier time. O(jobs · log jobs).
    pub fn find_starved(&self) -> Vec<Starved> {
        let waits = self.records.iter().map(|r| i128::from(self.wait_ticks(r)));
        let total: i128 = waits.sum();
        let mut starved = Vec::new();
        // Tasks started so far, by index in queue order: a Fenwick tree, since a plain count would take O(jobs²).
        let mut tree = vec![0u32; self.tasks.len() + 1];
        let mut started = 0;
        for together in self.records.chunk_by(|a, b| a.start == b.start) {
            for record in together {
                let wait = self.wait_ticks(record);
                // Both sides times the number of jobs instead of a division, so that the comparison is exact.
                if i128::from(wait) * self.records.len() as i128
                    <= total * i128::from(STARVED_WAITS)
                {
                    continue;
                }
                let mut ahead = 0;
                let mut at = record.task as usize;
                while at > 0 {
                    ahead += tree[at];
                    at &= at - 1;
                }
                let overtaken = started - ahead;
                if overtaken >= STARVED_OVERTAKEN {
                    starved.push(Starved {
                        task: record.task,
                        wait,
                        overtaken,
                    });
                }
            }
            // Counted only now: tasks that start together do not overtake each other.
            for record in together {
                let mut at = record.task as usize + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
                started += 1;
            }
        }
        starved.sort_unstable_by_key(|starved| starved.task);
        starved
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Task;
    use super::*;

    fn result(tasks: Vec<(i64, i64, i64, u32)>) -> ScheduleResult {
        let (mut list, mut records) = (Vec::new(), Vec::new());
        for (i, (submit, wait, run, nodes)) in (0..).zip(tasks) {
            list.push(Task {
                id: i.into(),
                submit,
                run,
                requested: run,
                nodes,
            });
            let (start, end) = (submit + wait, submit + wait + run);
            records.push(Record {
                task: i,
                start,
                end,
                placement: None,
                figures: Default::default(),
            });
        }
        records.sort_by_key(|record| record.start);
        ScheduleResult {
            records,
            timeline: Vec::new(),
            left_out: Vec::new(),
            tasks: list,
            ticks: 1,
            nodes: 64,
            rule: String::new(),
            model: String::new(),
            shapes: None,
            lost: None,
            places_itself: false,
        }
    }

    /// Waits 10, 20, …, 100 of sizes 1, 1, 2, 3, 3, 3, 4, 7, 8, 63.
    #[test]
    fn worked_by_hand() {
        let sizes = [1, 1, 2, 3, 3, 3, 4, 7, 8, 63];
        let result = result(
            (1..)
                .zip(sizes)
                .map(|(i, nodes)| (i, 10 * i, 10, nodes))
                .collect(),
        );
        assert_eq!(result.wait_percentiles(), [50.0, 90.0, 100.0]);
        let class = |from, to, jobs, mean_wait, max_wait| {
            let mean_slowdown = (mean_wait + 10.0) / 10.0;
            SizeClass {
                from,
                to,
                jobs,
                mean_wait,
                max_wait,
                mean_slowdown,
            }
        };
        let classes = [
            class(1, 1, 2, 15.0, 20.0),
            class(2, 3, 4, 45.0, 60.0),
            class(4, 7, 2, 75.0, 80.0),
            class(8, 15, 1, 90.0, 90.0),
            class(32, 63, 1, 100.0, 100.0),
        ];
        assert_eq!(result.waits_by_size(), classes);
        assert_eq!(result.find_starved(), []);
        let empty = self::result(Vec::new());
        assert_eq!(
            (
                empty.wait_percentiles(),
                empty.waits_by_size(),
                empty.find_starved().len()
            ),
            ([0.0; 3], vec![], 0)
        );
    }

    proptest! {
        #[test]
        fn starvation_is_as_defined(
            tasks in prop::collection::vec((0i64..3, 0i64..40, any::<bool>()), 1..80), long in 500i64..900,
        ) {
            let mut submit = 0;
            let tasks: Vec<_> = tasks.into_iter().map(|(later, wait, starves)| {
                submit += later;
                (submit, if starves && wait % 9 == 0 { long } else { wait }, 5, 1)
            }).collect();
            let result = result(tasks.clone());
            let mean = tasks.iter().map(|t| t.1).sum::<i64>() as f64 / tasks.len() as f64;
            let starts: Vec<i64> = tasks.iter().map(|t| t.0 + t.1).collect();
            let plain: Vec<Starved> = (0..tasks.len()).filter_map(|i| {
                let overtaken = starts[i + 1..].iter().filter(|start| **start < starts[i]).count() as u32;
                let starved = tasks[i].1 as f64 > 10.0 * mean && overtaken >= 10;
                starved.then_some(Starved { task: i as u32, wait: tasks[i].1, overtaken })
            }).collect();
            prop_assert_eq!(result.find_starved(), plain);
        }
    }
}
