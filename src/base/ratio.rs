//! Integer ratios as the nearest f64, so that exact sums become printed means with one rounding; common divisors.

/// Divides `numerator` by `denominator`, rounded once, to nearest even: the same f64 as an infinitely precise
/// division would give.
///
/// # Panics
/// On a zero denominator.
pub fn divide_exactly(numerator: u128, denominator: u128) -> f64 {
    assert!(denominator > 0, "a ratio needs a denominator");
    if numerator == 0 {
        return 0.0;
    }
    // Shifted to the top of the word, the numerator leaves a quotient of 128 bits less the
    // denominator's: 55 are one more than rounding needs, and below them a sticky bit stands for all
    // that was cut off. Scaling by a power of two is exact.
    let shift = numerator.leading_zeros();
    let (quotient, rest) = quotient_and_rest(numerator << shift, denominator);
    if quotient < 1 << 55 {
        // Only denominators above 2⁷³ come here: no machine of ours. Nearest, but rounded three times.
        return numerator as f64 / denominator as f64;
    }
    (quotient | u128::from(rest)) as f64 * 2f64.powi(-(shift as i32))
}

/// Divides the sum of `count` values by `count`; `None` if there are none.
pub fn mean_of_sum(sum: impl Into<u128>, count: impl Into<u128>) -> Option<f64> {
    let count = count.into();
    (count > 0).then(|| divide_exactly(sum.into(), count))
}

/// Divides two numbers: the quotient, and whether anything was left.
fn quotient_and_rest(numerator: u128, denominator: u128) -> (u128, bool) {
    (
        numerator / denominator,
        !numerator.is_multiple_of(denominator),
    )
}

/// Computes the greatest common divisor; that of n and 0 is n.
pub fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_hardware_division_where_that_is_exact(a in 0u64..1 << 53, b in 1u64..1 << 53) {
            prop_assert_eq!(divide_exactly(a.into(), b.into()), a as f64 / b as f64);
        }

        #[test]
        fn is_the_nearest_of_its_neighbours(a in 1u128..1 << 75, b in 1u128..1 << 60) {
            // Against the exact cross-multiplication with the quotient's neighbours, in 60 fractional bits.
            let q = divide_exactly(a, b);
            let error = |x: f64| {
                // |x - a/b| scaled by 2^60·b, exactly where x is a multiple of 2^-60 below 2^7.
                let scaled = (x * 2f64.powi(60)) as u128;
                (scaled * b).abs_diff(a << 60)
            };
            if (1.0..128.0).contains(&q) && a < 1 << 67 {
                prop_assert!(error(q) <= error(q.next_up()));
                prop_assert!(error(q) <= error(q.next_down()));
            }
        }
    }

    #[test]
    fn common_divisors() {
        assert_eq!(
            [
                greatest_common_divisor(12, 18),
                greatest_common_divisor(7, 5),
                greatest_common_divisor(0, 4),
                greatest_common_divisor(4, 0),
                greatest_common_divisor(0, 0)
            ],
            [6, 1, 4, 4, 0]
        );
    }

    #[test]
    fn whole_numbers_and_thirds() {
        assert_eq!(divide_exactly(6, 3), 2.0);
        assert_eq!(divide_exactly(1, 3), 1.0 / 3.0);
        assert_eq!(divide_exactly(0, 3), 0.0);
        assert_eq!(divide_exactly(1, 1 << 70), 2f64.powi(-70));
        assert_eq!(divide_exactly(1, 1 << 100), 2f64.powi(-100));
    }
}
