//! Node orderings for supercomputer schedulers.
//!
//! A scheduler that hands out nodes in a good one-dimensional order places jobs compactly on the network.
//! This crate builds the network, makes orderings of its nodes and says, exactly, how compact they are.
//!
//! It is the front door of a house of storeys, each a crate of its own (`ARCHITECTURE.md` draws them): what stands
//! here is meant to be used by other programs and changes only with a line in the changelog; `tests/public_names.txt`
//! lists it. [`prelude`] has what a first program needs.
//!
//! Data flows one way: [`topology`] → [`ordering`] → [`metric`] → [`replay`], [`schedule`] → [`report`].
//!
//! `docs/reference.md` lists every topology, ordering, allocator … with its options.
//!
//! ```
//! use nodeorder::prelude::*;
//!
//! let torus = Topology::inline("torus:8x8", &Context::default())?;
//! let order = NodeOrder::make(&torus, "snake")?;
//! let curve = mpc::curve(&torus, &order)?;
//! assert_eq!(curve.mpc(2), 1.0); // neighbours in rank are neighbours in the network
//! # Ok::<(), Error>(())
//! ```

#![forbid(unsafe_code)]

pub use nodeorder_base::error::{Error, Result, SourceLocation};
pub use nodeorder_base::ids::{NodeId, RouterId};
pub use nodeorder_base::observer::{NoObserver, Observer};
pub use nodeorder_network::catalog;
pub use nodeorder_network::topology::{Context, Topology};
pub use nodeorder_order::ordering::NodeOrder;

/// Names that most programs need: `use nodeorder::prelude::*;`.
pub mod prelude {
    pub use crate::allocator::{self, Allocator, AllocatorContext, Choice};
    pub use crate::catalog;
    pub use crate::input::Text;
    pub use crate::mapping::{self, Fabric, FixedRouting, Guest, ProcessMapping};
    pub use crate::metric::mpc::{self, Curve};
    pub use crate::metric::{Comparison, RankDistances};
    pub use crate::ranks::{FreeSet, Ranks};
    pub use crate::replay::{ReplaySet, ReplaySettings};
    pub use crate::schedule::{self, Task, simulate};
    pub use crate::trace::{Job, Log, Sizes, Trace};
    pub use crate::{
        Context, Error, NodeId, NodeOrder, Result, RouterId, SourceLocation, Topology,
    };
}

/// Files as numbered lines, and texts in memory.
pub mod input {
    pub use nodeorder_base::input::{Line, Lines, Text};
}

/// Sets of ranks: allocations, and what is free.
pub mod ranks {
    pub use nodeorder_base::ranks::{FreeSet, Ranks, Run};
}

/// Options of named things, and the tables that hold them.
pub mod registry {
    pub use nodeorder_base::params::{Opt, Params, Value, Values};
    pub use nodeorder_base::registry::{Entry, Registry};
    pub use nodeorder_sweep::reference::{Table, list_tables};
}

/// Machines: networks, their nodes, distances and figures.
pub mod topology {
    pub use nodeorder_network::topology::check::{Difference, Findings, check};
    pub use nodeorder_network::topology::{
        Context, Lattice, Level, LinkedRouters, MAX_NODES, Metric, Network, NodeSet, RouterGraph,
        Statistics, TOPOLOGIES, Topology, TopologyEntry,
    };
}

/// Orderings of a machine's nodes, and searches for good ones.
pub mod ordering {
    pub use nodeorder_order::ordering::optimise::{
        Score, SearchResult, Status, WeightKind, Weights, scores,
    };
    pub use nodeorder_order::ordering::{
        Needs, NodeOrder, ORDERINGS, OrderingEntry, defaults, suitable,
    };
}

/// Exact figures of orderings, machines and allocations.
pub mod metric {
    pub use nodeorder_order::metric::allocation::{AllocationMeter, AllocationMetrics, Extent};
    pub use nodeorder_order::metric::bisection::{Bisection, bisection};
    pub use nodeorder_order::metric::comparison::{Comparison, OrderingFigures as ComparisonEntry};
    pub use nodeorder_order::metric::correlation::{kendall, spearman};
    pub use nodeorder_order::metric::cost::{CostBreakdown, Prices};
    pub use nodeorder_order::metric::rank_distances::RankDistances;
    pub use nodeorder_order::metric::shape::{AllocationShape, ShapeSums};

    /// Mean Placement Calculation curves.
    pub mod mpc {
        pub use nodeorder_order::metric::mpc::{
            Curve, Means, SumMethod, at_sizes, curve, curve_by, curves,
        };
    }
}

/// Slowdown of bursts, as the objective of a search.
pub mod slowdown {
    pub use nodeorder_traffic::slowdown::SLOWDOWN;
}

/// Guests, mappings of processes to nodes, routings, and the loads of links.
pub mod mapping {
    pub use nodeorder_traffic::mapping::guest::{GUESTS, Message};
    pub use nodeorder_traffic::mapping::method::{METHODS, MappingProblem, place};
    pub use nodeorder_traffic::mapping::routing::{BestShares, ROUTINGS, Route, Routes, suitable};
    pub use nodeorder_traffic::mapping::{
        Allocation, Analysis, CombinedLoad, Contention, Demand, Dilation, Fabric, FixedRouting,
        Guest, JobLoad, ProcessMapping, Traffic, analyse,
    };
}

/// What a machine's links carry when traffic is routed well.
pub mod throughput {
    pub use nodeorder_traffic::throughput::{Throughput, best_shares, traffic, windows};
}

/// Jobs that share links, in time.
pub mod corun {
    pub use nodeorder_traffic::corun::fit::{Fit, fit};
    pub use nodeorder_traffic::corun::{
        Channels, Detail, Fair, Job, JobOutcome, Outcome, Phase, PlacedJob, Settings, Speeds,
        side_by_side,
    };
}

/// Job traces, placement logs, accounting records and seeded workloads.
pub mod trace {
    pub use nodeorder_trace::records::{Record, RecordFormat, Records};
    pub use nodeorder_trace::survey::{Survey, survey_log};
    pub use nodeorder_trace::{
        Changes, Event, Format, GENERATORS, GeneratedWorkload, Job, JobKey, JobOptions, Log,
        Options, Reason, Rules, Sizes, TRACE_FORMATS, Tally, Trace, Transformed, Weight,
    };
}

/// Rules that choose among free nodes.
pub mod allocator {
    pub use nodeorder_jobs::allocator::{
        ALLOCATORS, Allocator, AllocatorContext, AllocatorEntry, Choice, PodRules, PodsOn, Reason,
        make, make_ruled,
    };
}

/// Placement logs, replayed through allocators.
pub mod replay {
    pub use nodeorder_jobs::replay::prediction::{Prediction, predict};
    pub use nodeorder_jobs::replay::set::{ReplayResult, ReplaySet, ReplaySettings, Summaries};
    pub use nodeorder_jobs::replay::statistics::{Improvement, Summary, TTest};
    pub use nodeorder_jobs::replay::traffic::{Traffic, TrafficSettings};
    pub use nodeorder_jobs::replay::{
        AllocationFigures, BlockResult, Counts, FigureSet, Placed, Replay, run,
    };
}

/// Traces in time: policies, runtime models, waits.
pub mod schedule {
    pub use nodeorder_jobs::schedule::model::{MODELS, Model, ModelEntry};
    pub use nodeorder_jobs::schedule::orderings::{Schedules, TraceSettings, on_orderings};
    pub use nodeorder_jobs::schedule::policy::{
        ClusterState, POLICIES, Policy, PolicyContext, PolicyEntry,
    };
    pub use nodeorder_jobs::schedule::{
        Record, ScheduleResult, ScheduleSummary, Settings, SizeClass, Starved, Task, simulate,
    };
}

/// Recorded placements, scored; and the jobs and nodes of one moment.
pub mod audit {
    pub use nodeorder_jobs::audit::snapshot::{RunningJob, Snapshot};
    pub use nodeorder_jobs::audit::summary::{Summary, Sums};
    pub use nodeorder_jobs::audit::{Audit, AuditSettings, Score, Scored, audit};
}

/// Machines side by side.
pub mod machines {
    pub use nodeorder_present::machines::{Contender, Criterion, Machines, compare, headline};
}

/// Orderings as files for resource managers and simulators.
pub mod export {
    pub use nodeorder_present::export::{
        Export, ExportTarget, HOST_FORMS, JobHosts, TARGETS, best_ring, find_target, read_hosts,
        write_order,
    };
}

/// Figures as SVG and PNG.
pub mod plot {
    pub use nodeorder_present::plot::{
        Figure, Series, Style, curves, mpc_plot, plot_machine, plot_winners,
    };
}

/// Pages, tables and documents.
pub mod report {
    pub use nodeorder_present::report::{File, WorkloadResults, files, saved, sentences};
}

/// Sweeps over machines, orderings and workloads.
pub mod sweep {
    pub use nodeorder_sweep::{
        Cell, Journal, Plan, PlanSpec, ResultsTable, Shard, ShardFile, SweepRow, merge_shards,
        run_all, run_cells,
    };
}

/// The README's examples are held to compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
