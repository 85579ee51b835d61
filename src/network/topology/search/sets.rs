//! Sets of sources: one bit for each search of a batch.

/// Largest number of sources of a batch.
pub const WIDTH: usize = 256;

/// A set of sources: bit s % 64 of word s / 64 stands for source s.
pub type SourceSet = [u64; WIDTH / 64];

/// The set without sources.
pub const EMPTY: SourceSet = [0; WIDTH / 64];

/// Combines two sets word by word.
#[inline(always)]
pub fn combine_sets(
    set: &SourceSet,
    with: &SourceSet,
    word: impl Fn(u64, u64) -> u64,
) -> SourceSet {
    // A loop, as what `from_fn` calls is compiled without the target's instructions.
    let mut combined = EMPTY;
    for w in 0..combined.len() {
        combined[w] = word(set[w], with[w]);
    }
    combined
}

/// Makes the set of the first `count` sources.
pub fn first_sources(count: usize) -> SourceSet {
    std::array::from_fn(|w| match count.saturating_sub(64 * w) {
        0 => 0,
        bits @ 1..64 => (1 << bits) - 1,
        _ => u64::MAX,
    })
}

/// Words with the bits of a byte spread over their bytes: byte b of element x is bit b of x.
pub static SPREAD_BITS: [u64; 256] = {
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
