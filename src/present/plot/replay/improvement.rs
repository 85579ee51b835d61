//! A value of allocators against job size.

use super::data::{SizeLine, labels_and_legend};
use super::scatter::{Curve, Scatter};
use crate::plot::chart::{BELOW, LOG_SIZES, Panel, TOP};
use crate::plot::drawing::Figure;
use crate::plot::element::Sample;
use crate::plot::scale::Scale;
use nodeorder_base::Result;

const PANEL: f64 = 430.0;

impl Figure<'_> {
    /// Draws a value against job size, a line an allocator (Figs 12 to 28). `what` is the value's name and unit,
    /// such as `improvement over fifo:0 (%)`. Where sizes crowd, each is a dot, and lines run through the medians
    /// of quarters of an octave.
    ///
    /// # Errors
    /// No value in any line.
    pub fn plot_improvement(title: &str, what: &str, lines: &[SizeLine<'_>]) -> Result<Self> {
        let (names, legend) = labels_and_legend(lines, Sample::Curve);
        let description =
            format!("{what} against job size in nodes on a logarithmic axis: {names}.");
        let what = what.to_string();
        let scatter = Scatter(
            lines
                .iter()
                .map(|line| Curve::new(line.slot, line.data))
                .collect(),
        );
        let sizes = scatter.size_range();
        let y = Scale::linear(scatter.axis_values(), 8);
        let size = legend.figure_size(TOP, PANEL + BELOW);
        let note = scatter.describe_dots(&y);
        Figure::new((title, &note), description, size, move |pen| {
            let left = y.label_room();
            let right = legend.panel_right();
            let x = Scale::logarithmic(sizes.unwrap_or((1.0, 2.0)), right - left);
            let panel = Panel::place_panel(
                (left, right),
                (TOP, PANEL),
                (&x, LOG_SIZES),
                (&y, what.as_str()),
            );
            scatter.draw_scatter(&mut panel.draw_axes(pen)?, &y)?;
            legend.draw(pen, TOP - 3.0)
        })
        .if_drawable(sizes.is_some(), "no value in any line")
    }
}
