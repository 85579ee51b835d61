//! Draws and the two transcendental functions that annealing needs, the same to the last bit on every machine: the
//! standard library's logarithm and power may differ between platforms, basic arithmetic does not.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

use nodeorder_base::random::{natural_logarithm, seed_generator};

/// Generator of one chain's draws.
pub struct AnnealRng {
    random: Pcg64,
    /// Negative logarithms of the middles of 4,096 equal parts of (0, 1): a look-up is faster than a logarithm.
    waits: Vec<f64>,
}

impl AnnealRng {
    /// Begins the draws of one stream of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        // An odd multiple of the stream, so that streams of one seed are far apart: 2⁶⁴ over the golden ratio.
        let seed = seed.wrapping_add(stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let waits = (0..4096)
            .map(|i| -natural_logarithm((f64::from(i) + 0.5) / 4096.0))
            .collect();
        AnnealRng {
            random: seed_generator(seed),
            waits,
        }
    }

    /// Draws 64 random bits.
    pub fn random_bits(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// Draws a whole number below `bound`; the bias, below bound/2³², is of no consequence to a search.
    pub fn random_below(&mut self, bound: usize) -> usize {
        (((self.random_bits() >> 32) * bound as u64) >> 32) as usize
    }

    /// Draws an exponential waiting time of mean 1: a rise by T times this is accepted at temperature T.
    pub fn waiting_time(&mut self) -> f64 {
        let part = self.random_bits() >> 52;
        self.waits[part as usize]
    }
}

/// Computes `from · (to/from)^share`, by basic arithmetic alone: `(1 + x/2²⁰)^(2²⁰)` for the exponential, which is
/// off by a millionth.
pub fn interpolate_temperature(from: f64, to: f64, share: f64) -> f64 {
    let mut power = 1.0 + natural_logarithm(to / from) * share / f64::from(1 << 20);
    for _ in 0..20 {
        power *= power;
    }
    from * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_and_interpolation_are_right() {
        for x in [1e-6, 0.1, 0.5, 0.75, 1.0, 1.3, 2.0, 1000.0] {
            assert!((natural_logarithm(x) - f64::ln(x)).abs() < 1e-13, "{x}");
        }
        for share in [0.0, 0.25, 1.0] {
            let exact = 3.0 * (0.01f64 / 3.0).powf(share);
            assert!((interpolate_temperature(3.0, 0.01, share) / exact - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn waiting_times_have_mean_one() {
        let mut rng = AnnealRng::new(1, 0);
        let mean: f64 = (0..100_000).map(|_| rng.waiting_time()).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((0..1000).all(|_| rng.random_below(7) < 7));
    }
}
