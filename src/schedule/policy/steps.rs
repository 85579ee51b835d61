//! Some steps of a profile: how many nodes are free from each of some times on.

use std::ops::Range;

use multiversion::multiversion;

/// Steps of a block at most: bits of a word.
pub(super) const BLOCK: usize = 32;

/// What is true of a block as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// The time of its first step.
    pub begin: i64,
    /// The least and the most free nodes of a step.
    pub least: i32,
    pub most: i32,
    /// To be subtracted from all that the block says is free.
    pub taken: i32,
    /// Which block it is.
    pub block: u32,
}

/// Entries behind the last step say `i64::MAX` and what is free at that step, so that loops may run over all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub len: usize,
    pub times: [i64; BLOCK],
    pub free: [i32; BLOCK],
}

impl Block {
    pub fn new(time: i64, free: i32) -> Self {
        let mut times = [i64::MAX; BLOCK];
        times[0] = time;
        Block { len: 1, times, free: [free; BLOCK] }
    }

    /// A step behind the others.
    pub fn push(&mut self, time: i64, free: i32) {
        self.times[self.len] = time;
        self.free[self.len..].fill(free);
        self.len += 1;
    }

    /// How many steps begin before `time`.
    #[inline]
    pub fn before(&self, time: i64) -> usize {
        self.times.partition_point(|at| *at < time)
    }

    /// Bit by bit: whether so many nodes are free.
    #[inline]
    pub fn fits(&self, nodes: i32) -> u32 {
        let mut bits = 0;
        for (i, free) in self.free.iter().enumerate() {
            bits |= u32::from(*free >= nodes) << i;
        }
        bits
    }

    /// Takes `nodes` away at some steps; the head of this block, number `block`.
    #[inline]
    pub fn take(&mut self, steps: Range<usize>, nodes: i32, block: u32, taken: i32) -> Head {
        let to = if steps.end == self.len { BLOCK } else { steps.end };
        let (least, most) = subtract(&mut self.free, steps.start as i32, to as i32, nodes);
        Head { begin: self.times[0], least: least - taken, most: most - taken, taken, block }
    }

    /// The least free nodes of the steps `from..to`; `i32::MAX` for none.
    #[inline]
    pub fn least(&self, from: usize, to: usize) -> i32 {
        let (from, to) = (from as i32, to as i32);
        let inside = (0..)
            .zip(&self.free)
            .map(|(i, free)| if (i >= from) & (i < to) { *free } else { i32::MAX });
        inside.fold(i32::MAX, i32::min)
    }

    /// Forgets the first `count` steps, not all.
    pub fn forget(&mut self, count: usize) {
        self.times.copy_within(count..self.len, 0);
        self.free.copy_within(count..self.len, 0);
        self.shorten(self.len - count);
    }

    /// Forgets all but the first `len` steps.
    pub fn shorten(&mut self, len: usize) {
        self.len = len;
        self.times[len..].fill(i64::MAX);
        let last = self.free[len - 1];
        self.free[len..].fill(last);
    }
}

/// Takes `nodes` away from `from..to`; the least and the most of all.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn subtract(all: &mut [i32; BLOCK], from: i32, to: i32, nodes: i32) -> (i32, i32) {
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for (i, free) in (0..).zip(all) {
        *free -= if (i >= from) & (i < to) { nodes } else { 0 };
        (least, most) = (least.min(*free), most.max(*free));
    }
    (least, most)
}
