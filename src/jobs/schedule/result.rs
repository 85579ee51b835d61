//! The result of a simulation: a record for each task that ran, and the state of the machine over time.

use super::model::LostNodeTime;
use super::task::Task;
use crate::allocator::{PlaceableNodes, PlaceableSums, Reason};
use crate::replay::AllocationFigures;
use crate::replay::traffic::{Interval, Traffic};
use nodeorder_base::Result;
use nodeorder_order::metric::allocation::AllocationMetrics;
use nodeorder_order::metric::shape::ShapeSums;

/// Shortest run time in seconds that bounded slowdowns divide by, so that very short jobs do not dominate the mean.
///
/// # References
/// Feitelson, "Metrics for parallel job scheduling and their convergence", 2001, section 2.1,
/// <https://doi.org/10.1007/3-540-45540-X_11>.
pub const MIN_SLOWDOWN_SECONDS: i64 = 10;

/// A task that ran. Times in ticks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Index of the task in queue order.
    pub task: u32,
    /// Start time.
    pub start: i64,
    /// End time.
    pub end: i64,
    /// Metrics of the allocation, if recorded.
    pub placement: Option<AllocationMetrics>,
    /// Further figures of the allocation, those that were asked for.
    pub figures: AllocationFigures,
}

/// A task that can never start on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnservedJob {
    /// Index of the task in queue order.
    pub task: u32,
    /// Reason that the allocator or the policy gave.
    pub reason: Reason,
}

/// State of the machine after everything that happened at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// Time in ticks.
    pub time: i64,
    /// Number of nodes in use.
    pub busy: u32,
    /// Number of waiting tasks.
    pub waiting: u32,
    /// Number of maximal runs of free ranks.
    pub runs: u32,
    /// Number of ranks in the longest run of free ranks.
    pub longest: u32,
    /// Largest job that could still be placed, if recorded.
    pub room: Option<PlaceableNodes>,
}

/// A finished schedule.
#[derive(Clone, Debug, Default)]
pub struct ScheduleResult {
    /// Tasks that ran, in the order of their starts.
    pub records: Vec<Record>,
    /// State of the machine after each instant, by time; empty unless recorded.
    pub timeline: Vec<Instant>,
    /// Tasks that could never run, in the order in which they were left out.
    pub left_out: Vec<UnservedJob>,
    /// All tasks in queue order, times in ticks.
    pub tasks: Vec<Task>,
    /// Ticks per second.
    pub ticks: i64,
    /// Number of nodes of the machine.
    pub nodes: u32,
    /// Rule of the policy, in words.
    pub rule: String,
    /// Rule of the runtime model, in words.
    pub model: String,
    /// Time that tasks took beyond the trace's run times; `None` if the model does not measure it.
    pub lost: Option<LostNodeTime>,
    /// Sums over the shapes of all allocations, if recorded.
    pub shapes: Option<ShapeSums>,
    /// Whether the policy chose ranks itself, without the allocator.
    pub places_itself: bool,
}

impl ScheduleResult {
    /// Looks up the task of a record.
    pub fn task_of_record(&self, record: &Record) -> &Task {
        &self.tasks[record.task as usize]
    }

    /// Measures the traffic of every job beside the jobs that run with it and adds it to the records, which must
    /// have ranks.
    ///
    /// # Errors
    /// Traffic that takes more memory than allowed.
    pub fn measure_traffic(&mut self, traffic: &mut Traffic<'_>) -> Result<()> {
        let stays: Vec<Interval<'_>> = self
            .records
            .iter()
            .filter_map(|record| {
                let ranks = record.figures.ranks.as_ref()?;
                Some(Interval {
                    from: record.start,
                    to: record.end,
                    ranks,
                })
            })
            .collect();
        let met = traffic.measure_schedule(&stays)?;
        for (record, met) in self.records.iter_mut().zip(met) {
            record.figures.traffic = Some(met.into());
        }
        Ok(())
    }

    /// Finds first submit and last end, in ticks; `None` if no task ran.
    pub fn time_span(&self) -> Option<(i64, i64)> {
        let first = self.tasks.iter().map(|t| t.submit).min()?;
        Some((first, self.records.iter().map(|r| r.end).max()?))
    }

    /// Sums the largest jobs that could still be placed, each weighted by the ticks for which it held, up to the last
    /// end; empty unless room was recorded.
    pub fn room_sums(&self) -> PlaceableSums {
        let mut sums = PlaceableSums::default();
        let Some((_, last)) = self.time_span() else {
            return sums;
        };
        for (i, instant) in self.timeline.iter().enumerate() {
            let end = self.timeline.get(i + 1).map_or(last, |next| next.time);
            // An instant after the last end, when a job was left out, lasts no time.
            let ticks = (end.min(last) - instant.time).max(0) as u64;
            if let Some(room) = instant.room.filter(|_| ticks > 0) {
                sums.add_duration(&room, ticks);
            }
        }
        sums
    }

    /// Formats a time or a duration in ticks as seconds, in decimal and without rounding.
    pub fn format_seconds(&self, time: i64) -> String {
        if self.ticks == 1 {
            return time.to_string();
        }
        let whole = time.unsigned_abs() / self.ticks as u64;
        let rest = time.unsigned_abs() % self.ticks as u64;
        let sign = if time < 0 { "-" } else { "" };
        let digits = self.ticks.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}
