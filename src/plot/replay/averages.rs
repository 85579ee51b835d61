//! Means of small jobs, large jobs and all: three panels of bars, a bar an allocator.

use super::super::chart::{BELOW, MARGIN, Panel, TOP, WIDTH, heading, panel_title};
use super::super::drawing::{Drawing, Figure};
use super::super::palette::look;
use super::super::scale::{Scale, bounds};
use super::super::text::Text;
use super::data::Bars;
use super::groups::{GROUPS, clean, values};
use crate::error::Result;

/// Height of a bar with the gap to the next.
const EACH: f64 = 22.0;
const LABEL_ROOM: f64 = 220.0;
/// Room for a number right of a panel's bars.
const NUMBER: f64 = 52.0;
const GAP: f64 = 22.0;
/// Room above the bars for the names of the panels.
const NAMES: f64 = 22.0;

impl Figure {
    /// Means of small jobs, large jobs and all, a bar an allocator (Figs 32 and 33); `what` as above.
    ///
    /// # Errors
    /// No mean in any row.
    pub fn averages(title: &str, what: &str, rows: &[Bars<'_>]) -> Result<Self> {
        let bars: Vec<_> = rows.iter().map(|r| (r.slot, clean(&r.means))).collect();
        let told = rows.iter().zip(&bars).map(|(row, (_, means))| {
            let [small, large, overall] = GROUPS.map(|(_, of)| number(of(means)));
            format!("{} {small}, {large}, {overall}", row.label)
        });
        let told = told.collect::<Vec<_>>().join("; ");
        let told = format!("{what} of small jobs, large jobs and overall: {told}.");
        let all = rows.len() as f64;
        let (top, bottom) = (TOP + NAMES, TOP + NAMES + all * EACH + 4.0);
        let range = bounds(values(bars.iter().map(|b| &b.1)));
        let name = Text::new(12.0);
        // The first stands on top.
        let labels = rows.iter().rev().zip(0..);
        let labels = labels.map(|(r, i)| (f64::from(i) + 0.5, name.fit(r.label, LABEL_ROOM)));
        let y = Scale::named((0.0, all), labels.collect());
        let [head, what] = [title, what].map(str::to_string);
        let drawing = Drawing::new(title, told, (WIDTH, bottom + BELOW), move |pen| {
            heading(pen, &head, "every job size counts the same")?;
            let x = Scale::tight(range.unwrap_or((0.0, 1.0)), 5);
            let first = y.room();
            let wide = (WIDTH - MARGIN - first - 2.0 * GAP) / 3.0;
            for (group, (group_name, of)) in GROUPS.into_iter().enumerate() {
                let left = first + group as f64 * (wide + GAP);
                let right = left + wide - NUMBER;
                panel_title(pen, (left, TOP + 8.0), group_name, wide)?;
                let x_name = if group == 1 { &what } else { "" };
                let y_name = if group == 0 { " " } else { "" };
                let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
                let mut chart = panel.draw_with(pen, (true, false))?;
                for (i, (slot, means)) in bars.iter().enumerate() {
                    let (mean, middle) = (of(means), all - i as f64 - 0.5);
                    let ends = mean.map(|m| [m.min(0.0), m.max(0.0)]);
                    let bar = ends.map(|[from, to]| [(from, middle - 0.34), (to, middle + 0.34)]);
                    chart.bars(bar, look(*slot).colour)?;
                    let at = (left + wide - 4.0, chart.pixel((0.0, middle)).1 + 4.5);
                    pen.text(at, &number(mean), &name.right())?;
                }
                chart.upright()?;
            }
            Ok(())
        });
        Figure::when(range.is_some(), "no mean in any row", drawing)
    }
}

/// A mean to one decimal.
fn number(mean: Option<f64>) -> String {
    mean.map_or("–".into(), |m| format!("{m:.1}").replace('-', "−"))
}
