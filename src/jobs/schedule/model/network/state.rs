//! The state of the network model: applications, what is known of them, and the tasks that run.

use std::collections::{BTreeMap, HashMap};

use super::applications::Application;
use super::recent::RecentJobs;
use crate::schedule::model::entry::Lost;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_traffic::corun::{Channels, Detail, Level, Phase};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

/// Iterations of each job that meets others: as many as `corun` takes.
pub(super) const ITERATIONS: u64 = 30;

/// Traffic and reference times of an application's jobs of one size.
pub(super) struct Known {
    /// The phases of an iteration.
    pub phases: Vec<Phase>,
    pub processes: u32,
    /// Iterations of a run, where it is a benchmark's.
    pub iterations: Option<u32>,
    /// Seconds of an iteration on the compact allocation.
    pub reference: f64,
    /// How much of these is latency.
    pub latency: f64,
}

/// A running task.
pub(super) struct Job {
    pub nodes: u32,
    /// Ticks by the trace.
    pub run: i64,
    pub start: i64,
    /// Ticks that it would take alone here.
    pub alone: i64,
    /// How many of them, less those of the compact allocation, are latency.
    pub latency: i64,
    /// Seconds of an iteration on the compact allocation.
    pub reference: f64,
    /// Seconds of an iteration now.
    pub seconds: f64,
    /// Ticks of the compact allocation that were left at `since`.
    pub left: f64,
    pub since: i64,
    pub end: i64,
    /// The latest end allowed.
    pub limit: i64,
}

pub(super) struct Network<'a> {
    pub applications: Vec<Application>,
    /// The application of each task.
    pub drawn: Vec<u32>,
    /// The applications in words.
    pub what: String,
    pub detail: Detail,
    pub channels: Channels,
    pub bytes: f64,
    pub compute: Option<f64>,
    /// Operations a second of a process, where tasks run benchmarks.
    pub speed: Option<f64>,
    pub kill: bool,
    pub routing: FixedRouting,
    pub topology: &'a Topology,
    pub order: &'a NodeOrder,
    pub fabric: Fabric<'a>,
    /// The orderings whose windows may be compact.
    pub compact: Vec<NodeOrder>,
    pub known: HashMap<(u32, u32), Known>,
    pub recent: RecentJobs,
    pub level: Level,
    pub jobs: BTreeMap<u32, Job>,
    pub changed: bool,
    pub lost: Lost,
}
