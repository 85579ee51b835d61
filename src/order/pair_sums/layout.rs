//! How one long transform is cut into short ones that stay in cache.
//!
//! The lags of n ranks need a transform of length L ≥ 2n, zero-padded so that none wraps around. It is done as R
//! transforms of length Q, L = R·Q, one for each residue of the frequency modulo R ([`super::spectrum`]). For that,
//! rank t + m·Q stands in row m and column t of a table of Q columns. Sixteen residues make a *group*.
//!
//! A million ranks: Q = 4096 columns, 245 rows, 31 groups, R = 496 residues, L = 2,031,616.

use super::fft::LANES;

/// Number of residues of a group.
pub const WAYS: usize = 2 * LANES;

/// Number of columns that the first stage treats at once.
pub const BLOCK: usize = 64;

/// Largest number of residues: with more, the bits of m₁ would not fit the two bytes that are looked up.
const RESIDUES: usize = 512;

/// Lengths of the pieces of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of ranks.
    n: usize,
    /// Q: length of a short transform, a power of two.
    pub piece: usize,
    /// S: number of groups, mirror images included.
    pub groups: usize,
}

impl Layout {
    /// Chooses the shortest pieces for `n` ranks.
    pub fn new(n: usize) -> Self {
        let piece = (2 * n).div_ceil(RESIDUES).next_power_of_two().max(BLOCK);
        Layout {
            n,
            piece,
            groups: (2 * n).div_ceil(WAYS * piece).max(1),
        }
    }

    /// Computes R, the number of residues.
    pub fn residue_count(self) -> usize {
        WAYS * self.groups
    }

    /// Computes L, the length of the whole transform.
    pub fn transform_length(self) -> usize {
        self.residue_count() * self.piece
    }

    /// Computes T, the number of rows m that hold ranks.
    pub fn row_count(self) -> usize {
        self.n.div_ceil(self.piece)
    }

    /// Counts the values of m₁ = ⌊m/16⌋.
    pub fn row_group_count(self) -> usize {
        self.row_count().div_ceil(WAYS)
    }

    /// Counts the bytes that hold the bits of one column and one m₀ = m mod 16.
    pub fn bit_bytes(self) -> usize {
        self.row_group_count().div_ceil(8)
    }

    /// Counts the groups that are not the mirror image of a lower one. A real sequence has
    /// `P[L-f] = P[f]`, so that these groups are enough.
    pub fn distinct_groups(self) -> usize {
        self.groups / 2 + 1
    }
}
