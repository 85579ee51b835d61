//! Tables of an audit: recorded placements scored.

use super::{Column, columns, row};
use nodeorder_jobs::audit::Score;
use nodeorder_jobs::audit::summary::Sums;

row! {
    /// A job and the score of its placement.
    pub struct JobScore<'a> {
        /// Distances within the job, and units that it spans at each level.
        pub score: &'a Score,
    }
    /// First column where orderings are tried.
    pub const PLACEMENT:
    placement: &'a str, "",
        "`recorded`, or the ordering and the allocator that placed the job.";
    /// Columns of every job.
    pub const JOB:
    job: &'a str, "", "The job's name in the records.";
    [size of score], "nodes", "Nodes of the job.";
    [mean_hops of score], "hops",
        "Mean distance of two of its nodes; empty for one node and where no path joins some.";
    [diameter of score], "hops",
        "Largest distance of two of its nodes; empty where no path joins some.";
    ["ring_hops"], "hops",
        "Hops around the ring through its nodes, in the order of the record or of the ranks; empty as above.",
        |r| r.score.ring.map(|ring| ring.hops);
    /// Columns after those of levels.
    pub const LAST:
    ["ring_longest"], "hops", "Hops of the longest step of that ring.",
        |r| r.score.ring.map(|ring| ring.longest);
    start: Option<i64>, "s", "When it started, since 1970.";
}

/// Columns of levels, leaf first: the units spanned at all levels, then the fewest possible at all levels.
pub const LEVEL: &[Column<(u32, u32)>] = columns! {
    "units_LEVEL", "units",
        "Units of the level that its nodes span, such as `units_leaf`.",
        |r| r.0;
    "fewest_LEVEL", "units",
        "The fewest units of the level that have as many schedulable nodes.",
        |r| r.1;
};

/// Columns of levels after these where a guest is given, leaf first.
pub const BYTES: &[Column<f64>] = columns! {
    "bytes_LEVEL", "",
        "What a job sends between units of the level under `--guest`; empty for sizes that the guest does not have.",
        |r| *r;
};

/// Columns of a group of jobs under one placement.
pub const SUMS: &[Column<Sums>] = columns! {
    jobs, "jobs", "Jobs scored.";
    nodes, "nodes", "Sum of their nodes.";
    apart, "jobs",
        "Jobs of which no path joins some nodes; they count in no distance.";
    "mean_hops", "hops",
        "Mean of `mean_hops` over jobs of two nodes and more.",
        |r| r.mean_hops();
    "diameter", "hops", "Mean of `diameter` over these jobs.",
        |r| r.mean_diameter();
    "ring_step", "hops", "Mean hops of a step of their rings.",
        |r| r.mean_ring_step();
    "ring_longest", "hops", "Mean of `ring_longest` over these jobs.",
        |r| r.mean_longest_step();
};

/// Columns of a group of jobs at one level: its sums, and the index of the level.
pub const LEVEL_SUMS: &[Column<(Sums, usize)>] = columns! {
    "spanned", "units", "Mean units that jobs span.",
        |r| r.0.mean_spanned(r.1);
    "fewest", "units",
        "Mean of the fewest units that have as many nodes as a job.",
        |r| r.0.mean_fewest(r.1);
    "at_fewest", "",
        "Share of the jobs that span no more than the fewest.",
        |r| r.0.share_at_fewest(r.1);
};
