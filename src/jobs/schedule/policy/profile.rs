//! The profile: how many nodes will be free from each time on, beside running tasks and promises made so far.
//!
//! It is a staircase. With 8 nodes, of which 2 are free now and running tasks give back 4 at 10 and 2 at 20, it has
//! three segments: 2 from 0, 6 from 10, 8 from 20. A promise of 4 nodes from 10 for 15 lowers it and adds a segment
//! at its end:
//!
//! ```text
//! before   2 from 0   6 from 10   8 from 20
//! after    2 from 0   2 from 10   4 from 20   8 from 25
//! ```

use super::AssumedEnd;
use super::entry::PassTimes;

/// Number of free nodes as a step function of time, in segments. The last segment has no end; all nodes are free
/// there.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Segments by time, at least one; the first begins now.
    segments: Vec<ProfileSegment>,
}

/// Segment of a profile: the number of nodes that are free from a time on, until the next segment.
#[derive(Clone, Copy, Debug)]
struct ProfileSegment {
    time: i64,
    free: u32,
}

impl Profile {
    /// Creates the profile without promises: `free` nodes from `now` on, and more as running tasks, sorted by
    /// assumed end, give theirs back.
    pub fn new(now: i64, free: u32, running: &[AssumedEnd]) -> Self {
        let mut steps = vec![ProfileSegment { time: now, free }];
        for task in running {
            // A task that outstays its assumed end is taken to end at the next tick.
            let time = task.end.max(now + 1);
            let last = steps[steps.len() - 1];
            let free = last.free + task.nodes;
            // Tasks that end together make one segment.
            if last.time == time {
                steps.pop();
            }
            steps.push(ProfileSegment { time, free });
        }
        Profile { segments: steps }
    }

    /// Drops the segments before `now`.
    pub fn drop_past(&mut self, now: i64) {
        let begun = self.segments.partition_point(|step| step.time <= now);
        self.segments.drain(..begun.max(1) - 1);
        self.segments[0].time = self.segments[0].time.max(now);
    }

    /// Adds free nodes from one time to another.
    pub fn give_nodes(&mut self, from: i64, to: i64, nodes: u32) {
        self.change_segments(from, to, |free| *free += nodes);
    }

    /// Takes free nodes from one time to another.
    pub fn take_nodes(&mut self, from: i64, to: i64, nodes: u32) {
        self.change_segments(from, to, |free| *free -= nodes);
    }

    /// Changes the number of free nodes from one time to another; segments that come out alike are joined.
    fn change_segments(&mut self, from: i64, to: i64, change: impl Fn(&mut u32)) {
        let first = self.split_at_time(from);
        let end = self.split_at_time(to);
        self.segments[first..end]
            .iter_mut()
            .for_each(|step| change(&mut step.free));
        for at in [end, first] {
            if at > 0 && self.segments[at - 1].free == self.segments[at].free {
                self.segments.remove(at);
            }
        }
    }

    /// Finds the first time of a pass, not before `from` and before `limit`, from which on `nodes` are free until
    /// `limit` or for `time` ticks, whichever ends first. `None` if there is none.
    pub fn earliest_start(
        &self,
        nodes: u32,
        time: i64,
        from: i64,
        limit: i64,
        passes: PassTimes,
    ) -> Option<i64> {
        let begun = self.segments.partition_point(|step| step.time <= from);
        let mut step = begun.max(1) - 1;
        loop {
            let start = passes.next_pass(self.segments.get(step)?.time.max(from));
            if start >= limit {
                return None;
            }
            let end = limit.min(start.saturating_add(time));
            let mut inside = (step..)
                .zip(&self.segments[step..])
                .take_while(|(_, segment)| segment.time < end);
            let lack = inside.find(|(at, segment)| {
                // The next pass may come only after this segment.
                let next = self.segments.get(at + 1);
                segment.free < nodes && next.is_none_or(|next| next.time > start)
            });
            match lack {
                // Every start up to its end would run into it, too.
                Some((lacking, _)) => step = lacking + 1,
                None => return Some(start),
            }
        }
    }

    /// Finds the first time of a pass from which on `nodes` are free for `time` ticks.
    pub fn first_start(&self, nodes: u32, time: i64, passes: PassTimes) -> i64 {
        // All nodes are free at last, so there is one.
        self.earliest_start(nodes, time, i64::MIN, i64::MAX, passes)
            .unwrap_or(i64::MAX)
    }

    /// Looks up the time at which a segment begins.
    pub fn segment_begin(&self, step: usize) -> i64 {
        self.segments[step].time
    }

    /// Checks whether `nodes` are free for `time` ticks from now on.
    pub fn fits_now(&self, nodes: u32, time: i64) -> bool {
        self.first_lack(0, nodes, time).is_none()
    }

    /// Finds the first segment, not before time `from`, from whose begin on `nodes` are free for `time` ticks.
    pub fn earliest_fit(&self, nodes: u32, time: i64, from: i64) -> usize {
        let mut step = self.segments.partition_point(|step| step.time < from);
        while let Some(lacking) = self.first_lack(step, nodes, time) {
            // Every earlier begin would run into the same lack.
            step = lacking + 1;
        }
        step
    }

    /// Finds the first segment from `step` on, within `time` ticks of its begin, that has fewer than `nodes` free
    /// nodes.
    fn first_lack(&self, step: usize, nodes: u32, time: i64) -> Option<usize> {
        let end = self.segments[step].time + time;
        let inside = self.segments[step..].iter().take_while(|s| s.time < end);
        (step..)
            .zip(inside)
            .find(|(_, s)| s.free < nodes)
            .map(|(lacking, _)| lacking)
    }

    /// Reserves `nodes` for `time` ticks from the begin of a segment on, for as many equal tasks as fit there, at most
    /// `most`. Returns how many fitted.
    pub fn reserve_nodes(&mut self, step: usize, time: i64, nodes: u32, most: u32) -> u32 {
        let end = self.split_at_time(self.segments[step].time + time);
        let inside = &mut self.segments[step..end];
        let least = inside.iter().map(|s| s.free).min().unwrap_or(0);
        let count = (least / nodes).min(most);
        inside.iter_mut().for_each(|s| s.free -= nodes * count);
        count
    }

    /// Finds the index of the segment that begins at `time`, not before the first; splits a segment if there is
    /// none.
    fn split_at_time(&mut self, time: i64) -> usize {
        let at = self.segments.partition_point(|step| step.time < time);
        if self.segments.get(at).is_none_or(|step| step.time != time) {
            let free = self.segments[at - 1].free;
            self.segments.insert(at, ProfileSegment { time, free });
        }
        at
    }
}
