//! How sure the difference of two machines is: an interval from resampled weeks or jobs, or from ten seeds.
//!
//! Jobs are served by both machines, so their differences are resampled, not their figures: a job that waits long on
//! both says nothing about which is better.

use rayon::prelude::*;
use serde::Serialize;

use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_jobs::replay::statistics::interval_half_width;
use nodeorder_jobs::schedule::saving::{MIN_WEEKS, RESAMPLES, percentile_interval};

/// A difference, first machine less second, with its 95 % interval, or with proved ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the figure that is compared.
    pub figure: &'static str,
    /// Unit of the figure, and of the difference.
    pub unit: &'static str,
    /// Difference of the means.
    pub difference: f64,
    /// Lower end of the interval; none where the figures are exact.
    pub low: Option<f64>,
    /// Upper end of the interval; none where the figures are exact.
    pub high: Option<f64>,
    /// Kind of sample that the interval is over: `weeks`, `jobs` or `seeds`; `bounds` where the ends are proved;
    /// empty for exact figures.
    pub over: &'static str,
    /// Number of these weeks, jobs or seeds; 0 for exact figures and bounds.
    pub count: usize,
    /// Number of jobs that both machines served; 0 where no jobs are compared.
    pub jobs: usize,
}

impl Difference {
    /// Checks whether the interval leaves out zero; of exact figures, whether they differ.
    pub fn is_significant(&self) -> bool {
        match (self.low, self.high) {
            (Some(low), Some(high)) => low > 0.0 || high < 0.0,
            _ => self.difference != 0.0,
        }
    }

    /// Makes the difference of two exact figures, without an interval.
    pub fn without_interval(figure: &'static str, unit: &'static str, difference: f64) -> Self {
        Difference {
            figure,
            unit,
            difference,
            low: None,
            high: None,
            over: "",
            count: 0,
            jobs: 0,
        }
    }

    /// Subtracts two figures that are known between proved ends; those of the difference follow.
    pub(super) fn between_brackets(
        figure: &'static str,
        unit: &'static str,
        a: [f64; 2],
        b: [f64; 2],
    ) -> Self {
        // Brackets begin with the end that ranks: the lower one of throughput, the upper one of cost.
        let [least_a, most_a] = [a[0].min(a[1]), a[0].max(a[1])];
        let [least_b, most_b] = [b[0].min(b[1]), b[0].max(b[1])];
        // What rounding leaves between two equal machines is no difference.
        let low = if is_above(least_a, most_b) {
            least_a - most_b
        } else {
            (least_a - most_b).min(0.0)
        };
        let high = if is_above(least_b, most_a) {
            most_a - least_b
        } else {
            (most_a - least_b).max(0.0)
        };
        Difference {
            low: Some(low),
            high: Some(high),
            over: "bounds",
            ..Difference::without_interval(figure, unit, a[0] - b[0])
        }
    }

    /// Averages one value or difference a seed, with Student's 95 % interval; of one seed it has no ends.
    pub fn over_seeds(figure: &'static str, unit: &'static str, values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        // One seed has no deviation: the half width is no number, and the ends are none.
        let half = interval_half_width(values.len()) * (squares / (n - 1.0) / n).sqrt();
        Difference {
            low: half.is_finite().then_some(mean - half),
            high: half.is_finite().then_some(mean + half),
            over: "seeds",
            count: values.len(),
            ..Difference::without_interval(figure, unit, mean)
        }
    }

    /// Averages one difference a job: `values` are the differences with the week of each job where it has one.
    /// Weeks or jobs are drawn with replacement, as many as there are, and the middle 95 % of the means are the
    /// interval. `None` without jobs.
    ///
    /// # References
    /// Efron, Tibshirani, "An introduction to the bootstrap", 1993, chapter 13 (percentile intervals); whole weeks
    /// at a time, as waits of one week depend on each other: Künsch, Annals of Statistics 17(3), 1989.
    pub fn over_jobs(
        figure: &'static str,
        unit: &'static str,
        values: &[(Option<i64>, f64)],
        seed: u64,
    ) -> Option<Self> {
        // No job was served by both machines.
        if values.is_empty() {
            return None;
        }
        let mut weeks = std::collections::BTreeMap::<i64, (f64, u64)>::new();
        for (week, value) in values {
            if let Some(week) = week {
                let entry = weeks.entry(*week).or_default();
                *entry = (entry.0 + value, entry.1 + 1);
            }
        }
        // Waits of one week depend on each other: whole weeks are drawn where there are enough.
        let by_week = weeks.len() >= MIN_WEEKS && values.iter().all(|(week, _)| week.is_some());
        let sums: Vec<(f64, u64)> = if by_week {
            weeks.into_values().collect()
        } else {
            values.iter().map(|(_, value)| (*value, 1)).collect()
        };
        let bound = sums.len() as u64;
        let mut means: Vec<f64> = (0..RESAMPLES)
            .into_par_iter()
            .map(|i| {
                // A stream of its own for each, so that threads do not show.
                let mut random = seed_generator(seed ^ (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                mean_of_sums((0..bound).map(|_| sums[random_below(bound, &mut random) as usize]))
            })
            .collect();
        let (low, high) = percentile_interval(&mut means);
        Some(Difference {
            low: Some(low),
            high: Some(high),
            over: if by_week { "weeks" } else { "jobs" },
            count: sums.len(),
            jobs: values.len(),
            ..Difference::without_interval(figure, unit, mean_of_sums(sums.iter().copied()))
        })
    }
}

/// Checks whether a bound is above another one by more than the rounding of sums of loads.
pub(super) fn is_above(a: f64, b: f64) -> bool {
    a > b + 1e-9 * b.abs()
}

/// Divides the sum of sums by the number of values in them.
fn mean_of_sums(sums: impl Iterator<Item = (f64, u64)>) -> f64 {
    let mut all = 0.0;
    let mut values = 0;
    for (sum, count) in sums {
        all += sum;
        values += count;
    }
    all / values as f64
}
