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
use super::pattern::{NEAR, Pattern, SimulationState, StopCondition};
use super::timing::{Computing, FinishedIterations, Simulation, Span, Spans};
use super::usage::JobLoad;

/// Uses of a link that jobs can fill: job, phase, and the seconds of the link for each byte of its largest message.
type LinkUses = Vec<(u32, u32, f64)>;

/// The present activity of a job.
#[derive(Clone, Copy, Debug)]
enum JobStage {
    /// Computes, or waits for first bytes: others cannot slow it down.
    Waits,
    /// Sends.
    Sends,
}

/// A job in the simulation.
struct JobMember {
    usage: JobLoad,
    /// By phase: the links that others may fill too, with the phase's uses of each ([`LinkUses`]).
    rows: Vec<Vec<(u32, f64)>>,
    computing: Computing,
    /// Index of the present phase.
    phase: usize,
    stage: JobStage,
    /// Second at which the stage began.
    began: f64,
    /// Second at which the stage ends if no other job begins to send.
    until: f64,
    /// By phase: number of times it was done.
    done: Vec<f64>,
    finished: FinishedIterations,
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

    /// Visits each job with the second at which it will be done here. O(jobs on the link, squared).
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
pub(super) struct JobRun {
    jobs: Vec<JobMember>,
    links: Vec<SharedLink>,
    /// Simulated seconds.
    now: f64,
    /// Seconds of repeated periods that were added up without being simulated.
    skipped: f64,
    /// States met so far; `None` if none can come again.
    pattern: Option<Pattern>,
    spans: Spans,
}

/// Number of iterations of the first job from which on states that come again are looked for: fewer are done sooner
/// without.
const PATTERNS_FROM: u64 = 1000;

impl JobRun {
    /// Creates the simulation of jobs at time 0; `contended` are the channels that they can fill together.
    /// `count`: states that come again are counted.
    pub fn new(jobs: &[&JobLoad], contended: &[u32], channels: &Channels, count: bool) -> Self {
        let rows = drop_covered_links(
            contended
                .iter()
                .map(|channel| list_link_uses(jobs, *channel, channels)),
        );
        let mut members = Vec::new();
        for usage in jobs.iter().copied() {
            let mut computing = Computing::new(usage.seed, usage.spread);
            members.push(JobMember {
                until: draw_wait(usage, 0, &mut computing),
                usage: usage.clone(),
                rows: vec![Vec::new(); usage.phases.len()],
                computing,
                phase: 0,
                stage: JobStage::Waits,
                began: 0.0,
                done: vec![0.0; usage.phases.len()],
                finished: FinishedIterations::default(),
            });
        }
        let mut jobs = members;
        let links = vec![SharedLink::default(); rows.len()];
        for (row, uses) in (0..).zip(&rows) {
            for (job, phase, uses) in uses {
                jobs[*job as usize].rows[*phase as usize].push((row, *uses));
            }
        }
        // With drawn computing times no state comes again.
        let repeats = count && jobs.iter().all(|job| job.usage.spread == 0.0);
        JobRun {
            jobs,
            links,
            now: 0.0,
            skipped: 0.0,
            pattern: repeats.then(Pattern::default),
            spans: Spans::default(),
        }
    }

    /// Finds the second of the next event.
    fn next_event(&self) -> f64 {
        self.jobs
            .iter()
            .map(|job| job.until)
            .fold(f64::INFINITY, f64::min)
    }

    /// Simulates the next event, and all others at its time.
    fn simulate_step(&mut self, goal: StopCondition) {
        nodeorder_base::observer::unwind_if_stopped();
        self.now = self.next_event();
        let before = self.jobs[0].finished.count;
        for i in 0..self.jobs.len() {
            let job = &mut self.jobs[i];
            if job.until > self.now {
                continue;
            }
            let from = std::mem::replace(&mut job.began, self.now) + self.skipped;
            let sends = matches!(job.stage, JobStage::Sends);
            self.spans.add_span(Span {
                job: i,
                from,
                to: self.now + self.skipped,
                sends,
            });
            if !sends && job.usage.phases[job.phase].bytes > 0.0 {
                self.begin_sending(i);
                continue;
            }
            job.done[job.phase] += 1.0;
            job.phase = (job.phase + 1) % job.usage.phases.len();
            if job.phase == 0 {
                job.finished.add_iteration(self.now + self.skipped);
            }
            job.stage = JobStage::Waits;
            job.until = self.now + draw_wait(&job.usage, job.phase, &mut job.computing);
        }
        let count = self.jobs[0].finished.count;
        if count > before && count >= PATTERNS_FROM {
            self.skip_periods(goal);
        }
    }

    /// Skips periods of states that come again, as many as fit before the goal.
    fn skip_periods(&mut self, goal: StopCondition) {
        let Some(pattern) = &mut self.pattern else {
            return;
        };
        let mut state = SimulationState::default();
        for job in &self.jobs {
            state.whole.extend([
                job.phase as u32,
                u32::from(matches!(job.stage, JobStage::Sends)),
            ]);
            state
                .times
                .extend([job.until - self.now, self.now - job.began]);
        }
        for link in &mut self.links {
            link.advance_service(self.now);
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
        let mut jobs: Vec<_> = self
            .jobs
            .iter_mut()
            .map(|job| (&mut job.finished, &mut job.done))
            .collect();
        if let Some(seconds) =
            pattern.skip_periods(state, (self.now, self.skipped), goal, &mut jobs)
        {
            // Spans of skipped time are not known one by one.
            self.skipped += seconds;
            self.spans.stop_keeping();
        }
    }

    /// Lets a job begin to send. It is done no sooner than alone, and later where links are shared; so are the
    /// others there.
    fn begin_sending(&mut self, i: usize) {
        let job = &mut self.jobs[i];
        let phase = &job.usage.phases[job.phase];
        job.stage = JobStage::Sends;
        job.until = self.now + phase.sending_time();
        let service = phase.bytes / phase.weight;
        let weight = phase.weight;
        for at in 0..job.rows[job.phase].len() {
            let job = &self.jobs[i];
            let (row, uses) = job.rows[job.phase][at];
            let link = &mut self.links[row as usize];
            link.advance_service(self.now);
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
    fn run_iterations(&mut self, iterations: u64) -> f64 {
        while self.jobs.iter().any(|job| job.finished.count < iterations) {
            self.simulate_step(StopCondition::Iterations(iterations));
        }
        self.now + self.skipped
    }

    fn run_until(&mut self, time: f64) {
        while self.next_event() + self.skipped <= time {
            self.simulate_step(StopCondition::Time(time));
        }
        self.now = self.now.max(time - self.skipped);
    }

    fn finished_iterations(&self, job: usize) -> &FinishedIterations {
        &self.jobs[job].finished
    }

    fn carried_bytes(&self, _: &Channels) -> Vec<(u32, f64)> {
        let mut bytes: BTreeMap<u32, f64> = BTreeMap::new();
        for job in &self.jobs {
            // A phase that is not done has carried as large a part as of its time has passed.
            for (p, phase) in job.usage.phases.iter().enumerate() {
                let part = match job.stage {
                    JobStage::Sends if p == job.phase => {
                        (self.now - job.began) / (job.until - job.began)
                    }
                    _ => 0.0,
                };
                for (link, uses) in &phase.channels {
                    *bytes.entry(*link).or_default() += uses * (job.done[p] + part) * phase.bytes;
                }
            }
        }
        bytes.into_iter().collect()
    }

    fn kept_spans(&mut self) -> &mut Spans {
        &mut self.spans
    }
}

/// Draws the seconds from the start of a phase until it sends.
fn draw_wait(usage: &JobLoad, phase: usize, computing: &mut Computing) -> f64 {
    let phase = &usage.phases[phase];
    computing.draw_seconds(phase.compute) + phase.latency
}

/// Lists the uses of a channel by each phase of each job.
fn list_link_uses(jobs: &[&JobLoad], channel: u32, channels: &Channels) -> LinkUses {
    let mut row = LinkUses::new();
    for (i, job) in (0..).zip(jobs) {
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
