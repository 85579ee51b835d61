//! Figures of a whole replay, of the jobs of one size in it, of its test, and of its traffic.

use super::{Column, columns, row};
use nodeorder_jobs::allocator::Choice;
use nodeorder_jobs::replay::set::ReplayResult;
use nodeorder_jobs::replay::statistics::{Improvement, SizeRow, TTest};
use nodeorder_jobs::replay::traffic::TrafficTotals;

/// A replay, and its improvement over the baseline `fifo:0` on the same ordering.
pub struct ReplayFigures<'a> {
    /// Counts and means of the replay.
    pub result: &'a ReplayResult<'a>,
    /// Number of placements that a job size must exceed to count in improvements.
    pub threshold: u64,
    /// Improvement in per cent for small, large and all sizes.
    pub improvement: Improvement,
    /// Improvement in per cent, each size with its share of compute; none without these shares.
    pub weighted: Option<f64>,
    /// Improvement in per cent of small, large and all sizes, each size times the share of compute of its octave.
    pub normalised: [Option<f64>; 3],
}

impl<'a> ReplayFigures<'a> {
    /// Columns of a replay in every summary.
    pub const ALL: &'a [Column<Self>] = columns! {
        placed of result.counts, "jobs", "Jobs that were placed.";
        skipped of result.counts, "jobs",
            "Jobs that found too few free nodes.";
        "refused", "jobs",
            "Jobs that the allocator refused although enough nodes were free.",
            |r| r.result.counts.count_refused();
        spanning of result.summary, "jobs",
            "Jobs placed over several components, between which there is no distance: without `mind`.";
        "mean_mind", "hops",
            "Mean of `mind` over jobs of two nodes and more.",
            |r| r.result.summary.mean_mind();
        "mean_mind_per_log_size", "hops",
            "Mean of `mind` over ln(`size`), for jobs of two nodes and more.",
            |r| Some(r.result.summary.normalised_mind()).filter(|n| n.count > 0).map(|n| n.mean);
        "mean_components", "", "Mean of `components` over all jobs.",
            |r| r.result.summary.mean_pieces_and_spans()[0];
        "mean_linear_span", "ranks",
            "Mean of `linear_span` over all jobs.",
            |r| r.result.summary.mean_pieces_and_spans()[1];
        "mean_ring_span", "ranks", "Mean of `ring_span` over all jobs.",
            |r| r.result.summary.mean_pieces_and_spans()[2];
        "improvement.small", "%",
            "How far mean `mind` is below that of `fifo:0`: mean over sizes up to 10.",
            |r| r.improvement.small;
        "improvement.large", "%", "How far mean `mind` is below that of `fifo:0`: mean over sizes above 10.",
            |r| r.improvement.large;
        "improvement.overall", "%", "How far mean `mind` is below that of `fifo:0`: mean over all sizes.",
            |r| r.improvement.overall;
        delta_mind of improvement, "hops",
            "Mean over sizes of the mean `mind` of `fifo:0` less that of this allocator.";
    };

    /// Further columns of the JSON document of a replay.
    pub const JSON: &'a [Column<Self>] = columns! {
        ordering of result, "", "The ordering as it was given.";
        allocator of result, "", "The allocator as it was given.";
        "never_fits", "jobs",
            "Skipped jobs that are larger than the ordering.",
            |r| r.result.counts.oversized;
    };

    /// Further columns with `--compute`.
    pub const WEIGHTED: &'a [Column<Self>] = columns! {
        "improvement.compute_weighted", "%",
            "Mean over sizes, each with its share of compute.",
            |r| r.weighted;
        "normalised_improvement.small", "%",
            "Improvement times the share of compute of the size's octave (2, 3-4, 5-8, …): mean over sizes up to 10.",
            |r| r.normalised[0];
        "normalised_improvement.large", "%",
            "Improvement times the share of compute of the size's octave: mean over sizes above 10.",
            |r| r.normalised[1];
        "normalised_improvement.overall", "%",
            "Improvement times the share of compute of the size's octave: mean over all sizes.",
            |r| r.normalised[2];
    };

    /// Further columns of a table of replays.
    pub const TOTALS: &'a [Column<Self>] = columns! {
        "sizes", "",
            "Job sizes with more than `--threshold` placements.",
            |r| r.count_sizes();
        "standard_deviation", "hops",
            "Standard deviation of `mind` over ln(`size`).",
            |r| r.result.summary.normalised_mind().standard_deviation();
        [pairs in paired_test], "jobs",
            "Jobs compared in the paired test against `fifo:0`.";
        "mean_difference", "hops",
            "Mean difference to `fifo:0` of `mind` over ln(`size`).",
            |r| r.paired_test().map(|t| t.mean);
        "deviation_of_differences", "hops",
            "Standard deviation of these differences.",
            |r| r.paired_test().map(|t| t.standard_deviation);
        [t in paired_test], "", "Student's t.";
        "list_refreshes", "",
            "How often the rule, as its source prints it, reads the list of free ranks for a job: mean over jobs placed.",
            |r| r.result.counts.mean_list_refreshes();
        "seconds", "s",
            "Time spent choosing ranks; empty without `--timings`.",
            |r| Some(r.result.counts.choosing.as_secs_f64()).filter(|s| *s > 0.0);
    };

    /// Counts the job sizes with more placements than the threshold.
    fn count_sizes(&self) -> usize {
        self.result
            .summary
            .size_rows()
            // As in improvements: a mean of few jobs says little.
            .filter(|(_, row)| row.count > self.threshold)
            .count()
    }

    /// Tests the replay against the baseline, job by job. `None` if there are too few pairs.
    fn paired_test(&self) -> Option<TTest> {
        self.result.summary.t_test()
    }
}

row! {
    /// The jobs of one size in a replay.
    pub struct SizeFigures<'a> {
        /// Number, sum and extremes of `mind` of these jobs.
        pub sums: &'a SizeRow,
        /// Improvement in per cent times the share of compute of the size's octave; none without these shares.
        pub normalised: Option<f64>,
    }
    /// First columns of a row in tables.
    pub const REPLAY:
    ordering: &'a str, "", "The ordering as it was given.";
    allocator: &'a str, "", "The allocator as it was given.";
    /// Columns of the jobs of one size.
    pub const ALL:
    size: u32, "nodes", "Nodes of a job.";
    [count of sums], "jobs", "Jobs of this size.";
    ["mean_mind"], "hops", "Mean of `mind` over these jobs.",
        |r| r.sums.mean_mind();
    ["min_mind"], "hops", "The smallest `mind` among them.",
        |r| r.sums.smallest_mind();
    ["max_mind"], "hops", "The largest `mind` among them.",
        |r| r.sums.largest_mind();
    improvement: Option<f64>, "%",
        "How far `mean_mind` is below that of `fifo:0`; empty up to `--threshold` jobs.";
    /// Further columns with `--compute`.
    pub const WEIGHTED:
    ["normalised_improvement"], "%",
        "`improvement` times the share of compute of the size's octave (2, 3-4, 5-8, …).",
            |r| r.normalised;
}

impl<'a> SizeFigures<'a> {
    /// Further columns in JSON.
    pub const JSON: &'a [Column<Self>] = columns! {
        "mean_mind_per_log_size", "hops",
            "`mean_mind` over ln(`size`).",
            |r| r.sums.mean_mind() / f64::from(r.size).ln();
    };
}

/// Columns of the jobs refused for one reason: the reason and their number.
pub const REFUSED: &[Column<(Choice, u64)>] = columns! {
    "answer", "",
        "`not now`, where other free nodes would do, or `never`.",
        |r| r.0.short_answer();
    "reason", "", "Why.",
        |r| r.0.refusal_reason();
    "jobs", "jobs", "Jobs refused so.",
        |r| r.1;
};

/// Columns of the paired test of a replay against `fifo:0`.
pub const T_TEST: &[Column<TTest>] = columns! {
    pairs, "jobs", "Jobs compared.";
    mean, "hops",
        "Mean difference to `fifo:0` of `mind` over ln(`size`).";
    standard_deviation, "hops",
        "Standard deviation of these differences.";
    t, "", "Student's t.";
    p, "", "One-sided probability of a t as large by chance.";
};

/// Columns of the traffic of all jobs of two nodes and more.
pub const TRAFFIC: &[Column<TrafficTotals>] = columns! {
    jobs, "jobs", "Jobs of two nodes and more.";
    "mean_dilation", "hops", "Mean of `dilation_mean`.",
        |t| t.mean_over_jobs(t.dilation);
    "mean_contention_alone", "volume / capacity",
        "Mean of `contention_alone`.",
        |t| t.mean_over_jobs(t.contention_alone);
    "mean_contention_met", "volume / capacity",
        "Mean of `contention_met`.",
        |t| t.mean_over_jobs(t.contention_met);
    max_contention_met, "volume / capacity",
        "Largest `contention_met`.";
    "mean_jobs_met", "jobs", "Mean of `jobs_met`.",
        |t| t.mean_over_jobs(t.jobs_met as f64);
};
