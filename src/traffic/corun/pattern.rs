//! States of a simulation that come again: the periods in between are counted instead of simulated.
//!
//! Jobs that repeat their iterations often fall into step: all of them compute, send and wait in the same pattern
//! over and over. A simulation without random draws that comes to a state a second time will do from there what it
//! did after the first. So as many of these periods as fit before the goal are added to the counts at once, and only
//! the rest is simulated.

use std::collections::VecDeque;

use super::progress::JobProgress;

/// Largest difference at which two times (relative to the time between the states), or two parts, count as the same.
pub const NEAR: f64 = 1e-11;

/// Number of states that are kept: longer periods are simulated.
const KEPT: usize = 64;

/// State of a simulation without random draws: two equal states go on in the same way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulationState {
    /// Counters and choices, as whole numbers; equal states have the same.
    pub whole: Vec<u32>,
    /// Seconds from now until something ends, or since it began.
    pub times: Vec<f64>,
    /// Parts of messages that are sent or left, from 0 to 1.
    pub parts: Vec<f64>,
}

/// The goal at which a simulation stops.
#[derive(Clone, Copy, Debug)]
pub enum StopCondition {
    /// Each job has done this number of iterations.
    Iterations(u64),
    /// The simulated time, in seconds, has come.
    Time(f64),
}

/// A state that was met, and what each job had done by then.
#[derive(Clone, Debug)]
struct SeenState {
    state: SimulationState,
    /// Second at which it was met.
    now: f64,
    /// By job: number of iterations done.
    counts: Vec<u64>,
    /// By job and phase: number of times it was done.
    phases: Vec<Vec<f64>>,
}

/// The last states that a simulation was in.
#[derive(Clone, Debug, Default)]
pub struct SeenStates {
    /// States that were met, oldest first.
    seen: VecDeque<SeenState>,
}

impl SeenStates {
    /// Skips as many periods since this state was met before as fit before the goal: adds them to what each of
    /// `jobs` has done, iterations and phases, and returns their seconds. `None` if the state is new or no period
    /// fits. `now` is the simulated time, after `skipped` seconds that were counted.
    pub fn skip_periods(
        &mut self,
        state: SimulationState,
        (now, skipped): (f64, f64),
        goal: StopCondition,
        jobs: &mut [JobProgress],
    ) -> Option<f64> {
        // The last one met gives the shortest period, of which the most fit.
        let before = self.seen.iter().rev().find(|met| {
            met.state.whole == state.whole
                && are_near(&met.state.times, &state.times, now - met.now)
                && are_near(&met.state.parts, &state.parts, 1.0)
        });
        let Some(before) = before else {
            if self.seen.len() == KEPT {
                self.seen.pop_front();
            }
            let counts = jobs.iter().map(|job| job.count).collect();
            let phases = jobs.iter().map(|job| job.done.clone()).collect();
            self.seen.push_back(SeenState {
                state,
                now,
                counts,
                phases,
            });
            return None;
        };
        let period = now - before.now;
        let times = match goal {
            StopCondition::Iterations(n) => {
                // The slowest job decides; its last period is simulated, as it may end within.
                let mut most = 0;
                for (job, before) in jobs.iter().zip(&before.counts) {
                    let gained = (job.count - before).max(1);
                    let periods = n.saturating_sub(job.count).div_ceil(gained);
                    most = most.max(periods.saturating_sub(1));
                }
                most
            }
            StopCondition::Time(time) => {
                (((time - now - skipped) / period) as u64).saturating_sub(1)
            }
        };
        if times == 0 {
            return None;
        }
        let seconds = times as f64 * period;
        for (i, job) in jobs.iter_mut().enumerate() {
            let gained = job.count - before.counts[i];
            job.count += times * gained;
            job.last += if gained > 0 { seconds } else { 0.0 };
            for (done, before) in job.done.iter_mut().zip(&before.phases[i]) {
                *done += times as f64 * (*done - before);
            }
        }
        // States met so far hold counts from before the jump.
        self.seen.clear();
        Some(seconds)
    }
}

/// Checks whether two lists of numbers are the same but for rounding, in units of `unit`.
fn are_near(a: &[f64], b: &[f64], unit: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= NEAR * unit)
}
