//! Lag sums of distances that a search left in bit planes: added up bit by bit, and written as numbers once, at the
//! end.
//!
//! Plane p of a search holds bit p of every distance; a word of the row of rank j has that bit of the distances from
//! 64 ranks i that begin at a multiple of 64. In the word of rank j + 1 the same lag j - i is one bit further on.
//! Shifted by the rank's remainder, the words of ranks that follow each other have the same lag at the same bit, and
//! adders of whole words add up 64 lags at a time:
//!
//! ```text
//! source i     0 1 2 3        shifted by j, bit = lag j - i
//! word of j=2  a b c d   →    lag 2: a   lag 1: b   lag 0: c
//! word of j=3  e f g h   →    lag 3: e   lag 2: f   lag 1: g   lag 0: h      lag 2 gets a + f
//! ```

use std::ops::Range;

use multiversion::multiversion;

use nodeorder_network::topology::search::{BatchSearch, PLANES, SourceSet, WIDTH};

/// Number of words of a row.
const WORDS: usize = WIDTH / 64;

/// Number of ranks whose distances are added at a time.
const RANKS: usize = 8;

/// Number of bits of a sum over [`WIDTH`] distances.
const SUM_BITS: usize = 2 * PLANES;

/// Planes of the distances of [`RANKS`] ranks, the lowest bits first.
type RankPlanes = [[SourceSet; RANKS]; PLANES];

/// Sums of 256 lags, 64 a word, the lowest bits first.
type LagPlanes = [SourceSet; SUM_BITS];

/// Sums by lag. Bit b of word q belongs to lag 64·q + 63 - b. Memory: 5 bytes a rank.
pub struct LagBits {
    /// Planes of the words, the lowest bits first.
    lags: Vec<[u64; 40]>,
}

impl LagBits {
    /// Creates zeros for `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        LagBits {
            lags: vec![[0; 40]; ranks.div_ceil(64)],
        }
    }

    /// Adds the distances between the sources of `search`, which stand at `ranks.start` (a multiple of 64) and
    /// after it, and the ranks above each of them, up to the end of `ranks`; `rows` are those of all ranks.
    /// O(planes) operations on words of 64 distances.
    pub fn add_batch(&mut self, search: &BatchSearch<'_>, rows: &[u32], ranks: Range<usize>) {
        let used = search.used_planes;
        // Word w of the row of a rank among the t-th 64 has lags from 64·(t - w) - 63 to 64·(t - w) + 63: those from
        // 64·(t - w) on in word w of `near`, those below it in `far`.
        let mut near = [[0; WORDS]; SUM_BITS];
        let mut far = near;
        let mut near_planes = [[[0; WORDS]; RANKS]; PLANES];
        let mut far_planes = near_planes;
        let blocks = rows[ranks].chunks(64).map(Some);
        for (t, block) in blocks.chain([None; WORDS - 1]).enumerate() {
            for (eight, rows) in block.unwrap_or(&[]).chunks(RANKS).enumerate() {
                read_planes(
                    search,
                    rows,
                    RANKS * eight,
                    &mut near_planes,
                    &mut far_planes,
                );
                add_planes(&mut near, &near_planes[..used]);
                add_planes(&mut far, &far_planes[..used]);
            }
            // The last word gets nothing more. The others move on: with the next 64 ranks, word w has the
            // lags that word w - 1 had. Lags below zero are pairs with ranks below, which count
            // elsewhere.
            for (sums, below) in [(&mut near, WORDS - 1), (&mut far, WORDS)] {
                let lags = t.checked_sub(below).and_then(|q| self.lags.get_mut(q));
                let mut carry = 0;
                for (k, lags) in lags.into_iter().flatten().enumerate() {
                    if k >= SUM_BITS && carry == 0 {
                        break;
                    }
                    let with = sums.get(k).map_or(0, |sum| sum[WORDS - 1]);
                    ([*lags], [carry]) = add_bits([*lags], [with], [carry]);
                }
                for sum in sums {
                    sum.rotate_right(1);
                    sum[0] = 0;
                }
            }
        }
    }

    /// Adds the sums to `lags`, which may be shorter. O(ranks · bits of the sums).
    pub fn add_to_lags(&self, lags: &mut [u64]) {
        for (lags, sums) in lags.chunks_mut(64).zip(&self.lags) {
            for (k, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum != 0) {
                for (b, lag) in lags.iter_mut().enumerate() {
                    *lag += (sum >> (63 - b) & 1) << k;
                }
            }
        }
    }
}

/// Reads the distances of up to [`RANKS`] ranks, the first of which is r mod 64, and shifts them so that a bit stands
/// for the same lag in all ranks.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn read_planes(
    search: &BatchSearch<'_>,
    rows: &[u32],
    r: usize,
    near: &mut RankPlanes,
    far: &mut RankPlanes,
) {
    // Ranks beyond the last repeat it when read, and count as zeros.
    let eight = std::array::from_fn(|i| rows[i.min(rows.len() - 1)]);
    search.decode_rows(eight, |p, eight: &[SourceSet; RANKS]| {
        for (i, bits) in eight.iter().enumerate() {
            let bits = if i < rows.len() { *bits } else { [0; WORDS] };
            near[p][i] = bits.map(|word| word << (63 - r - i));
            far[p][i] = bits.map(|word| word >> 1 >> (r + i));
        }
    });
}

/// Adds the distances of [`RANKS`] ranks, the lowest bits first.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add_planes(sums: &mut LagPlanes, eight: &[[SourceSet; RANKS]]) {
    let (own, above) = sums.split_at_mut(eight.len());
    let mut carry = [[0; WORDS]; RANKS];
    // Eight bits and eight carries a plane go into the sum two by two and leave eight carries for the next plane.
    for (sum, bits) in own.iter_mut().zip(eight) {
        let [a, b, c, d] = add_pairs(sum, bits);
        let [e, f, g, h] = add_pairs(sum, &carry);
        carry = [a, b, c, d, e, f, g, h];
    }
    let [first, second, third, others @ ..] = above else {
        return;
    };
    let four: [SourceSet; 4] = add_pairs(first, &carry);
    let two: [SourceSet; 2] = add_pairs(second, &four);
    let [mut carry] = add_pairs(third, &two);
    for sum in others {
        (*sum, carry) = add_bits(*sum, carry, [0; WORDS]);
    }
}

/// Adds pairs of bits to a sum. Returns the carries.
#[inline(always)]
fn add_pairs<const N: usize>(sum: &mut SourceSet, bits: &[SourceSet]) -> [SourceSet; N] {
    let mut carry = [[0; WORDS]; N];
    for (carry, pair) in carry.iter_mut().zip(bits.as_chunks::<2>().0) {
        (*sum, *carry) = add_bits(*sum, pair[0], pair[1]);
    }
    carry
}

/// Adds three bits in all bits of all words at once. Returns sum and carry.
#[inline(always)]
fn add_bits<const N: usize>(a: [u64; N], b: [u64; N], c: [u64; N]) -> ([u64; N], [u64; N]) {
    let sum = std::array::from_fn(|w| a[w] ^ b[w] ^ c[w]);
    let carry = std::array::from_fn(|w| a[w] & b[w] | (a[w] ^ b[w]) & c[w]);
    (sum, carry)
}
