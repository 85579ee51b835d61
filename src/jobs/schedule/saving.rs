//! Node-hours a year that the best ordering saves on a trace against a reference, with a confidence interval.
//!
//! The saving is a sum over jobs, and jobs of one week depend on each other (the same users, the same queue). So the
//! interval comes from whole weeks: as many weeks as the trace has are drawn with replacement, 2,000 times, and the
//! middle 95 % of these sums is the interval. For example ten weeks, of which nine save an hour and one saves
//! nothing: 9 hours, with an interval of about 7 to 10.

use serde::Serialize;

use super::task::Task;
use nodeorder_base::random::{random_below, seed_generator};

/// Name of the ordering that others are measured against if it takes part: node-id order.
pub const REFERENCE: &str = "row-major";

/// Length of a week, in seconds.
pub const WEEK: i64 = 7 * 24 * 3600;
/// Length of a year of 365.25 days, in seconds.
const YEAR: f64 = 31_557_600.0;
/// Number of resamples of a bootstrap.
pub const RESAMPLES: u64 = 2000;
/// Smallest number of weeks with jobs for an interval: fewer weeks say too little about how weeks differ.
pub const MIN_WEEKS: usize = 8;

/// Saving of the best ordering against the reference, under one model or several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saving {
    /// Ordering on which the jobs use the fewest node-hours.
    pub best: String,
    /// Ordering that it is measured against: [`REFERENCE`] if it takes part, else the first ordering.
    pub reference: String,
    /// Node-hours of all jobs on the reference.
    pub hours_used: f64,
    /// Whether the figures are scaled to a year; traces of less than a week are not.
    pub a_year: bool,
    /// Number of weeks with jobs, from which the intervals draw.
    pub weeks: usize,
    /// Saving under each model, that of the schedules first.
    pub models: Vec<ModelSaving>,
}

/// Saving under one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelSaving {
    /// Model with its options, as given.
    pub model: String,
    /// Node-hours saved, a year or over the trace.
    pub hours: f64,
    /// Lower end of the 95 % interval; `None` for fewer than eight weeks.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; `None` for fewer than eight weeks.
    pub high: Option<f64>,
}

/// Node-seconds that each task used, in queue order; `None` if it was left out.
pub type UsedSeconds = Vec<Option<f64>>;

/// Computes the week of each task, counted from the first submit, and how many times the span of all submits goes into
/// a year; `None` if the span is less than a week.
fn task_weeks(tasks: &[Task]) -> (Vec<usize>, Option<f64>) {
    let first = tasks.first().map_or(0, |task| task.submit);
    let span = tasks.last().map_or(0, |task| task.submit - first);
    let weeks = tasks
        .iter()
        .map(|task| ((task.submit - first) / WEEK) as usize);
    let weeks: Vec<usize> = weeks.collect();
    (weeks, (span >= WEEK).then(|| YEAR / span as f64))
}

/// Computes the node-hours that `best` saves against `reference` under `model`, over the tasks that both ran, with the
/// interval that the module's head explains.
///
/// # References
/// Efron, Tibshirani, "An introduction to the bootstrap", 1993, chapter 13 (percentile intervals).
pub fn model_saving(
    model: &str,
    tasks: &[Task],
    best: &UsedSeconds,
    reference: &UsedSeconds,
    seed: u64,
) -> ModelSaving {
    let (week, year) = task_weeks(tasks);
    let mut sums = std::collections::BTreeMap::<usize, f64>::new();
    for ((week, best), reference) in week.iter().zip(best).zip(reference) {
        if let (Some(best), Some(reference)) = (best, reference) {
            *sums.entry(*week).or_default() += reference - best;
        }
    }
    let sums: Vec<f64> = sums.into_values().collect();
    let unit = year.unwrap_or(1.0) / 3600.0;
    let mut saving = ModelSaving {
        model: model.into(),
        hours: sums.iter().sum::<f64>() * unit,
        low: None,
        high: None,
    };
    if sums.len() >= MIN_WEEKS {
        let mut random = seed_generator(seed);
        let bound = sums.len() as u64;
        let mut totals = Vec::new();
        for _ in 0..RESAMPLES {
            let drawn = (0..bound).map(|_| sums[random_below(bound, &mut random) as usize]);
            totals.push(drawn.sum());
        }
        let (low, high) = percentile_interval(&mut totals);
        saving.low = Some(low * unit);
        saving.high = Some(high * unit);
    }
    saving
}

/// Finds the ends of the middle 95 % of resampled values, which it sorts.
pub fn percentile_interval(resampled: &mut [f64]) -> (f64, f64) {
    resampled.sort_by(f64::total_cmp);
    // 2.5 % at each end.
    let tail = resampled.len() / 40;
    (resampled[tail - 1], resampled[resampled.len() - tail])
}

impl Saving {
    /// Checks whether the trace shows a saving: under every model there is an interval, and it lies above zero.
    pub fn is_shown(&self) -> bool {
        self.models
            .iter()
            .all(|model| model.low.is_some_and(|low| low > 0.0))
    }

    /// Finds the best of some orderings and its saving under their `model`; returns also the indices of both
    /// orderings, best and reference. `None` without orderings.
    pub fn new(
        model: &str,
        tasks: &[Task],
        orderings: &[(&str, &UsedSeconds)],
        seed: u64,
    ) -> Option<(Self, [usize; 2])> {
        let reference = orderings
            .iter()
            .position(|(name, _)| *name == REFERENCE)
            .unwrap_or(0);
        let (name, used) = orderings.get(reference)?;
        let hours_used: f64 = used.iter().flatten().sum();
        // Begins with the reference: of equal sums it stays, and there is nothing to save.
        let mut best = (reference, hours_used);
        for (i, (_, other)) in orderings.iter().enumerate() {
            // Sums over different tasks cannot be compared.
            let same = other
                .iter()
                .map(Option::is_some)
                .eq(used.iter().map(Option::is_some));
            let sum: f64 = other.iter().flatten().sum();
            if same && sum.total_cmp(&best.1).is_lt() {
                best = (i, sum);
            }
        }
        let best = best.0;
        let first = model_saving(model, tasks, orderings[best].1, used, seed);
        let (mut weeks, year) = task_weeks(tasks);
        weeks.dedup();
        let saving = Saving {
            best: orderings[best].0.to_string(),
            reference: name.to_string(),
            hours_used: hours_used * year.unwrap_or(1.0) / 3600.0,
            a_year: year.is_some(),
            weeks: weeks.len(),
            models: vec![first],
        };
        Some((saving, [best, reference]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten weeks of a job of 3,600 node-seconds each, an hour less on the second ordering in all but one.
    #[test]
    fn savings_are_sums_over_weeks() {
        let tasks: Vec<Task> = (0..11)
            .map(|i| Task {
                id: i,
                submit: i * WEEK,
                run: 3600,
                requested: 3600,
                nodes: 2,
            })
            .collect();
        let first: UsedSeconds = vec![Some(7200.0); 11];
        let second: UsedSeconds = (0..11)
            .map(|i| Some(if i == 4 { 7200.0 } else { 3600.0 }))
            .collect();
        let orderings = [("hilbert", &second), ("row-major", &first)];
        let (saving, places) = Saving::new("m", &tasks, &orderings, 1).unwrap();
        assert_eq!(
            (&*saving.best, &*saving.reference, places),
            ("hilbert", "row-major", [0, 1])
        );
        let weeks = YEAR / (10 * WEEK) as f64;
        let ModelSaving {
            hours, low, high, ..
        } = &saving.models[0];
        assert!((hours - 10.0 * weeks).abs() < 1e-9, "{hours}");
        assert!((saving.hours_used - 22.0 * weeks).abs() < 1e-9);
        // A week without saving comes 0 to 4 times, on the mean once: binomial, 11 of 1/11.
        let (low, high) = (low.unwrap() / weeks, high.unwrap() / weeks);
        assert!(
            (7.0..=8.5).contains(&low) && high > 10.9 && high < 11.1,
            "{low} {high}"
        );
        // One model whose interval holds zero, or that has none, is enough to show nothing.
        assert!(saving.is_shown());
        for low in [Some(0.0), None] {
            let mut doubtful = saving.clone();
            doubtful.models.push(ModelSaving {
                low,
                ..saving.models[0].clone()
            });
            assert!(!doubtful.is_shown());
        }
        // The same on both: nothing saved, and the reference is the best.
        let orderings = [("hilbert", &first), ("row-major", &first)];
        let (saving, _) = Saving::new("m", &tasks, &orderings, 1).unwrap();
        assert_eq!((&*saving.best, saving.models[0].hours), ("row-major", 0.0));
    }

    #[test]
    fn short_traces_are_not_made_a_year() {
        let task = |submit| Task {
            id: 1,
            submit,
            run: 10,
            requested: 10,
            nodes: 1,
        };
        let (a, b): (UsedSeconds, UsedSeconds) =
            (vec![Some(7200.0), None], vec![Some(3600.0), None]);
        let tasks = [task(0), task(100)];
        let (saving, _) = Saving::new("m", &tasks, &[("a", &a), ("b", &b)], 1).unwrap();
        assert!(!saving.a_year);
        assert_eq!((saving.models[0].hours, saving.models[0].low), (1.0, None));
        assert_eq!(Saving::new("m", &tasks, &[], 1), None);
    }
}
