//! Means of small jobs, large jobs and all: three panels of bars, a bar an allocator.

use super::super::chart::{BELOW, Panel, TOP, WIDTH, beside, heading, panel_title};
use super::super::drawing::Figure;
use super::super::palette::look;
use super::super::scale::{Scale, bounds};
use super::super::text::Text;
use super::data::Bars;
use super::groups::{EVERY_SIZE, GROUPS, clean, values};
use crate::error::Result;

/// Height of a bar with the gap to the next.
const EACH: f64 = 22.0;
/// Room for a number right of a panel's bars.
const NUMBER: f64 = 52.0;
/// Room above the bars for the names of the panels.
const NAMES: f64 = 22.0;

impl<'a> Figure<'a> {
    /// Means of small jobs, large jobs and all, a bar an allocator (Figs 32 and 33); `what` as above.
    ///
    /// # Errors
    /// No mean in any row.
    pub fn averages(title: &str, what: &'a str, rows: &[Bars<'a>]) -> Result<Self> {
        let clean = |row: &Bars<'a>| Bars { data: clean(&row.data), ..*row };
        let rows: Vec<Bars<'a>> = rows.iter().map(clean).collect();
        let told = rows.iter().map(|row| {
            let [small, large, overall] = GROUPS.map(|(_, of)| number(of(&row.data)));
            format!("{} {small}, {large}, {overall}", row.label)
        });
        let told = told.collect::<Vec<_>>().join("; ");
        let told = format!("{what} of small jobs, large jobs and overall: {told}.");
        let all = rows.len() as f64;
        let (top, bottom) = (TOP + NAMES, TOP + NAMES + all * EACH + 4.0);
        let range = bounds(values(rows.iter().map(|row| &row.data)));
        Figure::new(title, told, (WIDTH, bottom + BELOW), move |pen| {
            heading(pen, EVERY_SIZE)?;
            let (text, y) = (Text::new(12.0), Scale::rows(rows.iter().map(|row| row.label)));
            let x = Scale::tight(range.unwrap_or((0.0, 1.0)), 5);
            for (group, ((name, of), (left, end))) in GROUPS.iter().zip(beside(&y, 3)).enumerate() {
                panel_title(pen, (left, TOP + 8.0), name, end - left)?;
                let x_name = if group == 1 { what } else { "" };
                let y_name = if group == 0 { " " } else { "" };
                let (from, to) = ((left, top), (end - NUMBER, bottom));
                let panel = Panel { from, to, x: (&x, x_name), y: (&y, y_name) };
                let mut chart = panel.draw_with(pen, (true, false))?;
                for (i, row) in rows.iter().enumerate() {
                    let (mean, middle) = (of(&row.data), all - i as f64 - 0.5);
                    let bar =
                        mean.map(|m| [(m.min(0.0), middle - 0.34), (m.max(0.0), middle + 0.34)]);
                    chart.bars(bar, look(row.slot).colour)?;
                    let at = (end - 4.0, chart.pixel((0.0, middle)).1 + 4.5);
                    pen.text(at, &number(mean), &text.right())?;
                }
                chart.upright()?;
            }
            Ok(())
        })
        .when(range.is_some(), "no mean in any row")
    }
}

/// A mean to one decimal.
fn number(mean: Option<f64>) -> String {
    mean.map_or("–".into(), |m| format!("{m:.1}").replace('-', "−"))
}
