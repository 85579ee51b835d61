//! Sums of the scores of many jobs: of all, by size, by time.

use std::collections::BTreeMap;

use super::score::Score;
use crate::replay::statistics::half_width;
use nodeorder_base::ratio::ratio;

/// Sums over some jobs. All but one are of whole numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Jobs.
    pub jobs: u64,
    /// Their nodes.
    pub nodes: u64,
    /// Jobs of which no path joins some nodes: they count in no distance.
    pub apart: u64,
    /// Jobs of two nodes and more that count in distances.
    pub several: u64,
    /// Σ of their mean distances.
    hops: f64,
    /// Σ of their diameters.
    diameter: u64,
    /// Σ of the hops around their rings, and of their steps.
    ring: (u64, u64),
    /// Σ of the longest steps of their rings.
    longest: u64,
    /// Σ of nodes times seconds that they ran, as recorded.
    pub node_seconds: u64,
    /// Σ of the same times the part of the recorded mean distance that a placement spares.
    spared: f64,
    /// Jobs made of segments, segments in one unit each, segments that are not.
    pub segments: [u64; 3],
    /// By level, leaf first: Σ of the units spanned, Σ of the fewest possible, jobs that span no more than these.
    units: Vec<[u64; 3]>,
}

impl Sums {
    pub fn new(levels: usize) -> Self {
        Sums {
            units: vec![[0; 3]; levels],
            ..Sums::default()
        }
    }

    fn add(&mut self, score: &Score, (seconds, spared): (u64, f64)) {
        let node_seconds = u64::from(score.size).saturating_mul(seconds);
        self.node_seconds = self.node_seconds.saturating_add(node_seconds);
        self.spared += node_seconds as f64 * spared;
        if let Some((whole, broken)) = score.segments {
            let more = [1, u64::from(whole), u64::from(broken)];
            self.segments
                .iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
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
            self.ring = (self.ring.0 + ring.hops, self.ring.1 + u64::from(score.size));
            self.longest += u64::from(ring.longest);
        }
        for ((sums, spanned), fewest) in
            self.units.iter_mut().zip(&score.spanned).zip(&score.fewest)
        {
            let [of_spanned, of_fewest, closest] = sums;
            *of_spanned += u64::from(*spanned);
            *of_fewest += u64::from(*fewest);
            *closest += u64::from(spanned <= fewest);
        }
    }

    /// Adds up two.
    pub fn merge(&mut self, other: &Sums) {
        self.node_seconds = self.node_seconds.saturating_add(other.node_seconds);
        self.spared += other.spared;
        self.segments
            .iter_mut()
            .zip(other.segments)
            .for_each(|(sum, more)| *sum += more);
        self.jobs += other.jobs;
        self.nodes += other.nodes;
        self.apart += other.apart;
        self.several += other.several;
        self.hops += other.hops;
        self.diameter += other.diameter;
        self.ring = (self.ring.0 + other.ring.0, self.ring.1 + other.ring.1);
        self.longest += other.longest;
        for (sums, more) in self.units.iter_mut().zip(&other.units) {
            sums.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
    }

    fn over(&self, sum: u64, count: u64) -> Option<f64> {
        (count > 0).then(|| ratio(u128::from(sum), u128::from(count)))
    }

    /// Mean over jobs of two nodes and more of the mean distance of their nodes, in hops.
    pub fn mean_hops(&self) -> Option<f64> {
        (self.several > 0).then(|| self.hops / self.several as f64)
    }

    /// The part of all node-hours that a placement spares if this share of every run time grows with the mean distance of
    /// a job's nodes: Σ nodes · seconds · share · (1 - hops / recorded hops) over Σ nodes · seconds.
    pub fn spared(&self, share: f64) -> Option<f64> {
        (self.node_seconds > 0).then(|| share * self.spared / self.node_seconds as f64)
    }

    /// Mean over these jobs of the largest distance of two of their nodes, in hops.
    pub fn diameter(&self) -> Option<f64> {
        self.over(self.diameter, self.several)
    }

    /// Mean hops of a step of their rings.
    pub fn ring_step(&self) -> Option<f64> {
        self.over(self.ring.0, self.ring.1)
    }

    /// Mean over these jobs of the longest step of the ring, in hops.
    pub fn ring_longest(&self) -> Option<f64> {
        self.over(self.longest, self.several)
    }

    /// Mean number of units of a level that jobs span.
    pub fn spanned(&self, level: usize) -> Option<f64> {
        self.over(self.units[level][0], self.jobs)
    }

    /// Mean of the fewest units of a level that have as many nodes as a job.
    pub fn fewest(&self, level: usize) -> Option<f64> {
        self.over(self.units[level][1], self.jobs)
    }

    /// Share of the jobs that span no more units of a level than the fewest possible.
    pub fn at_fewest(&self, level: usize) -> Option<f64> {
        self.over(self.units[level][2], self.jobs)
    }
}

/// The scores of one placement of all jobs, summed up.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Its name: `recorded`, or an ordering and an allocator.
    pub name: String,
    /// The ordering; empty for what was recorded.
    pub ordering: String,
    /// The allocator; empty for what was recorded.
    pub allocator: String,
    /// Jobs that found too few nodes free, or that the allocator refused.
    pub skipped: u64,
    /// Sums over all jobs.
    pub all: Sums,
    /// By size: from each power of two to the next.
    by_size: BTreeMap<u32, Sums>,
    /// By the hour since 1970 in which jobs started.
    by_hour: BTreeMap<i64, Sums>,
    levels: usize,
}

/// Widths of periods in hours: an hour, a quarter of a day, a day, a week, four weeks, a year.
const WIDTHS: [i64; 6] = [1, 6, 24, 168, 672, 8760];
/// Stretches of time that an interval is made from, at most.
const BLOCKS: i64 = 30;
/// Periods that a span of time is divided into, at most.
const PERIODS: i64 = 45;

impl Summary {
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

    pub(super) fn add(&mut self, start: Option<i64>, score: &Score, gain: (u64, f64)) {
        let new = || Sums::new(self.levels);
        self.all.add(score, gain);
        let class = 1 << score.size.max(1).ilog2();
        self.by_size
            .entry(class)
            .or_insert_with(new)
            .add(score, gain);
        if let Some(start) = start {
            self.by_hour
                .entry(start.div_euclid(3600))
                .or_insert_with(new)
                .add(score, gain);
        }
    }

    /// A figure of these jobs against `recorded`, with the ends of its 95 % interval: what it would be in other weeks like
    /// these. By the jackknife over up to 30 stretches of time of equal length, which keeps together jobs that met; none
    /// where jobs started in fewer than ten, or where the figure has no value.
    ///
    /// # References
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11.
    pub fn against(
        &self,
        recorded: &Summary,
        figure: impl Fn(&Sums, &Sums) -> Option<f64>,
    ) -> Option<[f64; 3]> {
        let (first, last) = (
            *recorded.by_hour.keys().next()?,
            *recorded.by_hour.keys().next_back()?,
        );
        let width = (last - first + 1).div_euclid(BLOCKS) + 1;
        let blocks = |summary: &Summary| {
            let mut blocks = BTreeMap::<i64, Sums>::new();
            for (hour, sums) in &summary.by_hour {
                let block = blocks.entry((hour - first) / width);
                block.or_insert_with(|| Sums::new(self.levels)).merge(sums);
            }
            blocks
        };
        let (ours, theirs) = (blocks(self), blocks(recorded));
        let without = |blocks: &BTreeMap<i64, Sums>, left: i64| {
            let mut sums = Sums::new(self.levels);
            blocks
                .iter()
                .filter(|(at, _)| **at != left)
                .for_each(|(_, more)| sums.merge(more));
            sums
        };
        let each = theirs
            .keys()
            .map(|left| figure(&without(&ours, *left), &without(&theirs, *left)));
        let each: Vec<f64> = each.collect::<Option<_>>()?;
        let (count, value) = (each.len() as f64, figure(&self.all, &recorded.all)?);
        let mean = each.iter().sum::<f64>() / count;
        let squares = each.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        let half = half_width(each.len()) * (squares * (count - 1.0) / count).sqrt();
        (each.len() >= 10).then_some([value, value - half, value + half])
    }

    /// Node-hours that the placement spares where this share of every run time grows with distance ([`Sums::spared`]).
    pub fn node_hours_spared(&self, share: f64) -> Option<f64> {
        Some(self.all.spared(share)? * self.all.node_seconds as f64 / 3600.0)
    }

    /// The change of the mean distance against `recorded`, as a part of that, with its interval ([`Summary::against`]).
    pub fn change(&self, recorded: &Summary) -> Option<[f64; 3]> {
        self.against(recorded, |ours, theirs| {
            let base = theirs.mean_hops().filter(|base| *base > 0.0)?;
            Some(ours.mean_hops()? / base - 1.0)
        })
    }

    /// By size: the smallest and the largest size of a class, and its sums.
    pub fn by_size(&self) -> impl Iterator<Item = (u32, u32, &Sums)> {
        self.by_size
            .iter()
            .map(|(from, sums)| (*from, from + (from - 1), sums))
    }

    /// The class of sizes that begins with `from`.
    pub fn class(&self, from: u32) -> Option<&Sums> {
        self.by_size.get(&from)
    }

    /// Hours of a period: as few as divide the time of all starts into few enough.
    pub fn period(&self) -> i64 {
        let (first, last) = (self.by_hour.keys().next(), self.by_hour.keys().next_back());
        let hours = first.zip(last).map_or(0, |(first, last)| last - first);
        WIDTHS
            .into_iter()
            .find(|width| hours / width < PERIODS)
            .unwrap_or(WIDTHS[5])
    }

    /// By time, in periods of `hours`: the second since 1970 in which a period begins, and its sums.
    pub fn over_time(&self, hours: i64) -> Vec<(i64, Sums)> {
        let mut periods: BTreeMap<i64, Sums> = BTreeMap::new();
        for (hour, sums) in &self.by_hour {
            // Weeks begin on Mondays: 1970 began on a Thursday.
            let shift = if hours == 168 { 72 } else { 0 };
            let from = (hour + shift).div_euclid(hours) * hours - shift;
            periods
                .entry(from * 3600)
                .or_insert_with(|| Sums::new(self.levels))
                .merge(sums);
        }
        periods.into_iter().collect()
    }
}
