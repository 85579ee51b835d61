//! Parts that both levels share: drawn computing times, finished iterations, kept stages, and the simulation's trait.

use super::Channels;
use nodeorder_base::random::{self, Generator};

/// Draws how long a job computes.
#[derive(Clone, Debug)]
pub(super) struct Computing {
    random: Generator,
    spread: f64,
}

impl Computing {
    pub fn new(seed: u64, spread: f64) -> Self {
        Computing {
            random: random::generator(seed),
            spread,
        }
    }

    /// `seconds` times a number from 1 - spread to 1 + spread.
    pub fn draw(&mut self, seconds: f64) -> f64 {
        if self.spread == 0.0 || seconds == 0.0 {
            return seconds;
        }
        seconds * (1.0 + self.spread * (2.0 * random::unit(&mut self.random) - 1.0))
    }
}

/// The iterations that a job has finished.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Finished {
    /// How many.
    pub count: u64,
    /// When the last one ended; the first began at 0.
    pub last: f64,
}

impl Finished {
    pub fn add(&mut self, now: f64) {
        self.count += 1;
        self.last = now;
    }

    /// Mean seconds of an iteration.
    pub fn mean(&self) -> f64 {
        self.last / self.count as f64
    }
}

/// A simulation of jobs that share links.
pub(super) trait Run: Send {
    /// Goes on until each job has done so many iterations. Returns the time.
    fn until_each_has_done(&mut self, iterations: u64) -> f64;

    /// Goes on as long as something happens up to a time, and to that time.
    fn until(&mut self, time: f64);

    /// The iterations that a job has finished.
    fn finished(&self, job: usize) -> &Finished;

    /// Mean seconds of these, and how many there are.
    fn mean(&self, job: usize) -> (f64, u64) {
        let finished = self.finished(job);
        (finished.mean(), finished.count)
    }

    /// The bytes that each channel has carried until now.
    fn carried(&self, channels: &Channels) -> Vec<(u32, f64)>;

    /// The stages of the jobs that are kept.
    fn spans(&mut self) -> &mut Spans;
}

/// A stage of a job: computing or sending for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The job, from 0.
    pub job: usize,
    /// From this second…
    pub from: f64,
    /// …to this one.
    pub to: f64,
    /// Whether it sent; else it computed.
    pub sends: bool,
}

/// The first stages of all jobs, up to a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    pub list: Vec<Span>,
    room: usize,
}

impl Spans {
    /// Keeps as many from now on.
    pub fn keep(&mut self, room: usize) {
        self.room = room;
    }

    pub fn add(&mut self, span: Span) {
        if self.list.len() < self.room && span.to > span.from {
            self.list.push(span);
        }
    }

    /// Keeps no more: time jumps.
    pub fn stop(&mut self) {
        self.room = 0;
    }
}
