//! Weights as integers, in which bounds are proved.

use super::problem::SearchProblem;

/// Factor that covers the rounding of the last conversion to `f64`.
pub(super) const SAFE: f64 = 1.0 - 1e-12;

/// Layers that the relaxation is priced at; about as many are computed one by one.
pub(super) const LAYERS: u64 = 48;

/// Lag weights between elements as integers, rounded down.
pub(super) struct Scaled {
    pub lag: Vec<i64>,
    unit: f64,
}

impl Scaled {
    pub fn new(problem: &SearchProblem<'_>) -> Self {
        let lag = problem.element_lags(problem.weights.window());
        // The relaxation adds up that many ranks in 32 bits.
        let ranks = (LAYERS as usize + lag.len()) * (problem.space.diameter as usize + 1);
        let most = f64::from(1 << 29) / ranks as f64;
        if let Some(exact) = problem.integral()
            && (exact.lag.iter().sum::<i64>() as f64) < most
        {
            return Scaled {
                lag: exact.lag,
                unit: 1.0 / exact.scale as f64,
            };
        }
        let scale = most / lag.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let lag = lag
            .iter()
            .map(|w| (w * scale * SAFE).floor() as i64)
            .collect();
        Scaled {
            lag,
            unit: 1.0 / scale,
        }
    }

    /// Lower bound that a sum in these units proves.
    pub fn bound(&self, value: i64) -> f64 {
        value as f64 * self.unit * SAFE
    }
}
