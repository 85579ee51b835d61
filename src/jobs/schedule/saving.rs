//! Node-hours a year that the best ordering saves on a trace against a reference, with an interval.

use serde::Serialize;

use super::task::Task;
use nodeorder_base::random::{below, generator};

/// The ordering that others are measured against where it takes part: node-id order.
pub const REFERENCE: &str = "row-major";

/// Seconds of a week.
pub const WEEK: i64 = 7 * 24 * 3600;
/// Seconds of a year of 365.25 days.
const YEAR: f64 = 31_557_600.0;
/// Resamples of a bootstrap.
pub const RESAMPLES: u64 = 2000;
/// Weeks with jobs from which on weeks are resampled: fewer say too little of how they differ.
pub const WEEKS: usize = 8;

/// The best ordering's saving under one model or several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saving {
    /// The ordering on which the jobs use the fewest node-hours.
    pub best: String,
    /// The ordering that it is measured against: [`REFERENCE`] where it takes part, else the first ordering.
    pub reference: String,
    /// Node-hours of all jobs on the reference.
    pub hours_used: f64,
    /// Whether the figures are for a year; traces of less than a week are not extended to one.
    pub a_year: bool,
    /// Weeks with jobs, which the intervals draw again.
    pub weeks: usize,
    /// A model each, that of the schedules first.
    pub models: Vec<ModelSaving>,
}

/// A saving under one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelSaving {
    /// The model, as it was asked for.
    pub model: String,
    /// Node-hours saved, a year or in all.
    pub hours: f64,
    /// The 95 % interval; none for fewer than eight weeks.
    pub low: Option<f64>,
    /// See `low`.
    pub high: Option<f64>,
}

/// Node-seconds that each task used, in queue order; none where it was left out.
pub type Used = Vec<Option<f64>>;

/// The weeks of tasks in queue order, from the first submit on, and how many times their span goes into a year; none
/// for less than a week.
fn weeks(tasks: &[Task]) -> (Vec<usize>, Option<f64>) {
    let first = tasks.first().map_or(0, |task| task.submit);
    let week = |task: &Task| ((task.submit - first) / WEEK) as usize;
    let span = tasks.last().map_or(0, |task| task.submit - first);
    (
        tasks.iter().map(week).collect(),
        (span >= WEEK).then(|| YEAR / span as f64),
    )
}

/// Node-hours that `best` saves against `reference` under `model`, over the tasks that both ran.
///
/// The interval is the middle 95 % of sums over weeks drawn with replacement, as many as have jobs: jobs of a week
/// depend on each other.
///
/// # References
/// Efron, Tibshirani, "An introduction to the bootstrap", 1993, chapter 13 (percentile intervals).
pub fn under(model: &str, tasks: &[Task], best: &Used, reference: &Used, seed: u64) -> ModelSaving {
    let (week, year) = weeks(tasks);
    let mut sums = std::collections::BTreeMap::<usize, f64>::new();
    for ((week, best), reference) in week.iter().zip(best).zip(reference) {
        if let (Some(best), Some(reference)) = (best, reference) {
            *sums.entry(*week).or_default() += reference - best;
        }
    }
    let sums: Vec<f64> = sums.into_values().collect();
    let unit = year.unwrap_or(1.0) / 3600.0;
    let mut ends = (None, None);
    if sums.len() >= WEEKS {
        let mut random = generator(seed);
        let bound = sums.len() as u64;
        let mut draw = |_| {
            (0..bound)
                .map(|_| sums[below(bound, &mut random) as usize])
                .sum::<f64>()
        };
        let mut all: Vec<f64> = (0..RESAMPLES).map(&mut draw).collect();
        let (low, high) = middle(&mut all);
        ends = (Some(low * unit), Some(high * unit));
    }
    let hours = sums.iter().sum::<f64>() * unit;
    ModelSaving {
        model: model.into(),
        hours,
        low: ends.0,
        high: ends.1,
    }
}

/// The ends of the middle 95 % of resampled values.
pub fn middle(resampled: &mut [f64]) -> (f64, f64) {
    resampled.sort_by(f64::total_cmp);
    let tail = resampled.len() / 40;
    (resampled[tail - 1], resampled[resampled.len() - tail])
}

impl Saving {
    /// Whether the trace shows a saving: under every model there is an interval, and it leaves out zero.
    pub fn is_shown(&self) -> bool {
        self.models
            .iter()
            .all(|model| model.low.is_some_and(|low| low > 0.0))
    }

    /// The best of some orderings and its saving under their `model`; the indices of both orderings, best and
    /// reference. None without orderings that ran the same tasks.
    pub fn new(
        model: &str,
        tasks: &[Task],
        orderings: &[(&str, &Used)],
        seed: u64,
    ) -> Option<(Self, [usize; 2])> {
        let reference = orderings
            .iter()
            .position(|(name, _)| *name == REFERENCE)
            .unwrap_or(0);
        let ran = |used: &Used| used.iter().map(Option::is_some).collect::<Vec<_>>();
        let (name, used) = orderings.get(reference)?;
        let all = ran(used);
        let sum = |used: &Used| used.iter().flatten().sum::<f64>();
        let same = (0..orderings.len()).filter(|i| ran(orderings[*i].1) == all);
        // Of equal ones the reference: then there is nothing to save.
        let best = same.min_by(|a, b| {
            let of = |i: usize| (sum(orderings[i].1), usize::from(i != reference));
            let ((a, other), (b, another)) = (of(*a), of(*b));
            a.total_cmp(&b).then(other.cmp(&another))
        })?;
        let first = under(model, tasks, orderings[best].1, used, seed);
        let (mut weeks, year) = weeks(tasks);
        weeks.dedup();
        let saving = Saving {
            best: orderings[best].0.to_string(),
            reference: name.to_string(),
            hours_used: sum(used) * year.unwrap_or(1.0) / 3600.0,
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
        let first: Used = vec![Some(7200.0); 11];
        let second: Used = (0..11)
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
        let (a, b): (Used, Used) = (vec![Some(7200.0), None], vec![Some(3600.0), None]);
        let tasks = [task(0), task(100)];
        let (saving, _) = Saving::new("m", &tasks, &[("a", &a), ("b", &b)], 1).unwrap();
        assert!(!saving.a_year);
        assert_eq!((saving.models[0].hours, saving.models[0].low), (1.0, None));
        assert_eq!(Saving::new("m", &tasks, &[], 1), None);
    }
}
