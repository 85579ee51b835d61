//! Lag sums pair by pair, in bytes that lie side by side, for distances that are sums of terms.
//!
//! For every label v of every term, a table row holds `d(v, label[j])` for all ranks j, one byte each.
//! For a block of consecutive lags and one rank i, the distances to ranks i+k are then a plain sum of as
//! many rows as there are terms, each starting at byte i+k: three loads and three additions serve 32 or 64
//! pairs. Byte sums are flushed to words before they can overflow.

use multiversion::multiversion;
use rayon::prelude::*;

use super::terms::Term;
use nodeorder_base::observer::pause;

/// Lags a block.
const LAGS: usize = 256;

/// Table rows of several terms, as bytes. Memory: N · Σ labels bytes.
pub(super) struct Tables {
    n: usize,
    /// For each term: its rows one after the other, padded by [`LAGS`] bytes with d(v, label 0).
    rows: Vec<Vec<u8>>,
    /// For each term: where the row of each rank's label starts.
    start: Vec<Vec<u32>>,
    /// Distance of each rank to the padding: Σ over terms of `d(label[i], 0)`.
    padding: Vec<u64>,
    /// Pairs that a byte can add up before it may overflow.
    flush: usize,
}

impl Tables {
    /// Bytes that tables for `terms` would take, or `None` when distances do not fit a byte or a row's
    /// start does not fit 32 bits.
    pub(super) fn bytes(terms: &[&Term]) -> Option<u64> {
        let n = terms.first()?.labels.len() as u64 + LAGS as u64;
        let diameter: u32 = terms.iter().map(|t| t.labelling.diameter()).sum();
        let labels = |t: &&Term| u64::from(t.labelling.axis.extent);
        let fits = terms.iter().all(|t| labels(t) * n <= u64::from(u32::MAX));
        (diameter <= 255 && fits).then(|| n * terms.iter().map(labels).sum::<u64>())
    }

    pub(super) fn new(terms: &[&Term]) -> Self {
        let n = terms.first().map_or(0, |t| t.labels.len());
        let stride = n + LAGS;
        let table = |term: &&Term| {
            let labels = term.labelling.axis.extent;
            let mut rows = vec![0u8; labels as usize * stride];
            rows.par_chunks_mut(stride)
                .enumerate()
                .for_each(|(v, row)| {
                    let to: Vec<u8> = (0..labels)
                        .map(|x| term.labelling.between(v as u32, x) as u8)
                        .collect();
                    row.iter_mut()
                        .zip(&term.labels)
                        .for_each(|(d, x)| *d = to[*x as usize]);
                    row[n..].fill(to[0]);
                });
            rows
        };
        let start = |term: &&Term| term.labels.iter().map(|v| v * stride as u32).collect();
        let to_padding = |r: usize| {
            terms
                .iter()
                .map(|t| u64::from(t.labelling.between(t.labels[r], 0)))
                .sum::<u64>()
        };
        let diameter: u32 = terms.iter().map(|t| t.labelling.diameter()).sum();
        Tables {
            n,
            rows: terms.iter().map(table).collect(),
            start: terms.iter().map(start).collect(),
            padding: (0..n).map(to_padding).collect(),
            flush: 255 / diameter.max(1) as usize,
        }
    }

    /// `lag[k] = Σ_i d(i, i+k)` for k = 1..=`last`, zero elsewhere. O(N · last), blocks of lags in
    /// parallel.
    pub(super) fn lag_sums(&self, last: usize) -> Vec<u64> {
        let mut lag = vec![0u64; self.n];
        let end = self.n.min(last + 1);
        let Some(wanted) = lag.get_mut(1..end) else {
            return lag;
        };
        wanted
            .par_chunks_mut(LAGS)
            .enumerate()
            .for_each(|(block, out)| {
                pause();
                let first = 1 + block * LAGS;
                let mut sums = [0u32; LAGS];
                let mut wide = [0u64; LAGS];
                // A word lane holds 2²⁴ flushed bytes; longer orderings are taken in stretches.
                let mut from = 0;
                while from < self.n - first {
                    let to = (self.n - first).min(from + (1 << 24));
                    sums.fill(0);
                    add_block(
                        &self.rows,
                        &self.start,
                        first,
                        from..to,
                        self.flush,
                        &mut sums,
                    );
                    wide.iter_mut()
                        .zip(&sums)
                        .for_each(|(w, s)| *w += u64::from(*s));
                    from = to;
                }
                // Lag k has no partner for the last k ranks: the kernel paired those that start before
                // n - first with the padding.
                let mut surplus = 0;
                for (l, out) in out.iter_mut().enumerate() {
                    if l > 0 {
                        surplus += self.padding[self.n - first - l];
                    }
                    *out = wide[l] - surplus;
                }
            });
        lag
    }
}

/// Adds the distances of ranks `ranks` to the [`LAGS`] ranks that start `first` above each.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add_block(
    rows: &[Vec<u8>],
    starts: &[Vec<u32>],
    first: usize,
    ranks: std::ops::Range<usize>,
    flush: usize,
    sums: &mut [u32; LAGS],
) {
    // Two or three terms together: one pass over the sums instead of one a term. More seldom occur.
    match rows.len() {
        2 => add_terms::<2>(rows, starts, first, ranks, flush, sums),
        3 => add_terms::<3>(rows, starts, first, ranks, flush, sums),
        _ => {
            for (row, start) in rows.chunks(1).zip(starts.chunks(1)) {
                add_terms::<1>(row, start, first, ranks.clone(), flush, sums);
            }
        }
    }
}

#[inline(always)]
fn add_terms<const TERMS: usize>(
    rows: &[Vec<u8>],
    starts: &[Vec<u32>],
    first: usize,
    ranks: std::ops::Range<usize>,
    flush: usize,
    sums: &mut [u32; LAGS],
) {
    let terms: [(&[u8], &[u32]); TERMS] = std::array::from_fn(|t| (&rows[t][..], &starts[t][..]));
    let mut from = ranks.start;
    while from < ranks.end {
        let to = ranks.end.min(from + flush);
        let mut bytes = [0u8; LAGS];
        for i in from..to {
            let at: [&[u8; LAGS]; TERMS] = terms.map(|(row, start)| {
                let begin = start[i] as usize + i + first;
                row[begin..begin + LAGS].first_chunk().unwrap_or(&[0; LAGS])
            });
            for l in 0..LAGS {
                bytes[l] = at
                    .iter()
                    .fold(bytes[l], |sum, row| sum.wrapping_add(row[l]));
            }
        }
        for l in 0..LAGS {
            sums[l] += u32::from(bytes[l]);
        }
        from = to;
    }
}
