//! States of a simulation that come again.

use std::collections::VecDeque;

use super::timing::Finished;

/// How far times (relative to the time since the state before) and parts may be apart to be the same.
pub(super) const NEAR: f64 = 1e-11;

/// States that are kept.
const KEPT: usize = 64;

/// State of a simulation without random draws: two equal states have the same future.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Counters and choices.
    pub whole: Vec<u32>,
    /// Seconds, from now.
    pub times: Vec<f64>,
    /// Parts of messages that are sent.
    pub parts: Vec<f64>,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    Iterations(u64),
    Time(f64),
}

/// When a state was met, and what each job had done by then.
#[derive(Clone, Debug)]
struct Met {
    state: State,
    now: f64,
    /// Iterations of each job.
    counts: Vec<u64>,
    /// How often each phase of each job was done.
    phases: Vec<Vec<f64>>,
}

/// The last states met.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    met: VecDeque<Met>,
}

impl Pattern {
    /// Where this state was met before, all that happened since will happen again: counts as many of these periods as fit
    /// before the goal, and returns their seconds. `now` is the simulated time, after `skipped` seconds that were counted;
    /// `jobs` are what each job has done, iterations and phases.
    pub fn count(
        &mut self,
        state: State,
        (now, skipped): (f64, f64),
        goal: Goal,
        jobs: &mut [(&mut Finished, &mut Vec<f64>)],
    ) -> Option<f64> {
        let same = |met: &&Met| {
            let near = |a: &[f64], b: &[f64], unit: f64| {
                a.iter().zip(b).all(|(a, b)| (a - b).abs() <= NEAR * unit)
            };
            met.state.whole == state.whole
                && near(&met.state.times, &state.times, now - met.now)
                && near(&met.state.parts, &state.parts, 1.0)
        };
        let Some(before) = self.met.iter().rev().find(same) else {
            if self.met.len() == KEPT {
                self.met.pop_front();
            }
            let counts = jobs.iter().map(|(finished, _)| finished.count).collect();
            let phases = jobs.iter().map(|(_, done)| done.to_vec()).collect();
            self.met.push_back(Met {
                state,
                now,
                counts,
                phases,
            });
            return None;
        };
        let period = now - before.now;
        let times = match goal {
            Goal::Iterations(n) => {
                let before_last = |((finished, _), before): (&(&mut Finished, _), &u64)| {
                    let gained = (finished.count - before).max(1);
                    n.saturating_sub(finished.count)
                        .div_ceil(gained)
                        .saturating_sub(1)
                };
                jobs.iter()
                    .zip(&before.counts)
                    .map(before_last)
                    .max()
                    .unwrap_or(0)
            }
            Goal::Time(time) => (((time - now - skipped) / period) as u64).saturating_sub(1),
        };
        if times == 0 {
            return None;
        }
        let seconds = times as f64 * period;
        for (i, (finished, done)) in jobs.iter_mut().enumerate() {
            let gained = finished.count - before.counts[i];
            finished.count += times * gained;
            finished.last += if gained > 0 { seconds } else { 0.0 };
            for (done, before) in done.iter_mut().zip(&before.phases[i]) {
                *done += times as f64 * (*done - before);
            }
        }
        // Counts have jumped.
        self.met.clear();
        Some(seconds)
    }
}
