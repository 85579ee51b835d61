//! States of a simulation that come again.

use std::collections::VecDeque;

/// How far times (relative to the time since the state before) and parts may be apart to be the same.
const NEAR: f64 = 1e-11;

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

/// When a state was met, and what each job had done by then.
#[derive(Clone, Debug)]
pub(super) struct Met {
    state: State,
    pub now: f64,
    /// Iterations of each job.
    pub counts: Vec<u64>,
    /// How often each phase of each job was done.
    pub phases: Vec<f64>,
}

/// The last states met.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    met: VecDeque<Met>,
}

impl Pattern {
    /// The last time that this state was met, if it was; notes it otherwise.
    pub fn met(
        &mut self,
        state: State,
        now: f64,
        counts: Vec<u64>,
        phases: Vec<f64>,
    ) -> Option<Met> {
        let same = |met: &&Met| {
            let near = |a: &[f64], b: &[f64], unit: f64| {
                a.iter().zip(b).all(|(a, b)| (a - b).abs() <= NEAR * unit)
            };
            met.state.whole == state.whole
                && near(&met.state.times, &state.times, now - met.now)
                && near(&met.state.parts, &state.parts, 1.0)
        };
        if let Some(met) = self.met.iter().rev().find(same) {
            return Some(met.clone());
        }
        if self.met.len() == KEPT {
            self.met.pop_front();
        }
        self.met.push_back(Met { state, now, counts, phases });
        None
    }

    /// Forgets all states: counts made since have jumped.
    pub fn forget(&mut self) {
        self.met.clear();
    }
}
