//! Values against job size: of allocators, and of one allocator on several machines.

use super::super::kit::*;
use super::data::{Line, OnMachine, Row, named};
use super::scatter::{Curve, Scatter};

impl Figure<'_> {
    /// A value against job size, a line an allocator (Figs 12 to 28). `what` is the value's name and unit,
    /// such as `improvement over fifo:0 (%)`. Where sizes crowd, each is a dot, and lines run through the
    /// medians of quarters of an octave.
    ///
    /// # Errors
    /// No value in any line.
    pub fn improvement(title: &str, what: &str, lines: &[Line<'_>]) -> Result<Self> {
        let told = format!("{what} against job size in nodes on a logarithmic axis");
        let curves = lines.iter().map(|line| Curve::new(line.slot, line.data)).collect();
        let panels = [(Scatter(curves), what.to_string())];
        by_size((title, &told), lines, panels, 430.0, "no value in any line")
    }

    /// Mean MIND against job size, and below it the hops gained over the baseline, a line a machine
    /// (Figs 43 and 44).
    ///
    /// # Errors
    /// No value for any machine.
    pub fn topologies(
        title: &str,
        baseline: &str,
        machines: &[Row<'_, OnMachine<'_>>],
    ) -> Result<Self> {
        let mind = machines.iter().map(|m| Curve::new(m.slot, m.data.mind)).collect();
        let gain = machines.iter().map(|m| Curve::new(m.slot, m.data.gain)).collect();
        let gain_name = format!("ΔMIND: gain over {baseline} (hops)");
        let told = format!(
            "Mean distance within jobs (MIND, hops) against job size in nodes on a logarithmic axis, and \
             below {gain_name}"
        );
        let panels = [(Scatter(mind), "mean MIND (hops)".into()), (Scatter(gain), gain_name)];
        by_size((title, &told), machines, panels, 300.0, "no value for any machine")
    }
}

/// Panels of scatters below each other, each `high` and with the name of its vertical axis.
fn by_size<T, const PANELS: usize>(
    (title, told): (&str, &str),
    rows: &[Row<'_, T>],
    panels: [(Scatter, String); PANELS],
    high: f64,
    none: &str,
) -> Result<Figure<'static>> {
    let (names, legend) = named(rows, Sample::Curve);
    let size = legend.figure(TOP, PANELS as f64 * (high + BELOW));
    let ends = panels.iter().filter_map(|(scatter, _)| scatter.sizes());
    let sizes = bounds(ends.flat_map(|(low, high)| [low, high]));
    let most = if PANELS == 1 { 8 } else { 9 };
    let scales = panels.each_ref().map(|(scatter, _)| Scale::linear(scatter.values(), most));
    let title = (title, &*panels[0].0.note(&scales[0]));
    Figure::new(title, format!("{told}: {names}."), size, move |pen| {
        let right = legend.panel_right();
        let left = scales.iter().map(Scale::room).fold(0.0, f64::max);
        let x = Scale::log(sizes.unwrap_or((1.0, 2.0)), right - left);
        for (i, ((scatter, name), y)) in panels.iter().zip(&scales).enumerate() {
            let top = TOP + i as f64 * (high + BELOW);
            let panel = Panel::at((left, right), (top, high), (&x, LOG_SIZES), (y, name));
            scatter.draw(&mut panel.draw(pen)?, y)?;
        }
        legend.draw(pen, TOP - 3.0)
    })
    .when(sizes.is_some(), none)
}
