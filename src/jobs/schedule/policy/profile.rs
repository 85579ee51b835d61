//! Free nodes over time to come, as promised so far.

use super::Assumed;

/// A step function of time: from each time on, until the next, so many nodes are free. The last step has no
/// end, and all nodes are free then.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// Ascending by time, never empty; the first begins now.
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    time: i64,
    free: u32,
}

impl Profile {
    /// `free` nodes from `now` on, and more as running tasks, sorted by end, give theirs back. One that outstays its
    /// assumed end is taken to end at the next tick.
    pub fn new(now: i64, free: u32, running: &[Assumed]) -> Self {
        let mut steps = vec![Step { time: now, free }];
        for task in running {
            let (time, last) = (task.end.max(now + 1), steps[steps.len() - 1]);
            let free = last.free + task.nodes;
            if last.time == time {
                steps.pop();
            }
            steps.push(Step { time, free });
        }
        Profile { steps }
    }

    /// When a step begins.
    pub fn time(&self, step: usize) -> i64 {
        self.steps[step].time
    }

    /// Whether `nodes` are free for `time` ticks from now on.
    pub fn fits_now(&self, nodes: u32, time: i64) -> bool {
        self.lacking(0, nodes, time).is_none()
    }

    /// The first step not before `from` from which on `nodes` are free for `time` ticks.
    pub fn earliest(&self, nodes: u32, time: i64, from: i64) -> usize {
        let mut step = self.steps.partition_point(|step| step.time < from);
        while let Some(lacking) = self.lacking(step, nodes, time) {
            step = lacking + 1;
        }
        step
    }

    /// The first step with fewer than `nodes` free nodes that begins less than `time` ticks after `step`, or is it.
    fn lacking(&self, step: usize, nodes: u32, time: i64) -> Option<usize> {
        let end = self.steps[step].time + time;
        let lacking = self.steps[step..]
            .iter()
            .position(|s| s.free < nodes || s.time >= end)?
            + step;
        (self.steps[lacking].time < end).then_some(lacking)
    }

    /// Reserves `nodes` for `time` ticks from the begin of a step on, for as many tasks alike as fit there, of at most
    /// `most`. Says how many.
    pub fn reserve(&mut self, step: usize, time: i64, nodes: u32, most: u32) -> u32 {
        let end = self.cut(self.steps[step].time + time);
        let inside = &mut self.steps[step..end];
        let least = inside.iter().map(|s| s.free).min().unwrap_or(0);
        let count = (least / nodes).min(most);
        inside.iter_mut().for_each(|s| s.free -= nodes * count);
        count
    }

    /// The index of the step that begins at `time`, which is not before the first; made where there is none.
    fn cut(&mut self, time: i64) -> usize {
        let at = self.steps.partition_point(|step| step.time < time);
        if self.steps.get(at).is_none_or(|step| step.time != time) {
            self.steps.insert(
                at,
                Step {
                    time,
                    free: self.steps[at - 1].free,
                },
            );
        }
        at
    }
}
