//! How sure a difference is: an interval from resampled weeks or jobs, or from ten seeds.

use rayon::prelude::*;
use serde::Serialize;

use crate::random::{below, generator};
use crate::replay::statistics::half_width;
use crate::schedule::saving::{RESAMPLES, WEEKS, middle};

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
    pub(super) fn exact(figure: &'static str, unit: &'static str, difference: f64) -> Self {
        Difference { figure, unit, difference, low: None, high: None, over: "", count: 0, jobs: 0 }
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
        Difference { low, high, over: "bounds", ..exact }
    }

    /// Mean of one difference a seed, with Student's 95 % interval.
    pub(super) fn over_seeds(figure: &'static str, unit: &'static str, values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = half_width(values.len()) * (squares / (n - 1.0) / n).sqrt();
        Difference {
            figure,
            unit,
            difference: mean,
            low: Some(mean - half),
            high: Some(mean + half),
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
    pub(super) fn paired(
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_constant_difference_is_told_and_a_balanced_one_is_not() {
        let all = |value: f64| vec![(None, value); 30];
        let same = Difference::paired("wait", "s", &all(-2.0), 1).unwrap();
        assert_eq!((same.difference, same.low, same.high), (-2.0, Some(-2.0), Some(-2.0)));
        assert!(same.is_significant() && same.over == "jobs" && same.count == 30);
        assert!(!Difference::paired("wait", "s", &all(0.0), 1).unwrap().is_significant());
        let mixed: Vec<_> = (0..40).map(|i| (None, if i % 2 == 0 { 1.0 } else { -1.0 })).collect();
        assert!(!Difference::paired("wait", "s", &mixed, 1).unwrap().is_significant());
        assert_eq!(Difference::paired("wait", "s", &[], 1), None);
    }

    #[test]
    fn many_weeks_are_drawn_whole() {
        // Half the weeks gain and half lose, each evenly: jobs alone would look surer than weeks.
        let value = |job: i64| (Some(job / 100), if job / 100 % 4 < 2 { 1.0 } else { -0.8 });
        let values: Vec<_> = (0..1000).map(value).collect();
        let weeks = Difference::paired("wait", "s", &values, 1).unwrap();
        assert_eq!((weeks.over, weeks.count, weeks.jobs), ("weeks", 10, 1000));
        let jobs: Vec<_> = values.iter().map(|(_, v)| (None, *v)).collect();
        let jobs = Difference::paired("wait", "s", &jobs, 1).unwrap();
        let width = |d: &Difference| d.high.unwrap() - d.low.unwrap();
        assert!(width(&weeks) > 2.0 * width(&jobs));
        assert!(!weeks.is_significant() && (weeks.difference - jobs.difference).abs() < 1e-12);
    }

    /// Differences of ten subjects (Student 1908): the t interval is 0.70 to 2.46.
    #[test]
    fn seeds_have_students_interval() {
        let gains = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let d = Difference::over_seeds("mean(log)", "hops", &gains);
        assert!((d.low.unwrap() - 0.7001).abs() < 1e-3 && (d.high.unwrap() - 2.4599).abs() < 1e-3);
        assert!(d.is_significant() && d.over == "seeds" && d.count == 10);
        assert!(!Difference::exact("mean(log)", "hops", 0.0).is_significant());
        assert!(Difference::exact("mean(log)", "hops", 0.1).is_significant());
    }

    proptest! {
        #[test]
        fn the_same_on_any_number_of_threads(values in prop::collection::vec(-9.0f64..9.0, 1..60), seed in 0u64..9) {
            let values: Vec<_> = values.into_iter().map(|v| (None, v)).collect();
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| Difference::paired("wait", "s", &values, seed).unwrap())
            };
            let one = run(1);
            prop_assert_eq!(&one, &run(3));
            let (least, most) = values.iter().fold((9.0f64, -9.0f64), |(l, h), (_, v)| (l.min(*v), h.max(*v)));
            prop_assert!(one.low <= one.high);
            prop_assert!(one.low.unwrap() >= least - 1e-9 && one.high.unwrap() <= most + 1e-9);
        }
    }
}
