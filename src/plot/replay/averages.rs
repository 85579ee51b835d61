//! Means of small jobs, large jobs and all: three panels of bars, a bar an allocator.

use super::super::chart::{BELOW, MARGIN, Panel, TOP, WIDTH, heading, panel_title};
use super::super::drawing::Drawing;
use super::super::palette::look;
use super::super::pen::Pen;
use super::super::scale::{Scale, bounds};
use super::super::text::Text;
use super::data::{Bars, Means};
use super::groups::{GROUPS, clean};
use crate::error::Result;

/// Height of a bar with the gap to the next.
const EACH: f64 = 22.0;
const LABEL_ROOM: f64 = 220.0;
/// Room for a number right of a panel's bars.
const NUMBER: f64 = 52.0;
const GAP: f64 = 22.0;
/// Room above the bars for the names of the panels.
const NAMES: f64 = 22.0;

pub(super) struct Averages {
    title: String,
    what: String,
    rows: Vec<(String, usize, Means)>,
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
        TOP + NAMES + self.rows.len() as f64 * EACH + 4.0
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

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        heading(pen, &self.title, "every job size counts the same")?;
        let (name, number_style) = (Text::new(12.0), Text::new(12.0).right());
        let label = |(i, (label, ..)): (usize, &(String, usize, Means))| {
            (i as f64 + 0.5, name.fit(label, LABEL_ROOM))
        };
        // The first stands on top.
        let all = self.rows.len() as f64;
        let labels = self.rows.iter().rev().enumerate().map(label).collect();
        let y = Scale::named((0.0, all), labels);
        let x = Scale::tight(bounds(self.values()).unwrap_or((0.0, 1.0)), 5);
        let first = y.room();
        let wide = (WIDTH - MARGIN - first - 2.0 * GAP) / 3.0;
        for (group, (group_name, of)) in GROUPS.into_iter().enumerate() {
            let left = first + group as f64 * (wide + GAP);
            let (top, bottom, right) = (TOP + NAMES, self.bottom(), left + wide - NUMBER);
            panel_title(pen, (left, TOP + 8.0), group_name, wide)?;
            let x_name = if group == 1 { &self.what } else { "" };
            let y_name = if group == 0 { " " } else { "" };
            let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
            let mut chart = panel.draw_with(pen, (true, false))?;
            for (row, (_, slot, means)) in self.rows.iter().enumerate() {
                let (mean, middle) = (of(means), all - row as f64 - 0.5);
                let bar = mean.map(|m| [(m.min(0.0), middle - 0.34), (m.max(0.0), middle + 0.34)]);
                chart.bars(bar, look(*slot).colour)?;
                let at = (left + wide - 4.0, chart.pixel((0.0, middle)).1 + 4.5);
                pen.text(at, &number(mean), &number_style)?;
            }
            chart.upright()?;
        }
        Ok(())
    }
}

/// A mean to one decimal.
fn number(mean: Option<f64>) -> String {
    mean.map_or("–".into(), |m| format!("{m:.1}").replace('-', "−"))
}
