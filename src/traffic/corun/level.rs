//! Jobs that come and go on one machine, at either level: the mean seconds of an iteration of each beside the others.
//!
//! Two jobs meet if they ask for more of a channel together than it has. After a change only the jobs that meet one
//! which came or went, directly or through others, are simulated anew; the others keep their seconds.
//!
//! ```
//! use std::sync::Arc;
//! use nodeorder_traffic::corun::{Channels, Detail, RunningJobs, Phase, PlacedJob, Speeds};
//! use nodeorder_traffic::mapping::{Fabric, Guest, ProcessMapping, FixedRouting};
//! use nodeorder_base::ids::NodeId;
//! use nodeorder_network::topology::Topology;
//! let ring = Topology::inline("torus:8", &Default::default())?;
//! let fabric = Fabric::new(&ring)?;
//! let routing = FixedRouting::find_by_name("one-path")?;
//! let channels = Channels::new(&ring, fabric.links, &Speeds::new(1e9, 0.0));
//! let guest = Guest::make("ring:n=2", &Default::default())?;
//! // One second of computing, one to send 10⁹ bytes.
//! let phases = [Phase { compute: 1.0, guest, bytes: 1e9, messages: 1.0 }];
//! let job = |nodes: [u32; 2]| -> nodeorder_base::error::Result<Arc<PlacedJob>> {
//!     let mapping = ProcessMapping::new(&ring, "a job", nodes.map(NodeId).to_vec())?;
//!     PlacedJob::new(Detail::Job, &fabric, routing, &phases, &mapping, &channels).map(Arc::new)
//! };
//! let (first, second) = (job([0, 2])?, job([1, 3])?);
//! let mut level = RunningJobs::new(channels.clone(), 30);
//! level.start_job(7, first);
//! assert_eq!(level.update_times(), [(7, 2.0)]);
//! level.start_job(8, second);
//! // Both send in lock step and share the link from router 1 to 2.
//! assert_eq!(level.update_times(), [(7, 3.0), (8, 3.0)]);
//! level.end_job(8);
//! assert_eq!(level.update_times(), [(7, 2.0)]);
//! # Ok::<(), nodeorder_base::error::Error>(())
//! ```
//!
//! # Limits
//! Jobs that meet are taken to begin their iterations together. Every one runs `iterations` times before a mean is
//! taken: give the jobs of one machine iterations of similar length.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Channels;
use super::flow_run::FlowRun;
use super::job_run::JobRun;
use super::jobs::Phase;
use super::messages::{FlowJob, JobSite};
use super::progress::ComputingTimes;
use super::timing::Simulation;
use super::usage::ChannelLoad;
use crate::mapping::{Fabric, FixedRouting, ProcessMapping};
use nodeorder_base::Result;

/// Level of detail at which messages are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Message by message, at max-min fair rates.
    Flow,
    /// By the load of each job on each channel that jobs share.
    Job,
}

/// A job on the channels of a machine.
#[derive(Clone, Debug)]
pub struct PlacedJob {
    traffic: LevelTraffic,
    computing: ComputingTimes,
    /// Channels on which the job may meet other jobs, ascending, with the most that it asks of each, in bytes a second.
    peak_demands: Vec<(u32, f64)>,
}

/// Traffic of a job at each level.
#[derive(Clone, Debug)]
enum LevelTraffic {
    Flow(FlowJob),
    Job(ChannelLoad),
}

impl PlacedJob {
    /// Puts the messages of the phases of a job on channels.
    ///
    /// # Errors
    /// A routing that does not suit the machine; more memory than allowed.
    ///
    /// # Complexity
    /// Flow level: O(messages · hops), and for every end of a message the flows that its channels reach. Job
    /// level: the loads of each phase ([`FixedRouting::link_loads`]).
    pub fn new(
        level: Detail,
        fabric: &Fabric<'_>,
        routing: FixedRouting,
        phases: &[Phase],
        mapping: &ProcessMapping,
        channels: &Channels,
    ) -> Result<Self> {
        let site = JobSite {
            fabric,
            routing,
            mapping,
            channels,
        };
        let (traffic, peak_demands) = match level {
            Detail::Flow => {
                let job = FlowJob::new(&site, phases)?;
                // Messages that end early and late may meet on any channel.
                let used = job.used_channels().into_iter();
                let asks = used.map(|channel| (channel, f64::INFINITY)).collect();
                (LevelTraffic::Flow(job), asks)
            }
            Detail::Job => {
                let job = ChannelLoad::new(&site, phases)?;
                let asks = job.peak_demands();
                (LevelTraffic::Job(job), asks)
            }
        };
        Ok(PlacedJob {
            traffic,
            computing: ComputingTimes::new(0, 0.0),
            peak_demands,
        })
    }

    /// Sets that computing takes its seconds times a number drawn from 1 - `spread` to 1 + `spread`.
    pub fn with_spread(mut self, spread: f64, seed: u64) -> Self {
        self.computing = ComputingTimes::new(seed, spread);
        self
    }

    /// Computes the seconds of an iteration as if no other job ran, without spread.
    pub fn time_alone(&self) -> f64 {
        match &self.traffic {
            LevelTraffic::Flow(job) => job.time_alone(),
            LevelTraffic::Job(job) => job.time_alone(),
        }
    }

    /// Computes the seconds of an iteration alone that are latency.
    pub fn latency_share(&self, channels: &Channels) -> f64 {
        match &self.traffic {
            LevelTraffic::Flow(job) => job.latency_share(channels),
            LevelTraffic::Job(job) => job.phases.iter().map(|phase| phase.latency).sum(),
        }
    }
}

/// A job that runs.
#[derive(Debug)]
struct RunningJob {
    job: Arc<PlacedJob>,
    /// Mean seconds of an iteration, as last simulated.
    seconds: f64,
}

/// The jobs on a machine now, all at one level.
#[derive(Debug)]
pub struct RunningJobs {
    channels: Channels,
    /// Number of iterations after which a mean is taken.
    iterations: u64,
    /// Whether states that come again are counted.
    pub(super) count_patterns: bool,
    running: BTreeMap<u32, RunningJob>,
    /// By channel: the jobs on it, ascending, with the most that each asks of it, in bytes a second.
    on: Vec<Vec<(u32, f64)>>,
    /// Jobs whose seconds must be simulated anew.
    dirty: BTreeSet<u32>,
}

impl RunningJobs {
    /// Creates a machine without jobs. A mean is taken once each of the jobs that meet has done `iterations`.
    pub fn new(channels: Channels, iterations: u64) -> Self {
        RunningJobs {
            on: vec![Vec::new(); channels.capacity.len()],
            channels,
            iterations: iterations.max(1),
            count_patterns: true,
            running: BTreeMap::new(),
            dirty: BTreeSet::new(),
        }
    }

    /// Starts a job; `key` names it from now on. Its iteration must take some time.
    ///
    /// # Complexity
    /// O(channels it uses · jobs on one).
    pub fn start_job(&mut self, key: u32, job: Arc<PlacedJob>) {
        // A name that is in use names the new job from now on.
        self.end_job(key);
        for (channel, most) in &job.peak_demands {
            let on = &mut self.on[*channel as usize];
            on.insert(on.partition_point(|(other, _)| *other < key), (key, *most));
        }
        let seconds = job.time_alone();
        self.running.insert(key, RunningJob { job, seconds });
        self.dirty.insert(key);
    }

    /// Ends a job; nothing happens if none of that name runs.
    pub fn end_job(&mut self, key: u32) {
        let Some(job) = self.running.remove(&key) else {
            return;
        };
        for (channel, _) in &job.job.peak_demands {
            let contended = self.is_contended(*channel);
            let on = &mut self.on[*channel as usize];
            on.retain(|(on, _)| *on != key);
            // Jobs that it met may have met others only through it: each is simulated anew.
            if contended {
                self.dirty.extend(on.iter().map(|(on, _)| on));
            }
        }
        self.dirty.remove(&key);
    }

    /// Simulates the jobs that a change may have slowed down or sped up. Returns them, ascending, with their mean
    /// seconds of an iteration.
    ///
    /// # Complexity
    /// For the jobs that meet what came or went, directly or through others: a simulation of `iterations` of
    /// each, less where their states come again.
    pub fn update_times(&mut self) -> Vec<(u32, f64)> {
        let mut all = BTreeMap::new();
        while let Some(key) = self.dirty.pop_first() {
            // It met a job that was simulated before it.
            if all.contains_key(&key) {
                continue;
            }
            let keys: Vec<u32> = self.find_meeting_jobs(key).into_iter().collect();
            let job = &self.running[&key].job;
            // Alone, and each time alike: known without a simulation.
            let seconds: Vec<f64> = if keys.len() == 1 && !job.computing.is_drawn() {
                vec![job.time_alone()]
            } else {
                let mut run = self.create_simulation(&keys);
                run.run_iterations(self.iterations);
                (0..keys.len())
                    .map(|job| run.mean_iteration(job).0)
                    .collect()
            };
            for (key, seconds) in keys.into_iter().zip(seconds) {
                if let Some(job) = self.running.get_mut(&key) {
                    job.seconds = seconds;
                }
                all.insert(key, seconds);
            }
        }
        all.into_iter().collect()
    }

    /// Creates the simulation of running jobs that meet no other running job.
    pub(super) fn create_simulation(&self, keys: &[u32]) -> Box<dyn Simulation> {
        let jobs: Vec<&RunningJob> = keys
            .iter()
            .filter_map(|key| self.running.get(key))
            .collect();
        let mut flows = Vec::new();
        let mut usages = Vec::new();
        for running in &jobs {
            match &running.job.traffic {
                LevelTraffic::Flow(job) => flows.push((job, &running.job.computing)),
                LevelTraffic::Job(job) => usages.push((job, &running.job.computing)),
            }
        }
        if usages.is_empty() {
            return Box::new(FlowRun::new(&flows, &self.channels, self.count_patterns));
        }
        let mut contended: Vec<u32> = jobs
            .iter()
            .flat_map(|job| &job.job.peak_demands)
            .map(|(channel, _)| *channel)
            .filter(|channel| self.is_contended(*channel))
            .collect();
        contended.sort_unstable();
        contended.dedup();
        Box::new(JobRun::new(
            &usages,
            &contended,
            &self.channels,
            self.count_patterns,
        ))
    }

    /// Checks whether the jobs on a channel can fill it.
    fn is_contended(&self, channel: u32) -> bool {
        let on = &self.on[channel as usize];
        let most: f64 = on.iter().map(|(_, most)| most).sum();
        // Jobs that fill it exactly, but for rounding, do not slow each other down.
        on.len() > 1 && most > self.channels.capacity[channel as usize] * (1.0 + 1e-9)
    }

    /// Finds a job and those that it meets on channels they can fill, directly or through others.
    pub(super) fn find_meeting_jobs(&self, key: u32) -> BTreeSet<u32> {
        let mut met = BTreeSet::from([key]);
        let mut left = vec![key];
        while let Some(job) = left.pop().and_then(|key| self.running.get(&key)) {
            for (channel, _) in &job.job.peak_demands {
                if !self.is_contended(*channel) {
                    continue;
                }
                for (key, _) in &self.on[*channel as usize] {
                    if met.insert(*key) {
                        left.push(*key);
                    }
                }
            }
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corun::Speeds;
    use crate::mapping::guest::make_sized_guest;
    use nodeorder_base::NodeId;
    use nodeorder_base::random::{random_below, seed_generator, shuffle};
    use nodeorder_network::{Context, Topology};

    /// Two to nine jobs on random nodes, each with a share of sending between a fifth and four fifths alone.
    fn case(
        level: Detail,
        topology: &Topology,
        channels: &Channels,
        seed: u64,
    ) -> Vec<Arc<PlacedJob>> {
        let mut random = seed_generator(seed);
        let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
        shuffle(&mut nodes, &mut random);
        let fabric = Fabric::new(topology).unwrap();
        let routing = FixedRouting::find_by_name("one-path").unwrap();
        let mut jobs = Vec::new();
        for _ in 0..2 + random_below(8, &mut random) {
            let size = [4, 6, 8][random_below(3, &mut random) as usize];
            let guest = ["all-to-all", "ring", "stencil2d"][random_below(3, &mut random) as usize];
            let compute = [1.0, 4.0, 16.0][random_below(3, &mut random) as usize];
            if nodes.len() < size {
                break;
            }
            let guest = make_sized_guest(guest, size as u32, topology.context()).unwrap();
            let phases = [Phase {
                compute,
                guest,
                bytes: 1e9,
                messages: 1.0,
            }];
            let taken = nodes.drain(..size).collect();
            let mapping = ProcessMapping::new(topology, "job", taken).unwrap();
            let job = PlacedJob::new(level, &fabric, routing, &phases, &mapping, channels);
            jobs.push(Arc::new(job.unwrap()));
        }
        jobs
    }

    /// Results depend on the jobs that run, not on jobs that came and went before.
    #[test]
    fn the_way_to_a_set_of_jobs_does_not_show() {
        let topology = Topology::inline("torus:4x4x2", &Context::default()).unwrap();
        let fabric = Fabric::new(&topology).unwrap();
        let channels = Channels::new(&topology, fabric.links, &Speeds::new(1e9, 0.0));
        for (seed, detail) in (0..30).flat_map(|seed| [(seed, Detail::Flow), (seed, Detail::Job)]) {
            let jobs = case(detail, &topology, &channels, seed);
            let new = || RunningJobs::new(channels.clone(), 12);
            let (mut long, mut short) = (new(), new());
            let mut found = BTreeMap::new();
            for (key, job) in (0u32..).zip(&jobs).collect::<Vec<_>>().into_iter().rev() {
                long.start_job(key, job.clone());
                found.extend(long.update_times());
            }
            let stays = |key: &u32| key % 3 != 1;
            for key in (0..jobs.len() as u32).filter(|key| !stays(key)) {
                long.end_job(key);
                found.remove(&key);
                found.extend(long.update_times());
            }
            let staying = (0..).zip(jobs).filter(|(key, _)| stays(key));
            staying.for_each(|(key, job)| short.start_job(key, job));
            assert_eq!(short.update_times(), found.into_iter().collect::<Vec<_>>());
        }
    }
}
