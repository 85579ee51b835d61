//! Tables of a row a job: the placements of a replay and the jobs of a schedule.

use super::{Column, columns};
use nodeorder_jobs::replay::traffic::JobTraffic;
use nodeorder_jobs::replay::{AllocationFigures, FigureSet};
use nodeorder_jobs::schedule::{Record, ScheduleResult};
use nodeorder_order::metric::allocation::{AllocationMetrics, BoundingBox};

/// A job with its allocation, and its times in a schedule; figures that were not measured are none.
#[derive(Clone)]
pub struct JobRow<'a> {
    /// The ordering's name.
    pub ordering: &'a str,
    /// The allocator as the user wrote it.
    pub allocator: &'a str,
    /// Name of the job in the log of a replay, empty in a schedule.
    pub job: &'a str,
    /// Number of nodes of the job.
    pub size: u32,
    /// Schedule, and the job's record in it; none in a replay.
    pub times: Option<(&'a ScheduleResult, &'a Record)>,
    /// Metrics of the job's allocation; `None` if it was not measured.
    pub metrics: Option<&'a AllocationMetrics>,
    /// Further figures of the job's allocation.
    pub figures: &'a AllocationFigures,
    /// Host list of the job's nodes, such as `n[001-004,007]`; none unless asked for.
    pub hosts: Option<String>,
    /// Nodes of the job with the number of pods on each, such as `a:4 b:2`; none without pods.
    pub pods: Option<String>,
}

impl<'a> JobRow<'a> {
    /// First column of a replay on several orderings.
    pub const ORDERING: &'a [Column<Self>] = columns! {
        ordering, "", "The ordering as it was given.";
    };

    /// Columns of every placement of a replay.
    pub const PLACED: &'a [Column<Self>] = columns! {
        allocator, "", "The allocator as it was given.";
        job, "", "The job's name in the log.";
        size, "nodes", "Nodes of the job.";
    };

    /// Columns of every job of a schedule.
    pub const SCHEDULED: &'a [Column<Self>] = columns! {
        "job", "", "The job's number in the trace.",
            |r| r.times.map(|(schedule, record)| schedule.task_of_record(record).id);
        "submit", "s",
            "When the job joined the queue, by the trace's clock.",
            |r| r.times.map(|(schedule, record)| schedule.format_seconds(schedule.task_of_record(record).submit));
        "start", "s", "When it started.",
            |r| r.times.map(|(schedule, record)| schedule.format_seconds(record.start));
        "end", "s", "When it ended.",
            |r| r.times.map(|(schedule, record)| schedule.format_seconds(record.end));
        "nodes", "nodes", "Nodes of the job.",
            |r| r.size;
    };

    /// Columns of every allocation.
    pub const METRICS: &'a [Column<Self>] = columns! {
        "total_distance", "hops",
            "Sum of the distances of all pairs of its nodes; empty where no path joins some.",
            |r| r.metrics.map(|m| m.total_distance);
        "mind", "hops",
            "Mean distance of these pairs; empty for a single node, and where no path joins some.",
            |r| r.metrics.and_then(AllocationMetrics::mean_distance);
        "linear_span", "ranks", "Last rank less first rank, plus 1.",
            |r| r.metrics.map(|m| m.linear_span);
        "ring_span", "ranks",
            "Shortest stretch of ranks with the whole job, where rank 0 follows the last.",
            |r| r.metrics.map(|m| m.ring_span);
        "components", "",
            "Connected pieces of the routers that its nodes are on.",
            |r| r.metrics.map(|m| m.components);
    };

    /// Columns of `--extent`.
    pub const EXTENT: &'a [Column<Self>] = columns! {
        "diameter", "hops",
            "Largest distance between two of its nodes.",
            |r| r.figures.extent.as_ref().and_then(|e| e.diameter);
        "box_size", "routers",
            "Routers in its bounding box; grids only.",
            |r| r.bounding_box().map(|b| b.size);
        "box_sides", "routers",
            "Sum of the box's side lengths; grids only.",
            |r| r.bounding_box().map(|b| b.sides);
        [box_ratio in bounding_box], "",
            "The box's size over that of the machine's smallest box with room for the job; grids only.";
        [cube_ratio in bounding_box], "",
            "The box's size over that of the smallest cube with room for the job; grids only.";
        "bounding_cube", "routers",
            "Routers of the smallest cube around the job, as long as its longest side; grids only.",
            |r| r.bounding_box().map(|b| b.cube);
        [bounding_cube_ratio in bounding_box], "",
            "`bounding_cube` over the routers of the smallest cube with room for the job; grids only.";
    };

    /// Columns of `--guest`.
    pub const TRAFFIC: &'a [Column<Self>] = columns! {
        [dilation_mean in job_traffic], "hops",
            "Mean path length of its traffic, by volume.";
        [dilation_max in job_traffic], "hops",
            "Longest mean path length of a pair of processes.";
        [hop_bytes in job_traffic], "volume · hops",
            "Sum of volume times path length.";
        [between_routers in job_traffic], "",
            "Share of the volume that leaves its router.";
        [contention_alone in job_traffic], "volume / capacity",
            "Highest load over capacity of a link, if the job were alone.";
        [contention_met in job_traffic], "volume / capacity",
            "Highest load over capacity of a link that it uses, with the traffic of all running jobs.";
        [jobs_met in job_traffic], "jobs",
            "Most jobs on one of its links, itself included.";
    };

    /// Column of `--ranks`.
    pub const RANKS: &'a [Column<Self>] = columns! {
        "ranks", "", "Its ranks as ranges, separated by spaces.",
            |r| r.figures.ranks.as_ref().map(ToString::to_string);
    };

    /// Column of `--names`.
    pub const HOSTS: &'a [Column<Self>] = columns! {
        "hosts", "",
            "The names of its nodes as a host list, such as n[001-004,007].",
            |r| r.hosts.as_deref();
    };

    /// Column of `--pods`.
    pub const PODS: &'a [Column<Self>] = columns! {
        "pods", "",
            "Nodes with the number of its pods on each, in the order of the pods: a:4 b:2.",
            |r| r.pods.as_deref();
    };

    /// Returns the bounding box of the allocation. `None` if not measured, or off grids.
    fn bounding_box(&self) -> Option<&BoundingBox> {
        self.figures.extent.as_ref()?.bounds.as_ref()
    }

    /// Returns the figures of the job's traffic. `None` if not measured.
    fn job_traffic(&self) -> Option<&JobTraffic> {
        self.figures.traffic.as_deref()
    }

    /// Collects the columns before those of shape and room, which begin with `first`.
    pub fn leading_columns(first: &[Column<Self>], figures: FigureSet) -> Vec<Column<Self>> {
        let mut columns = [first, Self::METRICS].concat();
        if figures.extent {
            columns.extend(Self::EXTENT);
        }
        columns
    }

    /// Collects the columns after those of shape and room.
    pub fn trailing_columns(figures: FigureSet) -> Vec<Column<Self>> {
        // Shape and room stand before these, as they have columns that depend on the machine.
        let groups = [
            (figures.traffic, Self::TRAFFIC),
            (figures.ranks, Self::RANKS),
            (figures.hosts, Self::HOSTS),
            (figures.pods, Self::PODS),
        ];
        let mut all = Vec::new();
        for (wanted, columns) in groups {
            if wanted {
                all.extend(columns);
            }
        }
        all
    }
}

/// Columns of `trace info --sizes-out`: a job size, and the number of its jobs.
pub const SIZE_COUNT: &[Column<(u32, u64)>] = columns! {
    "size", "nodes", "Nodes of a job.",
        |r| r.0;
    "jobs", "jobs", "Jobs of this size.",
        |r| r.1;
};
