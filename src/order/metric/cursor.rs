//! The distances along a path or ring from one label to all members, while the label and the members change little by
//! little.

use nodeorder_network::topology::distance::{Axis, Shape};

/// Steps beyond which a sum is made anew instead of step by step.
const FAR: u32 = 8;

/// A label with Σ of the distances from it to all members, who are counted by label.
///
/// A step forward takes the cursor one hop nearer to the members ahead of it and one hop away from the others: on a
/// ring those half-way round or nearer are ahead, on a path all at higher labels. (On an odd ring the members one step
/// beyond half-way stay as far as they were.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    axis: Axis,
    /// The extent of a ring, 0 on a path; and the steps that lead to members ahead, all of them on a path.
    around: u32,
    half: u32,
    at: u32,
    star: i64,
    ahead: i64,
}

impl Cursor {
    /// At label 0 of `axis`; no member yet.
    pub fn new(axis: Axis) -> Self {
        let ring = axis.shape == Shape::Ring;
        let (around, half) = if ring {
            (axis.extent, axis.extent / 2)
        } else {
            (0, u32::MAX / 2)
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

    /// Steps forward from `from` to `to`; on a path, back is never forward.
    fn forward(&self, from: u32, to: u32) -> u32 {
        if to >= from {
            to - from
        } else {
            (to + self.around).wrapping_sub(from)
        }
    }

    fn is_ahead(&self, label: u32) -> bool {
        self.forward(self.at, label).wrapping_sub(1) < self.half
    }

    /// Counts `by` more members at `label`.
    pub fn change(&mut self, label: u32, by: i64) {
        self.star += by * i64::from(self.axis.between(self.at, label));
        self.ahead += if self.is_ahead(label) { by } else { 0 };
    }

    /// Moves to `label`, past `members`, `counts` by label; Σ of the distances from there. O(steps), at most O(extent).
    pub fn star(&mut self, label: u32, counts: &[u64], members: i64) -> i64 {
        if label == self.at {
            return self.star;
        }
        let (forward, back) = (self.forward(self.at, label), self.forward(label, self.at));
        if forward.min(back) > FAR {
            self.at = label;
            let hops = |(to, n): (u32, &u64)| i64::from(self.axis.between(label, to)) * *n as i64;
            self.star = (0..).zip(counts).map(hops).sum();
            let ahead = (0..).zip(counts).filter(|(to, _)| self.is_ahead(*to));
            self.ahead = ahead.map(|(_, n)| *n as i64).sum();
            return self.star;
        }
        let (odd, last) = (i64::from(self.around % 2), self.axis.extent - 1);
        for _ in 0..forward.min(back) {
            let next = if self.at == last { 0 } else { self.at + 1 };
            // The label that the step enters or leaves, and the one half-way round from it.
            let near = if forward <= back { next } else { self.at };
            let beyond = |half| near + half - if near + half > last { last + 1 } else { 0 };
            let far = if self.around > 0 {
                counts[beyond(self.half) as usize] as i64
            } else {
                0
            };
            let near = counts[near as usize] as i64;
            if forward <= back {
                self.star += members - 2 * self.ahead - odd * far;
                self.ahead += far - near;
                self.at = next;
            } else {
                self.ahead += near - far;
                self.star -= members - 2 * self.ahead - odd * far;
                self.at = if self.at == 0 { last } else { self.at - 1 };
            }
        }
        self.star
    }
}
