//! Sums and products of sizes that users choose, which stop at the largest number so that a check can refuse them, and
//! numbers of pairs.

/// Multiplies all numbers of a list; the largest number where the product has more than 64 bits.
pub(in crate::topology) fn multiply_all(list: &[u32]) -> u64 {
    list.iter()
        .fold(1, |all: u64, x| all.saturating_mul(u64::from(*x)))
}

/// Adds all numbers of a list; the largest number where the sum has more than 64 bits.
pub(super) fn add_all(list: &[u64]) -> u64 {
    list.iter().fold(0, |all: u64, x| all.saturating_add(*x))
}

/// Counts the pairs of `n` things, n from 1 to 2³².
pub(super) fn count_pairs(n: u64) -> u64 {
    n * (n - 1) / 2
}
