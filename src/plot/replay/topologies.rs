//! One allocator on several machines: the mean distance by job size, and what it gains over the baseline.

use plotters_backend::DrawingBackend;

use super::super::Drawing;
use super::super::pen::Pen;
use super::OnMachine;
use super::frame::{Area, BELOW, Frame, Key, Sample, Scale, TOP, WIDTH, bounds, heading, list};
use super::scatter::{Curve, Scatter};
use crate::error::Result;

const PANEL: f64 = 300.0;

pub(super) struct Topologies {
    title: String,
    /// What the lower panel shows.
    gain_name: String,
    mind: Scatter,
    gain: Scatter,
    key: Key,
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
            key: Key::new(Sample::Line, machines.iter().map(|m| (m.label, m.slot))),
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
        (WIDTH, (TOP + 2.0 * (PANEL + BELOW)).max(self.key.bottom()))
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let right = self.key.panel_right();
        let panels = [(&self.mind, "mean MIND (hops)"), (&self.gain, self.gain_name.as_str())];
        let scales = panels.map(|(scatter, _)| Scale::linear(scatter.values(), 9));
        let left = scales[0].room().max(scales[1].room());
        let ends = self.mind.sizes().into_iter().chain(self.gain.sizes());
        let sizes = bounds(ends.flat_map(|(low, high)| [low, high])).unwrap_or((1.0, 2.0));
        let x = Scale::log(sizes, right - left);
        heading(pen, &self.title, &self.mind.note(&scales[0]))?;
        for (i, ((scatter, y_name), y)) in panels.into_iter().zip(&scales).enumerate() {
            let top = TOP + i as f64 * (PANEL + BELOW);
            let area = Area { left, right, top, bottom: top + PANEL };
            let x_name = "job size (nodes), log scale";
            let frame = Frame { area, x: &x, y, x_name, y_name };
            frame.draw(pen)?;
            scatter.draw(pen, &frame)?;
        }
        self.key.draw(pen)
    }
}
