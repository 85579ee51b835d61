//! Lag sums of distances that a search left in bit planes: added up bit by bit, 64 lags in a word, and written as
//! numbers once, at the end.
//!
//! Rank j is 64·t + r, and a word of its row has the distances from 64 ranks that begin at a multiple of 64. Such words
//! of ranks of the same r, one multiple of 64 further each, stand for the same 64 lags: adders of whole words add them
//! up.

use std::ops::Range;

use multiversion::multiversion;

use crate::topology::search::{SPREAD, Search, WIDTH, first};

/// A bit of 64 numbers for each remainder r.
type Block = [u64; 64];

/// Words of a row.
const WORDS: usize = WIDTH / 64;

/// Planes of a sum of [`WORDS`] bytes.
const PLANES: usize = 10;

/// Sums by lag. Bit b of block q at r belongs to lag 64·q + r - b. Memory: 8 bytes for each rank and bit of the sums.
pub(super) struct LagBits {
    blocks: usize,
    /// The lowest bits first, then by block.
    planes: Vec<Vec<Block>>,
}

impl LagBits {
    /// Zeros for `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        LagBits { blocks: ranks.div_ceil(64), planes: Vec::new() }
    }

    /// Adds the distances between the sources of `search`, which stand at `ranks.start` (a multiple of 64) and after it,
    /// and the ranks above each of them, up to the end of `ranks`; `rows` are those of all ranks.
    ///
    /// # Complexity
    /// O(planes) operations on words of 64 distances.
    pub fn add_batch(&mut self, search: &Search<'_>, rows: &[u32], ranks: Range<usize>) {
        let blocks = ranks.len().div_ceil(64);
        let used = search.plane_count();
        let mut words = [[[0; 64]; PLANES]; WORDS];
        // The blocks of lags that get further words: block q stands at q mod WORDS.
        let mut open = words;
        for t in 0..blocks + WORDS - 1 {
            if t < blocks {
                let from = ranks.start + 64 * t;
                let here = &rows[from..ranks.end.min(from + 64)];
                if here.len() < 64 {
                    words.iter_mut().for_each(|word| word[..used].fill([0; 64]));
                }
                for (r, row) in here.iter().enumerate() {
                    // The sources below.
                    let below = if t < WORDS { first(64 * t + r) } else { [u64::MAX; WORDS] };
                    search.decode(*row, |p, bits| {
                        for (word, (bits, below)) in words.iter_mut().zip(bits.iter().zip(&below)) {
                            word[p][r] = bits & below;
                        }
                    });
                }
                for (w, word) in words.iter().enumerate().take(t + 1) {
                    let mut carry = [0; 64];
                    for (p, sum) in open[(t - w) % WORDS][..used + 2].iter_mut().enumerate() {
                        add(sum, if p < used { &word[p] } else { &[0; 64] }, &mut carry);
                    }
                }
            }
            if let Some(q) = (t + 1).checked_sub(WORDS) {
                self.add_block(q, &open[q % WORDS][..used + 2]);
                open[q % WORDS][..used + 2].fill([0; 64]);
            }
        }
    }

    fn add_block(&mut self, block: usize, number: &[Block]) {
        let mut carry = [0; 64];
        for p in 0.. {
            if p >= number.len() && carry == [0; 64] {
                break;
            }
            if p == self.planes.len() {
                self.planes.push(vec![[0; 64]; self.blocks]);
            }
            add(&mut self.planes[p][block], number.get(p).unwrap_or(&[0; 64]), &mut carry);
        }
    }

    /// Adds the sums to those of each lag, as far as there are any. O(ranks · bits of the sums).
    pub fn add_to(&self, lags: &mut [u64]) {
        for (q, r) in (0..self.blocks).flat_map(|q| (0..64).map(move |r| (q, r))) {
            for (eight, planes) in self.planes.chunks(8).enumerate() {
                for byte in 0..8 {
                    let spread = |(p, plane): (usize, &Vec<Block>)| {
                        SPREAD[(plane[q][r] >> (8 * byte) & 255) as usize] << p
                    };
                    let sums = planes.iter().enumerate().map(spread).fold(0, |a, b| a | b);
                    for (l, sum) in sums.to_le_bytes().into_iter().enumerate() {
                        let lag = (64 * q + r).checked_sub(8 * byte + l);
                        if let Some(lag) = lag.and_then(|lag| lags.get_mut(lag)) {
                            *lag += u64::from(sum) << (8 * eight);
                        }
                    }
                }
            }
        }
    }
}

/// Adds one bit of 64 · 64 numbers, and the carry from the bit below, which becomes the carry to the one above.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add(sum: &mut Block, with: &Block, carry: &mut Block) {
    for r in 0..64 {
        let (a, b, c) = (sum[r], with[r], carry[r]);
        sum[r] = a ^ b ^ c;
        carry[r] = a & b | (a ^ b) & c;
    }
}
