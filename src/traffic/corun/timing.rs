//! What both levels share: drawn computing times, finished iterations, kept spans of time, and the simulation's trait.

use super::Channels;
use super::pattern::{SeenStates, SimulationState, StopCondition};
use super::progress::{ComputingTimes, JobProgress};

/// Time of a simulation, and how far its jobs are.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Simulated seconds.
    pub now: f64,
    /// Seconds of repeated periods that were added up without being simulated.
    skipped: f64,
    pub jobs: Vec<JobProgress>,
    /// States met so far; `None` if none can come again.
    pub pattern: Option<SeenStates>,
    pub spans: Spans,
}

impl Timeline {
    /// Begins at time 0 with jobs, each with the source of its times and its number of phases. `count`: whether states
    /// that come again are counted.
    pub fn new<'a>(jobs: impl Iterator<Item = (&'a ComputingTimes, usize)>, count: bool) -> Self {
        let mut line = Timeline {
            now: 0.0,
            skipped: 0.0,
            jobs: Vec::new(),
            pattern: count.then(SeenStates::default),
            spans: Spans::default(),
        };
        for (computing, phases) in jobs {
            // With drawn computing times no state comes again.
            line.pattern = line.pattern.filter(|_| !computing.is_drawn());
            line.jobs.push(JobProgress {
                computing: computing.clone(),
                phase: 0,
                began: 0.0,
                done: vec![0.0; phases],
                count: 0,
                last: 0.0,
            });
        }
        line
    }

    /// Adds up the time in seconds, simulated and counted.
    pub fn elapsed_time(&self) -> f64 {
        self.now + self.skipped
    }

    /// Begins the next stage of a job, and keeps the span of the one that ends now.
    pub fn begin_stage(&mut self, job: usize, sends: bool) {
        let from = std::mem::replace(&mut self.jobs[job].began, self.now) + self.skipped;
        self.spans.add_span(Span {
            job,
            from,
            to: self.elapsed_time(),
            sends,
        });
    }

    /// Ends the phase of a job, and with the last one an iteration.
    pub fn end_phase(&mut self, job: usize) {
        let time = self.elapsed_time();
        let job = &mut self.jobs[job];
        job.done[job.phase] += 1.0;
        job.phase = (job.phase + 1) % job.done.len();
        if job.phase == 0 {
            job.count += 1;
            job.last = time;
        }
    }

    /// Skips periods of a state that comes again, as many as fit before the goal.
    pub fn skip_periods(&mut self, state: SimulationState, goal: StopCondition) {
        let time = (self.now, self.skipped);
        let pattern = self.pattern.as_mut();
        if let Some(seconds) =
            pattern.and_then(|pattern| pattern.skip_periods(state, time, goal, &mut self.jobs))
        {
            // Spans of skipped time are not known one by one, and times jump from here on.
            self.skipped += seconds;
            self.spans.room = 0;
        }
    }
}

/// A simulation of jobs that share links.
pub trait Simulation: Send {
    /// Returns the simulation's time and jobs.
    fn timeline(&mut self) -> &mut Timeline;

    /// Computes the simulated second of the next event; infinite if there is none.
    fn next_event(&mut self) -> f64;

    /// Simulates the next event, and all others at its time.
    fn simulate_step(&mut self, goal: StopCondition);

    /// Lists the bytes that each channel has carried until now, channels ascending.
    fn carried_bytes(&self, channels: &Channels) -> Vec<(u32, f64)>;

    /// Runs until each job has done `iterations`, and returns the time in seconds.
    fn run_iterations(&mut self, iterations: u64) -> f64 {
        while (self.timeline().jobs.iter()).any(|job| job.count < iterations) {
            self.simulate_step(StopCondition::Iterations(iterations));
        }
        self.timeline().elapsed_time()
    }

    /// Runs up to a time, in seconds.
    fn run_until(&mut self, time: f64) {
        while self.next_event() + self.timeline().skipped <= time {
            self.simulate_step(StopCondition::Time(time));
        }
        let line = self.timeline();
        line.now = line.now.max(time - line.skipped);
    }

    /// Computes the mean seconds of the iterations that a job has finished, and their number.
    fn mean_iteration(&mut self, job: usize) -> (f64, u64) {
        let job = &self.timeline().jobs[job];
        (job.last / job.count as f64, job.count)
    }
}

/// A stretch of time in which a job computes, or sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Index of the job, from 0.
    pub job: usize,
    /// Second at which it begins.
    pub from: f64,
    /// Second at which it ends.
    pub to: f64,
    /// Whether the job sends; else it computes.
    pub sends: bool,
}

/// The first spans of all jobs, up to a number.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// The spans, in the order in which they ended.
    pub list: Vec<Span>,
    /// Largest number of spans that are kept.
    pub(super) room: usize,
}

impl Spans {
    /// Adds a span that has ended, unless it is empty or enough are kept.
    pub fn add_span(&mut self, span: Span) {
        if self.list.len() < self.room && span.to > span.from {
            self.list.push(span);
        }
    }
}
