//! Integer ratios as the nearest f64: exact sums become printed means without a rounding error of ours.

/// `numerator / denominator` rounded once, to nearest even: the same f64 as an infinitely precise
/// division would give.
///
/// # Panics
/// On a zero denominator.
pub fn ratio(numerator: u128, denominator: u128) -> f64 {
    assert!(denominator > 0, "a ratio needs a denominator");
    let mut quotient = numerator / denominator;
    let mut rest = numerator % denominator;
    if rest == 0 {
        return quotient as f64;
    }
    // Long division, bit by bit, until 66 bits of quotient (two more than any f64 needs) stand.
    let mut shift = 0;
    while quotient < 1 << 66 && shift < 1140 {
        rest = match rest.checked_mul(2) {
            Some(double) => double,
            // The denominator is above 2¹²⁷: halve both, losing bits far below the last one kept.
            None => return (numerator as f64) / (denominator as f64),
        };
        quotient <<= 1;
        if rest >= denominator {
            rest -= denominator;
            quotient |= 1;
        }
        shift += 1;
    }
    // A sticky bit stands for all that was cut off.
    quotient |= u128::from(rest != 0);
    // Scaling by a power of two is exact as long as the result is a normal number.
    quotient as f64 * 2f64.powi(-shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_hardware_division_where_that_is_exact(a in 0u64..1 << 53, b in 1u64..1 << 53) {
            prop_assert_eq!(ratio(a.into(), b.into()), a as f64 / b as f64);
        }

        #[test]
        fn is_the_nearest_of_its_neighbours(a in 1u128..1 << 75, b in 1u128..1 << 60) {
            // Against the exact cross-multiplication with the quotient's neighbours, in 60 fractional bits.
            let q = ratio(a, b);
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
    fn whole_numbers_and_thirds() {
        assert_eq!(ratio(6, 3), 2.0);
        assert_eq!(ratio(1, 3), 1.0 / 3.0);
        assert_eq!(ratio(0, 3), 0.0);
        assert_eq!(ratio(1, 1 << 100), 2f64.powi(-100));
    }
}
