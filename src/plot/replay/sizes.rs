//! How many jobs have which size: by octave in bars, and every size on logarithmic axes.

use std::collections::BTreeMap;

use super::super::kit::*;
use super::data::{Jobs, named};

const PANEL: f64 = 260.0;

/// Sizes of a log up to which each has a mark instead of a dot.
const FEW: usize = 60;

struct Log {
    label: String,
    slot: usize,
    /// Jobs by size, both positive.
    jobs: BTreeMap<u32, u64>,
    total: u128,
    nodes: u128,
}

impl Log {
    fn new(log: &Jobs<'_>) -> Self {
        let mut jobs: BTreeMap<u32, u64> = BTreeMap::new();
        for (size, count) in log.data.iter().filter(|(size, count)| *size > 0 && *count > 0) {
            let jobs = jobs.entry(*size).or_default();
            *jobs = jobs.saturating_add(*count);
        }
        let total = jobs.values().map(|n| u128::from(*n)).sum();
        let nodes = jobs.iter().map(|(s, n)| u128::from(*s) * u128::from(*n)).sum();
        Log { label: log.label.into(), slot: log.slot, jobs, total, nodes }
    }

    /// Per cent of the jobs in each octave from `first` to `last`.
    fn shares(&self, first: u32, last: u32) -> Vec<f64> {
        let mut jobs = vec![0u128; (last - first + 1) as usize];
        for (size, count) in &self.jobs {
            jobs[(octave(*size) - first) as usize] += u128::from(*count);
        }
        jobs.iter().map(|n| 100.0 * *n as f64 / (self.total as f64).max(1.0)).collect()
    }
}

/// How many jobs there are, and their mean size.
fn note(logs: &[Log]) -> String {
    let told = logs.iter().filter(|log| log.total > 0).map(|log| {
        let jobs = thousands(u64::try_from(log.total).unwrap_or(u64::MAX));
        let name = if logs.len() > 1 { format!("{}: ", log.label) } else { String::new() };
        let mean = log.nodes as f64 / log.total as f64;
        format!("{name}{jobs} jobs, mean size {mean:.1} nodes")
    });
    told.collect::<Vec<_>>().join("; ")
}

/// The octave of a size: 1, 2, 3-4, 5-8, … are 0, 1, 2, 3, …
fn octave(size: u32) -> u32 {
    u32::BITS - (size - 1).leading_zeros()
}

/// The sizes of an octave, as a label.
fn octave_label(octave: u32) -> String {
    let last = 1u64 << octave;
    match octave {
        0 | 1 => last.to_string(),
        _ => format!("{}-{}", last / 2 + 1, last),
    }
}

/// Shares of the octaves from `first` to `last`.
fn bars(
    logs: &[Log],
    pen: &Pen<'_>,
    (first, last): (u32, u32),
    (left, right): (f64, f64),
    y: &Scale,
) -> Result<()> {
    let octaves = last - first + 1;
    let wide = (right - left) / f64::from(octaves);
    let small = Text::new(11.0).colour(MUTED).centred();
    // Labels that would meet are left out evenly.
    let room = (first..=last).map(|o| Text::new(12.0).width(&octave_label(o)));
    let every = ((room.fold(0.0, f64::max) + 4.0) / wide).ceil().max(1.0) as u32;
    let named = (first..=last).filter(|o| (last - o) % every == 0);
    let ticks = named.map(|o| (f64::from(o - first) + 0.5, octave_label(o))).collect();
    let x = Scale::named((0.0, f64::from(octaves)), ticks);
    let axes = ((&x, "job size (nodes), by octave"), (y, "share of jobs (%)"));
    let panel = Panel::at((left, right), (TOP, PANEL), axes.0, axes.1);
    let mut chart = panel.draw_with(pen, (false, true))?;
    let count = logs.len() as f64;
    let each = (0.78 / count).min(70.0 / wide);
    let gap = (1.0 / wide).min(each / 2.0);
    // A share too small to see still shows.
    let least = y.value_of(1.0 / PANEL);
    for (i, log) in logs.iter().enumerate() {
        let shares = log.shares(first, last);
        let start = |o: usize| o as f64 + 0.5 + (i as f64 - count / 2.0) * each;
        let some = shares.iter().copied().enumerate().filter(|(_, share)| *share > 0.0);
        let bar =
            |(o, share): (usize, f64)| [(start(o), 0.0), (start(o) + each - gap, share.max(least))];
        chart.bars(some.clone().map(bar), look(log.slot).colour)?;
        for (o, share) in some.filter(|_| logs.len() == 1) {
            let text = if share < 0.1 { "<0.1".to_string() } else { format!("{share:.1}") };
            let (x, y) = chart.pixel((start(o) + each / 2.0, share));
            pen.text((x, (y - 5.0).max(TOP + 9.0)), &text, &small)?;
        }
    }
    Ok(())
}

/// Every size of the logs with its jobs: a mark, or a dot where sizes crowd.
fn jobs(logs: &[Log], chart: &mut Chart<'_, '_>) -> Result<()> {
    let few = logs.iter().all(|log| log.jobs.len() <= FEW);
    for log in logs.iter().rev() {
        let look = look(log.slot);
        let points = log.jobs.iter().map(|(size, n)| (f64::from(*size), *n as f64));
        if few {
            chart.marks(points, look)?;
            continue;
        }
        for (x, y) in points.map(|p| chart.pixel(p)) {
            chart.pen.tint((x - 1.5, y - 1.5), (3.0, 3.0), look.colour, 0.75)?;
        }
    }
    Ok(())
}

impl Figure<'_> {
    /// How many jobs have which size: shares by octave (1, 2, 3-4, 5-8 …) in bars, and every size with its
    /// jobs below, both axes logarithmic (Stoltzfus, Figs 8 and 9).
    ///
    /// # Errors
    /// No job in any log.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::plot::replay::{Figure, Jobs};
    ///
    /// let log = Jobs { label: "a week", slot: 0, data: &[(1, 310), (4, 25), (16, 90)] };
    /// let svg = Figure::sizes("Job sizes", &[log])?.svg()?;
    /// assert!(svg.starts_with("<svg"));
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn sizes(title: &str, logs: &[Jobs<'_>]) -> Result<Self> {
        let (names, legend) = named(logs, Sample::Patch);
        let logs: Vec<Log> = logs.iter().map(Log::new).collect();
        let note = note(&logs);
        let told = format!(
            "Share of jobs by octaves of job size, and jobs of every size, both axes logarithmic. {note}. \
             Logs: {names}."
        );
        let good = logs.iter().any(|log| log.total > 0);
        Figure::new((title, &note), told, legend.figure(TOP, 2.0 * (PANEL + BELOW)), move |pen| {
            let sizes = || logs.iter().flat_map(|log| log.jobs.keys().copied());
            let (least, most) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(1));
            let octaves = (octave(least), octave(most));
            let shares = logs.iter().flat_map(|log| log.shares(octaves.0, octaves.1));
            // Room above the highest bar for its number.
            let shares = Scale::tight((0.0, bounds(shares).map_or(1.0, |b| b.1)), 6);
            let counts = logs.iter().flat_map(|log| log.jobs.values()).map(|n| *n as f64);
            let counts = Scale::decades(bounds(counts).map_or(1.0, |b| b.1));
            let left = shares.room().max(counts.room());
            let right = if logs.len() > 1 { legend.panel_right() } else { WIDTH - MARGIN - 10.0 };
            bars(&logs, pen, octaves, (left, right), &shares)?;

            let top = TOP + PANEL + BELOW;
            let x = Scale::log((f64::from(least), f64::from(most)), right - left);
            let (x, y) = ((&x, LOG_SIZES), (&counts, "jobs of this size, log scale"));
            jobs(&logs, &mut Panel::at((left, right), (top, PANEL), x, y).draw(pen)?)?;
            if logs.len() > 1 { legend.draw(pen, TOP - 3.0) } else { Ok(()) }
        })
        .when(good, "no job in any log")
    }
}
