//! Whole roots, and extents that are nearly the same: for instance 3x2x2 where twelve routers are enough, 3x3x2 for
//! thirteen.

/// Computes a power, the largest number where it has more than 128 bits.
pub fn saturating_power(base: u64, exponent: u32) -> u128 {
    u128::from(base).saturating_pow(exponent)
}

/// Computes the largest m with mᵈ ≤ `n`, for n ≥ 1 and d ≥ 1.
pub fn floor_root(n: u64, d: u32) -> u64 {
    let mut m = (n as f64).powf(1.0 / f64::from(d)) as u64;
    // The float may be off by one.
    while saturating_power(m + 1, d) <= u128::from(n) {
        m += 1;
    }
    while m > 1 && saturating_power(m, d) > u128::from(n) {
        m -= 1;
    }
    m.max(1)
}

/// Finds `dimensions` extents that differ by one at most, the larger ones first: those of the smallest product of at
/// least `enough`.
pub fn even_extents(enough: u64, dimensions: u32) -> Vec<u64> {
    let m = floor_root(enough, dimensions);
    // All of them larger is enough by the choice of m.
    let larger = (0..dimensions)
        .find(|larger| {
            let product = saturating_power(m, dimensions - larger)
                .saturating_mul(saturating_power(m + 1, *larger));
            product >= u128::from(enough)
        })
        .unwrap_or(dimensions);
    (0..dimensions).map(|i| m + u64::from(i < larger)).collect()
}

/// Lists the shapes of a number of `dimensions`, larger extents first and none below `smallest`, whose product is at
/// least `enough`, and would not be with a smaller largest extent. O(enough^(1 - 1/dimensions)).
pub(super) fn list_extents(enough: u64, dimensions: usize, smallest: u64) -> Vec<Vec<u64>> {
    if dimensions == 1 {
        return vec![vec![enough.max(smallest)]];
    }
    let mut all = Vec::new();
    for first in smallest.. {
        for mut extents in list_extents(enough.div_ceil(first), dimensions - 1, first) {
            extents.push(first);
            all.push(extents);
        }
        // Larger ones would have more than enough.
        if saturating_power(first, dimensions as u32) >= u128::from(enough) {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn even_extents_are_the_smallest_of_their_kind(enough in 1u64..100_000, d in 1u32..6) {
            let extents = even_extents(enough, d);
            let product: u64 = extents.iter().product();
            prop_assert!(product >= enough);
            prop_assert!(extents[0] - extents[d as usize - 1] <= 1);
            // One fewer in the last of the larger extents (or in one of all) is not enough.
            let at = extents.iter().rposition(|n| *n == extents[0]).unwrap();
            prop_assert!(product / extents[at] * (extents[at] - 1) < enough);
        }

        #[test]
        fn roots_are_floors(n in 1u64..u64::MAX / 2, d in 1u32..40) {
            let m = floor_root(n, d);
            prop_assert!(saturating_power(m, d) <= u128::from(n) && saturating_power(m + 1, d) > u128::from(n));
        }
    }
}
