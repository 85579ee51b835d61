//! Random draws that no library's release can change: same seed, same bytes, on every platform.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Seeds the project's generator, PCG XSL RR 128/64.
pub fn seed_generator(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// Draws a whole number below `bound`, all equally likely: the upper half of a 128-bit product, drawn again in the
/// few cases that would favour some.
///
/// # References
/// Lemire, "Fast random integer generation in an interval", 2019, <https://doi.org/10.1145/3230636>.
pub fn random_below(bound: u64, random: &mut impl Rng) -> u64 {
    loop {
        let product = u128::from(random.next_u64()) * u128::from(bound);
        // 2⁶⁴ mod bound products are too many; they have the smallest lower halves.
        if product as u64 >= bound.wrapping_neg() % bound {
            return (product >> 64) as u64;
        }
    }
}

/// Shuffles items, every permutation equally likely: Fisher-Yates from the end down.
///
/// # References
/// Durstenfeld, "Algorithm 235: Random permutation", 1964, <https://doi.org/10.1145/364520.364540>.
pub fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, random_below(last as u64 + 1, random) as usize);
    }
}

/// The type of [`seed_generator`].
pub type Generator = Pcg64;

/// Draws a number from 0 up to but not including 1, in steps of 2⁻⁵³.
pub fn random_unit(random: &mut impl Rng) -> f64 {
    // A double holds 53 bits: so each value is exact, and all are equally likely.
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Computes the natural logarithm of a positive normal number, to some 10⁻¹⁶ of its size or of 1. By basic arithmetic
/// alone: library versions differ between platforms in the last bit.
pub fn natural_logarithm(x: f64) -> f64 {
    // x = m·2^e with m around 1, and ln m = 2 artanh((m-1)/(m+1)).
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    // From √½ to √2 the argument of the series is smallest, and few terms are enough.
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    // |s| ≤ 0.172: the term left out is below 10⁻¹⁸.
    let series = (0..12)
        .rev()
        .fold(0.0, |sum, k| sum * (s * s) + 1.0 / f64::from(2 * k + 1));
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * s * series
}
