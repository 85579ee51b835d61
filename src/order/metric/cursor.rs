//! Distances along a path or ring from one label to all members, while the label and the members change little by
//! little.
//!
//! A step forward takes the cursor one hop nearer to the members ahead of it and one hop away from the others: on a
//! ring those half-way round or nearer are ahead, on a path all at higher labels. (On an odd ring the members one step
//! beyond half-way stay as far as they were.) On a path with members 1, 4 and 5, the cursor at 2 has a star of 1 +
//! 2 + 3 = 6 and 2 members ahead; at 3 it is 6 + 3 - 2·2 = 5.

use nodeorder_network::topology::distance::{Axis, Shape};

/// Number of steps beyond which a sum of distances is computed anew instead of step by step.
const FAR: u32 = 8;

/// A label with the sum of the distances from it to all members, who are counted by label.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    axis: Axis,
    /// Extent of a ring; 0 on a path.
    around: u32,
    /// Number of steps up to which members count as ahead; on a path more than any label.
    half: u32,
    /// Present label.
    at: u32,
    /// Sum of the distances from it to all members.
    star: i64,
    /// Number of members ahead.
    ahead: i64,
}

impl Cursor {
    /// Creates a cursor at label 0 of `axis`, without members.
    pub fn new(axis: Axis) -> Self {
        let (around, half) = match axis.shape {
            Shape::Ring => (axis.extent, axis.extent / 2),
            _ => (0, u32::MAX / 2),
        };
        Cursor {
            axis,
            around,
            half,
            at: 0,
            star: 0,
            ahead: 0,
        }
    }

    /// Counts the steps forward from `from` to `to`; on a path, a way back is huge.
    fn steps_forward(&self, from: u32, to: u32) -> u32 {
        if to >= from {
            to - from
        } else {
            (to + self.around).wrapping_sub(from)
        }
    }

    /// Checks whether a step forward leads nearer to a label.
    fn is_ahead(&self, label: u32) -> bool {
        // The present label, 0 steps away, wraps to a huge number and is not ahead.
        self.steps_forward(self.at, label).wrapping_sub(1) < self.half
    }

    /// Counts `by` more members at `label`.
    pub fn count_members(&mut self, label: u32, by: i64) {
        self.star += by * i64::from(self.axis.distance_between(self.at, label));
        self.ahead += if self.is_ahead(label) { by } else { 0 };
    }

    /// Moves to `label`, past `members`, `counts` by label. Returns the sum of the distances from there.
    /// O(steps), at most O(extent).
    pub fn move_to(&mut self, label: u32, counts: &[u64], members: i64) -> i64 {
        // Ranks that follow each other often share a label on most axes.
        if label == self.at {
            return self.star;
        }
        let forward = self.steps_forward(self.at, label);
        let back = self.steps_forward(label, self.at);
        if forward.min(back) > FAR {
            self.jump_to(label, counts);
        } else if forward <= back {
            (0..forward).for_each(|_| self.step_forward(counts, members));
        } else {
            (0..back).for_each(|_| self.step_back(counts, members));
        }
        self.star
    }

    /// Moves to `label` and computes the sum of the distances anew. O(extent).
    fn jump_to(&mut self, label: u32, counts: &[u64]) {
        self.at = label;
        self.star = 0;
        self.ahead = 0;
        for (to, count) in (0..).zip(counts) {
            self.count_members(to, *count as i64);
        }
    }

    /// Moves to the next label: members ahead come one hop nearer, all others but the turning ones of an odd ring one
    /// hop farther.
    #[inline]
    fn step_forward(&mut self, counts: &[u64], members: i64) {
        let last = self.axis.extent - 1;
        let next = if self.at == last { 0 } else { self.at + 1 };
        let turning = self.count_turning(next, counts);
        let odd = i64::from(self.around % 2);
        self.star += members - 2 * self.ahead - odd * turning;
        self.ahead += turning - counts[next as usize] as i64;
        self.at = next;
    }

    /// Moves to the label before: the step forward from it undone, line by line from its end.
    #[inline]
    fn step_back(&mut self, counts: &[u64], members: i64) {
        let last = self.axis.extent - 1;
        let turning = self.count_turning(self.at, counts);
        let odd = i64::from(self.around % 2);
        self.ahead -= turning - counts[self.at as usize] as i64;
        self.star -= members - 2 * self.ahead - odd * turning;
        self.at = if self.at == 0 { last } else { self.at - 1 };
    }

    /// Counts the members half-way round from `label`, who come to be ahead by the step forward onto it; none on a
    /// path.
    #[inline]
    fn count_turning(&self, label: u32, counts: &[u64]) -> i64 {
        if self.around == 0 {
            return 0;
        }
        let beyond = label + self.half;
        let wrapped = if beyond < self.around {
            beyond
        } else {
            beyond - self.around
        };
        counts[wrapped as usize] as i64
    }
}
