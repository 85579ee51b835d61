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
    pub(crate) fn fits_now(&self, nodes: u32, time: i64) -> bool {
        self.lacking(0, nodes, time).is_none()
    }

    /// The first step not before `from` from which on `nodes` are free for `time` ticks.
    pub(crate) fn earliest(&self, nodes: u32, time: i64, from: i64) -> usize {
        let mut step = self.steps.partition_point(|step| step.time < from);
        while let Some(lacking) = self.lacking(step, nodes, time) {
            step = lacking + 1;
        }
        step
    }

    /// The first step with fewer than `nodes` free nodes that begins less than `time` ticks after `step`, or is it.
    fn lacking(&self, step: usize, nodes: u32, time: i64) -> Option<usize> {
        let end = self.steps[step].time + time;
        let lacking =
            self.steps[step..].iter().position(|s| s.free < nodes || s.time >= end)? + step;
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
            self.steps.insert(at, Step { time, free: self.steps[at - 1].free });
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against an array with a cell for every time.
        #[test]
        fn promises_are_kept_at_every_time(
            ends in prop::collection::vec((1i64..40, 1u32..4), 0..6),
            free in 0u32..5,
            asked in prop::collection::vec((1u32..6, 1i64..12, 1u32..4), 1..90),
        ) {
            let mut running: Vec<Assumed> =
                ends.into_iter().map(|(end, nodes)| Assumed { end, task: 0, nodes }).collect();
            running.sort_unstable();
            let all = free + running.iter().map(|task| task.nodes).sum::<u32>();
            let free_at = |time| {
                free + running.iter().filter(|task| task.end <= time).map(|task| task.nodes).sum::<u32>()
            };
            let mut plain: Vec<u32> = (0..3600).map(free_at).collect();
            let mut profile = Profile::new(0, free, &running);
            let mut promised = Vec::new();
            for (nodes, time, most) in asked {
                let nodes = nodes.min(all);
                if nodes == 0 {
                    continue;
                }
                let room = |start: &i64| (*start..start + time).all(|t| plain[t as usize] >= nodes);
                let wanted = (0..).find(room).unwrap();
                prop_assert_eq!(profile.fits_now(nodes, time), wanted == 0);
                let step = profile.earliest(nodes, time, i64::MIN);
                prop_assert_eq!(profile.time(step), wanted);
                // From the promise to one that asked for no more, no longer: a step begins there.
                let known = promised.iter().filter(|(n, t, _)| *n <= nodes && *t <= time);
                let from = known.map(|(.., at)| *at).max().unwrap_or(0);
                prop_assert_eq!(profile.earliest(nodes, time, from), step);
                promised.push((nodes, time, wanted));
                let inside = &mut plain[wanted as usize..(wanted + time) as usize];
                let room = inside.iter().min().unwrap() / nodes;
                let count = profile.reserve(step, time, nodes, most);
                prop_assert_eq!(count, most.min(room));
                inside.iter_mut().for_each(|f| *f -= nodes * count);
            }
        }
    }
}
