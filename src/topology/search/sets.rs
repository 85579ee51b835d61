//! Rows of bits, one bit for each source.

use std::ops::{Deref, DerefMut, Range};

use memmap2::MmapMut;

/// Sources a batch.
pub const WIDTH: usize = 256;

/// One bit for each source of a batch.
pub type Bits = [u64; WIDTH / 64];

/// No source.
pub(super) const EMPTY: Bits = [0; WIDTH / 64];

/// Bytes of a large page.
const LARGE: usize = 2 << 20;

/// Bits of all routers, by row. Sets of large pages lie on these where the system has them: a step reads rows in no
/// order, and each page of 4 KiB would need an entry of its own in the tables that the processor keeps of addresses.
pub(super) struct Set {
    memory: Memory,
    /// Where the rows are, in words: no row lies on two lines of the cache.
    words: Range<usize>,
}

enum Memory {
    Heap(Vec<u64>),
    Pages(MmapMut),
}

impl Set {
    /// Empty rows.
    pub fn new(rows: usize) -> Self {
        let bytes = size_of::<Bits>() * rows;
        let pages = (bytes >= LARGE).then(|| MmapMut::map_anon(bytes + LARGE));
        let (memory, from) = match pages {
            Some(Ok(pages)) => {
                #[cfg(target_os = "linux")]
                let _ = pages.advise(memmap2::Advice::HugePage);
                let from = pages.as_ptr().align_offset(LARGE) / 8;
                (Memory::Pages(pages), from)
            }
            _ => {
                let words = vec![0u64; bytes / 8 + 7];
                let from = words.as_ptr().align_offset(64);
                (Memory::Heap(words), from)
            }
        };
        Set { memory, words: from..from + bytes / 8 }
    }
}

impl Deref for Set {
    type Target = [Bits];

    #[inline(always)]
    fn deref(&self) -> &[Bits] {
        let words = match &self.memory {
            Memory::Heap(words) => words,
            Memory::Pages(pages) => bytemuck::cast_slice(pages),
        };
        words[self.words.clone()].as_chunks().0
    }
}

impl DerefMut for Set {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Bits] {
        let words = match &mut self.memory {
            Memory::Heap(words) => words,
            Memory::Pages(pages) => bytemuck::cast_slice_mut(pages),
        };
        words[self.words.clone()].as_chunks_mut().0
    }
}

/// The words of two rows taken together.
#[inline(always)]
pub(super) fn join(set: &Bits, with: &Bits, word: impl Fn(u64, u64) -> u64) -> Bits {
    std::array::from_fn(|w| word(set[w], with[w]))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_sets_hold_what_is_written() {
        for rows in [0, 1, 3, 1000, 65_535, 65_536, 70_001] {
            let mut set = Set::new(rows);
            assert_eq!(set.len(), rows);
            assert!(set.iter().all(|row| *row == EMPTY));
            for (v, row) in set.iter_mut().enumerate() {
                *row = [v as u64, 1, 2, !(v as u64)];
            }
            assert!(set.iter().enumerate().all(|(v, row)| *row == [v as u64, 1, 2, !(v as u64)]));
            assert_eq!(set.as_ptr().align_offset(64), 0);
        }
    }
}
