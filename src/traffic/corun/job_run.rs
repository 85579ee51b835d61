//! The job level: jobs that meet, simulated link by link.
//!
//! On a link the messages of all jobs that send share it by their weights, so each link keeps one
//! number for all of them, its *service* S: the bytes that a message of weight 1 has got there. It grows by
//! 1 / Σ (uses · weight) a second, the sum over the jobs that are not done on the link. A job is done there when S has
//! grown by its largest message over its weight.
//!
//! ```text
//! a link of 1 byte/s; jobs A and B send messages of 2 and 4 bytes over it, each with uses 1 and weight 1
//! 0 s to 4 s: S grows by 1/2 a second to 2: A is done at 4 s      4 s to 6 s: S grows by 1 a second to 4: B is done
//! ```
//!
//! More jobs can only delay an end, so the end of a phase is known until another job begins to send.

use std::collections::BTreeMap;

use super::Channels;
use super::pattern::{NEAR, SimulationState, StopCondition};
use super::progress::ComputingTimes;
use super::timing::{Simulation, Timeline};
use super::usage::ChannelLoad;

/// Uses of a link that jobs can fill: job, phase, and the seconds of the link for each byte of its largest message.
type LinkUses = Vec<(u32, u32, f64)>;

/// What a job does now.
#[derive(Clone, Copy, Debug)]
enum JobStage {
    /// Computes, or waits for first bytes: others cannot slow it down.
    Waits,
    /// Sends.
    Sends,
}

/// A job in the simulation.
struct JobMember {
    usage: ChannelLoad,
    /// By phase: the links that others may fill too, with the phase's uses of each ([`LinkUses`]).
    rows: Vec<Vec<(u32, f64)>>,
    stage: JobStage,
    /// Second at which the stage ends if no other job begins to send.
    until: f64,
}

/// A link that several jobs send over.
#[derive(Clone, Debug, Default)]
struct SharedLink {
    /// Jobs that are not done here: the job, uses · weight, and the service at which it is done.
    active: Vec<(u32, f64, f64)>,
    /// Bytes that a message of weight 1 has got since the link was last idle.
    service: f64,
    /// Second up to which the service is counted.
    now: f64,
}

impl SharedLink {
    /// Counts the service up to a time; jobs that are done by then leave.
    fn advance_service(&mut self, time: f64) {
        while !self.active.is_empty() {
            let uses: f64 = self.active.iter().map(|(_, uses, _)| uses).sum();
            let next = self
                .active
                .iter()
                .map(|(.., done)| *done)
                .fold(f64::INFINITY, f64::min);
            let at = self.now + (next - self.service) * uses;
            if at > time {
                self.service += (time - self.now) / uses;
                break;
            }
            self.service = next;
            self.now = at;
            self.active.retain(|(.., done)| *done > next);
        }
        self.now = time;
        // From 0 again, so that sums do not lose digits over a long run.
        if self.active.is_empty() {
            self.service = 0.0;
        }
    }

    /// Visits each job on the link with the second at which the link has served it. O(jobs on the link, squared).
    fn visit_ends(&mut self, mut visit: impl FnMut(u32, f64)) {
        self.active.sort_by(|a, b| a.2.total_cmp(&b.2));
        let mut service = self.service;
        let mut time = self.now;
        for (i, (job, _, done)) in self.active.iter().enumerate() {
            let uses: f64 = self.active[i..].iter().map(|(_, uses, _)| uses).sum();
            time += (done - service) * uses;
            service = *done;
            visit(*job, time);
        }
    }
}

/// The simulation of some jobs, from one begin or end of sending to the next.
pub struct JobRun {
    jobs: Vec<JobMember>,
    links: Vec<SharedLink>,
    line: Timeline,
}

/// Number of iterations of the first job from which on states that come again are looked for: fewer are done sooner
/// without.
const PATTERNS_FROM: u64 = 1000;

impl JobRun {
    /// Creates the simulation of jobs at time 0; `contended` are the channels that they can fill together.
    /// `count`: states that come again are counted.
    pub fn new(
        jobs: &[(&ChannelLoad, &ComputingTimes)],
        contended: &[u32],
        channels: &Channels,
        count: bool,
    ) -> Self {
        let phases = jobs
            .iter()
            .map(|(job, computing)| (*computing, job.phases.len()));
        let mut line = Timeline::new(phases, count);
        let rows = drop_covered_links(
            contended
                .iter()
                .map(|channel| list_link_uses(jobs, *channel, channels)),
        );
        let mut members = Vec::new();
        for ((usage, _), progress) in jobs.iter().zip(&mut line.jobs) {
            members.push(JobMember {
                until: draw_wait(usage, 0, &mut progress.computing),
                usage: (*usage).clone(),
                rows: vec![Vec::new(); usage.phases.len()],
                stage: JobStage::Waits,
            });
        }
        let links = vec![SharedLink::default(); rows.len()];
        for (row, uses) in (0..).zip(&rows) {
            for (job, phase, uses) in uses {
                members[*job as usize].rows[*phase as usize].push((row, *uses));
            }
        }
        JobRun {
            jobs: members,
            links,
            line,
        }
    }

    /// Skips periods of states that come again, as many as fit before the goal.
    fn skip_periods(&mut self, goal: StopCondition) {
        let mut state = SimulationState::default();
        let now = self.line.now;
        for (job, progress) in self.jobs.iter().zip(&self.line.jobs) {
            state.whole.extend([
                progress.phase as u32,
                u32::from(matches!(job.stage, JobStage::Sends)),
            ]);
            state.times.extend([job.until - now, now - progress.began]);
        }
        for link in &mut self.links {
            link.advance_service(now);
            link.active.sort_unstable_by_key(|(job, ..)| *job);
            for (job, _, done) in &link.active {
                let phases = self.jobs[*job as usize].usage.phases.iter();
                let most = phases
                    .map(|phase| phase.bytes / phase.weight)
                    .fold(0.0, f64::max);
                let left = (done - link.service) / most;
                // What rounding left of a message that is through is none.
                if left > NEAR {
                    state.whole.push(*job);
                    state.parts.push(left);
                }
            }
            // A mark between links, as their numbers of jobs differ.
            state.whole.push(u32::MAX);
        }
        self.line.skip_periods(state, goal);
    }

    /// Lets a job begin to send, and updates the ends of all jobs on its links: a job ends no sooner than alone, and
    /// later where links are shared.
    fn begin_sending(&mut self, i: usize) {
        let now = self.line.now;
        let at = self.line.jobs[i].phase;
        let job = &mut self.jobs[i];
        let phase = &job.usage.phases[at];
        job.stage = JobStage::Sends;
        job.until = now + phase.sending_time();
        let service = phase.bytes / phase.weight;
        let weight = phase.weight;
        for (row, uses) in job.rows[at].clone() {
            let link = &mut self.links[row as usize];
            link.advance_service(now);
            link.active
                .push((i as u32, uses * weight, link.service + service));
            // Alone on the link it ends no later than alone on the machine.
            if link.active.len() > 1 {
                let jobs = &mut self.jobs;
                link.visit_ends(|job, end| {
                    let until = &mut jobs[job as usize].until;
                    *until = until.max(end);
                });
            }
        }
    }
}

impl Simulation for JobRun {
    fn timeline(&mut self) -> &mut Timeline {
        &mut self.line
    }

    fn next_event(&mut self) -> f64 {
        self.jobs
            .iter()
            .map(|job| job.until)
            .fold(f64::INFINITY, f64::min)
    }

    fn simulate_step(&mut self, goal: StopCondition) {
        nodeorder_base::observer::unwind_if_stopped();
        let now = self.next_event();
        self.line.now = now;
        let iterations_before = self.line.jobs[0].count;
        for i in 0..self.jobs.len() {
            if self.jobs[i].until > now {
                continue;
            }
            let sends = matches!(self.jobs[i].stage, JobStage::Sends);
            self.line.begin_stage(i, sends);
            if !sends && self.jobs[i].usage.phases[self.line.jobs[i].phase].bytes > 0.0 {
                self.begin_sending(i);
                continue;
            }
            self.line.end_phase(i);
            let progress = &mut self.line.jobs[i];
            let job = &mut self.jobs[i];
            job.stage = JobStage::Waits;
            job.until = now + draw_wait(&job.usage, progress.phase, &mut progress.computing);
        }
        let iterations = self.line.jobs[0].count;
        if iterations > iterations_before
            && iterations >= PATTERNS_FROM
            && self.line.pattern.is_some()
        {
            self.skip_periods(goal);
        }
    }

    fn carried_bytes(&self, _: &Channels) -> Vec<(u32, f64)> {
        let mut bytes: BTreeMap<u32, f64> = BTreeMap::new();
        for (job, progress) in self.jobs.iter().zip(&self.line.jobs) {
            // A phase that is not done has carried as large a part as of its time has passed.
            for (p, phase) in job.usage.phases.iter().enumerate() {
                let part = match job.stage {
                    JobStage::Sends if p == progress.phase => {
                        (self.line.now - progress.began) / (job.until - progress.began)
                    }
                    _ => 0.0,
                };
                for (link, uses) in &phase.channels {
                    *bytes.entry(*link).or_default() +=
                        uses * (progress.done[p] + part) * phase.bytes;
                }
            }
        }
        bytes.into_iter().collect()
    }
}

/// Draws the seconds from the start of a phase until it sends.
fn draw_wait(usage: &ChannelLoad, phase: usize, computing: &mut ComputingTimes) -> f64 {
    let phase = &usage.phases[phase];
    computing.draw_seconds(phase.compute) + phase.latency
}

/// Lists the uses of a channel by each phase of each job.
fn list_link_uses(
    jobs: &[(&ChannelLoad, &ComputingTimes)],
    channel: u32,
    channels: &Channels,
) -> LinkUses {
    let mut row = LinkUses::new();
    for (i, (job, _)) in (0..).zip(jobs) {
        for (phase, usage) in (0..).zip(&job.phases) {
            if let Ok(at) = usage
                .channels
                .binary_search_by_key(&channel, |(channel, _)| *channel)
            {
                let uses = usage.channels[at].1 / channels.capacity[channel as usize];
                row.push((i, phase, uses));
            }
        }
    }
    row
}

/// Drops each link that never slows jobs down more than another one does: the other is used by the same phases of the
/// same jobs, and by each at least as much.
fn drop_covered_links(rows: impl Iterator<Item = LinkUses>) -> Vec<LinkUses> {
    let mut groups: BTreeMap<Vec<(u32, u32)>, Vec<Vec<f64>>> = BTreeMap::new();
    for row in rows {
        let phases = row.iter().map(|(job, phase, _)| (*job, *phase)).collect();
        groups
            .entry(phases)
            .or_default()
            .push(row.into_iter().map(|(.., uses)| uses).collect());
    }
    let mut kept = Vec::new();
    for (phases, mut uses) in groups {
        // What covers another has the larger sum.
        uses.sort_by(|a, b| b.iter().sum::<f64>().total_cmp(&a.iter().sum::<f64>()));
        let mut best: Vec<Vec<f64>> = Vec::new();
        for row in uses {
            let mut others = best.iter();
            if !others.any(|other| other.iter().zip(&row).all(|(a, b)| a >= b)) {
                best.push(row);
            }
        }
        for uses in best {
            let row = phases.iter().zip(uses);
            kept.push(
                row.map(|((job, phase), uses)| (*job, *phase, uses))
                    .collect(),
            );
        }
    }
    kept
}
