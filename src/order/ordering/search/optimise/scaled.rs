//! Weights as integers, in which bounds are proved: sums of integers are exact, so no rounding can make a bound too
//! high.

use super::problem::SearchProblem;

/// Factor below 1 that covers the rounding of the last conversion to `f64`.
pub const SAFE: f64 = 1.0 - 1e-12;

/// Number of layers that the cost of the relaxation is estimated by; about as many are computed one by one.
pub const LAYERS: u64 = 48;

/// Lag weights between elements as integers, rounded down.
pub struct IntegerWeights {
    /// Weight of each lag in units, from lag 0, which has none.
    pub lag: Vec<i64>,
    /// Weight that one unit stands for.
    unit: f64,
}

impl IntegerWeights {
    /// Scales the weights of a problem: exactly where they are fractions, else as finely as the relaxation's 32
    /// bits allow.
    pub fn new(problem: &SearchProblem<'_>) -> Self {
        let lag = problem.element_lag_weights(problem.weights.longest_lag());
        // The relaxation adds up that many ranks in 32 bits.
        let ranks = (LAYERS as usize + lag.len()) * (problem.space.diameter as usize + 1);
        let most = f64::from(1 << 29) / ranks as f64;
        if let Some(exact) = problem.integer_weights()
            && (exact.lag.iter().sum::<i64>() as f64) < most
        {
            return IntegerWeights {
                lag: exact.lag,
                unit: 1.0 / exact.scale as f64,
            };
        }
        let scale = most / lag.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let lag = lag
            .iter()
            .map(|w| (w * scale * SAFE).floor() as i64)
            .collect();
        IntegerWeights {
            lag,
            unit: 1.0 / scale,
        }
    }

    /// Computes the lower bound that a sum in these units proves.
    pub fn to_lower_bound(&self, value: i64) -> f64 {
        value as f64 * self.unit * SAFE
    }
}
