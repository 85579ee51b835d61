//! What both levels share: drawn computing times, finished iterations, kept spans of time, and the simulation's trait.

use super::Channels;
use nodeorder_base::random::{self, Generator};

/// Source of a job's computing times.
#[derive(Clone, Debug)]
pub(super) struct Computing {
    random: Generator,
    spread: f64,
}

impl Computing {
    /// Creates the source that draws times up to the part `spread` from their means.
    pub fn new(seed: u64, spread: f64) -> Self {
        Computing {
            random: random::seed_generator(seed),
            spread,
        }
    }

    /// Draws a time: `seconds` times a number from 1 - spread to 1 + spread.
    pub fn draw_seconds(&mut self, seconds: f64) -> f64 {
        // No draw at all, so that a spread elsewhere does not change the draws of this job.
        if self.spread == 0.0 || seconds == 0.0 {
            return seconds;
        }
        seconds * (1.0 + self.spread * (2.0 * random::random_unit(&mut self.random) - 1.0))
    }
}

/// The iterations that a job has finished.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FinishedIterations {
    /// Number of iterations.
    pub count: u64,
    /// Second at which the last one ended; the first began at 0.
    pub last: f64,
}

impl FinishedIterations {
    /// Adds an iteration that ends now.
    pub fn add_iteration(&mut self, now: f64) {
        self.count += 1;
        self.last = now;
    }

    /// Computes the mean seconds of an iteration.
    pub fn mean_seconds(&self) -> f64 {
        self.last / self.count as f64
    }
}

/// A simulation of jobs that share links.
pub(super) trait Simulation: Send {
    /// Runs until each job has done so many iterations, and returns the time in seconds.
    fn run_iterations(&mut self, iterations: u64) -> f64;

    /// Runs up to a time, in seconds.
    fn run_until(&mut self, time: f64);

    /// Returns the iterations that a job has finished.
    fn finished_iterations(&self, job: usize) -> &FinishedIterations;

    /// Computes the mean seconds of these iterations, and their number.
    fn mean_iteration(&self, job: usize) -> (f64, u64) {
        let finished = self.finished_iterations(job);
        (finished.mean_seconds(), finished.count)
    }

    /// Lists the bytes that each channel has carried until now, channels ascending.
    fn carried_bytes(&self, channels: &Channels) -> Vec<(u32, f64)>;

    /// Returns the spans that are kept.
    fn kept_spans(&mut self) -> &mut Spans;
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
pub(super) struct Spans {
    /// The spans, in the order in which they ended.
    pub list: Vec<Span>,
    /// Number of spans that are kept at most.
    room: usize,
}

impl Spans {
    /// Keeps up to `room` spans from now on.
    pub fn keep_first(&mut self, room: usize) {
        self.room = room;
    }

    /// Adds a span that has ended, unless it is empty or enough are kept.
    pub fn add_span(&mut self, span: Span) {
        if self.list.len() < self.room && span.to > span.from {
            self.list.push(span);
        }
    }

    /// Keeps no more spans, as times jump from here on.
    pub fn stop_keeping(&mut self) {
        self.room = 0;
    }
}
