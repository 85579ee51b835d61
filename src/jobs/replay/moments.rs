//! Moments of a sample (count, mean, deviation) and Student's distribution, from which intervals and tests come.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Count, mean and sum of squared deviations (Welford, "Note on a method for calculating corrected sums of
/// squares and products", 1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Number of values.
    pub count: u64,
    /// Mean of the values; 0 without values.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    /// Adds a value.
    pub(super) fn add_value(&mut self, value: f64) {
        self.count += 1;
        // Deviations from a running mean: a difference of two large sums would lose its digits.
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Computes the standard deviation of the sample; `None` for fewer than two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares / (self.count - 1) as f64).sqrt())
    }
}

/// Makes Student's distribution with `freedom` degrees of freedom; `None` for 0.
pub fn students_t(freedom: u64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom as f64).ok()
}

/// Computes half the width of the 95 % interval of a mean of `count` values, in standard errors; infinite for one
/// value.
pub fn interval_half_width(count: usize) -> f64 {
    let freedom = count.saturating_sub(1) as u64;
    students_t(freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}
