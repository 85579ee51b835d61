//! Rows of bits, one bit for each source.

/// Sources a batch.
pub const WIDTH: usize = 256;

/// One bit for each source of a batch.
pub type Bits = [u64; WIDTH / 64];

/// One bit for each source, within a line of the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Row(pub Bits);

/// No source.
pub(super) const EMPTY: Row = Row([0; WIDTH / 64]);

/// The words of two rows taken together.
#[inline(always)]
pub(super) fn join(set: &Row, with: &Row, word: impl Fn(u64, u64) -> u64) -> Row {
    Row(std::array::from_fn(|w| word(set.0[w], with.0[w])))
}

/// The first `count` sources.
pub fn first(count: usize) -> Bits {
    std::array::from_fn(|w| match count.saturating_sub(64 * w) {
        0 => 0,
        bits @ 1..64 => (1 << bits) - 1,
        _ => u64::MAX,
    })
}

/// Byte b of `SPREAD[x]` is bit b of x.
pub(crate) static SPREAD: [u64; 256] = {
    let mut table = [0u64; 256];
    let mut x = 0;
    while x < 256 {
        let mut b = 0;
        while b < 8 {
            table[x] |= ((x as u64 >> b) & 1) << (8 * b);
            b += 1;
        }
        x += 1;
    }
    table
};
