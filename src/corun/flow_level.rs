//! The flow level for jobs that come and go: mean seconds of an iteration of each beside those that run with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::flow_run::FlowRun;
use super::jobs::Phase;
use super::messages::FlowJob;
use super::side_by_side::flow_phase;
use super::timing::Run;
use super::{Channels, Speeds};
use crate::error::Result;
use crate::mapping::{Fabric, ProcessMapping, RoutingEntry};

/// A job message by message, with the seconds that it takes alone.
#[derive(Clone, Debug)]
pub struct FollowedJob {
    job: FlowJob,
    /// The channels it uses, ascending.
    channels: Vec<u32>,
    /// Seconds that each phase sends alone.
    sending: Vec<f64>,
    /// Seconds of an iteration alone.
    pub alone: f64,
    /// How much of these is latency.
    pub latency: f64,
}

impl FollowedJob {
    /// Puts the messages of the phases of a job on channels, and runs it alone.
    ///
    /// # Errors
    /// A routing that does not suit the machine; more memory than allowed.
    ///
    /// # Complexity
    /// O(messages · hops), and for every end of a message the flows that its channels reach.
    pub fn new(
        fabric: &Fabric<'_>,
        routing: &RoutingEntry,
        phases: &[Phase],
        mapping: &ProcessMapping,
        speeds: &Speeds,
        channels: &Channels,
    ) -> Result<Self> {
        let followed = |phase| flow_phase(fabric, routing, mapping, phase, speeds, channels);
        let phases = phases.iter().map(followed).collect::<Result<_>>()?;
        let job = FlowJob { phases, spread: 0.0, seed: 0 };
        let sending = FlowRun::alone(&job, channels);
        let sends: f64 = sending.iter().sum();
        let alone = sends + job.phases.iter().map(|phase| phase.compute).sum::<f64>();
        let mut latency = 0.0;
        if speeds.latency_of(1.0) > 0.0 {
            let mut at_once = job.clone();
            let groups = at_once.phases.iter_mut().flat_map(|phase| &mut phase.groups);
            groups.for_each(|group| group.latency = 0.0);
            latency = sends - FlowRun::alone(&at_once, channels).iter().sum::<f64>();
        }
        let mut channels: Vec<u32> = job.links().collect();
        channels.sort_unstable();
        channels.dedup();
        Ok(FollowedJob { job, channels, sending, alone, latency })
    }
}

/// A job that runs.
#[derive(Debug)]
struct Running {
    job: Arc<FollowedJob>,
    seconds: f64,
}

/// The jobs that run now, and how long an iteration of each takes beside the others.
#[derive(Debug)]
pub struct FlowLevel {
    channels: Channels,
    iterations: u64,
    running: BTreeMap<u32, Running>,
    /// The jobs on each channel.
    on: Vec<Vec<u32>>,
    /// Jobs whose seconds must be found anew.
    dirty: BTreeSet<u32>,
}

impl FlowLevel {
    /// No job on these channels. A mean is taken once each of the jobs that meet has done `iterations`.
    pub fn new(channels: Channels, iterations: u64) -> Self {
        let on = vec![Vec::new(); channels.capacity.len()];
        let (running, dirty) = (BTreeMap::new(), BTreeSet::new());
        FlowLevel { channels, iterations: iterations.max(1), running, on, dirty }
    }

    /// A job starts; `key` names it from now on. O(channels it uses).
    pub fn start(&mut self, key: u32, job: Arc<FollowedJob>) {
        for channel in &job.channels {
            self.on[*channel as usize].push(key);
        }
        let seconds = job.alone;
        self.running.insert(key, Running { job, seconds });
        self.dirty.insert(key);
    }

    /// A job ends; nothing happens where none of that name runs.
    pub fn end(&mut self, key: u32) {
        let Some(job) = self.running.remove(&key) else { return };
        for channel in &job.job.channels {
            let on = &mut self.on[*channel as usize];
            on.retain(|on| *on != key);
            self.dirty.extend(on.iter());
        }
        self.dirty.remove(&key);
    }

    /// Mean seconds of an iteration of a job, as last found.
    pub fn seconds(&self, key: u32) -> Option<f64> {
        self.running.get(&key).map(|job| job.seconds)
    }

    /// Finds what has changed. Returns those jobs, ascending.
    ///
    /// # Complexity
    /// For the jobs that share channels with what came or went, directly or through others: a simulation of
    /// `iterations` of each, less where their states come again.
    pub fn update(&mut self) -> Vec<u32> {
        let mut all = BTreeSet::new();
        while let Some(key) = self.dirty.pop_first() {
            if all.contains(&key) {
                continue;
            }
            let keys = self.meeting(key);
            let jobs: Vec<&FollowedJob> = keys.iter().map(|key| &*self.running[key].job).collect();
            let seconds: Vec<f64> = match jobs.as_slice() {
                [one] => vec![one.alone],
                _ => {
                    let flows: Vec<&FlowJob> = jobs.iter().map(|job| &job.job).collect();
                    let sending: Vec<Vec<f64>> = jobs.iter().map(|j| j.sending.clone()).collect();
                    let mut run = FlowRun::new(&flows, &sending, &self.channels, true);
                    run.until_each_has_done(self.iterations);
                    (0..jobs.len()).map(|job| run.mean(job).0).collect()
                }
            };
            for (key, seconds) in keys.iter().zip(seconds) {
                if let Some(job) = self.running.get_mut(key) {
                    job.seconds = seconds;
                }
            }
            all.extend(keys);
        }
        all.into_iter().collect()
    }

    /// A job and those that it shares channels with, directly or through others.
    fn meeting(&self, key: u32) -> BTreeSet<u32> {
        let (mut met, mut left) = (BTreeSet::from([key]), vec![key]);
        while let Some(job) = left.pop().and_then(|key| self.running.get(&key)) {
            for channel in &job.job.channels {
                let on = self.on[*channel as usize].iter();
                left.extend(on.filter(|key| met.insert(**key)).copied());
            }
        }
        met
    }
}
