//! Messages of jobs, as the flow level follows them.

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
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowJob {
    pub phases: Vec<FlowPhase>,
    pub spread: f64,
    pub seed: u64,
}

impl FlowJob {
    /// The links it uses.
    pub fn links(&self) -> impl Iterator<Item = u32> + '_ {
        let groups = self.phases.iter().flat_map(|phase| &phase.groups);
        groups.flat_map(|group| group.route.iter().map(|(link, _)| *link))
    }
}
