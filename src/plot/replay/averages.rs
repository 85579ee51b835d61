//! Means of small jobs, large jobs and all: three groups of bars, a row an allocator.

use plotters_backend::DrawingBackend;

use super::super::Drawing;
use super::super::axis;
use super::super::palette::{AXIS, GRID, INK, MUTED, look};
use super::super::pen::{Pen, Stroke, Text};
use super::frame::{BELOW, MARGIN, Scale, TOP, WIDTH, bounds, heading};
use super::{Bars, Means};
use crate::error::Result;

const ROW: f64 = 22.0;
const LABEL_ROOM: f64 = 220.0;
/// Room for a number right of a group's bars.
const NUMBER: f64 = 52.0;
const GAP: f64 = 22.0;
/// Room above the rows for the names of the groups.
const NAMES: f64 = 22.0;

/// A group of job sizes: its name, and its mean among the means.
type Group = (&'static str, fn(&Means) -> Option<f64>);

/// The groups, named as the statistics define them.
pub(super) const GROUPS: [Group; 3] = [
    ("small jobs (2-10 nodes)", |m| m.small),
    ("large jobs (from 11 nodes)", |m| m.large),
    ("overall", |m| m.overall),
];

pub(super) struct Averages {
    title: String,
    what: String,
    rows: Vec<(String, usize, Means)>,
}

/// Means without those that are not finite.
pub(super) fn clean(means: &Means) -> Means {
    let finite = |mean: Option<f64>| mean.filter(|m| m.is_finite());
    Means { small: finite(means.small), large: finite(means.large), overall: finite(means.overall) }
}

impl Averages {
    pub fn new(title: &str, what: &str, rows: &[Bars<'_>]) -> Self {
        let rows = rows.iter().map(|r| (r.label.to_string(), r.slot, clean(&r.means))).collect();
        Averages { title: title.into(), what: what.into(), rows }
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.rows.iter().flat_map(|(_, _, means)| GROUPS.iter().filter_map(|(_, of)| of(means)))
    }

    pub fn is_empty(&self) -> bool {
        self.values().next().is_none()
    }

    fn bottom(&self) -> f64 {
        TOP + NAMES + self.rows.len() as f64 * ROW + 4.0
    }
}

impl Drawing for Averages {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        let told = self.rows.iter().map(|(label, _, means)| {
            let [small, large, overall] = GROUPS.map(|(_, of)| number(of(means)));
            format!("{label} {small}, {large}, {overall}")
        });
        let told: Vec<String> = told.collect();
        format!("{} of small jobs, large jobs and overall: {}.", self.what, told.join("; "))
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, self.bottom() + BELOW)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        heading(pen, &self.title, "every job size counts the same")?;
        let name = Text::new(13.0);
        let widest = self.rows.iter().map(|(l, ..)| name.width(l)).fold(40.0, f64::max);
        let first = MARGIN + widest.min(LABEL_ROOM) + 12.0;
        let wide = (WIDTH - MARGIN - first - 2.0 * GAP) / 3.0;
        let (top, bottom) = (TOP + NAMES, self.bottom());
        for (row, (label, ..)) in self.rows.iter().enumerate() {
            let y = top + (row as f64 + 0.5) * ROW + 6.5;
            pen.text((first - 10.0, y), &name.fit(label, LABEL_ROOM), &name.right())?;
        }
        let scale = Scale::tight(bounds(self.values()).unwrap_or((0.0, 1.0)), 5);
        let tick = Text::new(12.0).colour(MUTED);
        for (group, (group_name, of)) in GROUPS.into_iter().enumerate() {
            let left = first + group as f64 * (wide + GAP);
            let right = left + wide - NUMBER;
            let x = scale.axis((left, right));
            let bold = Text::new(13.0).bold();
            pen.text((left, TOP + 8.0), &bold.fit(group_name, wide), &bold)?;
            for value in scale.ticks() {
                let at = x.pixel(*value);
                pen.line(&[(at, top), (at, bottom)], &Stroke::solid(GRID, 1.0))?;
                pen.text((at, bottom + 18.0), &axis::label(*value), &tick.centred())?;
            }
            for (row, (_, slot, means)) in self.rows.iter().enumerate() {
                let y = top + row as f64 * ROW + 5.0;
                let mean = of(means);
                if let Some(mean) = mean {
                    let (from, to) = (x.pixel(mean.min(0.0)), x.pixel(mean.max(0.0)));
                    pen.rect((from, y), (to - from, ROW - 7.0), look(*slot).colour)?;
                }
                let end = (left + wide - 4.0, y + 12.0);
                pen.text(end, &number(mean), &Text::new(12.0).right())?;
            }
            let zero = x.pixel(0.0);
            let stroke = Stroke::solid(if scale.contains(-1e-9) { INK } else { AXIS }, 1.2);
            pen.line(&[(zero, top), (zero, bottom)], &stroke)?;
        }
        let middle = (first + WIDTH - MARGIN) / 2.0;
        pen.text((middle, bottom + 42.0), &name.fit(&self.what, WIDTH - first), &name.centred())
    }
}

/// A mean to one decimal.
fn number(mean: Option<f64>) -> String {
    mean.map_or("–".into(), |m| format!("{m:.1}").replace('-', "−"))
}
