//! Messages of jobs, as the flow level follows them.

use std::collections::BTreeSet;

use super::Channels;
use crate::mapping::{Fabric, FixedRouting, ProcessMapping};

/// Where the messages of a job go.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub fabric: &'a Fabric<'a>,
    pub routing: FixedRouting,
    pub mapping: &'a ProcessMapping,
    pub channels: &'a Channels,
}

/// The messages of a job on one route.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowGroup {
    /// The links, with the share of each message on them, ascending.
    pub route: Vec<(u32, f64)>,
    /// Seconds before their first byte arrives.
    pub latency: f64,
    /// How fast their rate grows among others'.
    pub weight: f64,
    /// Bytes of a message, ascending, and how many have them.
    pub sizes: Vec<(f64, f64)>,
}

/// Computing time and messages of a phase.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowPhase {
    /// Seconds of computing before.
    pub compute: f64,
    /// Messages that share channels.
    pub groups: Vec<FlowGroup>,
    /// Bytes of the largest message that shares none.
    pub inside: f64,
}

/// A job, message by message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FlowJob {
    pub phases: Vec<FlowPhase>,
    /// Seconds that each phase sends alone; empty where that is not known.
    pub sending: Vec<f64>,
    /// As in [`super::PlacedJob::drawn`].
    pub spread: f64,
    pub seed: u64,
}

impl FlowJob {
    /// The channels it uses, ascending.
    pub fn channels(&self) -> BTreeSet<u32> {
        let groups = self.phases.iter().flat_map(|phase| &phase.groups);
        groups
            .flat_map(|group| group.route.iter().map(|(channel, _)| *channel))
            .collect()
    }
}
