//! How many jobs have which size: by octave in bars, and every size on logarithmic axes.

use std::collections::BTreeMap;

use plotters_backend::DrawingBackend;

use super::super::Drawing;
use super::super::axis::thousands;
use super::super::palette::{AXIS, MUTED, look};
use super::super::pen::{Pen, Stroke, Text};
use super::Jobs;
use super::frame::{
    Area, BELOW, Frame, Key, MARGIN, Sample, Scale, TOP, WIDTH, bounds, heading, list,
};
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
    key: Key,
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
            key: Key::new(Sample::Patch, logs.iter().map(|l| (l.label, l.slot))),
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

    fn bars<B: DrawingBackend>(
        &self,
        pen: &mut Pen<'_, B>,
        (first, last): (u32, u32),
        (left, right): (f64, f64),
        y: &Scale,
    ) -> Result<()> {
        let (top, bottom) = (TOP, TOP + PANEL);
        let octaves = Scale::bare();
        Frame {
            area: Area { left, right, top, bottom },
            x: &octaves,
            y,
            x_name: "job size (nodes), by octave",
            y_name: "share of jobs (%)",
        }
        .draw(pen)?;
        let up = y.axis((bottom, top));
        let octaves = last - first + 1;
        let wide = (right - left) / f64::from(octaves);
        let each = (wide * 0.78 / self.logs.len() as f64).min(70.0);
        let tick = Text::new(12.0).colour(MUTED).centred();
        // Labels that would meet are left out evenly.
        let room = (first..=last).map(|o| tick.width(&octave_label(o))).fold(0.0, f64::max) + 4.0;
        let every = (room / wide).ceil().max(1.0) as u32;
        for o in (first..=last).filter(|o| (last - o) % every == 0) {
            let middle = left + (f64::from(o - first) + 0.5) * wide;
            pen.text((middle, bottom + 18.0), &octave_label(o), &tick)?;
        }
        for (i, log) in self.logs.iter().enumerate() {
            let shift = (i as f64 - self.logs.len() as f64 / 2.0) * each;
            for (o, share) in Self::shares(log, first, last).into_iter().enumerate() {
                let x = left + (o as f64 + 0.5) * wide + shift;
                let at = up.pixel(share);
                if share > 0.0 {
                    // A share too small to see still shows.
                    let height = (bottom - at).max(1.0);
                    let size = ((each - 1.0).max(1.0), height);
                    pen.rect((x, bottom - height), size, look(log.slot).colour)?;
                }
                if self.logs.len() == 1 && share > 0.0 {
                    let text = if share < 0.1 { "<0.1".to_string() } else { format!("{share:.1}") };
                    let style = Text::new(11.0).colour(MUTED).centred();
                    pen.text((x + each / 2.0, (at - 5.0).max(top + 9.0)), &text, &style)?;
                }
            }
        }
        pen.line(&[(left, bottom), (right, bottom)], &Stroke::solid(AXIS, 1.2))
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
        (WIDTH, (TOP + 2.0 * (PANEL + BELOW)).max(self.key.bottom()))
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
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
            if self.logs.len() > 1 { self.key.panel_right() } else { WIDTH - MARGIN - 10.0 };
        self.bars(pen, octaves, (left, right), &y)?;

        let top = TOP + PANEL + BELOW;
        let x = Scale::log((f64::from(least), f64::from(most)), right - left);
        let frame = Frame {
            area: Area { left, right, top, bottom: top + PANEL },
            x: &x,
            y: &jobs,
            x_name: "job size (nodes), log scale",
            y_name: "jobs of this size, log scale",
        };
        frame.draw(pen)?;
        let few = self.logs.iter().all(|log| log.jobs.len() <= FEW);
        for log in self.logs.iter().rev() {
            let look = look(log.slot);
            for (size, count) in &log.jobs {
                let (x, y) = frame.pixel((f64::from(*size), *count as f64));
                match few {
                    true => pen.mark((x, y), look.mark, look.colour)?,
                    false => pen.tint((x - 1.5, y - 1.5), (3.0, 3.0), look.colour, 0.75)?,
                }
            }
        }
        if self.logs.len() > 1 { self.key.draw(pen) } else { Ok(()) }
    }
}
