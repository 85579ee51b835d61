//! Slowdowns of orderings by job size.

use super::{Column, columns, row};
use nodeorder_traffic::slowdown::SlowdownCurve;

/// Columns of a sweep whose guests are measured at all job sizes.
pub const SWEEP: &[Column<SlowdownCurve>] = columns! {
    "slowdown_sizes", "", "Job sizes with a window: of the powers of two, and all nodes.",
        |curve| curve.points.len();
    "slowdown_windows", "jobs",
        "Windows of consecutive ranks over all sizes and tilings, without those left out.",
        |curve| curve.points.iter().map(|point| point.windows).sum::<u64>();
    "slowdown_left_out", "jobs",
        "Windows left out: they span components, or send nothing over node links.",
        |curve| curve.left_out;
    "slowdown_alone", "",
        "Log-uniform mean over job sizes of `alone` of the command `slowdown`: every octave of sizes counts the same.",
        |curve| curve.log_uniform_mean(|point| point.alone);
    "slowdown_mixed", "", "Mean slowdown `mixed`, with the row's `duty`: what ranks.",
        |curve| curve.log_uniform_mean(|point| point.mixed);
    "slowdown_all", "", "Mean slowdown `all`.",
        |curve| curve.log_uniform_mean(|point| point.all);
    "slowdown_worst", "", "The largest `mixed` of a job size.",
        |curve| curve.largest_mixed().map(|point| point.mixed);
    "slowdown_worst_size", "nodes", "The smallest size that has it.",
        |curve| curve.largest_mixed().map(|point| point.size);
};

row! {
    /// Slowdowns of an ordering for one guest and one size.
    #[derive(Clone, Copy, Debug)]
    pub struct SlowdownRow<'a> {
    }
    /// Columns of the command `slowdown`.
    pub const ALL:
    ordering: &'a str, "", "The ordering as it was given.";
    guest: &'a str, "",
        "The traffic between the nodes of a job.";
    size: usize, "nodes", "Nodes of a job.";
    windows: u64, "jobs",
        "Windows of consecutive ranks over all tilings, without those left out.";
    alone: f64, "",
        "Mean times as long as on a network that never blocks, where no other job sends: a job borrows all links, so not to rank by.";
    mixed: f64, "",
        "Mean times as long, where the other jobs send for the share of the time that `--duty` says: the figure that ranks.";
    all: f64, "", "Mean times as long, where all jobs send at once.";
    mixed_p90: f64, "",
        "The least `mixed` that nine of ten windows do not exceed.";
    mixed_max: f64, "", "The largest `mixed` of a window.";
}

impl<'a> SlowdownRow<'a> {
    /// Lists the rows of a curve.
    pub fn list_rows(
        ordering: &'a str,
        guest: &'a str,
        curve: &'a SlowdownCurve,
    ) -> impl Iterator<Item = Self> {
        curve.points.iter().map(move |point| SlowdownRow {
            ordering,
            guest,
            size: point.size,
            windows: point.windows,
            alone: point.alone,
            mixed: point.mixed,
            all: point.all,
            mixed_p90: point.mixed_p90,
            mixed_max: point.mixed_max,
        })
    }
}
