//! State of the network model: its options, reference times of applications, and the tasks that run.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::applications::Application;
use super::recent::RecentJobs;
use crate::schedule::model::entry::LostNodeTime;
use nodeorder_base::SourceLocation;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_traffic::corun::{Channels, Detail, FigureOptions, Phase, RunningJobs};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

/// Number of iterations for which jobs that meet are simulated beside each other: as many as `corun` takes.
pub const ITERATIONS: u64 = 30;

/// Options of the network model.
pub struct NetworkOptions {
    /// Text that gives the options, for error messages.
    pub location: SourceLocation,
    pub jobs: JobOptions,
    /// Mean number of bytes that a process sends in an iteration.
    pub bytes: f64,
    /// Seconds of computing in an iteration, if no share says it.
    pub compute: Option<f64>,
    /// Operations a second of a process, if tasks run benchmarks.
    pub speed: Option<f64>,
    /// Bandwidths and latencies.
    pub figures: FigureOptions,
    /// Level at which jobs share links: message by message, or channel by channel.
    pub detail: Detail,
    /// Routing, if it is given.
    pub routing: Option<FixedRouting>,
    /// Whether tasks end at their requested times.
    pub kill: bool,
    /// Whether the compact allocation follows from ids and links alone, whatever the kind of machine.
    pub compact_by_links: bool,
    pub seed: u64,
}

/// Applications that jobs run.
pub enum JobOptions {
    /// One application for all jobs.
    One(Application),
    /// Applications of a file, drawn by seed.
    File(PathBuf),
}

/// Traffic and reference times of an application's jobs of one size.
pub struct ReferenceTimes {
    /// Phases of an iteration.
    pub phases: Vec<Phase>,
    /// Number of processes.
    pub processes: u32,
    /// Number of iterations of a run, if the application is a benchmark.
    pub iterations: Option<u32>,
    /// Seconds of an iteration on the compact allocation.
    pub reference: f64,
    /// Seconds of latency in `reference`.
    pub latency: f64,
}

/// Running task.
pub struct RunningTask {
    /// Number of nodes.
    pub nodes: u32,
    /// Run time on the compact allocation, alone, in ticks.
    pub run: i64,
    /// Start time.
    pub start: i64,
    /// Run time alone on these nodes, in ticks.
    pub alone: i64,
    /// Ticks of latency in `alone`, less those of the compact allocation.
    pub latency: i64,
    /// Seconds of an iteration on the compact allocation.
    pub reference: f64,
    /// Seconds of an iteration now, beside the jobs that share links.
    pub seconds: f64,
    /// Ticks of the compact allocation that were left to do at `since`.
    pub left: f64,
    /// Time of the last change of speed.
    pub since: i64,
    /// End time, if the speed stays.
    pub end: i64,
    /// Latest end allowed.
    pub limit: i64,
}

/// Network model on one ordering, with the tasks that run.
pub struct NetworkModel<'a> {
    pub options: NetworkOptions,
    pub applications: Vec<Application>,
    /// Index of the application of each task.
    pub application_of_task: Vec<u32>,
    /// Description of the applications.
    pub what: String,
    /// Links, node links and switches that messages share.
    pub channels: Channels,
    pub routing: FixedRouting,
    pub topology: &'a Topology,
    pub order: &'a NodeOrder,
    pub fabric: Fabric<'a>,
    /// Orderings whose windows are tried as the compact allocation.
    pub compact: Vec<NodeOrder>,
    /// Traffic and reference times by application and number of nodes.
    pub references: HashMap<(u32, u32), ReferenceTimes>,
    /// Jobs placed not long ago, with their routes.
    pub recent: RecentJobs,
    /// Jobs that share links now.
    pub level: RunningJobs,
    /// Running tasks by index in queue order.
    pub jobs: BTreeMap<u32, RunningTask>,
    /// Whether a task has started or ended since speeds were last computed.
    pub changed: bool,
    /// Time lost by the tasks that have ended.
    pub lost: LostNodeTime,
}
