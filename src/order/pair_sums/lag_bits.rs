//! Lag sums of distances that a search left in bit planes: added up bit by bit, and written as numbers once, at the end.
//!
//! In a plane, a word of the row of rank j has the distances from 64 ranks that begin at a multiple of 64. Moved by the rank's
//! remainder, words of ranks that follow each other have the same lag at the same bit: adders of whole words add them up.

use std::ops::Range;

use multiversion::multiversion;

use nodeorder_network::topology::search::{BITS, Bits, Search, WIDTH};

/// Words of a row.
const WORDS: usize = WIDTH / 64;

/// Ranks whose distances are added at a time.
const RANKS: usize = 8;

/// Bits of a sum over [`WIDTH`] distances.
const SUM: usize = 2 * BITS;

/// The distances of [`RANKS`] ranks, the lowest bits first.
type Eight = [[Bits; RANKS]; BITS];

/// Sums of 256 lags, 64 a word, the lowest bits first.
type Sums = [Bits; SUM];

/// Sums by lag. Bit b of word q belongs to lag 64·q + 63 - b. Memory: 5 bytes a rank.
pub(super) struct LagBits {
    /// The lowest bits first.
    lags: Vec<[u64; 40]>,
}

impl LagBits {
    /// Zeros for `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        LagBits {
            lags: vec![[0; 40]; ranks.div_ceil(64)],
        }
    }

    /// Adds the distances between the sources of `search`, which stand at `ranks.start` (a multiple of 64) and after it,
    /// and the ranks above each of them, up to the end of `ranks`; `rows` are those of all ranks. O(planes) operations
    /// on words of 64 distances.
    pub fn add_batch(&mut self, search: &Search<'_>, rows: &[u32], ranks: Range<usize>) {
        let used = search.used;
        // Word w of the row of a rank among the t-th 64 has lags from 64·(t - w) - 63 to 64·(t - w) + 63: those from
        // 64·(t - w) on in word w of `near`, those below it in `far`.
        let (mut near, mut far) = ([[0; WORDS]; SUM], [[0; WORDS]; SUM]);
        let (mut nears, mut fars) = ([[[0; WORDS]; RANKS]; BITS], [[[0; WORDS]; RANKS]; BITS]);
        let blocks = rows[ranks].chunks(64).map(Some);
        for (t, block) in blocks.chain([None; WORDS - 1]).enumerate() {
            for (eight, rows) in block.unwrap_or(&[]).chunks(RANKS).enumerate() {
                read(search, rows, RANKS * eight, &mut nears, &mut fars);
                add(&mut near, &nears[..used]);
                add(&mut far, &fars[..used]);
            }
            // The last word gets nothing more. The others move on: with the next 64 ranks, word w has the lags that word
            // w - 1 had. Lags below zero are pairs with ranks below, which count elsewhere.
            for (sums, below) in [(&mut near, WORDS - 1), (&mut far, WORDS)] {
                let lags = t.checked_sub(below).and_then(|q| self.lags.get_mut(q));
                let mut carry = 0;
                for (k, lags) in lags.into_iter().flatten().enumerate() {
                    if k >= SUM && carry == 0 {
                        break;
                    }
                    let with = sums.get(k).map_or(0, |sum| sum[WORDS - 1]);
                    ([*lags], [carry]) = full([*lags], [with], [carry]);
                }
                for sum in sums {
                    sum.rotate_right(1);
                    sum[0] = 0;
                }
            }
        }
    }

    /// Adds the sums to `lags`, which may be shorter. O(ranks · bits of the sums).
    pub fn add_to(&self, lags: &mut [u64]) {
        for (lags, sums) in lags.chunks_mut(64).zip(&self.lags) {
            for (k, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum != 0) {
                for (b, lag) in lags.iter_mut().enumerate() {
                    *lag += (sum >> (63 - b) & 1) << k;
                }
            }
        }
    }
}

/// Reads the distances of up to [`RANKS`] ranks, the first of which is r mod 64, and shifts them so that a bit stands for
/// the same lag in all ranks.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn read(search: &Search<'_>, rows: &[u32], r: usize, nears: &mut Eight, fars: &mut Eight) {
    let eight = std::array::from_fn(|i| rows[i.min(rows.len() - 1)]);
    search.decode(eight, |p, eight: &[Bits; RANKS]| {
        for (i, bits) in eight.iter().enumerate() {
            let bits = if i < rows.len() { *bits } else { [0; WORDS] };
            nears[p][i] = bits.map(|word| word << (63 - r - i));
            fars[p][i] = bits.map(|word| word >> 1 >> (r + i));
        }
    });
}

/// Adds the distances of [`RANKS`] ranks, the lowest bits first.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add(sums: &mut Sums, eight: &[[Bits; RANKS]]) {
    let (own, above) = sums.split_at_mut(eight.len());
    let mut carry = [[0; WORDS]; RANKS];
    for (sum, bits) in own.iter_mut().zip(eight) {
        let [a, b, c, d] = pairs(sum, bits);
        let [e, f, g, h] = pairs(sum, &carry);
        carry = [a, b, c, d, e, f, g, h];
    }
    let [first, second, third, others @ ..] = above else {
        return;
    };
    let four: [Bits; 4] = pairs(first, &carry);
    let two: [Bits; 2] = pairs(second, &four);
    let [mut carry] = pairs(third, &two);
    for sum in others {
        (*sum, carry) = full(*sum, carry, [0; WORDS]);
    }
}

/// Adds pairs of bits to a sum. Returns the carries.
#[inline(always)]
fn pairs<const N: usize>(sum: &mut Bits, bits: &[Bits]) -> [Bits; N] {
    let mut carry = [[0; WORDS]; N];
    for (carry, pair) in carry.iter_mut().zip(bits.as_chunks::<2>().0) {
        (*sum, *carry) = full(*sum, pair[0], pair[1]);
    }
    carry
}

/// Full adders: sum and carry of three bits, in all bits of all words at once.
#[inline(always)]
fn full<const N: usize>(a: [u64; N], b: [u64; N], c: [u64; N]) -> ([u64; N], [u64; N]) {
    let sum = std::array::from_fn(|w| a[w] ^ b[w] ^ c[w]);
    (
        sum,
        std::array::from_fn(|w| a[w] & b[w] | (a[w] ^ b[w]) & c[w]),
    )
}
