//! Jobs that meet, simulated with one rate each.

use std::collections::HashMap;

use super::job_level::JobUsage;
use super::timing::{Computing, Finished};

/// A link that jobs can fill: job, phase, and the share of the link that a rate of 1 byte a second takes.
pub(super) type Row = Vec<(u32, u32, f64)>;

/// What a job does.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Nothing that others can slow down, until a time; then it sends.
    Waits { until: f64 },
    /// So many bytes of its largest message were left at a time, and it is done at another one.
    Sends { left: f64, rate: f64, since: f64, until: f64 },
}

impl Stage {
    fn until(&self) -> f64 {
        match self {
            Stage::Waits { until } | Stage::Sends { until, .. } => *until,
        }
    }
}

struct Member {
    usage: JobUsage,
    alone: Vec<f64>,
    computing: Computing,
    phase: usize,
    stage: Stage,
    finished: Finished,
}

/// The simulation of some jobs: event by event, one rate a job.
pub(super) struct JobRun {
    jobs: Vec<Member>,
    rows: Vec<Row>,
    now: f64,
    /// Rates of all jobs by the phase (from 1) that each sends, 0 for none.
    rates: HashMap<Vec<u8>, Vec<f64>>,
    sending: Vec<u8>,
}

impl JobRun {
    /// Jobs with the rate of each phase alone, at time 0; `rows` are the links that they can fill together.
    pub fn new(jobs: impl Iterator<Item = (JobUsage, Vec<f64>)>, rows: Vec<Row>) -> Self {
        let member = |(usage, alone): (JobUsage, Vec<f64>)| {
            let mut computing = Computing::new(usage.seed, usage.spread);
            let until = wait(&usage, 0, &mut computing);
            Member {
                usage,
                alone,
                computing,
                phase: 0,
                stage: Stage::Waits { until },
                finished: Finished::default(),
            }
        };
        let jobs: Vec<Member> = jobs.map(member).collect();
        let sending = vec![0; jobs.len()];
        JobRun { jobs, rows, now: 0.0, rates: HashMap::new(), sending }
    }

    /// Goes on until each job has done so many iterations. Returns the time.
    pub fn until_each_has_done(&mut self, iterations: u64) -> f64 {
        while self.jobs.iter().any(|job| job.finished.count < iterations) {
            self.step();
        }
        self.now
    }

    /// Goes on as long as something happens up to a time.
    pub fn until(&mut self, time: f64) {
        while self.next() <= time {
            self.step();
        }
    }

    /// Mean seconds of the iterations that a job has finished.
    pub fn mean(&self, job: usize) -> f64 {
        self.jobs[job].finished.mean()
    }

    /// What a job has finished.
    pub fn finished(&self, job: usize) -> &Finished {
        &self.jobs[job].finished
    }

    fn next(&self) -> f64 {
        self.jobs.iter().map(|job| job.stage.until()).fold(f64::INFINITY, f64::min)
    }

    /// The next event, and all others at its time.
    fn step(&mut self) {
        self.now = self.next();
        let mut changed = false;
        for (job, sending) in self.jobs.iter_mut().zip(&mut self.sending) {
            if job.stage.until() > self.now {
                continue;
            }
            let bytes = job.usage.phases[job.phase].bytes;
            if matches!(job.stage, Stage::Waits { .. }) && bytes > 0.0 {
                let (since, until) = (self.now, f64::INFINITY);
                job.stage = Stage::Sends { left: bytes, rate: 0.0, since, until };
                *sending = job.phase as u8 + 1;
                changed = true;
                continue;
            }
            changed |= std::mem::take(sending) != 0;
            job.phase = (job.phase + 1) % job.usage.phases.len();
            if job.phase == 0 {
                job.finished.add(self.now);
            }
            let wait = wait(&job.usage, job.phase, &mut job.computing);
            job.stage = Stage::Waits { until: self.now + wait };
        }
        if changed {
            self.share();
        }
    }

    /// Gives the jobs that send the rates that they have beside each other.
    fn share(&mut self) {
        if !self.rates.contains_key(&self.sending) {
            let rates = self.fill();
            self.rates.insert(self.sending.clone(), rates);
        }
        let rates = &self.rates[&self.sending];
        for (job, new) in self.jobs.iter_mut().zip(rates) {
            if let Stage::Sends { left, rate, since, until } = &mut job.stage
                && *rate != *new
            {
                *left = (*left - *rate * (self.now - *since)).max(0.0);
                (*rate, *since) = (*new, self.now);
                *until = self.now + *left / new;
            }
        }
    }

    /// Max-min fair rates of the jobs that send: all rise together by their weights, each until a link it uses is
    /// full or it has its rate alone. O(jobs · entries of rows).
    fn fill(&self) -> Vec<f64> {
        let mut rates = vec![0.0; self.jobs.len()];
        let mut fixed: Vec<bool> = self.sending.iter().map(|phase| *phase == 0).collect();
        let sends = |(job, phase, _): &&(u32, u32, f64)| {
            u32::from(self.sending[*job as usize]) == phase + 1
        };
        let weight =
            |job: usize| self.jobs[job].usage.phases[usize::from(self.sending[job]) - 1].weight;
        let alone = |job: usize| self.jobs[job].alone[usize::from(self.sending[job]) - 1];
        while fixed.contains(&false) {
            // The lowest level at which a job reaches its own rate or a link is full.
            let open = |job: usize| !fixed[job];
            let own = (0..self.jobs.len()).filter(|j| open(*j)).map(|j| alone(j) / weight(j));
            let mut level = own.fold(f64::INFINITY, f64::min);
            let levels: Vec<f64> = (self.rows.iter())
                .map(|row| {
                    let (mut left, mut asked) = (1.0, 0.0);
                    for (job, _, uses) in row.iter().filter(sends) {
                        let job = *job as usize;
                        left -= if fixed[job] { uses * rates[job] } else { 0.0 };
                        asked += if fixed[job] { 0.0 } else { uses * weight(job) };
                    }
                    if asked > 0.0 { left.max(0.0) / asked } else { f64::INFINITY }
                })
                .collect();
            level = levels.iter().copied().fold(level, f64::min);
            let full = level * (1.0 + 1e-12);
            let mut done = Vec::new();
            for (row, _) in self.rows.iter().zip(&levels).filter(|(_, at)| **at <= full) {
                done.extend(row.iter().filter(sends).map(|(job, ..)| *job as usize));
            }
            done.extend(
                (0..self.jobs.len()).filter(|j| !fixed[*j] && alone(*j) <= full * weight(*j)),
            );
            for job in done.into_iter().filter(|job| !std::mem::replace(&mut fixed[*job], true)) {
                // Never nothing: sums of shares may round to a full link.
                rates[job] = (level * weight(job)).min(alone(job)).max(alone(job) * 1e-12);
            }
        }
        rates
    }
}

/// Seconds from the start of a phase until it sends.
fn wait(usage: &JobUsage, phase: usize, computing: &mut Computing) -> f64 {
    let phase = &usage.phases[phase];
    computing.draw(phase.compute) + phase.latency
}
