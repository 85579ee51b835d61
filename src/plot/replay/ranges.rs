//! Smallest, mean and largest mean distance against job size: a band and a line.

use plotters_backend::DrawingBackend;

use super::super::Drawing;
use super::super::palette::look;
use super::super::pen::{Pen, Point, Stroke};
use super::super::thin::thin;
use super::frame::{
    Area, BAND, BELOW, Frame, Key, Sample, Scale, TOP, WIDTH, bounds, heading, list,
};
use super::scatter::marks;
use super::{Range, Spread};
use crate::error::Result;

const PANEL: f64 = 430.0;
/// The narrowest stretch of a band, in pixels.
const STRETCH: f64 = 2.0;
/// How far a size reaches at most towards one that is not the next, in pixels.
const REACH: f64 = 6.0;
/// Pixels between marks.
const MARKS: f64 = 24.0;

struct Row {
    label: String,
    slot: usize,
    sizes: Vec<Spread>,
}

pub(super) struct Ranges {
    title: String,
    rows: Vec<Row>,
    key: Key,
}

impl Ranges {
    pub fn new(title: &str, rows: &[Range<'_>]) -> Self {
        let clean = |row: &Range<'_>| {
            let good =
                |s: &&Spread| s.size > 0 && [s.least, s.mean, s.most].iter().all(|v| v.is_finite());
            let mut sizes: Vec<Spread> = row.sizes.iter().filter(good).copied().collect();
            sizes.sort_by_key(|s| s.size);
            Row { label: row.label.into(), slot: row.slot, sizes }
        };
        Ranges {
            title: title.into(),
            rows: rows.iter().map(clean).collect(),
            key: Key::new(Sample::Band, rows.iter().map(|r| (r.label, r.slot))),
        }
    }

    fn spreads(&self) -> impl Iterator<Item = &Spread> {
        self.rows.iter().flat_map(|row| &row.sizes)
    }

    pub fn is_empty(&self) -> bool {
        self.spreads().next().is_none()
    }
}

/// Stretches of a band in pixels: left, right, lowest and highest value. Each size reaches half way to its
/// neighbours, but not far where sizes between them are missing; sizes that share a stretch of two pixels
/// share its lowest and highest.
fn band(sizes: &[Spread], frame: &Frame<'_>) -> Vec<(f64, f64, f64, f64)> {
    let across = frame.across();
    let at: Vec<f64> = sizes.iter().map(|s| across.pixel(f64::from(s.size))).collect();
    // Where the stretches of size i and of the next one end and start.
    let between = |i: usize| {
        let half = f64::midpoint(at[i], at[i + 1]);
        match sizes[i + 1].size - sizes[i].size {
            0 | 1 => (half, half),
            _ => (half.min(at[i] + REACH), half.max(at[i + 1] - REACH)),
        }
    };
    let mut stretches: Vec<(f64, f64, f64, f64)> = Vec::new();
    for (i, spread) in sizes.iter().enumerate() {
        let left = if i == 0 { at[i] - REACH } else { between(i - 1).1 };
        let right = if i + 1 == sizes.len() { at[i] + REACH } else { between(i).0 };
        let (left, right) = (left.max(frame.area.left), right.min(frame.area.right));
        match stretches.last_mut() {
            Some((from, to, low, high)) if *to - *from < STRETCH && left - *to < STRETCH => {
                (*to, *low, *high) = (right, low.min(spread.least), high.max(spread.most));
            }
            _ => stretches.push((left, right, spread.least, spread.most)),
        }
    }
    stretches
}

impl Drawing for Ranges {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        format!(
            "Smallest, mean and largest mean distance within jobs (MIND, hops) against job size in nodes on \
             a logarithmic axis: {}.",
            list(self.rows.iter().map(|row| row.label.as_str()))
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, (TOP + PANEL + BELOW).max(self.key.bottom()))
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        heading(pen, &self.title, "line: mean of the jobs of a size; band: smallest to largest")?;
        let most = bounds(self.spreads().map(|s| s.most));
        let least = bounds(self.spreads().map(|s| s.least));
        let values = (least.map_or(0.0, |b| b.0), most.map_or(1.0, |b| b.1));
        let y = Scale::linear(values, 8);
        let (left, right) = (y.room(), self.key.panel_right());
        let sizes = bounds(self.spreads().map(|s| f64::from(s.size))).unwrap_or((1.0, 2.0));
        let x = Scale::log(sizes, right - left);
        let frame = Frame {
            area: Area { left, right, top: TOP, bottom: TOP + PANEL },
            x: &x,
            y: &y,
            x_name: "job size (nodes), log scale",
            y_name: "MIND: mean distance within a job (hops)",
        };
        frame.draw(pen)?;
        let up = frame.up();
        for row in self.rows.iter().rev() {
            for (from, to, low, high) in band(&row.sizes, &frame) {
                let (top, bottom) = (up.pixel(high) - 0.5, up.pixel(low) + 0.5);
                pen.tint((from, top), (to - from, bottom - top), look(row.slot).colour, BAND)?;
            }
        }
        for (i, row) in self.rows.iter().enumerate().rev() {
            let look = look(row.slot);
            let line: Vec<Point> =
                row.sizes.iter().map(|s| frame.pixel((f64::from(s.size), s.mean))).collect();
            let stroke = Stroke { colour: look.colour, width: 1.9, dash: look.dash };
            pen.line(&thin(line.iter().copied()), &stroke)?;
            let mut apart: Vec<Point> = Vec::new();
            for point in line {
                if apart.last().is_none_or(|last| point.0 - last.0 >= MARKS) {
                    apart.push(point);
                }
            }
            for at in marks(&apart, i) {
                pen.mark(at, look.mark, look.colour)?;
            }
        }
        self.key.draw(pen)
    }
}
