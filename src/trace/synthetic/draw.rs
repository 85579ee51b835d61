//! Random variates that are the same on every machine: sizes by whole numbers, times by the four operations
//! and square roots alone, which IEEE 754 rounds the same everywhere. (Library logarithms differ in the last
//! bit from one system to the next.)

use super::super::sizes::Sizes;
use nodeorder_base::Result;
use nodeorder_base::random::{Generator, natural_logarithm, random_below, random_unit};
use nodeorder_base::ratio::divide_exactly;

/// Draws from the exponential distribution of mean 1: -ln U.
pub fn draw_exponential(random: &mut Generator) -> f64 {
    // From above 0 up to 1: the logarithm of 0 would be infinite.
    -natural_logarithm(1.0 - random_unit(random))
}

/// Draws from the normal distribution of mean 0 and deviation 1, by the polar method (Marsaglia and Bray
/// 1964, <https://doi.org/10.1137/1006063>); the second of each pair is not kept, so that draws do not depend
/// on what was drawn before.
pub fn draw_normal(random: &mut Generator) -> f64 {
    loop {
        let u = 2.0 * random_unit(random) - 1.0;
        let v = 2.0 * random_unit(random) - 1.0;
        let square = u * u + v * v;
        // Points outside the circle would favour the corners of the square; at its centre the logarithm is
        // infinite.
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * natural_logarithm(square) / square).sqrt();
        }
    }
}

/// Computes the exponential function for |x| ≤ 700, to some 10⁻¹⁵ of its size.
pub fn exponential(x: f64) -> f64 {
    // 2^k·e^r with |r| ≤ ln 2 / 2: the term left out is below 10⁻¹⁸.
    let x = x.clamp(-700.0, 700.0);
    let k = (x / std::f64::consts::LN_2).round();
    // ln 2 in two parts, of which the first times k is exact.
    let r = (x - k * 0.693_147_180_369_123_8) - k * 1.908_214_929_270_587_7e-10;
    let series = (1..16)
        .rev()
        .fold(1.0, |sum, n| 1.0 + sum * r / f64::from(n));
    series * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

/// Draws sizes.
#[derive(Clone, Debug)]
pub struct Sampler {
    sizes: Vec<u32>,
    /// By size: sum of the weights of all sizes up to it.
    upto: Vec<u64>,
    /// Mean size, in nodes.
    pub mean: f64,
}

impl Sampler {
    /// Prepares sizes of at most `largest`, by jobs. Counts of jobs are drawn exactly; shares to 2⁻⁵². Fails if
    /// there are none.
    pub fn new(sizes: &Sizes, largest: u32) -> Result<Self> {
        let shares = sizes.shares_between(1, largest)?;
        let counted = sizes.count_table().map(|table| {
            let drawable = table
                .into_iter()
                .filter(|(size, count)| *size <= largest && *count > 0);
            drawable.collect::<Vec<_>>()
        });
        let weights = counted
            // Counts that add up to more than 64 bits are drawn as shares.
            .filter(|table: &Vec<(u32, u64)>| {
                table
                    .iter()
                    .try_fold(0u64, |sum, (_, count)| sum.checked_add(*count))
                    .is_some()
            })
            .unwrap_or_else(|| {
                // At least 1: a size whose share is below 2⁻⁵² still comes up.
                let fixed = |share: f64| ((share * (1u64 << 52) as f64) as u64).max(1);
                shares
                    .iter()
                    .map(|(size, share)| (*size, fixed(*share)))
                    .collect()
            });
        let mut sum = 0;
        let upto = weights.iter().map(|(_, weight)| {
            sum += weight;
            sum
        });
        let upto = upto.collect();
        let nodes = weights
            .iter()
            .map(|(s, w)| u128::from(*s) * u128::from(*w))
            .sum();
        Ok(Sampler {
            sizes: weights.iter().map(|(size, _)| *size).collect(),
            upto,
            mean: divide_exactly(nodes, sum.into()),
        })
    }

    /// Returns the largest size drawn.
    pub fn largest_size(&self) -> u32 {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// Draws a size, in nodes.
    pub fn draw_size(&self, random: &mut Generator) -> u32 {
        let ticket = random_below(self.upto.last().copied().unwrap_or(1), random);
        self.sizes[self.upto.partition_point(|upto| *upto <= ticket)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::random::seed_generator;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn functions_are_those_of_the_library(x in 1e-300f64..1e300, small in 1e-16f64..2.0, y in -700f64..700.0) {
            for x in [x, small, 1.0 + small * 1e-6] {
                prop_assert!((natural_logarithm(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1.0), "ln {x}");
            }
            prop_assert!((exponential(y) / y.exp() - 1.0).abs() < 4e-15, "exp {y}");
        }
    }

    #[test]
    fn variates_have_the_moments_of_their_laws() {
        let mut random = seed_generator(5);
        const N: usize = 100_000;
        let moments = |xs: &[f64]| {
            let mean = xs.iter().sum::<f64>() / N as f64;
            (
                mean,
                xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / N as f64,
            )
        };
        // Standard errors: 0.003 of the means, 0.0045 and 0.009 of the variances.
        let xs: Vec<f64> = (0..N).map(|_| draw_normal(&mut random)).collect();
        let (mean, variance) = moments(&xs);
        assert!(
            mean.abs() < 0.013 && (variance - 1.0).abs() < 0.02,
            "{mean} {variance}"
        );
        let below_one = xs.iter().filter(|x| **x < 1.0).count();
        assert!((84_134i64 - below_one as i64).abs() < 500, "{below_one}");
        let xs: Vec<f64> = (0..N).map(|_| draw_exponential(&mut random)).collect();
        let (mean, variance) = moments(&xs);
        assert!(
            (mean - 1.0).abs() < 0.013 && (variance - 1.0).abs() < 0.04,
            "{mean} {variance}"
        );
        assert!(xs.iter().all(|x| *x >= 0.0));
    }

    #[test]
    fn sizes_come_as_often_as_they_should() {
        let sizes = Sizes::of_jobs("s", BTreeMap::from([(1, 5), (4, 3), (9, 2), (80, 90)]));
        let sampler = Sampler::new(&sizes, 10).unwrap();
        assert_eq!((sampler.mean, sampler.largest_size()), (3.5, 9));
        let mut random = seed_generator(1);
        let mut counts = BTreeMap::new();
        (0..100_000)
            .for_each(|_| *counts.entry(sampler.draw_size(&mut random)).or_insert(0i32) += 1);
        // Standard deviation at most 158.
        let near = |size: u32, wanted: i32| (counts[&size] - wanted).abs() < 700;
        assert!(
            counts.len() == 3 && near(1, 50_000) && near(4, 30_000) && near(9, 20_000),
            "{counts:?}"
        );
        let uniform = Sampler::new(&Sizes::log_uniform(), 4).unwrap();
        // (2/2 + 3/3 + 4/4) / (1/2 + 1/3 + 1/4)
        assert!(
            (uniform.mean - 36.0 / 13.0).abs() < 1e-12,
            "{}",
            uniform.mean
        );
    }
}
