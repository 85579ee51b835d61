//! Which ordering is the best at which sizes: a bar where it is, each ordering at a height of its own.

use super::chart::{BELOW, Chart, Panel, WIDTH, figure_title};
use super::curve::Series;
use super::drawing::Drawing;
use super::palette::look;
use super::pen::Pen;
use super::scale::Scale;
use super::text::Text;
use crate::error::Result;
use crate::metric::comparison::Comparison;

const TOP: f64 = 50.0;
/// Height of an ordering's bars with the gap to the next.
const EACH: f64 = 28.0;
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

impl<'a> Winners<'a> {
    pub fn drawing(self) -> Drawing<'a> {
        let winning = self.winning();
        let named = winning.iter().map(|i| {
            let entry = &self.comparison.entries[*i];
            format!("{} over {:.1} % of them", entry.label, 100.0 * entry.best_share)
        });
        let named = named.collect::<Vec<_>>().join("; ");
        let told = format!("Job sizes, on a logarithmic axis, at which each is the best: {named}.");
        let size = (WIDTH, TOP + winning.len() as f64 * EACH + BELOW);
        Drawing::new(self.title, told, size, move |pen| self.draw(pen))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        figure_title(pen, self.title)?;
        let winning = self.winning();
        let name = Text::new(12.0);
        let label = |i: &usize| name.fit(&self.comparison.entries[*i].label, LABEL_ROOM);
        // The first stands on top.
        let names = winning.iter().rev().enumerate();
        let ticks = names.map(|(row, i)| (row as f64 + 0.5, label(i))).collect();
        let y = Scale::named((0.0, winning.len() as f64), ticks);
        let (left, right) = (y.room(), WIDTH - 24.0);
        let last = self.comparison.stretches.last().map_or(2, |s| s.to);
        let x = Scale::log((1.5, last as f64 + 0.5), right - left);
        let bottom = TOP + winning.len() as f64 * EACH;
        let (x_name, y_name) = ("job size (nodes), log scale", " ");
        let panel = Panel { left, right, top: TOP, bottom, x: &x, y: &y, x_name, y_name };
        let chart = panel.draw_with(pen, (true, false))?;
        for (row, entry) in winning.iter().enumerate() {
            self.bars(&chart, *entry, (left, right), TOP + row as f64 * EACH + 5.0)?;
        }
        Ok(())
    }

    /// Entries that win somewhere, in rank order.
    fn winning(&self) -> Vec<usize> {
        let mut wins = vec![false; self.comparison.entries.len()];
        self.comparison.stretches.iter().for_each(|s| wins[s.winner] = true);
        (0..wins.len()).filter(|i| wins[*i]).collect()
    }

    fn bars(
        &self,
        chart: &Chart<'_, '_>,
        entry: usize,
        (left, right): (f64, f64),
        y: f64,
    ) -> Result<()> {
        let columns = (right - left).floor() as usize;
        let mut share = vec![0.0f64; columns + 1];
        for s in self.comparison.stretches.iter().filter(|s| s.winner == entry) {
            let from = chart.pixel((s.from as f64 - 0.5, 0.0)).0 - left;
            let to = chart.pixel((s.to as f64 + 0.5, 0.0)).0 - left;
            for (column, share) in
                share.iter_mut().enumerate().take(to.ceil() as usize).skip(from as usize)
            {
                *share += (to.min(column as f64 + 1.0) - from.max(column as f64)).max(0.0);
            }
        }
        // A win too small to see still shows as the lightest shade.
        let shade = |s: f64| if s <= 0.0 { 0.0 } else { (s * SHADES).round().clamp(1.0, SHADES) };
        let colour = look(self.slots.get(entry).copied().unwrap_or(entry)).colour;
        let mut start = left;
        for run in share[..columns].chunk_by(|a, b| shade(*a) == shade(*b)) {
            let width = run.len() as f64;
            if shade(run[0]) > 0.0 {
                let size = (width, EACH - 10.0);
                chart.pen.tint((start, y), size, colour, shade(run[0]) / SHADES)?;
            }
            start += width;
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
