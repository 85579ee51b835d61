//! Free nodes over time to come, as promised so far.

use std::ops::Range;

/// Steps of a block at most: bits of a word.
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
    /// Those that no head has any more.
    unused: Vec<u32>,
}

/// The step of a profile at which something may begin. It holds until the profile changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// When it begins.
    pub time: i64,
    /// Where it stands.
    block: usize,
    step: usize,
}

/// What lacks for a task to begin before its spot: it cannot while fewer nodes come back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lacks {
    /// At the step before the spot, which all begins after `since` need.
    before: i32,
    since: i64,
    /// At one of the steps that stand in the way of earlier begins.
    rest: i32,
}

impl Lacks {
    /// `nodes` have come back from now to a later time; whether that is beyond the step before the spot.
    pub fn give(&mut self, nodes: u32, beyond: bool) {
        self.before = self.before.saturating_sub(if beyond { nodes as i32 } else { 0 });
        self.rest = self.rest.saturating_sub(nodes as i32);
    }

    /// Whether it is certain that the task cannot begin earlier.
    pub fn holds(&self, now: i64) -> bool {
        self.before > 0 && (self.rest > 0 || self.since < now)
    }
}

/// What is true of a block as a whole.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// The time of its first step.
    begin: i64,
    /// The least and the most free nodes of a step.
    least: i32,
    most: i32,
    /// To be subtracted from all that the block says is free.
    taken: i32,
    /// Which block it is.
    block: u32,
}

/// Entries behind the last step say `i64::MAX` and what is free at that step, so that loops may run over all.
#[derive(Clone, Copy, Debug)]
struct Block {
    len: usize,
    times: [i64; BLOCK],
    free: [i32; BLOCK],
}

impl Block {
    fn new(time: i64, free: i32) -> Self {
        let mut times = [i64::MAX; BLOCK];
        times[0] = time;
        Block { len: 1, times, free: [free; BLOCK] }
    }

    /// A step behind the others.
    fn push(&mut self, time: i64, free: i32) {
        self.times[self.len] = time;
        self.free[self.len..].fill(free);
        self.len += 1;
    }

    /// How many steps begin before `time`.
    fn before(&self, time: i64) -> usize {
        self.times.partition_point(|at| *at < time)
    }

    /// Bit by bit: whether so many nodes are free.
    fn fits(&self, nodes: i32) -> u32 {
        let mut bits = 0;
        for (i, free) in self.free.iter().enumerate() {
            bits |= u32::from(*free >= nodes) << i;
        }
        bits
    }

    /// Takes `nodes` away at some steps; the head of this block, number `block`.
    fn take(&mut self, steps: Range<usize>, nodes: i32, block: u32, taken: i32) -> Head {
        let to = if steps.end == self.len { BLOCK } else { steps.end };
        let (from, to) = (steps.start as i32, to as i32);
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        for (i, free) in (0..).zip(&mut self.free) {
            *free -= if (i >= from) & (i < to) { nodes } else { 0 };
            (least, most) = (least.min(*free), most.max(*free));
        }
        Head { begin: self.times[0], least: least - taken, most: most - taken, taken, block }
    }

    /// The least free nodes of the steps `from..to`; `i32::MAX` for none.
    fn least(&self, from: usize, to: usize) -> i32 {
        let (from, to) = (from as i32, to as i32);
        let inside = (0..)
            .zip(&self.free)
            .map(|(i, free)| if (i >= from) & (i < to) { *free } else { i32::MAX });
        inside.fold(i32::MAX, i32::min)
    }

    /// Forgets the first `count` steps, not all.
    fn forget(&mut self, count: usize) {
        self.times.copy_within(count..self.len, 0);
        self.free.copy_within(count..self.len, 0);
        self.shorten(self.len - count);
    }

    /// Forgets all but the first `len` steps.
    fn shorten(&mut self, len: usize) {
        self.len = len;
        self.times[len..].fill(i64::MAX);
        let last = self.free[len - 1];
        self.free[len..].fill(last);
    }
}

impl Profile {
    /// `free` nodes from `now` on, and more as those of `ends` (ascending by time, all after `now`) come back.
    pub fn new(now: i64, free: u32, ends: impl Iterator<Item = (i64, u32)>) -> Self {
        let mut free = free as i32;
        let mut last = Block::new(now, free);
        let mut blocks = Vec::new();
        let mut before = now;
        for (time, nodes) in ends {
            free += nodes as i32;
            if before == time {
                last.free[last.len - 1..].fill(free);
            } else if last.len < BLOCK * 3 / 4 {
                last.push(time, free);
            } else {
                blocks.push(last);
                last = Block::new(time, free);
            }
            before = time;
        }
        blocks.push(last);
        let heads = blocks
            .iter_mut()
            .zip(0..)
            .map(|(block, number)| block.take(0..0, 0, number, 0))
            .collect();
        Profile { heads, blocks, unused: Vec::new() }
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: i64) {
        let block = self.block_of(now);
        self.unused.extend(self.heads.drain(..block).map(|head| head.block));
        let head = self.heads[0];
        let first = &mut self.blocks[head.block as usize];
        let current = first.before(now + 1).max(1) - 1;
        first.forget(current);
        first.times[0] = first.times[0].max(now);
        self.heads[0] = first.take(0..0, 0, head.block, head.taken);
    }

    /// The block that `time` is in; the first for times before it.
    fn block_of(&self, time: i64) -> usize {
        self.heads.partition_point(|head| head.begin <= time).max(1) - 1
    }

    /// The first step, not before `from`, from which on `nodes` are free for `time` ticks: `from` is before the first step
    /// or the time of one. All nodes are free at last.
    pub fn earliest(&self, nodes: u32, time: i64, from: i64) -> Spot {
        self.search(nodes, time, from, i64::MAX).unwrap_or_else(|| {
            let block = self.heads.len() - 1;
            let last = &self.blocks[self.heads[block].block as usize];
            Spot { time: last.times[last.len - 1], block, step: last.len - 1 }
        })
    }

    /// Whether [`Profile::earliest`] is before `until`.
    pub fn begins_before(&self, until: i64, nodes: u32, time: i64, from: i64) -> bool {
        self.search(nodes, time, from, until).is_some_and(|spot| spot.time < until)
    }

    /// The first step.
    pub fn first(&self) -> Spot {
        Spot { time: self.heads[0].begin, block: 0, step: 0 }
    }

    /// The step that [`Profile::earliest`] finds, if it is before `until`; perhaps one that is not.
    #[inline]
    fn search(&self, nodes: u32, time: i64, from: i64, until: i64) -> Option<Spot> {
        let nodes = nodes as i32;
        let first = self.block_of(from);
        let mut skip = self.blocks[self.heads[first].block as usize].before(from);
        let mut open: Option<Spot> = None;
        for (i, head) in self.heads.iter().enumerate().skip(first) {
            if let Some(spot) = open {
                if head.begin - spot.time >= time {
                    return open;
                }
            } else if head.begin >= until {
                return None;
            }
            if head.most < nodes {
                open = None;
            } else if head.least >= nodes {
                let time = if skip == 0 { head.begin } else { from };
                open = open.or(Some(Spot { time, block: i, step: skip }));
            } else {
                let block = &self.blocks[head.block as usize];
                let fits = block.fits(nodes + head.taken);
                // The first step at or behind `at` of those whose bits are set.
                let next = |bits: u32, at: usize| ((bits >> at) << at).trailing_zeros() as usize;
                let mut at = skip;
                loop {
                    if open.is_none() {
                        at = next(fits, at);
                        if at == BLOCK {
                            break;
                        }
                        open = Some(Spot { time: block.times[at], block: i, step: at });
                    }
                    at = next(!fits, at);
                    if at == BLOCK {
                        break;
                    }
                    if open.is_some_and(|spot| block.times[at] - spot.time >= time) {
                        return open;
                    }
                    open = None;
                }
            }
            skip = 0;
        }
        open
    }

    /// What lacks for a task to begin before `spot`, which [`Profile::earliest`] found for it from `from` on; from the first step
    /// on it lacks nothing there.
    pub fn lacks(&self, spot: Spot, nodes: u32, time: i64, from: i64) -> Lacks {
        let nodes = nodes as i32;
        let (block, step) = match (spot.block, spot.step) {
            (0, 0) => return Lacks { before: i32::MAX, since: i64::MIN, rest: i32::MAX },
            (block, 0) => (block - 1, self.blocks[self.heads[block - 1].block as usize].len - 1),
            (block, step) => (block, step - 1),
        };
        let head = &self.heads[block];
        let Block { times, free, .. } = &self.blocks[head.block as usize];
        let (before, since) = (nodes - (free[step] - head.taken), times[step] - time);
        if from.max(self.heads[0].begin) > since {
            return Lacks { before, since: i64::MIN, rest: i32::MAX };
        }
        // The most of the steps without room up to the first of them that begins after `since`.
        let first = self.block_of(from);
        let mut skip = self.blocks[self.heads[first].block as usize].before(from);
        let mut most = i32::MIN;
        for head in &self.heads[first..=block] {
            if head.most < nodes && skip == 0 {
                most = most.max(head.most);
                if head.begin > since {
                    break;
                }
            } else if head.least < nodes {
                let block = &self.blocks[head.block as usize];
                let steps = (1u64 << block.len) - (1 << skip);
                let unfit = !u64::from(block.fits(nodes + head.taken)) & steps;
                // Up to the first that begins later.
                let passed = block.before(since + 1);
                let later = (unfit >> passed << passed).trailing_zeros();
                let unfit = if later < 64 { unfit & ((2 << later) - 1) } else { unfit };
                for (i, free) in block.free.iter().enumerate() {
                    let counts = unfit & 1 << i != 0;
                    most = most.max(if counts { free - head.taken } else { i32::MIN });
                }
                if later < 64 {
                    break;
                }
            }
            skip = 0;
        }
        Lacks { before, since, rest: nodes.saturating_sub(most) }
    }

    /// What is free from the first step on: for how long at most, and how many nodes; fewer nodes for longer, the last
    /// for ever. O(steps/16), and the steps of blocks in which fewer are free than ever before.
    pub fn stairs(&self, stairs: &mut Vec<(i64, u32)>) {
        stairs.clear();
        let begin = self.heads[0].begin;
        let mut least = self.blocks[self.heads[0].block as usize].free[0] - self.heads[0].taken;
        for head in &self.heads {
            if head.least >= least {
                continue;
            }
            let block = &self.blocks[head.block as usize];
            for (time, free) in block.times.iter().zip(&block.free) {
                let free = free - head.taken;
                if free < least {
                    stairs.push((time - begin, least as u32));
                    least = free;
                }
            }
            if least == 0 {
                break;
            }
        }
        stairs.push((i64::MAX, least as u32));
    }

    /// Takes `nodes` away from a step on for `time` ticks, as often as there are, `most` times at most; at least once.
    /// How often.
    pub fn reserve(&mut self, spot: Spot, time: i64, nodes: u32, most: usize) -> usize {
        let Spot { mut block, mut step, .. } = spot;
        let blocks = self.heads.len();
        let (last, end) = self.cut(spot.time + time);
        if self.heads.len() > blocks && step >= BLOCK / 2 && last - block <= 1 {
            (block, step) = self.locate(spot.time);
        }
        let to = |i: usize| if i == last { end } else { BLOCK };
        let mut count = 1;
        if most > 1 {
            let mut least = i32::MAX;
            for i in block..=last {
                let (head, from) = (&self.heads[i], if i == block { step } else { 0 });
                least = least.min(match (from, to(i)) {
                    (0, 0) => i32::MAX,
                    (0, BLOCK) => head.least,
                    (from, to) => self.blocks[head.block as usize].least(from, to) - head.taken,
                });
            }
            count = (least as u32 / nodes.max(1)).clamp(1, most as u32);
        }
        self.take((block, step), (last, end), (nodes * count) as i32);
        count as usize
    }

    /// Gives `nodes` back from a step on, or the first, to another.
    pub fn give(&mut self, from: i64, to: i64, nodes: u32) {
        let to = self.cut(to);
        let from = self.locate(from);
        self.take(from, to, -(nodes as i32));
    }

    /// Takes `nodes` away from one block and index in it to another.
    fn take(&mut self, (block, step): (usize, usize), (last, end): (usize, usize), nodes: i32) {
        for i in block..=last {
            let head = &mut self.heads[i];
            match (if i == block { step } else { 0 }, if i == last { end } else { BLOCK }) {
                (0, 0) => {}
                (0, BLOCK) => {
                    head.taken += nodes;
                    head.least -= nodes;
                    head.most -= nodes;
                }
                (from, to) => {
                    let block = &mut self.blocks[head.block as usize];
                    *head = block.take(from..to, nodes, head.block, head.taken);
                }
            }
        }
    }

    /// The block and the index in it of the first step that does not begin before `time`; behind the last of a block
    /// where the next begins later.
    fn locate(&self, time: i64) -> (usize, usize) {
        let at = self.block_of(time);
        (at, self.blocks[self.heads[at].block as usize].before(time))
    }

    /// The block and the index in it of the step that begins at `time`, which is not before the first; made where
    /// there is none.
    fn cut(&mut self, time: i64) -> (usize, usize) {
        let (mut at, mut step) = self.locate(time);
        let Head { block: number, taken, .. } = self.heads[at];
        let block = &mut self.blocks[number as usize];
        if step < block.len && block.times[step] == time {
            return (at, step);
        }
        if block.len == BLOCK {
            let mut behind = *block;
            behind.forget(BLOCK / 2);
            block.shorten(BLOCK / 2);
            self.heads[at] = block.take(0..0, 0, number, taken);
            let place = self.unused.pop().unwrap_or(self.blocks.len() as u32);
            self.heads.insert(at + 1, behind.take(0..0, 0, place, taken));
            if place as usize == self.blocks.len() {
                self.blocks.push(behind);
            } else {
                self.blocks[place as usize] = behind;
            }
            if step > BLOCK / 2 {
                (at, step) = (at + 1, step - BLOCK / 2);
            }
        }
        // As many are free as in the step that it begins in.
        let block = &mut self.blocks[self.heads[at].block as usize];
        block.times.copy_within(step..BLOCK - 1, step + 1);
        block.free.copy_within(step - 1..BLOCK - 1, step);
        block.len += 1;
        block.times[step] = time;
        (at, step)
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
            asked in prop::collection::vec((1u32..6, 1i64..12, 1usize..4), 1..90),
            skip in 0i64..30,
        ) {
            let mut ends = ends;
            ends.sort_unstable();
            let all = free + ends.iter().map(|e| e.1).sum::<u32>();
            const LONG: usize = 3600;
            let mut plain: Vec<u32> = (0..LONG as i64)
                .map(|t| free + ends.iter().filter(|e| e.0 <= t).map(|e| e.1).sum::<u32>())
                .collect();
            let mut profile = Profile::new(0, free, ends.into_iter());
            let (mut now, mut promised) = (0, Vec::new());
            for (i, (nodes, time, most)) in asked.into_iter().enumerate() {
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
                prop_assert_eq!(profile.earliest(nodes, time, i64::MIN).time, wanted);
                // From the promise to one that asked for no more, no longer: a step begins there.
                let known = promised.iter().filter(|(n, t, _)| *n <= nodes && *t <= time);
                let from = known.map(|(.., at)| *at).max().unwrap_or(now);
                let spot = profile.earliest(nodes, time, from);
                prop_assert_eq!(spot.time, wanted);
                promised.push((nodes, time, wanted));
                let inside = &mut plain[wanted as usize..(wanted + time) as usize];
                let room = inside.iter().min().unwrap() / nodes;
                let count = profile.reserve(spot, time, nodes, most);
                prop_assert_eq!(count, most.min(room as usize));
                inside.iter_mut().for_each(|f| *f -= nodes * count as u32);
            }
        }
    }
}
