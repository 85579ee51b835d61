//! Slowdowns of orderings by job size.

use super::row;
use nodeorder_traffic::slowdown::SlowdownCurve;

row! {
    /// Slowdowns of an ordering for one guest and one size.
    #[derive(Clone, Copy, Debug)]
    pub struct SlowdownRow<'a> {
    }
    /// Columns of the command `slowdown`.
    pub const ALL:
    ordering: &'a str, "", "The ordering as it was given.";
    guest: &'a str, "",
        "What the nodes of a job send to each other.";
    size: usize, "nodes", "Nodes of a job.";
    windows: u64, "jobs",
        "Windows of consecutive ranks over all tilings, without those left out.";
    alone: f64, "",
        "Mean times as long as on a network that never blocks, where no other job sends: a job borrows all links, so not to rank by.";
    mixed: f64, "",
        "The same where the other jobs send for the share of the time that `--duty` says: what ranks.";
    all: f64, "", "The same where all jobs send at once.";
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
