//! Sums of the scores of many jobs: over all, by size and by time; and the difference of two placements with an
//! interval.
//!
//! Whether one placement is better than another is a question about weeks that have not come yet, so a difference
//! needs an interval. It comes from the *jackknife*: time is cut into up to 30 stretches of equal length, the figure
//! is computed with each stretch left out in turn, and the spread of these values is that of the figure. Jobs that
//! met are in the same stretch, so that they do not count as independent.

use std::collections::BTreeMap;

use super::score::Score;
use crate::replay::statistics::interval_half_width;
use nodeorder_base::ratio::mean_of_sum;

/// Sums of the scores of some jobs. All but three are of whole numbers, and so exact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Number of jobs.
    pub jobs: u64,
    /// Number of nodes of all jobs.
    pub nodes: u64,
    /// Number of jobs with nodes that no path joins: they count in no distance.
    pub apart: u64,
    /// Number of jobs of two nodes and more that count in distances.
    pub several: u64,
    /// Sum of the mean distances of the `several` jobs, in hops.
    hops: f64,
    /// Sum of the diameters of the `several` jobs, in hops.
    diameter: u64,
    /// Sum of the hops around the rings of the `several` jobs, and number of steps of the rings.
    ring: (u64, u64),
    /// Sum of the longest steps of the rings, in hops.
    longest: u64,
    /// Sum over all jobs of nodes times recorded run time in seconds.
    pub node_seconds: u64,
    /// Sum over all jobs of nodes times run time in seconds times the part of the recorded mean distance that the
    /// placement spares.
    spared: f64,
    /// Sum of the same times the part of the leaf units spanned that is beyond the fewest possible.
    beyond: f64,
    /// Number of jobs made of segments, of segments that lie in one unit, and of segments that do not.
    pub segments: [u64; 3],
    /// Sum of the units spanned, sum of the fewest possible, and number of jobs that span only the fewest; by level,
    /// leaf first.
    units: Vec<[u64; 3]>,
}

impl Sums {
    /// Creates empty sums for a number of levels.
    pub fn new(levels: usize) -> Self {
        Sums {
            units: vec![[0; 3]; levels],
            ..Sums::default()
        }
    }

    /// Adds the score of a job that ran for `seconds`; `spared` is the part of its recorded mean distance that
    /// the placement spares.
    fn add_score(&mut self, score: &Score, (seconds, spared): (u64, f64)) {
        let node_seconds = u64::from(score.size).saturating_mul(seconds);
        // A record may claim any run time; a sum at its limit is better than a crash.
        self.node_seconds = self.node_seconds.saturating_add(node_seconds);
        self.spared += node_seconds as f64 * spared;
        if let (Some(spanned), Some(fewest)) = (score.spanned.first(), score.fewest.first()) {
            let compact = f64::from(*fewest) / f64::from(*spanned).max(1.0);
            self.beyond += node_seconds as f64 * (1.0 - compact).max(0.0);
        }
        if let Some((whole, broken)) = score.segments {
            self.segments[0] += 1;
            self.segments[1] += u64::from(whole);
            self.segments[2] += u64::from(broken);
        }
        self.jobs += 1;
        self.nodes += u64::from(score.size);
        self.apart += u64::from(score.ring.is_none());
        if let (Some(hops), Some(diameter), Some(ring)) =
            (score.mean_hops, score.diameter, score.ring)
        {
            self.several += 1;
            self.hops += hops;
            self.diameter += u64::from(diameter);
            self.ring.0 += ring.hops;
            // A ring has as many steps as nodes: the last one leads back.
            self.ring.1 += u64::from(score.size);
            self.longest += u64::from(ring.longest);
        }
        for ((sums, spanned), fewest) in
            self.units.iter_mut().zip(&score.spanned).zip(&score.fewest)
        {
            sums[0] += u64::from(*spanned);
            sums[1] += u64::from(*fewest);
            sums[2] += u64::from(spanned <= fewest);
        }
    }

    /// Adds the sums over other jobs.
    pub fn add_sums(&mut self, other: &Sums) {
        self.node_seconds = self.node_seconds.saturating_add(other.node_seconds);
        self.spared += other.spared;
        self.beyond += other.beyond;
        add_each(&mut self.segments, &other.segments);
        self.jobs += other.jobs;
        self.nodes += other.nodes;
        self.apart += other.apart;
        self.several += other.several;
        self.hops += other.hops;
        self.diameter += other.diameter;
        self.ring.0 += other.ring.0;
        self.ring.1 += other.ring.1;
        self.longest += other.longest;
        for (sums, more) in self.units.iter_mut().zip(&other.units) {
            add_each(sums, more);
        }
    }

    /// Computes the mean over the jobs of two nodes and more of their mean distance, in hops; `None` without such
    /// jobs.
    pub fn mean_hops(&self) -> Option<f64> {
        (self.several > 0).then(|| self.hops / self.several as f64)
    }

    /// Computes the part of all node-hours that a placement spares if this share of every run time grows with the mean
    /// distance of a job's nodes: Σ nodes · seconds · share · (1 - hops / recorded hops) over Σ nodes · seconds.
    /// `None` if no job has a run time.
    pub fn share_spared(&self, share: f64) -> Option<f64> {
        (self.node_seconds > 0).then(|| share * self.spared / self.node_seconds as f64)
    }

    /// Computes the node-hours that more leaf units than the fewest cost, if this share of every run time grows with
    /// the units spanned: Σ nodes · hours · share · (1 - fewest / spanned).
    pub fn hours_beyond_fewest(&self, share: f64) -> f64 {
        share * self.beyond / 3600.0
    }

    /// Computes the mean over these jobs of their diameter, the largest distance of two nodes, in hops.
    pub fn mean_diameter(&self) -> Option<f64> {
        mean_of_sum(self.diameter, self.several)
    }

    /// Computes the mean hops of a step of the rings of these jobs; `None` without such jobs.
    pub fn mean_ring_step(&self) -> Option<f64> {
        mean_of_sum(self.ring.0, self.ring.1)
    }

    /// Computes the mean over these jobs of the longest step of the ring, in hops.
    pub fn mean_longest_step(&self) -> Option<f64> {
        mean_of_sum(self.longest, self.several)
    }

    /// Computes the mean number of units of a level that jobs span.
    pub fn mean_spanned(&self, level: usize) -> Option<f64> {
        mean_of_sum(self.units[level][0], self.jobs)
    }

    /// Computes the mean of the fewest units of a level that have as many nodes as a job.
    pub fn mean_fewest(&self, level: usize) -> Option<f64> {
        mean_of_sum(self.units[level][1], self.jobs)
    }

    /// Computes the share of the jobs that span no more units of a level than the fewest possible.
    pub fn share_at_fewest(&self, level: usize) -> Option<f64> {
        mean_of_sum(self.units[level][2], self.jobs)
    }
}

/// Adds each of three numbers to a sum of its own.
fn add_each(sums: &mut [u64; 3], more: &[u64; 3]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Sums of the scores of all jobs under one placement.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Name of the placement: `recorded`, or an ordering and an allocator.
    pub name: String,
    /// Name of the ordering; empty for the recorded placement.
    pub ordering: String,
    /// Allocator with its options; empty for the recorded placement.
    pub allocator: String,
    /// Number of jobs that found too few nodes free, or that the allocator refused.
    pub skipped: u64,
    /// Sums over all jobs.
    pub all: Sums,
    /// Sums by size, in classes from each power of two to the next.
    by_size: BTreeMap<u32, Sums>,
    /// Sums by the hour since 1970 in which jobs started.
    by_hour: BTreeMap<i64, Sums>,
    levels: usize,
}

/// Possible widths of a period in hours: an hour, a quarter of a day, a day, a week, four weeks, a year.
const PERIOD_WIDTHS: [i64; 6] = [1, 6, 24, 168, 672, 8760];
/// Largest number of stretches of time that an interval is made from.
const MAX_STRETCHES: i64 = 30;
/// Number of periods that a span of time is divided into at most, about.
const MAX_PERIODS: i64 = 45;

impl Summary {
    /// Creates an empty summary for a number of levels.
    pub(super) fn new(name: &str, ordering: &str, allocator: &str, levels: usize) -> Self {
        Summary {
            name: name.into(),
            ordering: ordering.into(),
            allocator: allocator.into(),
            skipped: 0,
            all: Sums::new(levels),
            by_size: BTreeMap::new(),
            by_hour: BTreeMap::new(),
            levels,
        }
    }

    /// Adds the score of a job; `gain` is its run time and the part of the recorded distance that is spared.
    pub(super) fn add_score(&mut self, start: Option<i64>, score: &Score, gain: (u64, f64)) {
        let levels = self.levels;
        self.all.add_score(score, gain);
        let class = 1 << score.size.max(1).ilog2();
        let sums = self.by_size.entry(class);
        sums.or_insert_with(|| Sums::new(levels))
            .add_score(score, gain);
        if let Some(start) = start {
            let sums = self.by_hour.entry(start.div_euclid(3600));
            sums.or_insert_with(|| Sums::new(levels))
                .add_score(score, gain);
        }
    }

    /// Computes a figure of these jobs against `recorded`, and the ends of its 95 % interval: a range for other
    /// weeks like these, by the jackknife of the module's head. `None` if jobs started in fewer than ten
    /// stretches of time, or if the figure has no value.
    ///
    /// # References
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11.
    pub fn compare_with(
        &self,
        recorded: &Summary,
        figure: impl Fn(&Sums, &Sums) -> Option<f64>,
    ) -> Option<[f64; 3]> {
        let first = *recorded.by_hour.keys().next()?;
        let last = *recorded.by_hour.keys().next_back()?;
        let width = (last - first + 1).div_euclid(MAX_STRETCHES) + 1;
        let ours = self.sums_by(|hour| (hour - first) / width);
        let theirs = recorded.sums_by(|hour| (hour - first) / width);
        let mut each = Vec::new();
        for left in theirs.keys() {
            let ours = sum_without(&ours, *left, self.levels);
            each.push(figure(&ours, &sum_without(&theirs, *left, self.levels))?);
        }
        let value = figure(&self.all, &recorded.all)?;
        let count = each.len() as f64;
        let mean = each.iter().sum::<f64>() / count;
        let squares = each.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        // The jackknife's variance is (n - 1) / n times the sum of squares.
        let half = interval_half_width(each.len()) * (squares * (count - 1.0) / count).sqrt();
        (each.len() >= 10).then_some([value, value - half, value + half])
    }

    /// Sums up the hours that `group` puts together.
    fn sums_by(&self, group: impl Fn(i64) -> i64) -> BTreeMap<i64, Sums> {
        let mut groups = BTreeMap::new();
        for (hour, sums) in &self.by_hour {
            groups
                .entry(group(*hour))
                .or_insert_with(|| Sums::new(self.levels))
                .add_sums(sums);
        }
        groups
    }

    /// Computes the node-hours that the placement spares if this share of every run time grows with distance
    /// ([`Sums::share_spared`]).
    pub fn node_hours_spared(&self, share: f64) -> Option<f64> {
        Some(self.all.share_spared(share)? * self.all.node_seconds as f64 / 3600.0)
    }

    /// Computes the change of the mean distance against `recorded`, as a part of that, with its interval
    /// ([`Summary::compare_with`]).
    pub fn hops_change(&self, recorded: &Summary) -> Option<[f64; 3]> {
        self.compare_with(recorded, |ours, theirs| {
            let base = theirs.mean_hops().filter(|base| *base > 0.0)?;
            Some(ours.mean_hops()? / base - 1.0)
        })
    }

    /// Lists the smallest and the largest size of each class, with its sums, ascending.
    pub fn size_classes(&self) -> impl Iterator<Item = (u32, u32, &Sums)> {
        self.by_size
            .iter()
            .map(|(from, sums)| (*from, from + (from - 1), sums))
    }

    /// Looks up the sums of the class of sizes that begins with `from`; `None` if no job has such a size.
    pub fn size_class(&self, from: u32) -> Option<&Sums> {
        self.by_size.get(&from)
    }

    /// Chooses the hours of a period: the smallest width that divides the time of all starts into few enough periods.
    pub fn choose_period(&self) -> i64 {
        let first = self.by_hour.keys().next();
        let last = self.by_hour.keys().next_back();
        let hours = first.zip(last).map_or(0, |(first, last)| last - first);
        PERIOD_WIDTHS
            .into_iter()
            .find(|width| hours / width < MAX_PERIODS)
            .unwrap_or(PERIOD_WIDTHS[5])
    }

    /// Sums up periods of `hours`; returns the second since 1970 in which each begins, with its sums, by time.
    pub fn sums_by_period(&self, hours: i64) -> Vec<(i64, Sums)> {
        // Weeks begin on Mondays: 1970 began on a Thursday.
        let shift = if hours == 168 { 72 } else { 0 };
        let periods =
            self.sums_by(|hour| ((hour + shift).div_euclid(hours) * hours - shift) * 3600);
        periods.into_iter().collect()
    }
}

/// Adds up all groups but the one called `left`.
fn sum_without(groups: &BTreeMap<i64, Sums>, left: i64, levels: usize) -> Sums {
    let mut sums = Sums::new(levels);
    for (at, more) in groups {
        if *at != left {
            sums.add_sums(more);
        }
    }
    sums
}
