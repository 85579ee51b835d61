//! The result of a simulation: records of tasks, the machine over time, and sums of both.

use super::model::Lost;
use super::task::Task;
use crate::allocator::{Reason, Room, RoomSums};
use crate::replay::AllocationFigures;
use crate::replay::traffic::{Stay, Traffic};
use nodeorder_base::error::Result;
use nodeorder_order::metric::allocation::AllocationMetrics;
use nodeorder_order::metric::shape::ShapeSums;

/// Run times below this many seconds count as it in bounded slowdowns.
///
/// # References
/// Feitelson, "Metrics for parallel job scheduling and their convergence", 2001, section 2.1,
/// <https://doi.org/10.1007/3-540-45540-X_11>.
pub const BOUND: i64 = 10;

/// A task that ran. Times in ticks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Its index in queue order.
    pub task: u32,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Metrics of its placement, where wanted.
    pub placement: Option<AllocationMetrics>,
    /// The figures asked for.
    pub figures: AllocationFigures,
}

/// A task that no free nodes of this machine suit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its index in queue order.
    pub task: u32,
    /// Why.
    pub reason: Reason,
}

/// The machine after all that happened at one time, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// The time.
    pub time: i64,
    /// Nodes in use.
    pub busy: u32,
    /// Tasks waiting.
    pub waiting: u32,
    /// Maximal runs of free ranks.
    pub runs: u32,
    /// Ranks of the longest of them.
    pub longest: u32,
    /// The largest job that could still be placed, where wanted.
    pub room: Option<Room>,
}

/// A finished schedule.
#[derive(Clone, Debug, Default)]
pub struct ScheduleResult {
    /// The tasks in the order of their starts.
    pub records: Vec<Record>,
    /// Instants in order, where wanted.
    pub timeline: Vec<Instant>,
    /// Tasks that could never run, in the order that was found out.
    pub left_out: Vec<LeftOut>,
    /// The tasks in queue order, times in ticks.
    pub tasks: Vec<Task>,
    /// Ticks a second.
    pub ticks: i64,
    /// Nodes of the machine.
    pub nodes: u32,
    /// The policy's rule, in words.
    pub rule: String,
    /// The runtime model, in words.
    pub model: String,
    /// Time that tasks took beyond the trace's run times, where the model measures it.
    pub lost: Option<Lost>,
    /// Sums over the shapes of all allocations, where these are taken.
    pub shapes: Option<ShapeSums>,
    /// Whether the policy chose ranks itself, without the allocator.
    pub places_itself: bool,
}

impl ScheduleResult {
    /// A task of this schedule.
    pub fn task(&self, record: &Record) -> &Task {
        &self.tasks[record.task as usize]
    }

    /// Adds what the traffic of every job meets to its record. All were recorded with their ranks.
    ///
    /// # Errors
    /// Traffic that takes more memory than allowed.
    pub fn measure_traffic(&mut self, traffic: &mut Traffic<'_>) -> Result<()> {
        let stays: Vec<Stay<'_>> = self
            .records
            .iter()
            .filter_map(|record| {
                let ranks = record.figures.ranks.as_ref()?;
                Some(Stay {
                    from: record.start,
                    to: record.end,
                    ranks,
                })
            })
            .collect();
        let met = traffic.over_time(&stays)?;
        for (record, met) in self.records.iter_mut().zip(met) {
            record.figures.traffic = Some(met.into());
        }
        Ok(())
    }

    /// First submit and last end, in ticks; none without tasks.
    pub fn span(&self) -> Option<(i64, i64)> {
        let first = self.tasks.iter().map(|t| t.submit).min()?;
        Some((first, self.records.iter().map(|r| r.end).max()?))
    }

    /// Sums over what the instants left room for, each for as long as it lasted, up to the last end; nothing unless
    /// that is known.
    pub fn room(&self) -> RoomSums {
        let mut sums = RoomSums::default();
        let Some((_, last)) = self.span() else {
            return sums;
        };
        let ends = self
            .timeline
            .iter()
            .skip(1)
            .map(|instant| instant.time)
            .chain([last]);
        for (instant, end) in self.timeline.iter().zip(ends) {
            let ticks = (end.min(last) - instant.time).max(0) as u64;
            if let Some(room) = instant.room.filter(|_| ticks > 0) {
                sums.add_for(&room, ticks);
            }
        }
        sums
    }

    /// A time or a duration in seconds, as decimal text without rounding.
    pub fn seconds(&self, time: i64) -> String {
        if self.ticks == 1 {
            return time.to_string();
        }
        let (whole, rest) = (
            time.unsigned_abs() / self.ticks as u64,
            time.unsigned_abs() % self.ticks as u64,
        );
        let sign = if time < 0 { "-" } else { "" };
        let digits = self.ticks.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}
