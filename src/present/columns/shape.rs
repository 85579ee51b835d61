//! How allocations lie in their machine, and what they leave room for: of one job, and means over many.

use serde_json::json;

use super::{Column, Value, columns};
use nodeorder_jobs::allocator::{PlaceableNodes, PlaceableSums};
use nodeorder_jobs::schedule::{Instant, ScheduleResult};
use nodeorder_order::metric::ring::RingLength;
use nodeorder_order::metric::shape::{AllocationShape, ShapeSums};

/// Columns of an allocation, after those of its levels.
pub const SHAPE: &[Column<AllocationShape>] = columns! {
    "ring_mean", "hops", "Mean hops of a step of the closed walk through its nodes in rank \
        order; empty for one node and where no path joins some.",
            |s| s.ring_mean();
    "ring_longest", "hops",
        "Hops of the longest step of that walk; empty where no path joins some.",
        |s| s.ring.map(|ring: RingLength| ring.longest);
    "cut_best", "capacity", "Links of the best halving found of its nodes: among its routers and \
        those that carry no nodes; a link counts by its capacity.",
            |s| s.halving.best;
    "cut_ranks", "capacity",
        "Links of the halving by rank, cut at a router.",
        |s| s.halving.by_rank;
    closed_rings, "", "Share of the rings (lines along a wrapped axis) through its routers of \
        which it has all routers; tori only.";
};

/// Columns of the room left on the machine for further jobs.
pub const ROOM: &[Column<PlaceableNodes>] = columns! {
    placeable, "nodes",
        "The largest job that the allocator would still place, 0 for none.";
    "slurm_fragmentation", "nodes", "Slurm's own measure: the sizes of the blocks (and the nodes \
        taken) or of the placements that are not wholly free; `slurm-block` and `slurm-torus3d` \
        only.",
            |r| r.fragmentation;
};

/// Columns of means over many allocations.
pub const SHAPE_SUMS: &[Column<ShapeSums>] = columns! {
    "mean_ring_step", "hops",
        "Mean hops of a step of the closed walks through the jobs' nodes in rank order.",
        |s| s.ring_mean();
    "mean_ring_longest", "hops",
        "Mean of `ring_longest` over jobs of two nodes and more.",
        |s| s.ring_longest();
    "mean_cut_best", "capacity",
        "Mean of `cut_best` over jobs of two nodes and more.",
        |s| s.mean_cuts()[0];
    "mean_cut_ranks", "capacity",
        "Mean of `cut_ranks` over these jobs.",
        |s| s.mean_cuts()[1];
    "mean_closed_rings", "", "Mean of `closed_rings`.",
        |s| s.closed_rings();
    "units", "", "A JSON list, leaf first: of each level mean units that jobs span, mean of the \
        fewest that have as many nodes, share of the jobs that span no more.",
            |s| levels_json(s);
};

/// Lists the units spanned at each level as JSON, for one cell of a table.
fn levels_json(sums: &ShapeSums) -> Value<'static> {
    let levels: serde_json::Value = sums
        .level_means()
        .map(|(level, [spanned, fewest, at_fewest])| {
            json!({"level": level, "spanned": spanned, "fewest": fewest, "at_fewest": at_fewest})
        })
        .collect();
    // Machines differ in their levels, and a sweep has rows of several machines: no fixed columns would do.
    levels.to_string().into()
}

/// Columns of means of the room left for jobs: over placements in a replay, over time in a schedule.
pub const ROOM_SUMS: &[Column<PlaceableSums>] = columns! {
    "mean_placeable", "nodes",
        "Mean of `placeable`: after each placement of a replay, over time of a schedule.",
        |r| r.mean_placeable();
    "min_placeable", "nodes", "The smallest.",
        |r| r.min_placeable();
    "mean_stranded", "nodes",
        "Mean of the free nodes less `placeable`.",
        |r| r.mean_stranded();
    "mean_slurm_fragmentation", "nodes",
        "Mean of `slurm_fragmentation`.",
        |r| r.mean_fragmentation();
};

/// State of a schedule after all that happened at one time: the schedule, and the instant in it.
pub struct ScheduleMoment<'a>(pub &'a ScheduleResult, pub &'a Instant);

impl<'a> ScheduleMoment<'a> {
    /// Columns of the table over time.
    pub const ALL: &'a [Column<Self>] = columns! {
        "time", "s", "When, by the trace's clock.",
            |m| m.0.format_seconds(m.1.time);
        "busy", "nodes", "Nodes in use.",
            |r| r.1.busy;
        "waiting", "jobs", "Jobs that wait.",
            |r| r.1.waiting;
        "free_runs", "", "Runs of free ranks.",
            |m| m.1.runs;
        "longest_free_run", "ranks", "The longest of them.",
            |m| m.1.longest;
    };
}
