//! Prices of lags, and sums of price times distance over byte coordinates.
//!
//! Moves are priced millions of times a second. So weights become 16-bit integers, coordinates stand in byte arrays by
//! rank, and one vector instruction finds the distances of a chunk of ranks from one element:
//!
//! ```text
//! element at rank r       x
//! ranks r+1, r+2, …       y₁ y₂ y₃ …    distances |x - y|, added up over the axes, as bytes
//! prices of lags 1, 2, …  w₁ w₂ w₃ …    products in 32 bits, a sum for each place in the chunk
//! ```

use std::cmp::Ordering::{Equal, Greater, Less};

use multiversion::multiversion;

use super::elements::{ByteAxis, Distances, MAX_AXES};

/// Number of bytes compared at once across a joint.
pub const CHUNK: usize = 32;

/// Number of bytes compared at once along one row.
const STRETCH: usize = 16;

/// Number of elements just left of a joint that a sparse sum looks at one by one; of those further left it looks at
/// every fourth.
pub const DENSE: usize = 4;

/// Lag weights as 16-bit integers, for the price of moves (orderings are judged by the exact objective).
#[derive(Clone, Debug)]
pub struct LagPrices {
    /// Price of each lag up to the window, zeros behind it so that a whole chunk can be read from any lag.
    pub by_lag: Vec<i16>,
    /// Prices of the lags around a rank: lag k at `window ± k`.
    pub around: Vec<i16>,
    /// Longest lag that has a price.
    pub window: usize,
}

impl LagPrices {
    /// Scales the weights of lags 1, 2, … up to `window` so that the largest is about `unit`.
    pub fn new(lag: &[f64], unit: f64, window: usize) -> Self {
        let window = window.min(lag.len().saturating_sub(1));
        let top = lag
            .iter()
            .copied()
            .fold(0.0, f64::max)
            .max(f64::MIN_POSITIVE);
        // Sixteen bits: with byte coordinates, twice as many products fit a vector register as with 32.
        let mut by_lag = vec![0i16; window + 1 + 2 * CHUNK];
        for (price, weight) in by_lag.iter_mut().zip(lag).take(window + 1).skip(1) {
            *price = (weight / top * unit).round() as i16;
        }
        let mut around = vec![0i16; 2 * window + 1 + 2 * CHUNK];
        for k in 1..=window {
            around[window - k] = by_lag[k];
            around[window + k] = by_lag[k];
        }
        LagPrices {
            by_lag,
            around,
            window,
        }
    }

    /// Cuts these prices off at a shorter window.
    pub fn within_window(&self, window: usize) -> Self {
        let lag: Vec<f64> = self.by_lag[..=self.window]
            .iter()
            .map(|price| f64::from(*price))
            .collect();
        let top = lag.iter().copied().fold(0.0, f64::max);
        LagPrices::new(&lag, top, window)
    }

    /// Looks up the price of lag k, 0 beyond the window.
    pub fn lag_price(&self, k: usize) -> i64 {
        if k <= self.window {
            i64::from(self.by_lag[k])
        } else {
            0
        }
    }

    /// Adds up the prices of lags above `k`.
    pub fn price_beyond(&self, k: usize) -> i64 {
        (k + 1..=self.window).map(|k| self.lag_price(k)).sum()
    }

    /// Computes the price of a stretch of a sequence, pairs inside it alone. O(stretch · window).
    pub fn price_stretch(&self, distances: &Distances, stretch: &[u32]) -> i64 {
        let mut sum = 0;
        for lag in 1..=self.window {
            let behind = stretch.get(lag..).unwrap_or_default();
            for (a, b) in stretch.iter().zip(behind) {
                sum += self.lag_price(lag) * i64::from(distances.between(*a, *b));
            }
        }
        sum
    }
}

#[cfg(test)]
impl LagPrices {
    /// Returns the price of a whole order, pair by pair.
    pub fn price_order(&self, distances: &Distances, order: &[u32], ring: bool) -> i64 {
        let n = order.len();
        let lag = |k: usize| self.lag_price(if ring { k.min(n - k) } else { k });
        let pairs = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs
            .map(|(a, b)| lag(a - b) * i64::from(distances.between(order[a], order[b])))
            .sum()
    }
}

/// Computes the price of every pair across a joint, on byte coordinates, a chunk of right-hand elements at a time.
/// `buffer` holds `filled` elements, those left of the joint before `split`; sparse sums look at every fourth of the
/// elements further left than [`DENSE`] and count it four times.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
pub fn price_across_joint(
    buffer: &[Vec<u8>],
    axes: &[ByteAxis],
    split: usize,
    filled: usize,
    prices: &LagPrices,
    sparse: bool,
) -> i64 {
    // Under a short window most of a long chunk would be zeros.
    if prices.window <= 16 {
        price_across_in_chunks::<16>(buffer, axes, split, filled, prices, sparse)
    } else {
        price_across_in_chunks::<CHUNK>(buffer, axes, split, filled, prices, sparse)
    }
}

/// Computes the price of [`price_across_joint`] with chunks of C elements.
#[inline(always)]
fn price_across_in_chunks<const C: usize>(
    buffer: &[Vec<u8>],
    axes: &[ByteAxis],
    split: usize,
    filled: usize,
    prices: &LagPrices,
    sparse: bool,
) -> i64 {
    let window = prices.window;
    let right = (filled - split).min(window);
    let mut sums = [0i32; C];
    let mut fourfold = [0i32; C];
    let mut total = 0i64;
    // p counts elements leftwards from the joint, q rightwards: their lag is p + q.
    let mut p = 1;
    let mut rows = 0;
    while p <= split.min(window) {
        let within = window + 1 - p;
        let mut q = 0;
        while q < within.min(right) {
            let mut distance = [0u8; C];
            for (lane, axis) in buffer.iter().zip(axes) {
                let x = lane[split - p];
                let Some(others) = lane[split + q..].first_chunk::<C>() else {
                    return 0;
                };
                add_axis_distances(&mut distance, x, others, *axis);
            }
            let Some(weights) = prices.by_lag[p + q..].first_chunk::<C>() else {
                return 0;
            };
            // Beyond the window weights are zero; beyond the end of the sequence they are not, and what stands in the
            // buffer there is of an earlier joint.
            let count = if right >= within { C } else { C.min(right - q) };
            let sums = if sparse && p > DENSE {
                &mut fourfold
            } else {
                &mut sums
            };
            if count == C {
                for i in 0..C {
                    sums[i] += i32::from(distance[i] as i16) * i32::from(weights[i]);
                }
            } else {
                for i in 0..count {
                    sums[i] += i32::from(distance[i] as i16) * i32::from(weights[i]);
                }
            }
            q += C;
        }
        // The second of four rows stands for all: neighbours in rank are close.
        p += match (sparse, p.cmp(&DENSE)) {
            (false, _) | (true, Less) => 1,
            (true, Equal) => 2,
            (true, Greater) => 4,
        };
        rows += 1;
        // A lane of 32 bits holds that many rows with ease.
        if rows % 64 == 0 {
            total += sum_wide(&sums) + 4 * sum_wide(&fourfold);
            sums = [0; C];
            fourfold = [0; C];
        }
    }
    total + sum_wide(&sums) + 4 * sum_wide(&fourfold)
}

/// Adds up the values in 64 bits.
#[inline(always)]
fn sum_wide(sums: &[i32]) -> i64 {
    sums.iter().map(|s| i64::from(*s)).sum()
}

/// Adds to each distance what one axis says of a chunk of elements, from coordinate `x`.
#[inline(always)]
fn add_axis_distances<const C: usize>(
    distance: &mut [u8; C],
    x: u8,
    others: &[u8; C],
    axis: ByteAxis,
) {
    for i in 0..C {
        distance[i] += axis.shorten_way(x.abs_diff(others[i]));
    }
}

/// Computes the price of one element, at coordinates `x`, with those at ranks `from..to`, on byte coordinates;
/// `prices[0]` is that of rank `from`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
pub fn price_along_row(
    lanes: &[Vec<u8>],
    axes: &[ByteAxis],
    x: &[u8; MAX_AXES],
    from: usize,
    to: usize,
    prices: &[i16],
) -> i64 {
    let mut sums = [0i32; STRETCH];
    let mut at = from;
    while at + STRETCH <= to {
        let mut distance = [0u8; STRETCH];
        for ((lane, axis), x) in lanes.iter().zip(axes).zip(x) {
            let Some(others) = lane[at..].first_chunk::<STRETCH>() else {
                return 0;
            };
            add_axis_distances(&mut distance, *x, others, *axis);
        }
        let Some(weights) = prices[at - from..].first_chunk::<STRETCH>() else {
            return 0;
        };
        for i in 0..STRETCH {
            sums[i] += i32::from(distance[i] as i16) * i32::from(weights[i]);
        }
        at += STRETCH;
    }
    let mut total = sum_wide(&sums);
    // What is left of the stretch, one by one.
    for r in at..to {
        let mut d = 0u8;
        for ((lane, axis), x) in lanes.iter().zip(axes).zip(x) {
            d += axis.shorten_way(x.abs_diff(lane[r]));
        }
        total += i64::from(prices[r - from]) * i64::from(d);
    }
    total
}
