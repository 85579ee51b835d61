//! Free nodes over time to come, as promised so far.

/// A step function of time: from each time on, until the next, so many nodes are free. The last step has no
/// end.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    steps: Vec<(i64, u32)>,
}

impl Profile {
    /// `free` nodes from `now` on, and more as those of `ends` (ascending by time, all after `now`) come back.
    pub fn new(now: i64, free: u32, ends: impl Iterator<Item = (i64, u32)>) -> Self {
        let mut steps = vec![(now, free)];
        let mut free = free;
        for (time, nodes) in ends {
            free += nodes;
            match steps.last_mut() {
                Some(last) if last.0 == time => last.1 = free,
                _ => steps.push((time, free)),
            }
        }
        Profile { steps }
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: i64) {
        let current = self.steps.partition_point(|(time, _)| *time <= now).max(1) - 1;
        self.steps.drain(..current);
        self.steps[0].0 = self.steps[0].0.max(now);
    }

    /// The earliest time at which `nodes` are free for `time` ticks. All nodes are free at last.
    pub fn earliest(&self, nodes: u32, time: i64) -> i64 {
        let mut start = None;
        for (from, free) in &self.steps {
            match start {
                Some(start) if *from - start >= time => return start,
                _ if *free < nodes => start = None,
                None => start = Some(*from),
                Some(_) => {}
            }
        }
        // The last step has room for everybody.
        start.unwrap_or_else(|| self.steps.last().map_or(0, |(from, _)| *from))
    }

    /// Takes `nodes` away from `start` for `time` ticks.
    pub fn reserve(&mut self, start: i64, time: i64, nodes: u32) {
        let first = self.cut(start);
        let last = self.cut(start + time);
        self.steps[first..last].iter_mut().for_each(|(_, free)| *free -= nodes);
    }

    /// The index of the step that begins at `time`, which is not before the first.
    fn cut(&mut self, time: i64) -> usize {
        let at = self.steps.partition_point(|(from, _)| *from < time);
        if self.steps.get(at).is_none_or(|(from, _)| *from != time) {
            let free = self.steps[at - 1].1;
            self.steps.insert(at, (time, free));
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
            asked in prop::collection::vec((1u32..6, 1i64..12), 1..12),
            skip in 0i64..30,
        ) {
            let mut ends = ends;
            ends.sort_unstable();
            let all = free + ends.iter().map(|e| e.1).sum::<u32>();
            const LONG: usize = 400;
            let mut plain: Vec<u32> = (0..LONG as i64)
                .map(|t| free + ends.iter().filter(|e| e.0 <= t).map(|e| e.1).sum::<u32>())
                .collect();
            let mut profile = Profile::new(0, free, ends.into_iter());
            let mut now = 0;
            for (i, (nodes, time)) in asked.into_iter().enumerate() {
                if i == 3 {
                    now = skip;
                    profile.advance(now);
                }
                let nodes = nodes.min(all);
                if nodes == 0 {
                    continue;
                }
                let room = |start: &i64| (*start..start + time).all(|t| plain[t as usize] >= nodes);
                let wanted = (now..).find(room).unwrap();
                prop_assert_eq!(profile.earliest(nodes, time), wanted);
                profile.reserve(wanted, time, nodes);
                plain[wanted as usize..(wanted + time) as usize].iter_mut().for_each(|f| *f -= nodes);
            }
        }
    }
}
