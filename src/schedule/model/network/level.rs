//! The two levels at which the model follows messages, as one.

use std::sync::Arc;

use super::averages::Averages;
use crate::corun::{FlowLevel, FollowedJob, PhaseUsage};

/// Traffic of a job on its nodes.
pub(super) enum Placed {
    Followed(Arc<FollowedJob>),
    Summed(PhaseUsage),
}

/// The jobs that run beside each other.
pub(super) enum Level {
    Flow(FlowLevel),
    Job(Averages),
}

impl Level {
    /// A job starts on its nodes.
    pub fn start(&mut self, key: u32, placed: Placed) {
        match (self, placed) {
            (Level::Flow(level), Placed::Followed(job)) => level.start(key, job),
            (Level::Job(level), Placed::Summed(usage)) if usage.bytes > 0.0 => {
                level.start(key, &usage);
            }
            _ => {}
        }
    }

    /// A job ends.
    pub fn end(&mut self, key: u32) {
        match self {
            Level::Flow(level) => level.end(key),
            Level::Job(level) => level.end(key),
        }
    }

    /// Jobs whose seconds may have changed, each with its seconds of an iteration.
    pub fn update(&mut self) -> Vec<(u32, f64)> {
        let keys = match self {
            Level::Flow(level) => level.update(),
            Level::Job(level) => level.update(),
        };
        let seconds = |key: u32| match &*self {
            Level::Flow(level) => level.seconds(key),
            Level::Job(level) => level.seconds(key),
        };
        keys.into_iter().filter_map(|key| Some((key, seconds(key)?))).collect()
    }
}
