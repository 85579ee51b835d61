//! Means of small jobs, large jobs and all against a parameter of allocators, a line a family.

use super::super::kit::*;
use super::data::{Means, Sweep, named};
use super::groups::{EVERY_SIZE, GROUPS, clean, values};

const PANEL: f64 = 300.0;
/// Room above a panel for its name.
const NAMES: f64 = 22.0;

/// The values above 0 in ascending order, with their means.
fn ascending(family: &Sweep<'_>) -> Vec<(f64, Means)> {
    let positive = family.data.iter().filter(|(value, _)| *value > 0);
    let mut points: Vec<(f64, Means)> =
        positive.map(|(value, means)| (f64::from(*value), clean(means))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

impl<'a> Figure<'a> {
    /// Means of small jobs, large jobs and all against a parameter of allocators, a line a family (Figs 29 to 31).
    /// `parameter` names the axis, such as `gap G or threshold K (nodes)`. The axis is logarithmic: a value
    /// of 0 is left out.
    ///
    /// # Errors
    /// No mean in any line.
    pub fn sweep(
        title: &str,
        what: &'a str,
        parameter: &'a str,
        families: &[Sweep<'_>],
    ) -> Result<Self> {
        let (names, legend) = named(families, Sample::Curve);
        let told = format!(
            "{what} of small jobs, large jobs and overall against {parameter} on a logarithmic axis: {names}."
        );
        let lines: Vec<_> = families.iter().map(|f| (look(f.slot), ascending(f))).collect();
        let points = || lines.iter().flat_map(|(_, points)| points);
        let range = bounds(values(points().map(|(_, means)| means)));
        let ends = bounds(points().map(|p| p.0)).unwrap_or((1.0, 2.0));
        let top = TOP + legend.flow_height() + NAMES;
        Figure::new((title, EVERY_SIZE), told, (WIDTH, top + PANEL + BELOW), move |pen| {
            legend.draw_flow(pen)?;
            let y = Scale::linear(range.unwrap_or((0.0, 1.0)), 10);
            for (group, ((name, of), (left, right))) in GROUPS.iter().zip(beside(&y, 3)).enumerate()
            {
                panel_title(pen, (left, top - 10.0), name, right - left)?;
                let x = Scale::log(ends, right - left);
                let x_name = if group == 1 { parameter } else { "" };
                let y_name = if group == 0 { what } else { "" };
                let panel = Panel::at((left, right), (top, PANEL), (&x, x_name), (&y, y_name));
                let mut chart = panel.draw(pen)?;
                for (look, points) in lines.iter().rev() {
                    let points = points.iter().filter_map(|(x, means)| Some((*x, of(means)?)));
                    let points: Vec<Point> = points.collect();
                    chart.line(points.iter().copied(), &Stroke::of(*look, 1.9))?;
                    chart.marks(points, *look)?;
                }
            }
            Ok(())
        })
        .when(range.is_some(), "no mean in any line")
    }
}
