//! A value of allocators against job size.

use super::data::{SizeLine, named};
use super::scatter::{Curve, Scatter};
use crate::plot::chart::{BELOW, LOG_SIZES, Panel, TOP};
use crate::plot::drawing::Figure;
use crate::plot::element::Sample;
use crate::plot::scale::Scale;
use nodeorder_base::error::Result;

const PANEL: f64 = 430.0;

impl Figure<'_> {
    /// Draws a value against job size, a line an allocator (Figs 12 to 28). `what` is the value's name and unit,
    /// such as `improvement over fifo:0 (%)`. Where sizes crowd, each is a dot, and lines run through the medians
    /// of quarters of an octave.
    ///
    /// # Errors
    /// No value in any line.
    pub fn improvement(title: &str, what: &str, lines: &[SizeLine<'_>]) -> Result<Self> {
        let (names, legend) = named(lines, Sample::Curve);
        let description =
            format!("{what} against job size in nodes on a logarithmic axis: {names}.");
        let what = what.to_string();
        let scatter = Scatter(
            lines
                .iter()
                .map(|line| Curve::new(line.slot, line.data))
                .collect(),
        );
        let sizes = scatter.sizes();
        let y = Scale::linear(scatter.values(), 8);
        let size = legend.figure(TOP, PANEL + BELOW);
        let note = scatter.note(&y);
        Figure::new((title, &note), description, size, move |pen| {
            let left = y.room();
            let right = legend.panel_right();
            let x = Scale::log(sizes.unwrap_or((1.0, 2.0)), right - left);
            let panel = Panel::at(
                (left, right),
                (TOP, PANEL),
                (&x, LOG_SIZES),
                (&y, what.as_str()),
            );
            scatter.draw(&mut panel.draw(pen)?, &y)?;
            legend.draw(pen, TOP - 3.0)
        })
        .when(sizes.is_some(), "no value in any line")
    }
}
