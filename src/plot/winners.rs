//! Who wins at which sizes: a row an ordering, bars where it is the best.

use plotters_backend::DrawingBackend;

use super::axis::{self, Axis};
use super::palette::{AXIS, GRID, MUTED, look};
use super::pen::{Pen, Stroke, Text};
use super::{Drawing, Series};
use crate::error::Result;
use crate::metric::comparison::Comparison;

const WIDTH: f64 = 960.0;
const TOP: f64 = 50.0;
const ROW: f64 = 28.0;
const LABEL_ROOM: f64 = 230.0;
/// Shades of a pixel column that an ordering wins only in part.
const SHADES: f64 = 4.0;

/// Bars on a logarithmic axis of sizes. Stretches narrower than a pixel are added up column by column and
/// shown as lighter shades.
pub(super) struct Winners<'a> {
    pub title: &'a str,
    pub comparison: &'a Comparison,
    pub slots: &'a [usize],
}

impl Drawing for Winners<'_> {
    fn title(&self) -> String {
        self.title.to_string()
    }

    fn description(&self) -> String {
        let rows = self.rows();
        let names: Vec<String> = rows
            .iter()
            .map(|i| {
                let entry = &self.comparison.entries[*i];
                format!("{} over {:.1} % of them", entry.label, 100.0 * entry.best_share)
            })
            .collect();
        format!(
            "Job sizes, on a logarithmic axis, at which each is the best: {}.",
            names.join("; ")
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, TOP + self.rows().len() as f64 * ROW + 62.0)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let title = Text::new(17.0).bold();
        pen.text((18.0, 30.0), &title.fit(self.title, WIDTH - 40.0), &title)?;
        let name = Text::new(13.0);
        let rows = self.rows();
        let widest = rows
            .iter()
            .map(|i| name.width(&self.comparison.entries[*i].label))
            .fold(60.0, f64::max)
            .min(LABEL_ROOM);
        let (left, right) = (18.0 + widest + 12.0, WIDTH - 24.0);
        let last = self.comparison.stretches.last().map_or(2, |s| s.to);
        let x = Axis::log((1.5, last as f64 + 0.5), (left, right));
        let bottom = TOP + rows.len() as f64 * ROW;
        let tick = Text::new(12.0).colour(MUTED).centred();
        for value in x.ticks(12).into_iter().filter(|v| *v >= 2.0) {
            let at = x.pixel(value);
            pen.line(&[(at, TOP), (at, bottom)], &Stroke::solid(GRID, 1.0))?;
            pen.text((at, bottom + 18.0), &axis::label(value), &tick)?;
        }
        for (row, entry) in rows.iter().enumerate() {
            let y = TOP + row as f64 * ROW;
            let label = name.fit(&self.comparison.entries[*entry].label, LABEL_ROOM);
            pen.text((left - 10.0, y + ROW / 2.0 + 4.5), &label, &name.right())?;
            self.bars(pen, *entry, &x, (left, right), y + 5.0)?;
        }
        pen.line(&[(left, bottom), (right, bottom)], &Stroke::solid(AXIS, 1.2))?;
        let middle = (left + right) / 2.0;
        pen.text((middle, bottom + 42.0), "job size (nodes), log scale", &name.centred())
    }
}

impl Winners<'_> {
    /// Entries that win somewhere, in rank order.
    fn rows(&self) -> Vec<usize> {
        let mut wins = vec![false; self.comparison.entries.len()];
        self.comparison.stretches.iter().for_each(|s| wins[s.winner] = true);
        (0..wins.len()).filter(|i| wins[*i]).collect()
    }

    fn bars<B: DrawingBackend>(
        &self,
        pen: &mut Pen<'_, B>,
        entry: usize,
        x: &Axis,
        (left, right): (f64, f64),
        y: f64,
    ) -> Result<()> {
        let columns = (right - left).floor() as usize;
        let mut share = vec![0.0f64; columns + 1];
        for s in self.comparison.stretches.iter().filter(|s| s.winner == entry) {
            let from = x.pixel(s.from as f64 - 0.5) - left;
            let to = x.pixel(s.to as f64 + 0.5) - left;
            for (column, share) in
                share.iter_mut().enumerate().take(to.ceil() as usize).skip(from as usize)
            {
                *share += (to.min(column as f64 + 1.0) - from.max(column as f64)).max(0.0);
            }
        }
        // A win too small to see still shows as the lightest shade.
        let shade = |s: f64| if s <= 0.0 { 0.0 } else { (s * SHADES).round().clamp(1.0, SHADES) };
        let colour = look(self.slots.get(entry).copied().unwrap_or(entry)).colour;
        let mut start = 0;
        for column in 1..=columns {
            let before = shade(share[start]);
            if column < columns && shade(share[column]) == before {
                continue;
            }
            if before > 0.0 {
                let (at, width) = (left + start as f64, (column - start) as f64);
                pen.tint((at, y), (width, ROW - 10.0), colour, before / SHADES)?;
            }
            start = column;
        }
        Ok(())
    }
}

/// The comparison's curves, leader first, as figures take them.
pub(crate) fn series<'a>(comparison: &'a Comparison, slots: &[usize]) -> Vec<Series<'a>> {
    comparison
        .entries
        .iter()
        .enumerate()
        .map(|(i, entry)| Series {
            label: &entry.label,
            values: &entry.values,
            slot: slots.get(i).copied().unwrap_or(i),
        })
        .collect()
}
