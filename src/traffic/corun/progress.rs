//! How far a job of a simulation is.

use nodeorder_base::random::{self, Generator};

/// Source of a job's computing times.
#[derive(Clone, Debug)]
pub struct ComputingTimes {
    random: Generator,
    spread: f64,
}

impl ComputingTimes {
    /// Creates the source that draws times up to the part `spread` from their means.
    pub fn new(seed: u64, spread: f64) -> Self {
        ComputingTimes {
            random: random::seed_generator(seed),
            spread,
        }
    }

    /// Checks whether times differ from their means.
    pub fn is_drawn(&self) -> bool {
        self.spread != 0.0
    }

    /// Draws a time: `seconds` times a number from 1 - spread to 1 + spread.
    pub fn draw_seconds(&mut self, seconds: f64) -> f64 {
        // No draw at all, so that a spread elsewhere does not change the draws of this job.
        if !self.is_drawn() || seconds == 0.0 {
            return seconds;
        }
        seconds * (1.0 + self.spread * (2.0 * random::random_unit(&mut self.random) - 1.0))
    }
}

/// The phase that a job is in, and what it has done.
#[derive(Clone, Debug)]
pub struct JobProgress {
    pub computing: ComputingTimes,
    /// Index of the present phase.
    pub phase: usize,
    /// Second at which the present stage of the phase began.
    pub began: f64,
    /// By phase: number of times it was done.
    pub done: Vec<f64>,
    /// Number of iterations that it has finished.
    pub count: u64,
    /// Second at which the last of them ended; the first began at 0.
    pub last: f64,
}
