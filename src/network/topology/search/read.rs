//! Reads distances from the planes of a search.
//!
//! Planes hold Gray code. Its binary digits come out from the highest down: each is the XOR of the Gray bit in its
//! place and of all above, so that for instance 0110 is 0100, four.

use multiversion::multiversion;

use super::BatchSearch;
use super::sets::{EMPTY, SPREAD_BITS, SourceSet, WIDTH, combine_sets};
use nodeorder_base::RouterId;

impl BatchSearch<'_> {
    /// Decodes the distances of N rows to binary. Calls `visit` with p and bit p of all of them, the highest bit
    /// first.
    #[inline(always)]
    pub fn decode_rows<const N: usize>(
        &self,
        rows: [u32; N],
        mut visit: impl FnMut(usize, &[SourceSet; N]),
    ) {
        let mut bits = [EMPTY; N];
        for p in (0..self.used_planes).rev() {
            bits = bits.map(|bits| combine_sets(&bits, &self.flipped[p], |a, b| a ^ b));
            for set in &self.planes[p] {
                for (bits, row) in bits.iter_mut().zip(rows) {
                    *bits = combine_sets(bits, &set[row as usize], |a, b| a ^ b);
                }
            }
            visit(p, &bits);
        }
    }

    /// Reads plane `bit` in one row: a bit of the Gray code of its distances from all sources.
    #[inline(always)]
    pub(super) fn gray_bits(&self, bit: usize, row: usize) -> SourceSet {
        let sets = self.planes[bit].iter();
        sets.fold(self.flipped[bit], |bits, set| {
            combine_sets(&bits, &set[row], |a, b| a ^ b)
        })
    }

    /// Reads the distance of `router` from the `source`-th router of the batch.
    #[inline]
    pub fn hops_between(&self, router: RouterId, source: usize) -> u32 {
        let row = self.rows.row_of(router);
        let mut hops = 0;
        let mut above = 0;
        for p in (0..self.used_planes).rev() {
            let mut bit = bit_of(&self.flipped[p], source);
            for set in &self.planes[p] {
                bit ^= bit_of(&set[row], source);
            }
            above ^= bit;
            hops = 2 * hops + above;
        }
        hops
    }

    /// Sums the distances of `router` from the sources in `mask`.
    pub fn sum_hops(&self, router: RouterId, mask: &SourceSet) -> u64 {
        let mut sum = 0;
        self.decode_rows([self.rows.row_of(router) as u32], |p, [bits]| {
            let in_mask = bits.iter().zip(mask).map(|(b, m)| (b & m).count_ones());
            sum += u64::from(in_mask.sum::<u32>()) << p;
        });
        sum
    }

    /// Reads the sum of the distances of `router` from all sources, which the search has added up. O(1).
    pub fn total_hops(&self, router: RouterId) -> u64 {
        self.total_hops_of_row(self.rows.row_of(router) as u32)
    }

    /// Reads [`BatchSearch::total_hops`] of the router of a row.
    pub fn total_hops_of_row(&self, row: u32) -> u64 {
        self.sums[row as usize]
            .wrapping_add(self.common_hops)
            .into()
    }

    /// Finds the largest distance of `router` from a source in `mask`.
    pub fn largest_hops(&self, router: RouterId, mask: &SourceSet) -> u32 {
        // Bit by bit from the top: sources without a bit that others have are no longer among the farthest.
        let mut among = *mask;
        let mut largest = 0;
        self.decode_rows([self.rows.row_of(router) as u32], |p, [bits]| {
            let set: SourceSet = std::array::from_fn(|w| among[w] & bits[w]);
            if set.iter().any(|w| *w != 0) {
                among = set;
                largest |= 1 << p;
            }
        });
        largest
    }

    /// Writes the distance of `router` from every source to `out`, in the batch's order.
    pub fn expand_hops(&self, router: RouterId, out: &mut [u8; WIDTH]) {
        let row = self.rows.row_of(router);
        let mut packed = [0u64; WIDTH / 8];
        for p in 0..self.used_planes {
            // Binary bit i is the XOR of the Gray bits from i up: a Gray bit flips its own binary bit and all below.
            let below = (2 << p) - 1;
            for (w, word) in self.gray_bits(p, row).iter().enumerate() {
                for (b, byte) in word.to_le_bytes().iter().enumerate() {
                    packed[8 * w + b] ^= SPREAD_BITS[*byte as usize] * below;
                }
            }
        }
        let (words, _) = out.as_chunks_mut::<8>();
        for (bytes, word) in words.iter_mut().zip(&packed) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Writes to `at[d][router]` the sources that are d hops away, one bit each: of sources 8·`eight` to
    /// 8·`eight` + 7, those whose bit is set in `sources`.
    pub fn fill_levels(&self, eight: usize, sources: u8, at: &mut [Vec<u8>]) {
        let routers = self.visited.len();
        let mut bits = vec![vec![0u8; routers]; self.used_planes + 1];
        for p in (0..self.used_planes).rev() {
            let (bits, above) = bits[p..].split_at_mut(1);
            let turned = byte_of(&self.flipped[p], eight);
            for (bits, above) in bits[0].iter_mut().zip(&above[0]) {
                *bits = above ^ turned;
            }
            for set in &self.planes[p] {
                for (router, bits) in (0..).zip(bits[0].iter_mut()) {
                    *bits ^= byte_of(&set[self.rows.row_of(RouterId(router))], eight);
                }
            }
        }
        for (hops, at) in at.iter_mut().enumerate() {
            let at = &mut at[..routers];
            at.fill(sources);
            for (p, bits) in bits[..self.used_planes].iter().enumerate() {
                // Where the distance has no bit p, those without it are wanted.
                let flipped = if hops >> p & 1 == 1 { 0 } else { u8::MAX };
                intersect_all(at, bits, flipped);
            }
        }
    }
}

/// Reads the bit of one source: 0 or 1.
fn bit_of(set: &SourceSet, source: usize) -> u32 {
    (set[source / 64] >> (source % 64) & 1) as u32
}

/// Reads the bits of sources 8·`eight` to 8·`eight` + 7.
fn byte_of(set: &SourceSet, eight: usize) -> u8 {
    (set[eight / 8] >> (eight % 8 * 8)) as u8
}

/// Intersects every set with the one of `with`, its bits flipped where those of `flipped` are set.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn intersect_all(sets: &mut [u8], with: &[u8], flipped: u8) {
    for (set, with) in sets.iter_mut().zip(with) {
        *set &= with ^ flipped;
    }
}
