//! What searches found, read from their planes.

use multiversion::multiversion;

use super::Search;
use super::sets::{Bits, EMPTY, SPREAD, WIDTH, join};
use crate::ids::RouterId;

impl Search<'_> {
    /// How many bits the distances found have.
    pub(crate) fn plane_count(&self) -> usize {
        self.used
    }

    /// Calls `visit` with the bits of the distances of the routers of N rows, the highest first, and which bit it is.
    #[inline(always)]
    pub(crate) fn decode<const N: usize>(
        &self,
        rows: [u32; N],
        mut visit: impl FnMut(usize, &[Bits; N]),
    ) {
        let mut bits = [EMPTY; N];
        for p in (0..self.used).rev() {
            bits = bits.map(|bits| join(&bits, &self.turned[p], |a, b| a ^ b));
            for set in &self.planes[p] {
                let set: &[Bits] = set;
                for (bits, row) in bits.iter_mut().zip(rows) {
                    *bits = join(bits, &set[row as usize], |a, b| a ^ b);
                }
            }
            visit(p, &bits);
        }
    }

    /// A bit of the Gray code of the distances of one row.
    #[inline(always)]
    pub(super) fn bits(&self, bit: usize, row: usize) -> Bits {
        let sets = self.planes[bit].iter();
        sets.fold(self.turned[bit], |bits, set| join(&bits, &set[row], |a, b| a ^ b))
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

    /// Σ over all sources of their distance to `router`, without a look at the planes.
    #[inline]
    pub fn total(&self, router: RouterId) -> u64 {
        self.total_of(self.rows.of(router) as u32)
    }

    /// The same for the router of one row.
    #[inline]
    pub(crate) fn total_of(&self, row: u32) -> u64 {
        self.sums[row as usize].wrapping_add(self.counted).into()
    }

    /// The largest distance of `router` from a source in `mask`: bit by bit from the top, among the sources
    /// that have all higher bits of it.
    pub fn largest(&self, router: RouterId, mask: &Bits) -> u32 {
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
            // A bit of Gray code turns over its own place and all below.
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

    /// Writes to `at[d][router]` which of sources 8·`eight` to 8·`eight` + 7 are d hops away, one bit each, among those
    /// of `sources`.
    pub(crate) fn levels(&self, eight: usize, sources: u8, at: &mut [Vec<u8>]) {
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
                let set: &[Bits] = set;
                for (router, bits) in bits[0].iter_mut().enumerate() {
                    *bits ^= byte(&set[self.rows.of(RouterId(router as u32))]);
                }
            }
        }
        for (hops, at) in at.iter_mut().enumerate() {
            at[..routers].fill(sources);
            for (p, bits) in bits[..self.used].iter().enumerate() {
                meet(&mut at[..routers], bits, if hops >> p & 1 == 1 { 0 } else { u8::MAX });
            }
        }
    }
}

/// Leaves of `set` what is in `with`, turned over where `turned` says so.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn meet(set: &mut [u8], with: &[u8], turned: u8) {
    for (set, with) in set.iter_mut().zip(with) {
        *set &= with ^ turned;
    }
}
