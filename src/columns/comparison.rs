//! Tables of a comparison of orderings.

use super::{Column, columns};
use crate::metric::comparison::Entry;
use crate::ordering::optimise::Score;
use crate::replay::by_size::SizeMean;
use crate::replay::prediction::OrderingPrediction;

/// One value of a curve.
pub struct CurvePoint<'a> {
    /// The ordering.
    pub ordering: &'a str,
    /// The job size.
    pub size: usize,
    /// Its MPC.
    pub mpc: f64,
}

impl<'a> CurvePoint<'a> {
    /// `mpc.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "ordering", "", "The ordering as it was given.", |r| r.ordering;
        "size", "nodes", "Nodes of a job.", |r| r.size;
        "mpc", "hops", "Mean placement distance: of two nodes of a job of this size on consecutive ranks.",
            |r| r.mpc;
    };
}

/// An ordering in the ranked table.
pub struct RankedEntry<'a> {
    /// From 1.
    pub rank: usize,
    /// Its figures.
    pub entry: &'a Entry,
}

impl<'a> RankedEntry<'a> {
    /// `table.csv`; a column `mpc_S` for each chosen size S follows.
    pub const ALL: &'a [Column<Self>] = columns! {
        "rank", "", "1 for the lowest `mean_log`.", |r| r.rank;
        "ordering", "", "The ordering as it was given.", |r| r.entry.label.as_str();
        "nodes", "nodes", "Nodes that it orders.", |r| r.entry.nodes;
        "mean_log", "hops", "Mean of MPC over job sizes with weight 1/size: every octave of sizes counts the same.",
            |r| r.entry.mean_log;
        "mean_plain", "hops", "Mean of MPC over job sizes, each counting the same.", |r| r.entry.mean_plain;
        "best_share", "", "Share of sizes, weighted by 1/size, at which no other ordering is better.",
            |r| r.entry.best_share;
        "mean_step", "hops", "Mean distance of neighbours in rank.", |r| r.entry.mean_step;
    };

    /// In a sweep without workloads and guests.
    pub const SWEEP: &'a [Column<Self>] = &[
        Self::ALL[2],
        Column { name: "mpc_mean_log", ..Self::ALL[3] },
        Column { name: "mpc_mean", ..Self::ALL[4] },
        Self::ALL[6],
    ];
}

/// A stretch of sizes with one winner.
pub struct Winner<'a> {
    /// First size.
    pub from: usize,
    /// Last size.
    pub to: usize,
    /// The best ordering there.
    pub ordering: &'a str,
}

impl<'a> Winner<'a> {
    /// `stretches.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "from", "nodes", "First job size of the stretch.", |r| r.from;
        "to", "nodes", "Last job size of the stretch.", |r| r.to;
        "ordering", "", "The best ordering at these sizes.", |r| r.ordering;
    };
}

/// A size at which the two leaders change places.
pub struct Crossover<'a> {
    /// The first size of the new lead.
    pub size: usize,
    /// Which of the two leads from there.
    pub ordering: &'a str,
}

impl<'a> Crossover<'a> {
    /// `crossovers.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "size", "nodes", "Job size at which the two leaders change places.", |r| r.size;
        "ordering", "", "Which of the two is better from there.", |r| r.ordering;
    };
}

/// What bounds all curves at one size.
pub struct Limits {
    /// The job size.
    pub size: usize,
    /// A proved floor.
    pub floor: Option<f64>,
    /// What compact sets have.
    pub compact: Option<f64>,
}

/// `limits.csv`.
pub const LIMITS: &[Column<Limits>] = columns! {
    "size", "nodes", "Nodes of a job.", |r| r.size;
    "floor", "hops", "Proved: no ordering has a lower MPC at this size.", |r| r.floor;
    "compact", "hops", "Mean distance in the most compact sets of this size found.", |r| r.compact;
};

/// An ordering by the objective of searches.
pub struct ScoreRow<'a> {
    /// The ordering as the user wrote it.
    pub ordering: &'a str,
    /// Its score.
    pub score: &'a Score,
}

impl<'a> ScoreRow<'a> {
    /// `score`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "ordering", "", "The ordering as it was given.", |r| r.ordering;
        "objective", "weight · hops", "Sum over pairs of ranks of weight times distance.", |r| r.score.objective;
        "lower_bound", "weight · hops", "Proved: no ordering has a smaller objective.", |r| r.score.lower_bound;
        "gap", "", "(objective - lower_bound) / objective.", |r| r.score.gap;
    };
}

/// An ordering and an allocator under a workload.
pub struct WorkloadRow<'a> {
    /// The ordering's figures.
    pub prediction: &'a OrderingPrediction,
    /// The allocator as the user wrote it.
    pub allocator: &'a str,
    /// Its place among the allocators.
    pub index: usize,
}

impl<'a> WorkloadRow<'a> {
    /// `workload.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "ordering", "", "The ordering as it was given.", |r| r.prediction.ordering.as_str();
        "weighted_mpc", "hops", "Mean of MPC over the sizes of the workload's jobs.", |r| r.prediction.weighted_mpc;
        "allocator", "", "The allocator as it was given.", |r| r.allocator;
        "mean_mind", "hops", "Mean of `mind` over jobs of two nodes and more in the replay.",
            |r| r.prediction.mean_mind[r.index];
    };

    /// With `--guest`.
    pub const TRAFFIC: &'a [Column<Self>] = columns! {
        "mean_dilation", "hops", "Mean of the jobs' mean path length.",
            |r| r.prediction.traffic.get(r.index).and_then(|t| t.mean_dilation);
        "mean_contention", "volume / capacity", "Mean of the jobs' `contention_met`.",
            |r| r.prediction.traffic.get(r.index).and_then(|t| t.mean_contention);
    };
}

/// An ordering and an allocator under the jobs of one size.
pub struct WorkloadSizeRow<'a> {
    /// The ordering.
    pub ordering: &'a str,
    /// The allocator as the user wrote it.
    pub allocator: &'a str,
    /// The jobs of the size, beside the curve.
    pub mean: &'a SizeMean,
}

impl<'a> WorkloadSizeRow<'a> {
    /// `workload-sizes.csv`.
    pub const ALL: &'a [Column<Self>] = columns! {
        "ordering", "", "The ordering as it was given.", |r| r.ordering;
        "allocator", "", "The allocator as it was given.", |r| r.allocator;
        "size", "nodes", "Nodes of a job.", |r| r.mean.size;
        "jobs", "jobs", "Jobs of this size that were placed.", |r| r.mean.jobs;
        "mpc", "hops", "MPC of the ordering at this size.", |r| r.mean.mpc;
        "mean_mind", "hops", "Mean of `mind` over these jobs in the replay.", |r| r.mean.mean_mind;
        "above_mpc", "hops", "`mean_mind` less `mpc`; negative where jobs are closer together.", |r| r.mean.above();
        "above_mpc_percent", "%", "The same in per cent of `mpc`; empty where that is 0.", |r| r.mean.per_cent_above();
    };
}
