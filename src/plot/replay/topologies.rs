//! One allocator on several machines: the mean distance by job size, and what it gains over the baseline.

use super::super::chart::{BELOW, Legend, Panel, TOP, WIDTH, heading};
use super::super::drawing::Drawing;
use super::super::element::Sample;
use super::super::pen::Pen;
use super::super::scale::{Scale, bounds};
use super::data::{OnMachine, list};
use super::scatter::{Curve, Scatter};
use crate::error::Result;

const PANEL: f64 = 300.0;

pub(super) struct Topologies {
    title: String,
    /// What the lower panel shows.
    gain_name: String,
    mind: Scatter,
    gain: Scatter,
    legend: Legend,
}

impl Topologies {
    pub fn new(title: &str, baseline: &str, machines: &[OnMachine<'_>]) -> Self {
        let scatter = |points: fn(&OnMachine<'_>) -> Curve| Scatter {
            curves: machines.iter().map(points).collect(),
        };
        Topologies {
            title: title.into(),
            gain_name: format!("ΔMIND: gain over {baseline} (hops)"),
            mind: scatter(|m| Curve::new(m.label, m.slot, m.mind)),
            gain: scatter(|m| Curve::new(m.label, m.slot, m.gain)),
            legend: Legend::new(Sample::Curve, machines.iter().map(|m| (m.label, m.slot))),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.mind.is_empty() && self.gain.is_empty()
    }
}

impl Drawing for Topologies {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        let names = list(self.mind.curves.iter().map(|c| c.label.as_str()));
        format!(
            "Mean distance within jobs (MIND, hops) against job size in nodes on a logarithmic axis, and \
             below {}: {names}.",
            self.gain_name
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, (TOP + 2.0 * (PANEL + BELOW)).max(TOP + self.legend.height()))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        let right = self.legend.panel_right();
        let panels = [(&self.mind, "mean MIND (hops)"), (&self.gain, self.gain_name.as_str())];
        let scales = panels.map(|(scatter, _)| Scale::linear(scatter.values(), 9));
        let left = scales[0].room().max(scales[1].room());
        let ends = self.mind.sizes().into_iter().chain(self.gain.sizes());
        let sizes = bounds(ends.flat_map(|(low, high)| [low, high])).unwrap_or((1.0, 2.0));
        let x = Scale::log(sizes, right - left);
        heading(pen, &self.title, &self.mind.note(&scales[0]))?;
        for (i, ((scatter, y_name), y)) in panels.into_iter().zip(&scales).enumerate() {
            let top = TOP + i as f64 * (PANEL + BELOW);
            let (x_name, bottom) = ("job size (nodes), log scale", top + PANEL);
            let panel = Panel { left, right, top, bottom, x: &x, y, x_name, y_name };
            scatter.draw(&mut panel.draw(pen)?, y)?;
        }
        self.legend.draw(pen, TOP - 3.0)
    }
}
