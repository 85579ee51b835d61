//! How many jobs have which size: by octave in bars, and every size on logarithmic axes.

use std::collections::BTreeMap;

use super::super::chart::{BELOW, Legend, MARGIN, Panel, TOP, WIDTH, heading};
use super::super::drawing::Drawing;
use super::super::element::{Point, Sample};
use super::super::palette::{MUTED, look};
use super::super::pen::Pen;
use super::super::scale::{Scale, bounds, thousands};
use super::super::text::Text;
use super::data::{Jobs, list};
use crate::error::Result;

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

pub(super) struct Sizes {
    title: String,
    logs: Vec<Log>,
    legend: Legend,
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

impl Sizes {
    pub fn new(title: &str, logs: &[Jobs<'_>]) -> Self {
        let clean = |log: &Jobs<'_>| {
            let mut jobs: BTreeMap<u32, u64> = BTreeMap::new();
            for (size, count) in log.jobs.iter().filter(|(size, count)| *size > 0 && *count > 0) {
                let jobs = jobs.entry(*size).or_default();
                *jobs = jobs.saturating_add(*count);
            }
            let total = jobs.values().map(|n| u128::from(*n)).sum();
            let nodes = jobs.iter().map(|(s, n)| u128::from(*s) * u128::from(*n)).sum();
            Log { label: log.label.into(), slot: log.slot, jobs, total, nodes }
        };
        Sizes {
            title: title.into(),
            logs: logs.iter().map(clean).collect(),
            legend: Legend::new(Sample::Patch, logs.iter().map(|l| (l.label, l.slot))),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.logs.iter().all(|log| log.jobs.is_empty())
    }

    fn note(&self) -> String {
        let told = self.logs.iter().filter(|log| log.total > 0).map(|log| {
            let jobs = thousands(u64::try_from(log.total).unwrap_or(u64::MAX));
            let name = if self.logs.len() > 1 { format!("{}: ", log.label) } else { String::new() };
            let mean = log.nodes as f64 / log.total as f64;
            format!("{name}{jobs} jobs, mean size {mean:.1} nodes")
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// Per cent of a log's jobs in each octave from `first` to `last`.
    fn shares(log: &Log, first: u32, last: u32) -> Vec<f64> {
        let mut jobs = vec![0u128; (last - first + 1) as usize];
        for (size, count) in &log.jobs {
            jobs[(octave(*size) - first) as usize] += u128::from(*count);
        }
        jobs.iter().map(|n| 100.0 * *n as f64 / (log.total as f64).max(1.0)).collect()
    }

    /// Shares of the octaves from `first` to `last`.
    fn bars(
        &self,
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
        let (x_name, y_name) = ("job size (nodes), by octave", "share of jobs (%)");
        let (top, bottom) = (TOP, TOP + PANEL);
        let panel = Panel { left, right, top, bottom, x: &x, y, x_name, y_name };
        let mut chart = panel.draw_with(pen, (false, true))?;
        let logs = self.logs.len() as f64;
        let each = (0.78 / logs).min(70.0 / wide);
        // A share too small to see still shows.
        let least = y.value_of(1.0 / PANEL);
        for (i, log) in self.logs.iter().enumerate() {
            let shares = Self::shares(log, first, last);
            let start = |o: usize| o as f64 + 0.5 + (i as f64 - logs / 2.0) * each;
            let gap = (1.0 / wide).min(each / 2.0);
            let some = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
            let bar = |(o, share): (usize, &f64)| {
                [(start(o), 0.0), (start(o) + each - gap, share.max(least))]
            };
            chart.bars(some.clone().map(bar), look(log.slot).colour)?;
            for (o, share) in some.filter(|_| self.logs.len() == 1) {
                let text = if *share < 0.1 { "<0.1".to_string() } else { format!("{share:.1}") };
                let (x, y) = chart.pixel((start(o) + each / 2.0, *share));
                pen.text((x, (y - 5.0).max(top + 9.0)), &text, &small)?;
            }
        }
        Ok(())
    }
}

impl Drawing for Sizes {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        format!(
            "Share of jobs by octaves of job size, and jobs of every size, both axes logarithmic. {}. Logs: {}.",
            self.note(),
            list(self.logs.iter().map(|log| log.label.as_str()))
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, (TOP + 2.0 * (PANEL + BELOW)).max(TOP + self.legend.height()))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        heading(pen, &self.title, &self.note())?;
        let sizes = || self.logs.iter().flat_map(|log| log.jobs.keys().copied());
        let (least, most) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(1));
        let octaves = (octave(least), octave(most));
        let shares = self.logs.iter().flat_map(|log| Self::shares(log, octaves.0, octaves.1));
        // Room above the highest bar for its number.
        let y = Scale::tight((0.0, bounds(shares).map_or(1.0, |b| b.1)), 6);
        let counts = self.logs.iter().flat_map(|log| log.jobs.values()).map(|n| *n as f64);
        let jobs = Scale::decades(bounds(counts).map_or(1.0, |b| b.1));
        let left = y.room().max(jobs.room());
        let right =
            if self.logs.len() > 1 { self.legend.panel_right() } else { WIDTH - MARGIN - 10.0 };
        self.bars(pen, octaves, (left, right), &y)?;

        let top = TOP + PANEL + BELOW;
        let x = Scale::log((f64::from(least), f64::from(most)), right - left);
        let (bottom, x_name) = (top + PANEL, "job size (nodes), log scale");
        let y_name = "jobs of this size, log scale";
        let panel = Panel { left, right, top, bottom, x: &x, y: &jobs, x_name, y_name };
        let mut chart = panel.draw(pen)?;
        let few = self.logs.iter().all(|log| log.jobs.len() <= FEW);
        for log in self.logs.iter().rev() {
            let look = look(log.slot);
            let points: Vec<Point> =
                log.jobs.iter().map(|(size, n)| (f64::from(*size), *n as f64)).collect();
            if few {
                chart.marks(points, look)?;
                continue;
            }
            for (x, y) in points.into_iter().map(|p| chart.pixel(p)) {
                pen.tint((x - 1.5, y - 1.5), (3.0, 3.0), look.colour, 0.75)?;
            }
        }
        if self.logs.len() > 1 { self.legend.draw(pen, TOP - 3.0) } else { Ok(()) }
    }
}
