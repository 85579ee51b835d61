//! Free nodes over time to come, as promised so far.

/// Steps of a block at most.
const BLOCK: usize = 32;

/// A step function of time: from each time on, until the next, so many nodes are free. The last step has no
/// end.
///
/// A tree of two levels: steps stand in blocks, each under a head with the least and the most of them. A search
/// passes over blocks that have room throughout, or nowhere, without a look at their steps, and a promise changes
/// the blocks inside it as a whole.
///
/// # Complexity
/// With s steps a search looks at s/16 heads at most and at the steps of blocks in which room begins or ends; a
/// promise changes s/16 heads at most and the steps of two blocks.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// In the order of time, never empty; a block has at least one step.
    heads: Vec<Head>,
    /// In the order they were made: only heads move.
    blocks: Vec<Block>,
}

/// What is true of a block as a whole.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// The time of its first step.
    begin: i64,
    /// The least and the most free nodes of a step.
    least: u32,
    most: u32,
    /// To be subtracted from all that the block says is free.
    taken: u32,
    /// Which block it is.
    block: u32,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    len: usize,
    times: [i64; BLOCK],
    free: [u32; BLOCK],
}

impl Block {
    fn new(time: i64, free: u32) -> Self {
        Block { len: 1, times: [time; BLOCK], free: [free; BLOCK] }
    }

    fn times(&self) -> &[i64] {
        &self.times[..self.len]
    }

    /// The head of this block, number `block`.
    fn head(&self, block: u32, taken: u32) -> Head {
        let (mut least, mut most) = (u32::MAX, 0);
        for free in &self.free[..self.len] {
            (least, most) = (least.min(*free), most.max(*free));
        }
        Head { begin: self.times[0], least: least - taken, most: most - taken, taken, block }
    }

    /// Forgets the first `count` steps, not all.
    fn forget(&mut self, count: usize) {
        self.times.copy_within(count..self.len, 0);
        self.free.copy_within(count..self.len, 0);
        self.len -= count;
    }
}

impl Profile {
    /// `free` nodes from `now` on, and more as those of `ends` (ascending by time, all after `now`) come back.
    pub fn new(now: i64, free: u32, ends: impl Iterator<Item = (i64, u32)>) -> Self {
        let mut blocks = vec![Block::new(now, free)];
        let (mut free, mut before) = (free, now);
        for (time, nodes) in ends {
            free += nodes;
            match blocks.last_mut() {
                Some(last) if before == time => last.free[last.len - 1] = free,
                // Room is left for promises.
                Some(last) if last.len < BLOCK * 3 / 4 => {
                    (last.times[last.len], last.free[last.len]) = (time, free);
                    last.len += 1;
                }
                _ => blocks.push(Block::new(time, free)),
            }
            before = time;
        }
        let heads = blocks.iter().zip(0..).map(|(block, number)| block.head(number, 0)).collect();
        Profile { heads, blocks }
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: i64) {
        let block = self.block_of(now);
        self.heads.drain(..block);
        let head = self.heads[0];
        let first = &mut self.blocks[head.block as usize];
        let current = first.times().partition_point(|time| *time <= now).max(1) - 1;
        first.forget(current);
        first.times[0] = first.times[0].max(now);
        self.heads[0] = first.head(head.block, head.taken);
    }

    /// The block that `time` is in; the first for times before it.
    fn block_of(&self, time: i64) -> usize {
        self.heads.partition_point(|head| head.begin <= time).max(1) - 1
    }

    /// The earliest time, not before `from`, at which `nodes` are free for `time` ticks: `from` is before the
    /// first step or the time of one. All nodes are free at last.
    pub fn earliest(&self, nodes: u32, time: i64, from: i64) -> i64 {
        let first = self.block_of(from);
        let mut start = None;
        for head in &self.heads[first..] {
            if let Some(start) = start.filter(|start| head.begin - start >= time) {
                return start;
            }
            if head.most < nodes {
                start = None;
            } else if head.least >= nodes {
                start = start.or(Some(head.begin.max(from)));
            } else {
                let wanted = nodes + head.taken;
                let block = &self.blocks[head.block as usize];
                let steps = block.times().iter().zip(&block.free);
                for (at, free) in steps.skip_while(|(at, _)| **at < from) {
                    match start {
                        Some(start) if *at - start >= time => return start,
                        _ if *free < wanted => start = None,
                        None => start = Some(*at),
                        Some(_) => {}
                    }
                }
            }
        }
        // The last step has room for everybody.
        start.unwrap_or_else(|| {
            let last = self.heads.last().map(|head| &self.blocks[head.block as usize]);
            last.map_or(0, |last| last.times[last.len - 1])
        })
    }

    /// Takes `nodes` away from `start` for `time` ticks.
    pub fn reserve(&mut self, start: i64, time: i64, nodes: u32) {
        let end = start + time;
        self.cut(end);
        // After the end's: a cut may move what is behind it.
        let (first, from) = self.cut(start);
        let mut from = from;
        for i in first..self.heads.len() {
            if self.heads[i].begin >= end {
                break;
            }
            // The end is the time of a step: if the next block does not begin behind it, all of this one is before it.
            let whole = from == 0 && self.heads.get(i + 1).is_some_and(|next| next.begin <= end);
            let head = &mut self.heads[i];
            if whole {
                head.taken += nodes;
                head.least -= nodes;
                head.most -= nodes;
            } else {
                let block = &mut self.blocks[head.block as usize];
                let to = block.times().partition_point(|time| *time < end);
                block.free[from..to].iter_mut().for_each(|free| *free -= nodes);
                *head = block.head(head.block, head.taken);
            }
            from = 0;
        }
    }

    /// The block and the index in it of the step that begins at `time`, which is not before the first; made where
    /// there is none.
    fn cut(&mut self, time: i64) -> (usize, usize) {
        let mut at = self.block_of(time);
        let Head { block: number, taken, .. } = self.heads[at];
        let block = &mut self.blocks[number as usize];
        let mut step = block.times().partition_point(|from| *from <= time) - 1;
        if block.times[step] == time {
            return (at, step);
        }
        if block.len == BLOCK {
            let mut behind = *block;
            behind.forget(BLOCK / 2);
            block.len = BLOCK / 2;
            self.heads[at] = block.head(number, taken);
            self.heads.insert(at + 1, behind.head(self.blocks.len() as u32, taken));
            self.blocks.push(behind);
            if step >= BLOCK / 2 {
                (at, step) = (at + 1, step - BLOCK / 2);
            }
        }
        // As many are free as in the step that it begins in.
        let block = &mut self.blocks[self.heads[at].block as usize];
        block.times.copy_within(step..block.len, step + 1);
        block.free.copy_within(step..block.len, step + 1);
        block.len += 1;
        block.times[step + 1] = time;
        (at, step + 1)
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
            asked in prop::collection::vec((1u32..6, 1i64..12), 1..90),
            skip in 0i64..30,
        ) {
            let mut ends = ends;
            ends.sort_unstable();
            let all = free + ends.iter().map(|e| e.1).sum::<u32>();
            const LONG: usize = 1400;
            let mut plain: Vec<u32> = (0..LONG as i64)
                .map(|t| free + ends.iter().filter(|e| e.0 <= t).map(|e| e.1).sum::<u32>())
                .collect();
            let mut profile = Profile::new(0, free, ends.into_iter());
            let (mut now, mut promised) = (0, Vec::new());
            for (i, (nodes, time)) in asked.into_iter().enumerate() {
                if i % 20 == 3 {
                    now += skip;
                    profile.advance(now);
                }
                let nodes = nodes.min(all);
                if nodes == 0 {
                    continue;
                }
                let room = |start: &i64| (*start..start + time).all(|t| plain[t as usize] >= nodes);
                let wanted = (now..).find(room).unwrap();
                prop_assert_eq!(profile.earliest(nodes, time, i64::MIN), wanted);
                // From the promise to one that asked for no more, no longer: a step begins there.
                let known = promised.iter().filter(|(n, t, _)| *n <= nodes && *t <= time);
                let from = known.map(|(.., at)| *at).max().unwrap_or(now);
                prop_assert_eq!(profile.earliest(nodes, time, from), wanted);
                promised.push((nodes, time, wanted));
                profile.reserve(wanted, time, nodes);
                plain[wanted as usize..(wanted + time) as usize].iter_mut().for_each(|f| *f -= nodes);
            }
        }
    }
}
