//! Figures of a whole schedule.

use super::{Column, Value, columns, json_object, select_columns};
use nodeorder_jobs::schedule::{
    MIN_SLOWDOWN_SECONDS, ScheduleResult, ScheduleSummary, SizeClass, Starved, UnservedJob,
};

/// Summary of a schedule, with the names that tell it apart in a table.
pub struct ScheduleFigures<'a> {
    /// Name of the machine, empty unless several are compared.
    pub machine: &'a str,
    /// Name of the ordering, empty unless several are compared.
    pub ordering: &'a str,
    /// Schedule with its jobs; none where only its summary was kept.
    pub schedule: Option<&'a ScheduleResult>,
    /// Waits, slowdowns and utilisation of the schedule.
    pub summary: &'a ScheduleSummary,
    /// Number of jobs of the trace that were not scheduled.
    pub left_out: u64,
}

impl<'a> ScheduleFigures<'a> {
    /// First column of `machine-queue.csv`.
    pub const MACHINE: &'a [Column<Self>] = columns! {
        machine, "", "The machine's name.";
    };

    /// Columns of `schedule.csv` only.
    pub const ORDERING: &'a [Column<Self>] = columns! {
        ordering, "", "The ordering as it was given.";
        "too_large", "jobs", "Jobs left out: larger than the ordering.",
            |r| r.left_out;
    };

    /// Column of the number of jobs, wherever a schedule is summed up.
    pub const JOBS: &'a [Column<Self>] = columns! {
        jobs of summary, "jobs", "Jobs that were scheduled.";
    };

    /// Column of a sweep: jobs left out.
    pub const LEFT_OUT: &'a [Column<Self>] = columns! {
        left_out, "jobs",
            "Jobs of the trace that were not scheduled: no valid job, or larger than the ordering.";
    };

    /// Columns wherever a schedule is summed up.
    pub const ALL: &'a [Column<Self>] = columns! {
        utilisation of summary, "",
            "Node-seconds used over nodes times `makespan`; high where jobs run longer, too: neither side is better.";
        mean_wait of summary, "s",
            "Mean time from submit to start.";
        "wait_p50", "s",
            "Half of the jobs waited no longer: the smallest such wait of a job.",
            |r| r.summary.wait_percentiles[0];
        "wait_p90", "s", "90th percentile of wait.",
            |r| r.summary.wait_percentiles[1];
        "wait_p99", "s", "99th percentile of wait.",
            |r| r.summary.wait_percentiles[2];
        // Percentiles are those of a job, without interpolation: they can be checked in the table of jobs.
        max_wait of summary, "s",
            "Longest time from submit to start.";
        mean_response of summary, "s",
            "Mean time from submit to end.";
        mean_bounded_slowdown of summary, "",
            "Mean of response over run time (counted as 10 s where shorter), at least 1.";
        makespan of summary, "s",
            "Time from the first submit to the last end.";
        "starved_jobs", "jobs",
            "Jobs that waited for longer than 10 times `mean_wait` while 10 or more jobs behind them in the queue started.",
            |r| r.summary.starved;
        never_placed of summary, "jobs",
            "Jobs left out because the allocator or policy refuses them even on the empty machine.";
        "contiguous_share", "",
            "Share of the jobs of two nodes and more whose ranks are one run.",
            |r| r.summary.contiguous;
    };

    /// Column of the mean distance, wherever a schedule is summed up.
    pub const MIND: &'a [Column<Self>] = columns! {
        mean_mind of summary, "hops",
            "Mean of `mind` over jobs of two nodes and more.";
    };

    /// Further columns of the JSON document.
    pub const JSON: &'a [Column<Self>] = columns! {
        "rule", "", "The policy in words.",
            |r| r.schedule.map(|s| s.rule.as_str());
        "runtime_model", "", "The runtime model in words.",
            |r| r.schedule.map(|s| s.model.as_str());
        "nodes", "nodes", "Nodes of the ordering.",
            |r| r.schedule.map(|s| s.nodes);
        "slowdown_bound", "s",
            "Run times below count as this in slowdowns.",
            |_| MIN_SLOWDOWN_SECONDS;
        "first_submit", "s", "When the first job joined the queue.",
            |r| r.span_end(|(first, _)| first);
        "last_end", "s", "When the last job ended.",
            |r| r.span_end(|(_, last)| last);
        mean_stretch of summary, "",
            "Mean of run time over the trace's run time.";
        hours_lost_distance of summary, "node-hours",
            "Node-hours that jobs take alone where they are, less those of the trace (model `network`).";
        hours_lost_links of summary, "node-hours",
            "How many of `hours_lost_distance` jobs lose to their own links (model `network`).";
        hours_lost_latency of summary, "node-hours",
            "How many of `hours_lost_distance` jobs lose to latency (model `network`).";
        hours_lost_sharing of summary, "node-hours",
            "Node-hours that jobs take beside others, less those alone (model `network`).";
        killed of summary, "jobs",
            "Jobs ended at their requested times (model `network`, kill=true).";
        utilisation_waiting of summary, "",
            "Node-seconds used while jobs wait over nodes times these seconds: how full a saturated machine is.";
        mean_queue of summary, "jobs",
            "Mean over time of the jobs waiting.";
        max_queue of summary, "jobs", "The most jobs waiting.";
        fragmentation of summary, "",
            "Mean over free node-seconds of 1 less longest free run over free nodes.";
    };

    /// Lists the columns of the JSON document.
    pub fn json_columns() -> Vec<Column<Self>> {
        [Self::JOBS, Self::ALL, Self::MIND, Self::JSON].concat()
    }

    /// Column of a sweep: waits by job size.
    pub const BY_SIZE: &'a [Column<Self>] = columns! {
        "by_size", "",
            "A JSON list with the objects of `by_size` in `schedule --json`.",
            |r| serde_json::Value::from_iter(r.summary.by_size.iter().map(|c| json_object(SIZE_CLASS, c))).to_string();
    };

    /// Lists the columns of a row of a sweep.
    pub fn sweep_columns() -> Vec<Column<Self>> {
        // A row of a sweep has the `mean_mind` of its replay, too.
        let mind = [Column {
            name: "schedule_mean_mind",
            ..Self::MIND[0]
        }];
        // A few of the JSON figures: a sweep's table has the columns of all kinds of rows side by side.
        let lost = select_columns(
            Self::JSON,
            &[
                "mean_stretch",
                "hours_lost_distance",
                "hours_lost_links",
                "hours_lost_latency",
                "hours_lost_sharing",
                "utilisation_waiting",
            ],
        );
        [
            Self::JOBS,
            Self::LEFT_OUT,
            Self::ALL,
            &mind,
            &lost,
            Self::BY_SIZE,
        ]
        .concat()
    }

    /// Lists the columns of `schedule.csv`.
    pub fn comparison_columns() -> Vec<Column<Self>> {
        let all = [
            Self::ORDERING,
            Self::JOBS,
            Self::ALL,
            Self::JSON,
            Self::MIND,
        ]
        .concat();
        // This table has an order of its own: by what its rows are ranked comes first.
        select_columns(
            &all,
            &[
                "ordering",
                "jobs",
                "too_large",
                "mean_wait",
                "mean_response",
                "mean_bounded_slowdown",
                "utilisation",
                "makespan",
                "mean_stretch",
                "mean_mind",
                "wait_p50",
                "wait_p90",
                "wait_p99",
                "max_wait",
                "starved_jobs",
                "never_placed",
                "hours_lost_distance",
                "hours_lost_links",
                "hours_lost_latency",
                "hours_lost_sharing",
            ],
        )
    }

    /// Lists the columns of `machine-queue.csv`.
    pub fn machine_columns() -> Vec<Column<Self>> {
        [Self::MACHINE, &Self::comparison_columns()].concat()
    }

    /// Computes the time that `which` picks of the first submit and the last end, in seconds.
    fn span_end(&self, which: impl Fn((i64, i64)) -> i64) -> Value<'_> {
        // Ticks may be parts of a second: the schedule knows how to write them.
        let text = self
            .schedule
            .map(|s| s.format_seconds(s.time_span().map_or(0, which)));
        parse_seconds(text.unwrap_or_default())
    }
}

/// Parses a text of seconds; whole seconds stay whole.
fn parse_seconds(seconds: String) -> Value<'static> {
    // Whole seconds above 2^53 would lose their last digits as floats.
    match seconds.parse::<i64>() {
        Ok(seconds) => seconds.into(),
        Err(_) => seconds.parse::<f64>().ok().into(),
    }
}

/// Columns of the waits of the jobs between two powers of two of nodes.
pub const SIZE_CLASS: &[Column<SizeClass>] = columns! {
    from, "nodes",
        "The smallest size of the class, a power of two.";
    to, "nodes", "The largest: twice `from` less one.";
    jobs, "jobs",
        "Jobs of these sizes that were scheduled; classes without are left out.";
    mean_wait, "s", "Mean time from submit to start.";
    max_wait, "s", "Longest time from submit to start.";
    mean_slowdown, "",
        "Mean of response over run time (counted as 10 s where shorter), at least 1.";
};

/// A job of a schedule that starved or was left out, after its schedule.
pub struct UnservedRow<'a, T>(pub &'a ScheduleResult, pub T);

impl<'a> UnservedRow<'a, Starved> {
    /// Columns of the JSON document's list `starved`.
    pub const STARVED: &'a [Column<Self>] = columns! {
        "job", "", "The job's number in the trace.",
            |r| r.0.tasks[r.1.task as usize].id;
        "nodes", "nodes", "Nodes of the job.",
            |r| r.0.tasks[r.1.task as usize].nodes;
        "submit", "s", "When it joined the queue.",
            |r| parse_seconds(r.0.format_seconds(r.0.tasks[r.1.task as usize].submit));
        "wait", "s", "Time from submit to start.",
            |r| parse_seconds(r.0.format_seconds(r.1.wait));
        "overtaken", "jobs",
            "Jobs behind it in the queue that started before it.",
            |r| r.1.overtaken;
    };
}

impl<'a> UnservedRow<'a, &'a UnservedJob> {
    /// Columns of the JSON document's list `never`.
    pub const NEVER: &'a [Column<Self>] = columns! {
        "job", "", "The job's number in the trace.",
            |r| r.0.tasks[r.1.task as usize].id;
        "nodes", "nodes", "Nodes of the job.",
            |r| r.0.tasks[r.1.task as usize].nodes;
        "reason", "", "Why it can never be placed.",
            |r| r.1.reason.as_ref();
    };
}
