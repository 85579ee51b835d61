//! Tables of a comparison of orderings.

use super::{Column, columns, row};
use nodeorder_jobs::replay::by_size::SizeMean;
use nodeorder_jobs::replay::prediction::OrderingPrediction;
use nodeorder_order::metric::comparison::OrderingFigures;
use nodeorder_order::ordering::optimise::Score;

row! {
    /// One value of an MPC curve.
    pub struct CurvePoint<'a> {}
    /// Columns of `mpc.csv`.
    pub const ALL:
    ordering: &'a str, "", "The ordering as it was given.";
    size: usize, "nodes", "Nodes of a job.";
    mpc: f64, "hops",
        "Mean placement distance: of two nodes of a job of this size on consecutive ranks.";
}

/// An ordering in the ranked table.
pub struct RankedEntry<'a> {
    /// Rank from 1.
    pub rank: usize,
    /// Curve and means of the ordering.
    pub entry: &'a OrderingFigures,
}

impl<'a> RankedEntry<'a> {
    /// Columns of `table.csv`; columns `mpc_S` and `throughput_bound_S` for each chosen size S follow.
    pub const ALL: &'a [Column<Self>] = columns! {
        rank, "", "1 for the lowest `mean_log`.";
        "ordering", "", "The ordering as it was given.",
            |r| r.entry.label.as_str();
        nodes of entry, "nodes", "Nodes that it orders.";
        // First of the means: by it the table is ranked.
        mean_log of entry, "hops",
            "Mean of MPC over job sizes with weight 1/size: every octave of sizes counts the same.";
        mean_plain of entry, "hops",
            "Mean of MPC over job sizes, each counting the same.";
        best_share of entry, "",
            "Share of sizes, weighted by 1/size, at which no other ordering is better.";
        mean_step of entry, "hops",
            "Mean distance of neighbours in rank.";
    };

    /// Columns of a sweep without workloads and guests.
    pub const SWEEP: &'a [Column<Self>] = {
        let [_, _, nodes, mean_log, mean_plain, _, mean_step] = Self::ALL else {
            panic!("SWEEP renames columns of ALL");
        };
        // One table has rows of all kinds: there a name says which mean it is.
        &[
            *nodes,
            Column {
                name: "mpc_mean_log",
                ..*mean_log
            },
            Column {
                name: "mpc_mean",
                ..*mean_plain
            },
            *mean_step,
        ]
    };
}

row! {
    /// A stretch of sizes with one winner.
    pub struct BestStretch<'a> {}
    /// Columns of `stretches.csv`.
    pub const ALL:
    from: usize, "nodes", "First job size of the stretch.";
    to: usize, "nodes", "Last job size of the stretch.";
    ordering: &'a str, "", "The best ordering at these sizes.";
}

row! {
    /// A size at which the two leaders change places.
    pub struct Crossover<'a> {}
    /// Columns of `crossovers.csv`.
    pub const ALL:
    size: usize, "nodes",
        "Job size at which the two leaders change places.";
    ordering: &'a str, "", "Which of the two is better from there.";
}

/// Floor under all curves at one job size, and the most compact sets found there.
pub struct CurveLimits {
    /// Number of nodes of a job.
    pub size: usize,
    /// Proved lower bound of MPC in hops; none where there is no proof.
    pub floor: Option<f64>,
    /// Mean distance within the most compact sets found, in hops; none where none was searched.
    pub compact: Option<f64>,
}

impl CurveLimits {
    /// Columns of `limits.csv`.
    pub const ALL: &[Column<Self>] = columns! {
        size, "nodes", "Nodes of a job.";
        floor, "hops",
            "Proved: no ordering has a lower MPC at this size.";
        compact, "hops",
            "Mean distance in the most compact sets of this size found.";
    };
}

row! {
    /// An ordering by the objective of searches.
    pub struct ScoreRow<'a> {
        /// Objective of the ordering and its lower bound.
        pub score: &'a Score,
    }
    /// Columns of `score`.
    pub const ALL:
    ordering: &'a str, "", "The ordering as it was given.";
    [objective of score], "weight · hops",
        "Sum over pairs of ranks of weight times distance.";
    [lower_bound of score], "weight · hops",
        "Proved: no ordering has a smaller objective.";
    [gap of score], "",
        "(objective - lower_bound) / objective.";
}

/// An ordering and an allocator under a workload.
pub struct WorkloadRow<'a> {
    /// Forecast for the ordering, and the outcome of its replays.
    pub prediction: &'a OrderingPrediction,
    /// The allocator as the user wrote it.
    pub allocator: &'a str,
    /// Index of the allocator in the lists of `prediction`.
    pub index: usize,
}

impl<'a> WorkloadRow<'a> {
    /// Columns of `workload.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "ordering", "", "The ordering as it was given.",
            |r| r.prediction.ordering.as_str();
        weighted_mpc of prediction, "hops",
            "Mean of MPC over the sizes of the workload's jobs.";
        allocator, "", "The allocator as it was given.";
        "mean_mind", "hops",
            "Mean of `mind` over jobs of two nodes and more in the replay.",
            |r| r.prediction.mean_mind[r.index];
    };

    /// Further columns with `--guest`.
    pub const TRAFFIC: &'a [Column<Self>] = columns! {
        "mean_dilation", "hops", "Mean of the jobs' mean path length.",
            |r| r.prediction.traffic.get(r.index).and_then(|t| t.mean_dilation);
        "mean_contention", "volume / capacity",
            "Mean of the jobs' `contention_met`.",
            |r| r.prediction.traffic.get(r.index).and_then(|t| t.mean_contention);
    };
}

row! {
    /// An ordering and an allocator under the jobs of one size.
    pub struct WorkloadSizeRow<'a> {
        /// Mean over the jobs of the size, beside MPC there.
        pub mean: &'a SizeMean,
    }
    /// Columns of `workload-sizes.csv`.
    pub const ALL:
    ordering: &'a str, "", "The ordering as it was given.";
    allocator: &'a str, "", "The allocator as it was given.";
    [size of mean], "nodes", "Nodes of a job.";
    [jobs of mean], "jobs",
        "Jobs of this size that were placed.";
    [mpc of mean], "hops",
        "MPC of the ordering at this size.";
    [mean_mind of mean], "hops",
        "Mean of `mind` over these jobs in the replay.";
    ["above_mpc"], "hops",
        "`mean_mind` less `mpc`; negative where jobs are closer together.",
        |r| r.mean.hops_above();
    ["above_mpc_percent"], "%",
        "`above_mpc` in per cent of `mpc`; empty where that is 0.",
        |r| r.mean.per_cent_above();
}
