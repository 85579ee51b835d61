//! Lag sums pair by pair, in bytes that lie side by side, for distances that are sums of terms.
//!
//! For every label v of every term, a table row holds `d(v, label[j])` for all ranks j, one byte each. On a ring of
//! four labels whose ranks have labels 0 3 1 2, the rows are
//!
//! ```text
//! v = 0:  0 1 1 2        v = 2:  2 1 1 0
//! v = 1:  1 2 0 1        v = 3:  1 0 2 1
//! ```
//!
//! Rank i pairs with rank i+k at byte i+k of the row of its own label. So the distances of one rank to the next 256
//! lie side by side, in one row a term: three loads and three additions serve 32 or 64 pairs, and the sums by lag k
//! of all ranks i stay in place. Byte sums are flushed to words before they can overflow.

use multiversion::multiversion;
use rayon::prelude::*;

use super::terms::Term;
use nodeorder_base::observer::unwind_if_stopped;

/// Number of lags of a block.
const LAGS: usize = 256;

/// Number of ranks whose flushed bytes a 32-bit sum surely holds.
const STRETCH: usize = 1 << 24;

/// Table rows of one term.
struct Table {
    /// Rows one after the other, each padded by [`LAGS`] bytes with d(v, label 0).
    rows: Vec<u8>,
    /// Start of the row of each rank's label.
    start: Vec<u32>,
}

/// Tables of several terms. Memory: N · Σ labels bytes.
pub struct Tables {
    n: usize,
    tables: Vec<Table>,
    /// Distance of each rank to the padding: Σ over terms of `d(label[i], 0)`.
    padding: Vec<u64>,
    /// Pairs that a byte can add up before it may overflow.
    flush: usize,
}

/// Computes the largest distance of a sum of terms.
fn diameter(terms: &[&Term]) -> u32 {
    terms.iter().map(|t| t.labelling.diameter()).sum()
}

impl Table {
    /// Fills in the rows of a term.
    fn new(term: &Term) -> Self {
        let n = term.labels.len();
        let stride = n + LAGS;
        let labels = term.labelling.axis.extent;
        let mut rows = vec![0u8; labels as usize * stride];
        rows.par_chunks_mut(stride)
            .enumerate()
            .for_each(|(v, row)| {
                let hops: Vec<u8> = (0..labels)
                    .map(|x| term.labelling.distance_between(v as u32, x) as u8)
                    .collect();
                for (d, x) in row.iter_mut().zip(&term.labels) {
                    *d = hops[*x as usize];
                }
                row[n..].fill(hops[0]);
            });
        Table {
            rows,
            start: term.labels.iter().map(|v| v * stride as u32).collect(),
        }
    }
}

impl Tables {
    /// Computes the bytes that tables for `terms` would take; `None` if distances do not fit a byte or a row's
    /// start does not fit 32 bits.
    pub fn bytes(terms: &[&Term]) -> Option<u64> {
        let stride = (terms.first()?.labels.len() + LAGS) as u64;
        let mut bytes = 0;
        for term in terms {
            let table = u64::from(term.labelling.axis.extent) * stride;
            if table > u64::from(u32::MAX) {
                return None;
            }
            bytes += table;
        }
        (diameter(terms) <= 255).then_some(bytes)
    }

    /// Makes the tables of terms along `n` ranks.
    pub fn new(terms: &[&Term], n: usize) -> Self {
        let mut padding = vec![0; n];
        for term in terms {
            for (sum, label) in padding.iter_mut().zip(&term.labels) {
                *sum += u64::from(term.labelling.distance_between(*label, 0));
            }
        }
        Tables {
            n,
            tables: terms.iter().map(|term| Table::new(term)).collect(),
            padding,
            flush: 255 / diameter(terms).max(1) as usize,
        }
    }

    /// Computes `lag[k] = Σ_i d(i, i+k)` for k = 1..=`last`, zero elsewhere. O(N · last), blocks of lags in parallel.
    pub fn lag_sums(&self, last: usize) -> Vec<u64> {
        let mut lag = vec![0u64; self.n];
        let end = self.n.min(last + 1);
        let Some(wanted) = lag.get_mut(1..end) else {
            return lag;
        };
        wanted
            .par_chunks_mut(LAGS)
            .enumerate()
            .for_each(|(block, out)| {
                unwind_if_stopped();
                self.sum_block(1 + block * LAGS, out);
            });
        lag
    }

    /// Computes the sums of up to [`LAGS`] lags, `first` the lowest.
    fn sum_block(&self, first: usize, lags: &mut [u64]) {
        // Ranks that have a partner at the lowest lag.
        let ranks = self.n - first;
        for from in (0..ranks).step_by(STRETCH) {
            let mut sums = [0u32; LAGS];
            let to = ranks.min(from + STRETCH);
            add_block(&self.tables, first, from..to, self.flush, &mut sums);
            for (lag, sum) in lags.iter_mut().zip(&sums) {
                *lag += u64::from(*sum);
            }
        }
        // Lag k has no partner for the last k ranks: those before `ranks` were paired with the padding.
        let mut surplus = 0;
        for (l, lag) in lags.iter_mut().enumerate() {
            if l > 0 {
                surplus += self.padding[ranks - l];
            }
            *lag -= surplus;
        }
    }
}

/// Adds the distances of ranks `ranks` to the [`LAGS`] ranks that start `first` above each.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add_block(
    tables: &[Table],
    first: usize,
    ranks: std::ops::Range<usize>,
    flush: usize,
    sums: &mut [u32; LAGS],
) {
    // Two or three terms together: one pass over the sums instead of one a term. More seldom occur.
    match tables {
        [a, b] => add_terms([a, b], first, ranks, flush, sums),
        [a, b, c] => add_terms([a, b, c], first, ranks, flush, sums),
        _ => {
            for table in tables {
                add_terms([table], first, ranks.clone(), flush, sums);
            }
        }
    }
}

#[inline(always)]
fn add_terms<const TERMS: usize>(
    tables: [&Table; TERMS],
    first: usize,
    ranks: std::ops::Range<usize>,
    flush: usize,
    sums: &mut [u32; LAGS],
) {
    let terms = tables.map(|table| (&table.rows[..], &table.start[..]));
    let mut from = ranks.start;
    while from < ranks.end {
        let to = ranks.end.min(from + flush);
        // At most 255 a byte until the next flush.
        let mut bytes = [0u8; LAGS];
        for i in from..to {
            let rows: [&[u8; LAGS]; TERMS] = terms.map(|(rows, start)| {
                let begin = start[i] as usize + i + first;
                rows[begin..begin + LAGS]
                    .first_chunk()
                    .unwrap_or(&[0; LAGS])
            });
            for l in 0..LAGS {
                for row in rows {
                    bytes[l] = bytes[l].wrapping_add(row[l]);
                }
            }
        }
        for l in 0..LAGS {
            sums[l] += u32::from(bytes[l]);
        }
        from = to;
    }
}
