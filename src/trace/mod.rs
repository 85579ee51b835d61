//! Workloads: placement logs, traces in the Standard Workload Format, distributions of job sizes, and
//! synthetic ones of each. Nothing here knows a network: sizes are numbers of nodes.

pub mod log;

pub use log::{Block, Event, JobKey, Log};
