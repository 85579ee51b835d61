//! The job level: one unknown a job, for any number of jobs that come and go.
//!
//! A job is a loop of phases ([`PhaseUsage`]): it computes, then sends all messages of the phase and waits for
//! them. Alone, all its messages go at one rate ρ, that of its slowest; a directed link then carries U(l)·ρ of it,
//! U(l) = bytes that the phase puts on l over its largest message. Where several jobs send over a link, their messages
//! share it equally (by their weights), each job until its own are through; a phase takes as long as on its slowest
//! link, and no less than alone. Links are looked at one by one: nothing is followed message by message.
//!
//! [`JobLevel`] holds the jobs that run now and gives each one's mean seconds an iteration beside the others:
//!
//! ```
//! use nodeorder::corun::{Channels, JobLevel, JobUsage, PhaseUsage, Speeds};
//! use nodeorder::mapping::{Fabric, Guest, ProcessMapping, RoutingEntry};
//! use nodeorder::{NodeId, Topology};
//! let ring = Topology::inline("torus:8", &Default::default())?;
//! let fabric = Fabric::new(&ring)?;
//! let routing = RoutingEntry::named("one-path")?;
//! let speeds = Speeds::new(1e9, 0.0);
//! let channels = Channels::new(&ring, fabric.links, &speeds);
//! let pair = Guest::make("ring:n=2", &Default::default())?;
//! let job = |nodes: [u32; 2]| -> nodeorder::Result<JobUsage> {
//!     let mapping = ProcessMapping::new(&ring, "a job", nodes.map(NodeId).to_vec())?;
//!     // One second of computing, one to send 10⁹ bytes.
//!     let phase = PhaseUsage::new(&fabric, routing, &pair, &mapping, 1e9, 1.0, &channels)?;
//!     Ok(JobUsage { phases: vec![phase], spread: 0.0, seed: 1 })
//! };
//! let mut level = JobLevel::new(channels.clone(), 30);
//! level.start(7, job([0, 2])?);
//! assert_eq!(level.seconds(7), Some(2.0));
//! level.start(8, job([1, 3])?);
//! // Both send in lock step and share the link from router 1 to 2.
//! assert_eq!(level.seconds(7), Some(3.0));
//! level.end(8);
//! assert_eq!(level.seconds(7), Some(2.0));
//! # Ok::<(), nodeorder::Error>(())
//! ```
//!
//! # Limits
//! A message that another link holds up leaves none of its share to others here; in the network it does, and it holds
//! up its job elsewhere. Every job runs `iterations` times before a mean is taken: give the jobs of one machine
//! iterations of similar length.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Channels;
use super::job_run::{JobRun, LinkUses};
use super::timing::Run;
use super::usage::{JobUsage, PhaseUsage};

/// A job that runs.
struct Running {
    usage: JobUsage,
    /// The rate of each phase alone.
    alone: Vec<f64>,
    /// Every link that a phase loads, with the most it asks of it, in bytes a second.
    peaks: Vec<(u32, f64)>,
    /// Mean seconds of an iteration; none until asked for.
    seconds: Option<f64>,
}

/// The jobs on a machine now, and how long an iteration of each takes beside the others.
pub struct JobLevel {
    channels: Channels,
    iterations: u64,
    /// Whether states that come again are counted.
    pub(super) count_patterns: bool,
    running: BTreeMap<u64, Running>,
    /// By link: the jobs on it with the most each asks of it.
    on: Vec<Vec<(u64, f64)>>,
}

impl JobLevel {
    /// No job on a machine of these channels. A mean is taken once each of the jobs that meet has done `iterations`.
    pub fn new(channels: Channels, iterations: u64) -> Self {
        let on = vec![Vec::new(); channels.capacity.len()];
        let (iterations, running) = (iterations.max(1), BTreeMap::new());
        JobLevel { channels, iterations, count_patterns: true, running, on }
    }

    /// A job starts; `key` names it from now on. Its iteration must take some time.
    ///
    /// # Complexity
    /// O(links it loads · jobs on one).
    pub fn start(&mut self, key: u64, usage: JobUsage) {
        self.end(key);
        let alone: Vec<f64> = usage.phases.iter().map(|p| p.alone(&self.channels)).collect();
        let mut peaks: BTreeMap<u32, f64> = BTreeMap::new();
        for (phase, alone) in usage.phases.iter().zip(&alone) {
            for (link, uses) in &phase.links {
                let peak = peaks.entry(*link).or_default();
                *peak = peak.max(uses * alone);
            }
        }
        let peaks: Vec<(u32, f64)> = peaks.into_iter().collect();
        for (link, peak) in &peaks {
            self.on[*link as usize].push((key, *peak));
        }
        self.running.insert(key, Running { usage, alone, peaks, seconds: None });
        self.forget(key);
    }

    /// A job ends; nothing happens where none of that name runs.
    pub fn end(&mut self, key: u64) {
        if !self.running.contains_key(&key) {
            return;
        }
        self.forget(key);
        if let Some(job) = self.running.remove(&key) {
            for (link, _) in &job.peaks {
                self.on[*link as usize].retain(|(on, _)| *on != key);
            }
        }
    }

    /// Mean seconds of an iteration of a running job beside the others. Kept until a job that it meets, directly
    /// or through others, starts or ends.
    ///
    /// # Complexity
    /// O(links of the jobs that meet), then O(jobs²) for each link that several can fill whenever a job begins to
    /// send.
    pub fn seconds(&mut self, key: u64) -> Option<f64> {
        let job = self.running.get(&key)?;
        if job.seconds.is_none() {
            let keys: Vec<u64> = self.meeting(key).into_iter().collect();
            let mut run = self.run_of(&keys);
            run.until_each_has_done(self.iterations);
            for (i, key) in keys.iter().enumerate() {
                if let Some(job) = self.running.get_mut(key) {
                    job.seconds = Some(run.mean(i).0);
                }
            }
        }
        self.running.get(&key)?.seconds
    }

    /// Seconds of an iteration of a running job as if no other ran, without spread.
    pub fn alone(&self, key: u64) -> Option<f64> {
        let job = self.running.get(&key)?;
        let phase = |(phase, rate): (&PhaseUsage, &f64)| {
            phase.compute + phase.latency + if phase.bytes > 0.0 { phase.bytes / rate } else { 0.0 }
        };
        Some(job.usage.phases.iter().zip(&job.alone).map(phase).sum())
    }

    /// The simulation of some running jobs, none of which meets another one.
    pub(super) fn run_of(&self, keys: &[u64]) -> JobRun {
        let jobs: Vec<&Running> = keys.iter().filter_map(|key| self.running.get(key)).collect();
        let index_of: HashMap<u64, usize> = keys.iter().enumerate().map(|(i, k)| (*k, i)).collect();
        let mut links: Vec<u32> =
            jobs.iter().flat_map(|job| job.peaks.iter().map(|(link, _)| *link)).collect();
        links.retain(|link| self.contended(*link));
        links.sort_unstable();
        links.dedup();
        let mut rows = Vec::with_capacity(links.len());
        for link in links {
            let mut row = LinkUses::new();
            for (key, _) in &self.on[link as usize] {
                let Some(&i) = index_of.get(key) else { continue };
                for (phase, usage) in jobs[i].usage.phases.iter().enumerate() {
                    if let Ok(at) = usage.links.binary_search_by_key(&link, |(l, _)| *l) {
                        let uses = usage.links[at].1 / self.channels.capacity[link as usize];
                        row.push((i as u32, phase as u32, uses));
                    }
                }
            }
            row.sort_unstable_by_key(|(job, phase, _)| (*job, *phase));
            rows.push(row);
        }
        let jobs = jobs.iter().map(|job| (job.usage.clone(), job.alone.clone()));
        JobRun::new(jobs, binding(rows), self.count_patterns)
    }

    /// Whether the jobs on a link can fill it.
    fn contended(&self, link: u32) -> bool {
        let on = &self.on[link as usize];
        let most: f64 = on.iter().map(|(_, peak)| peak).sum();
        on.len() > 1 && most > self.channels.capacity[link as usize] * (1.0 + 1e-9)
    }

    /// A job and those that it meets on links they can fill, directly or through others.
    pub(super) fn meeting(&self, key: u64) -> BTreeSet<u64> {
        let (mut met, mut left) = (BTreeSet::from([key]), vec![key]);
        while let Some(job) = left.pop().and_then(|key| self.running.get(&key)) {
            for (link, _) in job.peaks.iter().filter(|(link, _)| self.contended(*link)) {
                let on = self.on[*link as usize].iter();
                left.extend(on.filter(|(key, _)| met.insert(*key)).map(|(key, _)| *key));
            }
        }
        met
    }

    fn forget(&mut self, key: u64) {
        for met in self.meeting(key) {
            if let Some(job) = self.running.get_mut(&met) {
                job.seconds = None;
            }
        }
    }
}

/// Drops each link that never slows jobs down more than another one does: the other has the same phases of the same
/// jobs, and each uses at least as much of it.
fn binding(rows: Vec<LinkUses>) -> Vec<LinkUses> {
    let mut groups: BTreeMap<Vec<(u32, u32)>, Vec<Vec<f64>>> = BTreeMap::new();
    for row in rows {
        let phases = row.iter().map(|(job, phase, _)| (*job, *phase)).collect();
        groups.entry(phases).or_default().push(row.into_iter().map(|(.., uses)| uses).collect());
    }
    let mut kept = Vec::new();
    for (phases, mut uses) in groups {
        // What covers another has the larger sum.
        uses.sort_by(|a, b| b.iter().sum::<f64>().total_cmp(&a.iter().sum::<f64>()));
        let mut best: Vec<Vec<f64>> = Vec::new();
        for row in uses {
            let covered = |other: &Vec<f64>| other.iter().zip(&row).all(|(a, b)| a >= b);
            if !best.iter().any(covered) {
                best.push(row);
            }
        }
        let row = |uses: Vec<f64>| phases.iter().zip(uses).map(|((j, p), u)| (*j, *p, u)).collect();
        kept.extend(best.into_iter().map(row));
    }
    kept
}
