//! Simulated annealing on a sequence: moves that bring neighbours in the network close in rank.
//!
//! A step draws a rank and a neighbour, in the network, of the element there, and proposes one of four
//! moves: carry a stretch that begins or ends with the neighbour next to the element (turned or not);
//! reverse the stretch between them; exchange the neighbour with an element beside; exchange two ranks
//! near each other. Most proposals are bad, and a few lags show it: a move is priced on lag 1, then on 4 lags,
//! then on 16, and given up where the price exceeds what is acceptable by more than the lags not yet
//! looked at are likely to give back. Where long lags weigh much, half of the steps skip these sieves, for
//! the rare large rearrangements look bad at first; long windows are priced on a sample before they are
//! priced in full.
//!
//! # References
//! Kirkpatrick, Gelatt, Vecchi, "Optimization by Simulated Annealing", Science 220, 1983,
//! <https://doi.org/10.1126/science.220.4598.671>; Or-opt: Or, dissertation, Northwestern University, 1976.

use super::anneal_rng::{AnnealRng, interpolate_temperature};
use super::elements::Arrangement;
use super::prices::LagPrices;
use super::sequence::{Piece, Sequence};
use nodeorder_base::Observer;

/// Price of the largest weight.
pub const UNIT: f64 = 16384.0;

/// Shortest window whose prices are first estimated sparsely.
const SPARSE: usize = 32;

/// Number of steps between two looks at the clock.
const SLICE: u64 = 512;

/// First and last temperature of a chain, in units of the largest weight.
#[derive(Clone, Copy, Debug)]
pub struct Cooling {
    pub from: f64,
    pub to: f64,
}

/// Limits of a stretch of annealing.
pub struct Stretch {
    /// Number of steps, where it is limited.
    pub steps: Option<f64>,
    /// Begin on the observer's clock and length in seconds, where that is limited.
    pub time: Option<(f64, f64)>,
}

impl Stretch {
    /// Computes the share of the stretch that is over after `made` steps, by the limit that is reached first; infinite
    /// once it was stopped.
    pub fn elapsed_share(&self, made: u64, observer: &dyn Observer) -> f64 {
        if observer.should_stop() {
            return f64::INFINITY;
        }
        let by_steps = self.steps.map_or(0.0, |all| made as f64 / all);
        let by_time = match (self.time, observer.elapsed_seconds()) {
            (Some((_, length)), _) if length <= 0.0 => f64::INFINITY,
            (Some((begin, length)), Some(now)) => (now - begin) / length,
            _ => 0.0,
        };
        by_steps.max(by_time)
    }
}

/// Prices within a shorter window, which sort out hopeless moves.
struct MoveFilter {
    prices: LagPrices,
    /// Amount by which a move's price within this window may exceed the acceptable rise, as longer lags may give
    /// it back.
    margin: f64,
}

/// One annealing chain.
pub struct Chain<'s> {
    space: &'s Arrangement,
    sequence: Sequence<'s>,
    prices: LagPrices,
    /// Filters that moves pass before they are priced in full, the shortest window first.
    filters: Vec<MoveFilter>,
    /// As [`MoveFilter::margin`], for the price of lag 1 alone.
    step_margin: f64,
    /// As [`MoveFilter::margin`], for the sparse estimate of a price.
    sparse_margin: f64,
    /// Whether a random half of the moves that rejoin pieces skip the filters.
    wide: bool,
    ring: bool,
    /// Number of ranks at either end that no move changes.
    fixed: usize,
    rng: AnnealRng,
    /// Price of the sequence less that of the first.
    current: i64,
    /// Price of the best sequence less that of the first; not above 0.
    pub gain: i64,
    /// Best sequence seen at the end of a slice.
    pub best: Vec<u32>,
    /// Number of steps made.
    pub steps: u64,
}

impl<'s> Chain<'s> {
    /// Begins a chain at `order`, under weights by lag. On a ring the window is cut to a quarter of it.
    pub fn new(
        space: &'s Arrangement,
        order: &[u32],
        lag: &[f64],
        ring: bool,
        rng: AnnealRng,
    ) -> Self {
        let longest = if ring { order.len() / 4 } else { usize::MAX };
        let prices = LagPrices::new(lag, UNIT, longest);
        let window = prices.window;
        let sieves = [4, 16, 64]
            .into_iter()
            .filter(|cut| *cut < window)
            .map(|cut| MoveFilter {
                prices: prices.within_window(cut),
                margin: margin_beyond(&prices, cut),
            });
        Chain {
            space,
            sequence: Sequence::new(space, order, window, ring),
            filters: sieves.collect(),
            step_margin: margin_beyond(&prices, 1),
            sparse_margin: 3.0 * prices.lag_price(1) as f64,
            wide: prices.price_beyond(4) > prices.lag_price(1),
            prices,
            ring,
            fixed: 0,
            rng,
            current: 0,
            gain: 0,
            best: order.to_vec(),
            steps: 0,
        }
    }

    /// Leaves a window at either end as it is: what a stretch of a longer sequence gains is then gained by the whole.
    pub fn fix_end_windows(mut self) -> Self {
        self.fixed = self.prices.window;
        self
    }

    /// Goes on from `order`; the best so far is forgotten.
    pub fn restart_at(&mut self, order: &[u32]) {
        self.sequence.set_order(order);
        self.best.clear();
        self.best.extend_from_slice(order);
        self.current = 0;
        self.gain = 0;
    }

    /// Anneals until `share` (asked with the steps made) reaches `until`; the share sets the temperature.
    pub fn anneal_until(&mut self, cooling: Cooling, until: f64, share: &dyn Fn(u64) -> f64) {
        if self.sequence.len() < 2 || self.prices.window == 0 {
            return;
        }
        let mut unkept = 0;
        loop {
            let now = share(self.steps);
            if now >= until {
                self.keep_best();
                return;
            }
            let temperature = if cooling.to > 0.0 {
                UNIT * interpolate_temperature(cooling.from, cooling.to, now.max(0.0))
            } else {
                0.0
            };
            // Moves never reach over the cut of a ring, so the cut wanders.
            if self.ring {
                let by = self.rng.random_below(self.sequence.len());
                self.sequence.rotate_ring(by);
            }
            for _ in 0..SLICE {
                let limit = temperature * self.rng.waiting_time();
                self.propose_move(limit);
            }
            self.steps += SLICE;
            unkept += SLICE;
            // A copy costs as much as many steps: on long sequences fewer of them.
            if unkept >= self.sequence.len() as u64 / 4 {
                self.keep_best();
                unkept = 0;
            }
        }
    }

    /// Remembers the sequence if it is the best so far.
    fn keep_best(&mut self) {
        if self.current < self.gain {
            self.gain = self.current;
            self.best.copy_from_slice(&self.sequence.ids);
        }
    }

    /// Proposes one move, and makes it if the price rises by no more than `limit`.
    fn propose_move(&mut self, limit: f64) {
        let n = self.sequence.len();
        let i = self.rng.random_below(n);
        let near = self.space.near.list_of(self.sequence.ids[i]);
        if near.is_empty() {
            return;
        }
        let v = near[self.rng.random_below(near.len())];
        let j = self.sequence.rank[v as usize] as usize;
        // One draw decides all of a step: the lowest bits its kind, the next ones its details.
        let choice = self.rng.random_bits();
        match choice & 15 {
            0..5 => self.propose_carry(i, j, choice >> 4, limit),
            5..10 => {
                let up = (choice >> 4 & 1) as usize;
                self.propose_reversal(i.min(j) + up, i.max(j) + up, limit);
            }
            10..14 => {
                let away = 1 + self.rng.random_below(3);
                let beside = if choice >> 4 & 1 == 0 {
                    i + away
                } else {
                    i.wrapping_sub(away)
                };
                self.propose_exchange(j, beside, limit);
            }
            _ => {
                let away = 1 + self.rng.random_below(8);
                self.propose_exchange(i, i + away, limit);
            }
        }
    }

    /// Carries a stretch with rank `j` at one end next to rank `i`, so that the two become neighbours.
    fn propose_carry(&mut self, i: usize, j: usize, choice: u64, limit: f64) {
        let n = self.sequence.len();
        let longest = if choice & 4 == 0 {
            8
        } else {
            8 << (choice >> 3 & 7)
        };
        let len = 1 + self.rng.random_below(longest.min(n / 2).max(1));
        let behind = choice & 1 == 0;
        let first = choice & 2 == 0;
        // Ranks below 0 wrap to large ones, which are refused with those beyond the end.
        let from = if first { j } else { (j + 1).wrapping_sub(len) };
        let to = from.wrapping_add(len);
        let at = if behind { i + 1 } else { i };
        if from > n || to > n || (from..=to).contains(&at) {
            return;
        }
        let carried = Piece::new(from, to);
        let turned = Piece {
            turned: behind != first,
            ..carried
        };
        let head = Piece::new(0, from.min(at));
        let tail = Piece::new(to.max(at), n);
        if at < from {
            let passed = Piece::new(at, from);
            self.propose_rejoining(
                &[head, passed, carried, tail],
                &[head, turned, passed, tail],
                limit,
            );
        } else {
            let passed = Piece::new(to, at);
            self.propose_rejoining(
                &[head, carried, passed, tail],
                &[head, passed, turned, tail],
                limit,
            );
        }
    }

    /// Reverses the stretch of ranks `from..to`.
    fn propose_reversal(&mut self, from: usize, to: usize, limit: f64) {
        let n = self.sequence.len();
        if to > n || to < from + 2 {
            return;
        }
        let head = Piece::new(0, from);
        let middle = Piece::new(from, to);
        let tail = Piece::new(to, n);
        let turned = Piece {
            turned: true,
            ..middle
        };
        self.propose_rejoining(&[head, middle, tail], &[head, turned, tail], limit);
    }

    /// Joins the pieces of `old` as in `new` unless a filter or the full price refuses it.
    fn propose_rejoining(&mut self, old: &[Piece], new: &[Piece], limit: f64) {
        let before = old[0].to;
        let behind = self.sequence.len() - old[old.len() - 1].from;
        if before < self.fixed || behind < self.fixed {
            return;
        }
        // Closer joints would count a pair twice, once each way round.
        if self.ring && before + behind < 2 * self.prices.window {
            return;
        }
        let wide = self.wide && self.rng.random_bits() >> 63 == 0;
        if !wide {
            let steps = self.sequence.step_change(old, new);
            if (steps * self.prices.lag_price(1)) as f64 > limit + self.step_margin {
                return;
            }
            for sieve in &self.filters {
                let delta = self.sequence.price_change(old, new, &sieve.prices, false);
                if delta as f64 > limit + sieve.margin {
                    return;
                }
            }
        }
        if self.prices.window >= SPARSE {
            let about = self.sequence.price_change(old, new, &self.prices, true);
            if about as f64 > limit + self.sparse_margin {
                return;
            }
        }
        let delta = self.sequence.price_change(old, new, &self.prices, false);
        if delta as f64 <= limit {
            self.sequence.apply_move(new);
            self.current += delta;
        }
    }

    /// Exchanges the elements at two ranks unless the shortest filter or the full price refuses it.
    fn propose_exchange(&mut self, a: usize, b: usize, limit: f64) {
        let n = self.sequence.len();
        let free = self.fixed..n.saturating_sub(self.fixed);
        if a == b || !free.contains(&a) || !free.contains(&b) {
            return;
        }
        if let Some(sieve) = self.filters.first() {
            let delta = self.sequence.rise_by_exchange(a, b, &sieve.prices);
            // Two elements change places, each with long lags of its own.
            if delta as f64 > limit + 2.0 * sieve.margin {
                return;
            }
        }
        let delta = self.sequence.rise_by_exchange(a, b, &self.prices);
        if delta as f64 <= limit {
            self.sequence.swap(a, b);
            self.current += delta;
        }
    }
}

/// Estimates the part of a move's price that lags beyond `cut` give back at most, with rare exceptions: measured on
/// accepted moves.
fn margin_beyond(prices: &LagPrices, cut: usize) -> f64 {
    (1.7 * prices.lag_price(1) as f64).min(2.8 * prices.price_beyond(cut) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::{Context, Topology};

    #[test]
    fn a_chain_keeps_its_books() {
        for (spec, ring) in [
            ("torus:8x6x4", false),
            ("torus:8x6x4", true),
            ("slim-fly:q=5", false),
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let space = Arrangement::new(&topology, false).unwrap();
            let lag: Vec<f64> = (0..40)
                .map(|k| if k == 0 { 0.0 } else { 1.0 / f64::from(k) })
                .collect();
            let order: Vec<u32> = (0..space.len() as u32).collect();
            let mut chain = Chain::new(&space, &order, &lag, ring, AnnealRng::new(1, 0));
            let start = chain.prices.price_order(&space.distances, &order, ring);
            let cooling = Cooling {
                from: 0.5,
                to: 0.05,
            };
            chain.anneal_until(cooling, 1.0, &|steps| steps as f64 / 30_000.0);
            let (best, gain, current) = (chain.best.to_vec(), -chain.gain, chain.current);
            let ids = chain.sequence.ids.clone();
            assert!(gain > 0);
            let price = |order: &[u32]| chain.prices.price_order(&space.distances, order, ring);
            assert_eq!(start - price(&best), gain);
            assert_eq!(price(&ids) - start, current);
        }
    }
}
