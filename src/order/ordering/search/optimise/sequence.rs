//! A sequence of elements in rank order, and what a change of it costs.
//!
//! A move cuts the sequence into pieces and joins them again in another order or direction. Weights depend
//! on the lag alone here, so the inside of a piece keeps its cost, also when it is turned round: only pairs
//! across a joint count. Every such pair is counted once, at the first joint right of its lower rank.
//!
//! ```text
//! before   head | a b c | d e | tail        pieces 0..i, i..j, j..k, k..n
//! after    head | d e | c b a | tail        the same joined anew, the second turned
//! ```

use super::elements::{Arrangement, ByteAxis, Distances, MAX_AXES};
use super::prices::{CHUNK, LagPrices, price_across_joint, price_along_row};

/// A stretch of present ranks `from..to`, backwards if turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub from: usize,
    pub to: usize,
    pub turned: bool,
}

impl Piece {
    pub fn new(from: usize, to: usize) -> Self {
        Piece {
            from,
            to,
            turned: false,
        }
    }

    fn len(self) -> usize {
        self.to - self.from
    }

    /// Takes the first `count` elements of the piece as it is walked.
    fn first_elements(self, count: usize) -> Piece {
        if self.turned {
            let from = self.to - count;
            Piece { from, ..self }
        } else {
            let to = self.from + count;
            Piece { to, ..self }
        }
    }

    /// Takes the last `count` elements of the piece as it is walked.
    fn last_elements(self, count: usize) -> Piece {
        let turned = self.turned;
        let reversed = Piece {
            turned: !turned,
            ..self
        };
        Piece {
            turned,
            ..reversed.first_elements(count)
        }
    }
}

/// Elements in rank order, with the buffers from which moves are priced.
pub struct Sequence<'s> {
    space: &'s Arrangement,
    ring: bool,
    /// Elements by rank.
    pub ids: Vec<u32>,
    /// Ranks by element.
    pub rank: Vec<u32>,
    /// Coordinates by rank, one array an axis; empty where distances are no sum over byte axes.
    lanes: Vec<Vec<u8>>,
    axes: Vec<ByteAxis>,
    /// Coordinates of the elements around one joint, up to a window on either side, one array an axis.
    buffer: Vec<Vec<u8>>,
    /// Elements around one joint, where there are no axes.
    buffer_ids: Vec<u32>,
    /// Number of elements in the buffers.
    filled: usize,
    /// Room for the inner pieces of a move while they are joined.
    spare_ids: Vec<u32>,
    spare: Vec<u8>,
}

impl<'s> Sequence<'s> {
    /// Creates a sequence in the given order, whose moves are priced within `window` lags.
    pub fn new(space: &'s Arrangement, order: &[u32], window: usize, ring: bool) -> Self {
        let axes = match &space.distances {
            Distances::ByteCoordinates { axes, .. } => axes.clone(),
            _ => Vec::new(),
        };
        // Chunks are read whole, so the buffers go on behind the last element.
        let room = 2 * window + 2 * CHUNK;
        let mut sequence = Sequence {
            space,
            ring,
            ids: Vec::new(),
            rank: vec![0; order.len()],
            lanes: vec![Vec::new(); axes.len()],
            buffer: vec![vec![0; room]; axes.len()],
            buffer_ids: vec![0; room],
            axes,
            filled: 0,
            spare_ids: Vec::new(),
            spare: Vec::new(),
        };
        sequence.set_order(order);
        sequence
    }

    /// Replaces the sequence by another order of the elements.
    pub fn set_order(&mut self, order: &[u32]) {
        self.ids.clear();
        self.ids.extend_from_slice(order);
        if let Distances::ByteCoordinates { coordinates, .. } = &self.space.distances {
            for (axis, lane) in self.lanes.iter_mut().enumerate() {
                lane.clear();
                lane.extend(order.iter().map(|e| coordinates[*e as usize][axis]));
            }
        }
        self.update_ranks(0, order.len());
    }

    /// Notes the ranks of the elements at ranks `from..to`.
    fn update_ranks(&mut self, from: usize, to: usize) {
        for rank in from..to {
            self.rank[self.ids[rank] as usize] = rank as u32;
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Computes the distance between the elements at two ranks.
    fn distance_at(&self, a: usize, b: usize) -> i64 {
        i64::from(self.space.distances.between(self.ids[a], self.ids[b]))
    }

    /// Computes the rise of the sum of steps between neighbours in rank when the pieces of `old` are joined as in
    /// `new`.
    pub fn step_change(&self, old: &[Piece], new: &[Piece]) -> i64 {
        self.joint_steps(new) - self.joint_steps(old)
    }

    /// Adds up the distances right across the joints of `pieces`.
    #[inline]
    fn joint_steps(&self, pieces: &[Piece]) -> i64 {
        let mut sum = 0;
        let mut before: Option<Piece> = None;
        for piece in pieces.iter().filter(|p| p.len() > 0) {
            if let Some(before) = before {
                sum += self.distance_at(before.last_elements(1).from, piece.first_elements(1).from);
            }
            before = Some(*piece);
        }
        sum
    }

    /// Computes the rise in price when the pieces of `old` are joined as in `new`. Both are the whole sequence (on
    /// a ring from an arbitrary cut, with at least two windows outside the inner pieces). An estimate for a third
    /// of the work when `sparse`: of the elements further than four left of a joint every fourth counts four
    /// times.
    pub fn price_change(
        &mut self,
        old: &[Piece],
        new: &[Piece],
        prices: &LagPrices,
        sparse: bool,
    ) -> i64 {
        self.joint_price(new, prices, sparse) - self.joint_price(old, prices, sparse)
    }

    /// Computes the price of all pairs across the joints of `pieces`.
    fn joint_price(&mut self, pieces: &[Piece], prices: &LagPrices, sparse: bool) -> i64 {
        let n = self.len();
        let window = prices.window;
        let mut sum = 0;
        for m in 0..pieces.len() - 1 {
            let piece = pieces[m];
            let rows = piece.len().min(window);
            self.filled = 0;
            if m == 0 && self.ring {
                // The first piece goes on backwards round the ring.
                self.push_piece(Piece::new(n - (window - rows), n));
            }
            self.push_piece(piece.last_elements(rows));
            let split = self.filled;
            if split == 0 {
                continue;
            }
            for next in &pieces[m + 1..] {
                let take = next.len().min(window + split - self.filled);
                self.push_piece(next.first_elements(take));
            }
            if self.ring && self.filled < split + window {
                // And so does the last one forwards.
                self.push_piece(Piece::new(0, split + window - self.filled));
            }
            sum += self.price_across(split, prices, sparse);
        }
        sum
    }

    /// Appends the elements of a piece to the buffers.
    #[inline]
    fn push_piece(&mut self, piece: Piece) {
        let at = self.filled;
        self.filled += piece.len();
        if self.axes.is_empty() {
            let target = &mut self.buffer_ids[at..self.filled];
            copy_piece(target, &self.ids, piece);
        }
        for (buffer, lane) in self.buffer.iter_mut().zip(&self.lanes) {
            copy_piece(&mut buffer[at..self.filled], lane, piece);
        }
    }

    /// Computes the price of the pairs of a buffered element left of `split` and one right of it, within the window.
    fn price_across(&self, split: usize, prices: &LagPrices, sparse: bool) -> i64 {
        if !self.axes.is_empty() {
            return price_across_joint(
                &self.buffer,
                &self.axes,
                split,
                self.filled,
                prices,
                sparse,
            );
        }
        // Looked-up distances have no sparse form: a row of the table is read at once either way.
        let right = &self.buffer_ids[split..self.filled];
        let mut sum = 0;
        for p in 1..=split.min(prices.window) {
            let left = self.buffer_ids[split - p];
            let lags = &prices.by_lag[p..=prices.window];
            sum += self.space.distances.sum_priced(left, right, lags);
        }
        sum
    }

    /// Makes a move: replaces the ranks between the first and the last of `pieces` by the inner pieces, in their order.
    pub fn apply_move(&mut self, pieces: &[Piece]) {
        let from = pieces[0].to;
        let to = pieces[pieces.len() - 1].from;
        let inner = &pieces[1..pieces.len() - 1];
        rejoin_pieces(&mut self.ids, from, to, inner, &mut self.spare_ids);
        for lane in &mut self.lanes {
            rejoin_pieces(lane, from, to, inner, &mut self.spare);
        }
        self.update_ranks(from, to);
    }

    /// Exchanges the elements at two ranks.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.ids.swap(a, b);
        self.lanes.iter_mut().for_each(|lane| lane.swap(a, b));
        self.rank[self.ids[a] as usize] = a as u32;
        self.rank[self.ids[b] as usize] = b as u32;
    }

    /// Computes the rise in price when the elements at ranks `a` and `b` are exchanged.
    pub fn rise_by_exchange(&self, a: usize, b: usize, prices: &LagPrices) -> i64 {
        let apart = a.abs_diff(b);
        let lag = if self.ring {
            apart.min(self.len() - apart)
        } else {
            apart
        };
        // Each sum also counts the pair of the two elements themselves, whose distance does not change.
        self.price_around(a, b, prices) - self.price_around(a, a, prices)
            + self.price_around(b, a, prices)
            - self.price_around(b, b, prices)
            + 2 * prices.lag_price(lag) * self.distance_at(a, b)
    }

    /// Computes the price at rank `at` of the element that now is at rank `who`, with the elements within the window
    /// of `at`.
    fn price_around(&self, at: usize, who: usize, prices: &LagPrices) -> i64 {
        let n = self.len();
        let window = prices.window;
        let from = at.saturating_sub(window);
        let to = (at + window + 1).min(n);
        let mut sum = self.price_with_ranks(from, to, who, &prices.around[from + window - at..]);
        if self.ring {
            // The part of the window that reaches over an end lies at the other one.
            if at < window {
                let over = window - at;
                sum += self.price_with_ranks(n - over, n, who, &prices.around);
            }
            if at + window + 1 > n {
                let over = at + window + 1 - n;
                sum += self.price_with_ranks(0, over, who, &prices.around[2 * window + 1 - over..]);
            }
        }
        sum
    }

    /// Adds up price times distance from the element at rank `who` to those at ranks `from..to`.
    fn price_with_ranks(&self, from: usize, to: usize, who: usize, prices: &[i16]) -> i64 {
        if !self.axes.is_empty() {
            let mut x = [0; MAX_AXES];
            for (x, lane) in x.iter_mut().zip(&self.lanes) {
                *x = lane[who];
            }
            return price_along_row(&self.lanes, &self.axes, &x, from, to, prices);
        }
        self.space
            .distances
            .sum_priced(self.ids[who], &self.ids[from..to], prices)
    }

    /// Starts counting ranks `by` further on, on a ring.
    pub fn rotate_ring(&mut self, by: usize) {
        let mut order = std::mem::take(&mut self.ids);
        order.rotate_left(by);
        self.set_order(&order);
    }
}

/// Copies a piece of `source` as it is walked.
#[inline]
fn copy_piece<T: Copy>(target: &mut [T], source: &[T], piece: Piece) {
    let stretch = &source[piece.from..piece.to];
    if piece.turned {
        for (t, s) in target.iter_mut().zip(stretch.iter().rev()) {
            *t = *s;
        }
    } else {
        target.copy_from_slice(stretch);
    }
}

/// Replaces ranks `from..to` of `all` by the inner pieces, one after the other; `spare` is room for a copy.
fn rejoin_pieces<T: Copy>(
    all: &mut [T],
    from: usize,
    to: usize,
    inner: &[Piece],
    spare: &mut Vec<T>,
) {
    // A single piece stays where it is.
    if let [only] = inner {
        if only.turned {
            all[from..to].reverse();
        }
        return;
    }
    spare.clear();
    for piece in inner {
        let stretch = &all[piece.from..piece.to];
        if piece.turned {
            spare.extend(stretch.iter().rev());
        } else {
            spare.extend_from_slice(stretch);
        }
    }
    all[from..to].copy_from_slice(spare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::{Context, Topology};
    use proptest::prelude::*;

    fn price(s: &Sequence<'_>, prices: &LagPrices) -> i64 {
        prices.price_order(&s.space.distances, &s.ids, s.ring)
    }

    const SPECS: [&str; 5] = [
        "torus:9x5",
        "mesh:5x3x3",
        "hyperx:5x9",
        "dragonfly:p=1,a=9,h=1,g=5,global=absolute",
        "fat-tree:k=4,n=3",
    ];

    proptest! {
        #[test]
        fn a_move_costs_what_the_whole_says(
            which in 0usize..5,
            window in 1usize..20,
            cuts in prop::array::uniform4(0usize..46),
            turned in prop::array::uniform3(any::<bool>()),
            ring in any::<bool>(),
            steps in 1usize..44,
        ) {
            let topology = Topology::inline(SPECS[which], &Context::default()).unwrap();
            let space = Arrangement::new(&topology, false).unwrap();
            let n = space.len();
            // A fixed shuffle.
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_key(|e| (e * 7919) % 10007);
            let mut lag = vec![0.0];
            lag.extend((1..n).map(|k| 1.0 / k as f64));
            let window = if ring { window.min(n / 4) } else { window };
            let prices = LagPrices::new(&lag, 1000.0, window);
            let mut s = Sequence::new(&space, &order, window, ring);
            let mut cuts = cuts.map(|c| c.min(n));
            cuts.sort_unstable();
            let [i, j, k, _] = cuts;
            let inner = if ring { k - i + 2 * window <= n } else { true };
            prop_assume!(inner);
            let old = [Piece::new(0, i), Piece::new(i, j), Piece::new(j, k), Piece::new(k, n)];
            let new = [old[0], Piece { turned: turned[0], ..old[2] }, Piece { turned: turned[1], ..old[1] }, old[3]];
            let before = price(&s, &prices);
            let delta = s.price_change(&old, &new, &prices, false);
            s.apply_move(&new);
            prop_assert_eq!(price(&s, &prices) - before, delta);
            let old = [Piece::new(0, i), Piece::new(i, k), Piece::new(k, n)];
            let new = [old[0], Piece { turned: true, ..old[1] }, old[2]];
            let before = price(&s, &prices);
            let delta = s.price_change(&old, &new, &prices, false);
            s.apply_move(&new);
            prop_assert_eq!(price(&s, &prices) - before, delta);
            let (a, b) = (i.min(n - 1), (i + steps) % n);
            if a != b {
                let before = price(&s, &prices);
                let delta = s.rise_by_exchange(a, b, &prices);
                s.swap(a, b);
                prop_assert_eq!(price(&s, &prices) - before, delta);
            }
            if ring {
                let before = price(&s, &prices);
                s.rotate_ring(steps.min(n - 1));
                prop_assert_eq!(price(&s, &prices), before);
            }
            let mut sorted = s.ids.clone();
            sorted.sort_unstable();
            prop_assert!(sorted.into_iter().eq(0..n as u32));
            prop_assert!((0..n).all(|r| s.rank[s.ids[r] as usize] as usize == r));
        }
    }
}
