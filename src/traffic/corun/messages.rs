//! Messages of jobs, as the flow level follows them.

use std::collections::BTreeSet;

use super::Channels;
use crate::mapping::{Fabric, FixedRouting, ProcessMapping};

/// The machine that a job's messages cross, and the job's nodes on it.
#[derive(Clone, Copy)]
pub struct JobSite<'a> {
    pub fabric: &'a Fabric<'a>,
    pub routing: FixedRouting,
    pub mapping: &'a ProcessMapping,
    pub channels: &'a Channels,
}

/// The messages of a job on one route.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowGroup {
    /// The channels, ascending, with the share of each message on them.
    pub route: Vec<(u32, f64)>,
    /// Seconds before the first byte of a message arrives.
    pub latency: f64,
    /// Rate of a message relative to others on a shared channel ([`Speeds::rate_weight`](super::Speeds::rate_weight)).
    pub weight: f64,
    /// Sizes of messages in bytes, ascending, with the number of messages of each.
    pub sizes: Vec<(f64, f64)>,
}

/// Computing time and messages of a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPhase {
    /// Seconds of computing before the messages are sent.
    pub compute: f64,
    /// Messages that share channels.
    pub groups: Vec<FlowGroup>,
    /// Bytes of the largest message that shares no channel; 0 if there is none.
    pub inside: f64,
}

/// A job, message by message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowJob {
    /// The phases of an iteration, one after the other.
    pub phases: Vec<FlowPhase>,
    /// By phase: seconds of sending alone; empty while that is not known.
    pub sending: Vec<f64>,
}

impl FlowJob {
    /// Collects the channels that the job uses, ascending.
    pub fn used_channels(&self) -> BTreeSet<u32> {
        self.phases
            .iter()
            .flat_map(|phase| &phase.groups)
            .flat_map(|group| &group.route)
            .map(|(channel, _)| *channel)
            .collect()
    }
}
