//! Mean MIND of replays against the weighted MPC that forecasts it: a panel an allocator, a mark an ordering.

use super::super::chart::{BELOW, Legend, MARGIN, Panel, TOP, WIDTH, heading, panel_title};
use super::super::drawing::Drawing;
use super::super::element::Sample;
use super::super::palette::{MUTED, look};
use super::super::pen::Pen;
use super::super::scale::{Scale, bounds};
use super::super::text::Text;
use super::data::{Forecast, list};
use crate::error::Result;

/// Height of a panel.
const PANEL: f64 = 250.0;
const GAP: f64 = 22.0;
/// Room above a panel for its name and what is said of it.
const NAMES: f64 = 40.0;
/// Panels in a row.
const ROW: usize = 4;

struct Ordering {
    slot: usize,
    forecast: f64,
    outcome: Vec<Option<f64>>,
}

pub(super) struct Prediction {
    title: String,
    /// Allocators, and what is said of each.
    panels: Vec<(String, String)>,
    orderings: Vec<Ordering>,
    names: String,
    legend: Legend,
}

impl Prediction {
    pub fn new(title: &str, panels: &[(&str, &str)], rows: &[Forecast<'_>]) -> Self {
        let known = |row: &&Forecast<'_>| row.forecast.is_finite();
        let ordering = |row: &Forecast<'_>| Ordering {
            slot: row.slot,
            forecast: row.forecast,
            outcome: row.outcome.iter().map(|o| o.filter(|o| o.is_finite())).collect(),
        };
        Prediction {
            title: title.into(),
            panels: panels.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect(),
            orderings: rows.iter().filter(known).map(ordering).collect(),
            names: list(rows.iter().map(|r| r.label)),
            legend: Legend::new(Sample::Curve, rows.iter().map(|r| (r.label, r.slot))),
        }
    }

    fn outcomes(&self) -> impl Iterator<Item = f64> + '_ {
        self.orderings
            .iter()
            .flat_map(|o| o.outcome.iter().take(self.panels.len()).flatten().copied())
    }

    pub fn is_empty(&self) -> bool {
        self.outcomes().next().is_none()
    }

    fn top(&self) -> f64 {
        TOP + self.legend.flow_height()
    }
}

/// Orderings far behind would push the good ones into a corner: distances that differ by a factor or more get
/// a logarithmic axis of `room` pixels.
fn scale(bounds: Option<(f64, f64)>, room: f64, most: usize) -> Scale {
    match bounds.unwrap_or((0.0, 1.0)) {
        (low, high) if low >= 1.0 && high >= 2.0 * low => Scale::log((low / 1.1, high * 1.1), room),
        bounds => Scale::near(bounds, most),
    }
}

impl Drawing for Prediction {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        let panels = list(self.panels.iter().map(|(name, _)| name.as_str()));
        format!(
            "Mean distance between a job's nodes in the replay against weighted MPC, in hops, with {panels}: \
             {}.",
            self.names
        )
    }

    fn size(&self) -> (f64, f64) {
        let rows = self.panels.len().div_ceil(ROW) as f64;
        (WIDTH, self.top() + rows * (NAMES + PANEL + BELOW))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        heading(pen, &self.title, "a mark an ordering; lower is better on both axes")?;
        self.legend.draw_flow(pen)?;
        let y = scale(bounds(self.outcomes()), PANEL, 6);
        let x = scale(bounds(self.orderings.iter().map(|o| o.forecast)), 200.0, 3);
        let columns = self.panels.len().clamp(1, ROW);
        let first = y.room();
        let wide = (WIDTH - MARGIN - first - (columns - 1) as f64 * GAP) / columns as f64;
        for (panel_index, (name, said)) in self.panels.iter().enumerate() {
            let (row, column) = ((panel_index / ROW) as f64, panel_index % ROW);
            let top = self.top() + row * (NAMES + PANEL + BELOW) + NAMES;
            let left = first + column as f64 * (wide + GAP);
            panel_title(pen, (left, top - 24.0), name, wide)?;
            let muted = Text::new(12.0).colour(MUTED);
            pen.text((left, top - 8.0), &muted.fit(said, wide), &muted)?;
            let (right, bottom, x_name) = (left + wide, top + PANEL, "weighted MPC (hops)");
            let y_name = if column == 0 { "mean MIND in the replay (hops)" } else { "" };
            let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
            let mut chart = panel.draw(pen)?;
            for ordering in &self.orderings {
                let outcome = ordering.outcome.get(panel_index).copied().flatten();
                let mark = outcome.map(|outcome| (ordering.forecast, outcome));
                chart.marks(mark, look(ordering.slot))?;
            }
        }
        Ok(())
    }
}
