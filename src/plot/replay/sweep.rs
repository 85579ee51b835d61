//! Means of small jobs, large jobs and all against a parameter of allocators, a line a family.

use super::super::chart::{BELOW, Legend, MARGIN, Panel, TOP, WIDTH, heading, panel_title};
use super::super::drawing::{Drawing, Figure};
use super::super::element::{Point, Sample, Stroke};
use super::super::palette::look;
use super::super::scale::{Scale, bounds};
use super::data::{Means, Sweep, list};
use super::groups::{GROUPS, clean, values};
use crate::error::Result;

const PANEL: f64 = 300.0;
const GAP: f64 = 22.0;
/// Room above a panel for its name.
const NAMES: f64 = 22.0;

/// The values above 0 in ascending order, with their means.
fn ascending(family: &Sweep<'_>) -> Vec<(f64, Means)> {
    let positive = family.points.iter().filter(|(value, _)| *value > 0);
    let mut points: Vec<(f64, Means)> =
        positive.map(|(value, means)| (f64::from(*value), clean(means))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

impl Figure {
    /// Means of small jobs, large jobs and all against a parameter of allocators, a line a family (Figs 29 to 31).
    /// `parameter` names the axis, such as `gap G or threshold K (nodes)`. The axis is logarithmic: a value
    /// of 0 is left out.
    ///
    /// # Errors
    /// No mean in any line.
    pub fn sweep(title: &str, what: &str, parameter: &str, families: &[Sweep<'_>]) -> Result<Self> {
        let names = list(families.iter().map(|family| family.label));
        let told = format!(
            "{what} of small jobs, large jobs and overall against {parameter} on a logarithmic axis: {names}."
        );
        let legend = Legend::new(Sample::Curve, families.iter().map(|f| (f.label, f.slot)));
        let lines: Vec<_> = families.iter().map(|f| (f.slot, ascending(f))).collect();
        let points = || lines.iter().flat_map(|(_, points)| points);
        let range = bounds(values(points().map(|(_, means)| means)));
        let ends = bounds(points().map(|p| p.0)).unwrap_or((1.0, 2.0));
        let top = TOP + legend.flow_height() + NAMES;
        let [head, what, parameter] = [title, what, parameter].map(str::to_string);
        let drawing = Drawing::new(title, told, (WIDTH, top + PANEL + BELOW), move |pen| {
            heading(pen, &head, "every job size counts the same")?;
            legend.draw_flow(pen)?;
            let y = Scale::linear(range.unwrap_or((0.0, 1.0)), 10);
            let first = y.room();
            let wide = (WIDTH - MARGIN - first - 2.0 * GAP) / 3.0;
            let x = Scale::log(ends, wide);
            for (group, (name, of)) in GROUPS.into_iter().enumerate() {
                let left = first + group as f64 * (wide + GAP);
                panel_title(pen, (left, top - 10.0), name, wide)?;
                let (right, bottom) = (left + wide, top + PANEL);
                let x_name = if group == 1 { &parameter } else { "" };
                let y_name = if group == 0 { &what } else { "" };
                let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
                let mut chart = panel.draw(pen)?;
                for (slot, points) in lines.iter().rev() {
                    let look = look(*slot);
                    let points = points.iter().filter_map(|(x, means)| Some((*x, of(means)?)));
                    let points: Vec<Point> = points.collect();
                    let stroke = Stroke { colour: look.colour, width: 1.9, dash: look.dash };
                    chart.line(&points, &stroke)?;
                    chart.marks(points, look)?;
                }
            }
            Ok(())
        });
        Figure::when(range.is_some(), "no mean in any line", drawing)
    }
}
