//! A value against job size, a line an allocator.

use super::super::chart::{BELOW, Legend, Panel, TOP, WIDTH, heading};
use super::super::drawing::{Drawing, Figure};
use super::super::element::Sample;
use super::super::scale::Scale;
use super::data::{Line, list};
use super::scatter::{Curve, Scatter};
use crate::error::Result;

const PANEL: f64 = 430.0;

impl Figure {
    /// A value against job size, a line an allocator (Figs 12 to 28). `what` is the value's name and unit,
    /// such as `improvement over fifo:0 (%)`. Where sizes crowd, each is a dot, and lines run through the
    /// medians of quarters of an octave.
    ///
    /// # Errors
    /// No value in any line.
    pub fn improvement(title: &str, what: &str, lines: &[Line<'_>]) -> Result<Self> {
        let scatter = Scatter(lines.iter().map(|l| Curve::new(l.slot, l.points)).collect());
        let legend = Legend::new(Sample::Curve, lines.iter().map(|l| (l.label, l.slot)));
        let names = list(lines.iter().map(|l| l.label));
        let told = format!("{what} against job size in nodes on a logarithmic axis: {names}.");
        let size = (WIDTH, TOP + (PANEL + BELOW).max(legend.height()));
        let (good, owned) = (!scatter.is_empty(), (title.to_string(), what.to_string()));
        let drawing = Drawing::new(title, told, size, move |pen| {
            let y = Scale::linear(scatter.values(), 8);
            let (left, right, top, bottom) = (y.room(), legend.panel_right(), TOP, TOP + PANEL);
            let x = Scale::log(scatter.sizes().unwrap_or((1.0, 2.0)), right - left);
            heading(pen, &owned.0, &scatter.note(&y))?;
            let (x_name, y_name) = ("job size (nodes), log scale", owned.1.as_str());
            let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
            scatter.draw(&mut panel.draw(pen)?, &y)?;
            legend.draw(pen, TOP - 3.0)
        });
        Figure::when(good, "no value in any line", drawing)
    }
}
