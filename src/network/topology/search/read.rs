//! Reads distances from the planes of a search.

use multiversion::multiversion;

use super::Search;
use super::sets::{Bits, EMPTY, SPREAD, WIDTH, join};
use nodeorder_base::ids::RouterId;

impl Search<'_> {
    /// Decodes the distances of N rows to binary: calls `visit` with p and bit p of all of them, the highest bit first.
    #[inline(always)]
    pub fn decode<const N: usize>(&self, rows: [u32; N], mut visit: impl FnMut(usize, &[Bits; N])) {
        let mut bits = [EMPTY; N];
        for p in (0..self.used).rev() {
            bits = bits.map(|bits| join(&bits, &self.turned[p], |a, b| a ^ b));
            for set in &self.planes[p] {
                for (bits, row) in bits.iter_mut().zip(rows) {
                    *bits = join(bits, &set[row as usize], |a, b| a ^ b);
                }
            }
            visit(p, &bits);
        }
    }

    /// Plane `bit` in one row: a bit of the Gray code of its distances from all sources.
    #[inline(always)]
    pub(super) fn bits(&self, bit: usize, row: usize) -> Bits {
        let sets = self.planes[bit].iter();
        sets.fold(self.turned[bit], |bits, set| {
            join(&bits, &set[row], |a, b| a ^ b)
        })
    }

    /// The distance of `router` from the `source`-th of the batch.
    #[inline]
    pub fn hops(&self, router: RouterId, source: usize) -> u32 {
        let row = self.rows.of(router);
        let bit = |set: &Bits| (set[source / 64] >> (source % 64) & 1) as u32;
        let bits = (0..self.used).rev().scan(0, |above, p| {
            let sets = self.planes[p].iter();
            *above ^= sets.fold(bit(&self.turned[p]), |sum, set| sum ^ bit(&set[row]));
            Some(*above)
        });
        bits.fold(0, |hops, bit| 2 * hops + bit)
    }

    /// Σ over the sources in `mask` of their distance to `router`.
    pub fn sum(&self, router: RouterId, mask: &Bits) -> u64 {
        let mut sum = 0;
        self.decode([self.rows.of(router) as u32], |p, [bits]| {
            let in_mask = bits.iter().zip(mask).map(|(b, m)| (b & m).count_ones());
            sum += u64::from(in_mask.sum::<u32>()) << p;
        });
        sum
    }

    /// Σ over all sources of their distance to `router`, which the search has added up. O(1).
    pub fn total(&self, router: RouterId) -> u64 {
        self.total_of(self.rows.of(router) as u32)
    }

    /// As [`Search::total`], for the router of a row.
    pub fn total_of(&self, row: u32) -> u64 {
        self.sums[row as usize].wrapping_add(self.counted).into()
    }

    /// The largest distance of `router` from a source in `mask`.
    pub fn largest(&self, router: RouterId, mask: &Bits) -> u32 {
        // Bit by bit from the top: sources without a bit that others have are no longer among the farthest.
        let (mut among, mut largest) = (*mask, 0);
        self.decode([self.rows.of(router) as u32], |p, [bits]| {
            let set: Bits = std::array::from_fn(|w| among[w] & bits[w]);
            if set.iter().any(|w| *w != 0) {
                (among, largest) = (set, largest | 1 << p);
            }
        });
        largest
    }

    /// The distance of `router` from every source, in the batch's order.
    pub fn expand(&self, router: RouterId, out: &mut [u8; WIDTH]) {
        let row = self.rows.of(router);
        let mut packed = [0u64; WIDTH / 8];
        for p in 0..self.used {
            // Binary bit i is the XOR of the Gray bits from i up: a Gray bit flips its own binary bit and all below.
            let below = (2 << p) - 1;
            for (w, word) in self.bits(p, row).iter().enumerate() {
                for (b, byte) in word.to_le_bytes().iter().enumerate() {
                    packed[8 * w + b] ^= SPREAD[*byte as usize] * below;
                }
            }
        }
        let (words, _) = out.as_chunks_mut::<8>();
        for (bytes, word) in words.iter_mut().zip(&packed) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Writes to `at[d][router]` the sources that are d hops away, one bit each: of sources 8·`eight` to 8·`eight` + 7,
    /// those whose bit is set in `sources`.
    pub fn levels(&self, eight: usize, sources: u8, at: &mut [Vec<u8>]) {
        let routers = self.visited.len();
        let mut bits = vec![vec![0u8; routers]; self.used + 1];
        for p in (0..self.used).rev() {
            let (bits, above) = bits[p..].split_at_mut(1);
            let byte = |set: &Bits| (set[eight / 8] >> (eight % 8 * 8)) as u8;
            let turned = byte(&self.turned[p]);
            for (bits, above) in bits[0].iter_mut().zip(&above[0]) {
                *bits = above ^ turned;
            }
            for set in &self.planes[p] {
                for (router, bits) in bits[0].iter_mut().enumerate() {
                    *bits ^= byte(&set[self.rows.of(RouterId(router as u32))]);
                }
            }
        }
        for (hops, at) in at.iter_mut().enumerate() {
            at[..routers].fill(sources);
            for (p, bits) in bits[..self.used].iter().enumerate() {
                meet(
                    &mut at[..routers],
                    bits,
                    if hops >> p & 1 == 1 { 0 } else { u8::MAX },
                );
            }
        }
    }
}

/// Intersects every set with the one of `with`, its bits flipped where those of `flipped` are set.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn meet(sets: &mut [u8], with: &[u8], flipped: u8) {
    for (set, with) in sets.iter_mut().zip(with) {
        *set &= with ^ flipped;
    }
}
