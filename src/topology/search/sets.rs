//! Rows of bits, one bit for each source, in one piece or in two.

/// Sources a batch.
pub const WIDTH: usize = 256;

/// Words of a row.
pub(super) const WORDS: usize = WIDTH / 64;

/// One bit for each source of a batch.
pub type Bits = [u64; WORDS];

/// Rows that take more bytes than this stand in two pieces.
const ONE_PIECE: usize = 5 << 19;

/// Where the words of the rows stand: all words of a row together, or the first halves of all rows before the second
/// halves. Searches go piece by piece: they read a piece at random, and half as much stays in the cache longer.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    rows: usize,
    /// 1 or 2.
    count: usize,
}

impl Pieces {
    /// For so many rows.
    pub fn of(rows: usize) -> Self {
        Pieces { rows, count: if 8 * WORDS * rows > ONE_PIECE { 2 } else { 1 } }
    }

    /// The other way round.
    #[cfg(test)]
    pub fn other(self) -> Self {
        Pieces { count: 3 - self.count, ..self }
    }

    /// Words that a row has in a piece.
    pub fn words(self) -> usize {
        WORDS / self.count
    }

    /// How many pieces there are.
    pub fn count(self) -> usize {
        self.count
    }
}

/// A row of bits for every router.
pub(super) struct Sets {
    /// From `start` on: there a line of the cache begins.
    words: Vec<u64>,
    start: usize,
}

impl Sets {
    /// Empty sets.
    pub fn new(rows: usize) -> Self {
        let words = vec![0; WORDS * rows + 7];
        Sets { start: words.as_ptr().align_offset(64).min(7), words }
    }

    /// The words of a piece.
    pub fn piece(&self, pieces: Pieces, piece: usize) -> &[u64] {
        let len = pieces.rows * pieces.words();
        &self.words[self.start + piece * len..][..len]
    }

    /// The words of a piece.
    pub fn piece_mut(&mut self, pieces: Pieces, piece: usize) -> &mut [u64] {
        let len = pieces.rows * pieces.words();
        &mut self.words[self.start + piece * len..][..len]
    }

    /// Gives every row of a piece the same words.
    pub fn fill(&mut self, pieces: Pieces, piece: usize, row: &[u64]) {
        let words = self.piece_mut(pieces, piece);
        if row.iter().all(|word| *word == row[0]) {
            words.fill(row[0]);
        } else {
            words.iter_mut().zip(row.iter().cycle()).for_each(|(word, bits)| *word = *bits);
        }
    }

    /// One of the words of a row.
    #[inline(always)]
    pub fn word(&self, pieces: Pieces, row: usize, word: usize) -> u64 {
        let at = match pieces.count {
            1 => WORDS * row + word,
            _ => (word / 2 * pieces.rows + row) * 2 + word % 2,
        };
        self.words[self.start + at]
    }

    /// The words of a row.
    #[inline(always)]
    pub fn row(&self, pieces: Pieces, row: usize) -> Bits {
        let (halves, _) = self.words[self.start..].as_chunks::<{ WORDS / 2 }>();
        let (at, other) = match pieces.count {
            1 => (2 * row, 2 * row + 1),
            _ => (row, row + pieces.rows),
        };
        let ([a, b], [c, d]) = (halves[at], halves[other]);
        [a, b, c, d]
    }
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
