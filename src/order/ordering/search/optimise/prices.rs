//! Prices of lags, and sums of price times distance over byte coordinates.

use std::cmp::Ordering::{Equal, Greater, Less};

use multiversion::multiversion;

use super::elements::{ByteAxis, Distances, MAX_AXES};

/// Bytes compared at once.
pub(super) const CHUNK: usize = 32;

/// Bytes compared at once along one row.
const STRETCH: usize = 16;

/// Elements left of a joint that are always looked at one by one.
pub(super) const DENSE: usize = 4;

/// Lag weights as 16-bit integers, for the price of moves (orderings are judged by the exact objective).
#[derive(Clone, Debug)]
pub(super) struct Prices {
    /// `by_lag[k]` for k ≤ window, zeros behind it so that a whole chunk can be read from any lag.
    pub by_lag: Vec<i16>,
    /// Prices of the lags around a rank: lag k at `window ± k`.
    pub around: Vec<i16>,
    pub window: usize,
}

impl Prices {
    /// Weights of lags 1, 2, … scaled so that the first is about `unit`.
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
        Prices {
            by_lag,
            around,
            window,
        }
    }

    /// These prices up to a shorter window.
    pub fn cut(&self, window: usize) -> Self {
        let lag: Vec<f64> = (0..=self.window)
            .map(|k| f64::from(self.by_lag[k]))
            .collect();
        Prices::new(
            &lag,
            f64::from(self.by_lag[1..].iter().copied().max().unwrap_or(0)),
            window,
        )
    }

    pub fn lag(&self, k: usize) -> i64 {
        if k <= self.window {
            i64::from(self.by_lag[k])
        } else {
            0
        }
    }

    /// The sum of the prices of lags above `k`.
    pub fn beyond(&self, k: usize) -> i64 {
        (k + 1..=self.window)
            .map(|k| i64::from(self.by_lag[k]))
            .sum()
    }
}

impl Prices {
    /// The price of a stretch of a sequence, pairs inside it alone. O(stretch · window).
    pub fn of_stretch(&self, distances: &Distances, stretch: &[u32]) -> i64 {
        let pairs = (1..=self.window).flat_map(|lag| {
            let behind = stretch.get(lag..).unwrap_or_default();
            stretch.iter().zip(behind).map(move |pair| (lag, pair))
        });
        pairs
            .map(|(lag, (a, b))| self.lag(lag) * i64::from(distances.between(*a, *b)))
            .sum()
    }
}

#[cfg(test)]
impl Prices {
    /// The price of a whole order, pair by pair.
    pub fn of_order(&self, distances: &Distances, order: &[u32], ring: bool) -> i64 {
        let n = order.len();
        let lag = |k: usize| self.lag(if ring { k.min(n - k) } else { k });
        let pairs = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs
            .map(|(a, b)| lag(a - b) * i64::from(distances.between(order[a], order[b])))
            .sum()
    }
}

/// Price times distance of every pair across a joint, on byte coordinates, a chunk of right-hand elements at a time.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn across_lanes(
    buffer: &[Vec<u8>],
    axes: &[ByteAxis],
    split: usize,
    filled: usize,
    prices: &Prices,
    sparse: bool,
) -> i64 {
    if prices.window <= 16 {
        across_chunks::<16>(buffer, axes, split, filled, prices, sparse)
    } else {
        across_chunks::<CHUNK>(buffer, axes, split, filled, prices, sparse)
    }
}

#[inline(always)]
fn across_chunks<const C: usize>(
    buffer: &[Vec<u8>],
    axes: &[ByteAxis],
    split: usize,
    filled: usize,
    prices: &Prices,
    sparse: bool,
) -> i64 {
    let window = prices.window;
    let right = (filled - split).min(window);
    let (mut sums, mut fourfold) = ([0i32; C], [0i32; C]);
    let mut total = 0i64;
    let (mut p, mut rows) = (1, 0);
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
                add_apart(&mut distance, x, others, *axis);
            }
            let Some(weights) = prices.by_lag[p + q..].first_chunk::<C>() else {
                return 0;
            };
            // Beyond the window weights are zero; beyond the end of the sequence they are not.
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
            total += whole(&sums) + 4 * whole(&fourfold);
            (sums, fourfold) = ([0; C], [0; C]);
        }
    }
    total + whole(&sums) + 4 * whole(&fourfold)
}

#[inline(always)]
fn whole(sums: &[i32]) -> i64 {
    sums.iter().map(|s| i64::from(*s)).sum()
}

#[inline(always)]
fn add_apart<const C: usize>(distance: &mut [u8; C], x: u8, others: &[u8; C], axis: ByteAxis) {
    for i in 0..C {
        let apart = x.abs_diff(others[i]);
        distance[i] += apart.min(axis.wrap.wrapping_sub(apart)).min(axis.cap);
    }
}

/// Price times distance of one element to a stretch of ranks, on byte coordinates.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn along_lanes(
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
            add_apart(&mut distance, *x, others, *axis);
        }
        let Some(weights) = prices[at - from..].first_chunk::<STRETCH>() else {
            return 0;
        };
        for i in 0..STRETCH {
            sums[i] += i32::from(distance[i] as i16) * i32::from(weights[i]);
        }
        at += STRETCH;
    }
    let mut total: i64 = sums.iter().map(|s| i64::from(*s)).sum();
    for r in at..to {
        let mut d = 0u8;
        for ((lane, axis), x) in lanes.iter().zip(axes).zip(x) {
            let apart = x.abs_diff(lane[r]);
            d += apart.min(axis.wrap.wrapping_sub(apart)).min(axis.cap);
        }
        total += i64::from(prices[r - from]) * i64::from(d);
    }
    total
}
