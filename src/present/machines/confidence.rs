//! How sure a difference is: an interval from resampled weeks or jobs, or from ten seeds.

use rayon::prelude::*;
use serde::Serialize;

use nodeorder_base::random::{below, generator};
use nodeorder_jobs::replay::statistics::half_width;
use nodeorder_jobs::schedule::saving::{RESAMPLES, WEEKS, middle};

/// A difference, first machine less second, with its 95 % interval, or with proved ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the figure.
    pub figure: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The difference of the means.
    pub difference: f64,
    /// The interval's ends; none where the figures are exact.
    pub low: Option<f64>,
    /// See `low`.
    pub high: Option<f64>,
    /// The units that are drawn at random: `weeks`, `jobs` or `seeds`; `bounds` where the ends are proved; empty for exact figures.
    pub over: &'static str,
    /// Number of these units.
    pub count: usize,
    /// Jobs that both machines served, or 0.
    pub jobs: usize,
}

impl Difference {
    /// Whether the interval leaves out zero; of exact figures, whether they differ.
    pub fn is_significant(&self) -> bool {
        match (self.low, self.high) {
            (Some(low), Some(high)) => low > 0.0 || high < 0.0,
            _ => self.difference != 0.0,
        }
    }

    /// The difference of two exact figures, without an interval.
    pub fn exact(figure: &'static str, unit: &'static str, difference: f64) -> Self {
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

    /// The difference of two figures of which the ends are proved, and the ends of the difference.
    pub(super) fn within(
        figure: &'static str,
        unit: &'static str,
        a: [f64; 2],
        b: [f64; 2],
    ) -> Self {
        let ends = |ends: [f64; 2]| (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let ((a_low, a_high), (b_low, b_high)) = (ends(a), ends(b));
        let (low, high) = (Some(a_low - b_high), Some(a_high - b_low));
        let exact = Difference::exact(figure, unit, a[0] - b[0]);
        Difference {
            low,
            high,
            over: "bounds",
            ..exact
        }
    }

    /// Mean of one value or difference a seed, with Student's 95 % interval; of one seed it has no ends.
    pub fn over_seeds(figure: &'static str, unit: &'static str, values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = half_width(values.len()) * (squares / (n - 1.0) / n).sqrt();
        Difference {
            figure,
            unit,
            difference: mean,
            low: half.is_finite().then_some(mean - half),
            high: half.is_finite().then_some(mean + half),
            over: "seeds",
            count: values.len(),
            jobs: 0,
        }
    }

    /// Mean of one difference a job: `values` are the differences with the week of each job where it has one. Weeks or jobs
    /// are drawn with replacement, as many as there are, and the middle 95 % of the means are the interval. None
    /// without jobs.
    ///
    /// # References
    /// Efron, Tibshirani, "An introduction to the bootstrap", 1993, chapter 13 (percentile intervals); whole weeks
    /// at a time, as waits of one week depend on each other: Künsch, Annals of Statistics 17(3), 1989.
    pub fn paired(
        figure: &'static str,
        unit: &'static str,
        values: &[(Option<i64>, f64)],
        seed: u64,
    ) -> Option<Self> {
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
        let by_week = weeks.len() >= WEEKS && values.iter().all(|(week, _)| week.is_some());
        let drawn: Vec<(f64, u64)> = match by_week {
            true => weeks.into_values().collect(),
            false => values.iter().map(|(_, value)| (*value, 1)).collect(),
        };
        let mean = |sums: &mut dyn Iterator<Item = (f64, u64)>| {
            let (sum, count) = sums.fold((0.0, 0), |(a, b), (c, d)| (a + c, b + d));
            sum / count as f64
        };
        let resample = |i: u64| {
            // A stream of its own for each, so that threads do not show.
            let mut random = generator(seed ^ (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let bound = drawn.len() as u64;
            mean(&mut (0..bound).map(|_| drawn[below(bound, &mut random) as usize]))
        };
        let mut means: Vec<f64> = (0..RESAMPLES).into_par_iter().map(resample).collect();
        let (low, high) = middle(&mut means);
        Some(Difference {
            figure,
            unit,
            difference: mean(&mut drawn.iter().copied()),
            low: Some(low),
            high: Some(high),
            over: if by_week { "weeks" } else { "jobs" },
            count: drawn.len(),
            jobs: values.len(),
        })
    }
}
