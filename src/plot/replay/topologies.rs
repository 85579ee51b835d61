//! One allocator on several machines: the mean distance by job size, and what it gains over the baseline.

use super::super::chart::{BELOW, Legend, Panel, TOP, WIDTH, heading};
use super::super::drawing::{Drawing, Figure};
use super::super::element::Sample;
use super::super::scale::{Scale, bounds};
use super::data::{OnMachine, list};
use super::scatter::{Curve, Scatter};
use crate::error::Result;

const PANEL: f64 = 300.0;

impl Figure {
    /// Mean MIND against job size, and below it the hops gained over the baseline, a line a machine
    /// (Figs 43 and 44).
    ///
    /// # Errors
    /// No value for any machine.
    pub fn topologies(title: &str, baseline: &str, machines: &[OnMachine<'_>]) -> Result<Self> {
        let mind = Scatter(machines.iter().map(|m| Curve::new(m.slot, m.mind)).collect());
        let gain = Scatter(machines.iter().map(|m| Curve::new(m.slot, m.gain)).collect());
        let gain_name = format!("ΔMIND: gain over {baseline} (hops)");
        let told = format!(
            "Mean distance within jobs (MIND, hops) against job size in nodes on a logarithmic axis, and \
             below {gain_name}: {}.",
            list(machines.iter().map(|m| m.label))
        );
        let legend = Legend::new(Sample::Curve, machines.iter().map(|m| (m.label, m.slot)));
        let size = (WIDTH, TOP + (2.0 * (PANEL + BELOW)).max(legend.height()));
        let (good, head) = (!(mind.is_empty() && gain.is_empty()), title.to_string());
        let drawing = Drawing::new(title, told, size, move |pen| {
            let right = legend.panel_right();
            let panels = [(&mind, "mean MIND (hops)"), (&gain, gain_name.as_str())];
            let scales = panels.map(|(scatter, _)| Scale::linear(scatter.values(), 9));
            let left = scales[0].room().max(scales[1].room());
            let ends = mind.sizes().into_iter().chain(gain.sizes());
            let sizes = bounds(ends.flat_map(|(low, high)| [low, high])).unwrap_or((1.0, 2.0));
            let x = Scale::log(sizes, right - left);
            heading(pen, &head, &mind.note(&scales[0]))?;
            for (i, ((scatter, y_name), y)) in panels.into_iter().zip(&scales).enumerate() {
                let top = TOP + i as f64 * (PANEL + BELOW);
                let (x_name, bottom) = ("job size (nodes), log scale", top + PANEL);
                let panel = Panel { left, right, top, bottom, x: &x, y, x_name, y_name };
                scatter.draw(&mut panel.draw(pen)?, y)?;
            }
            legend.draw(pen, TOP - 3.0)
        });
        Figure::when(good, "no value for any machine", drawing)
    }
}
