//! Figures of jobs over time, a line for each placement.

use super::chart::{BELOW, Legend, Panel, TOP};
use super::drawing::Figure;
use super::element::{Sample, Stroke};
use super::palette::look_of_slot;
use super::scale::{Scale, lowest_and_highest};
use nodeorder_base::Result;

/// Height of a panel, in pixels.
const HIGH: f64 = 190.0;

/// Points of one placement: a time and a value each.
pub type Points = Vec<(f64, f64)>;

/// How a line goes from one point of a placement to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineShape {
    /// Nothing is known: a straight line joins means of stretches of time.
    Line,
    /// The value stays until the next point, the last one to the end of the axis; the axis begins at zero.
    Step,
}

/// A panel: the name of its vertical axis with the unit, and the points of each placement.
pub type OverTime<'a> = (&'a str, Vec<Points>);

/// Draws values over time in panels below each other; `names` are those of the placements, `ticks` label times.
///
/// # Errors
/// No value at all.
pub fn plot_over_time<'a>(
    title: &str,
    note: &'a str,
    names: &[&'a str],
    ticks: Vec<(f64, String)>,
    panels: Vec<OverTime<'a>>,
    between: LineShape,
) -> Result<Figure<'a>> {
    let legend = Legend::new(Sample::Curve, names.iter().copied().zip(0..));
    let size = legend.figure_size(TOP, panels.len() as f64 * (HIGH + BELOW));
    let points = panels.iter().flat_map(|(_, lines)| lines.iter().flatten());
    let times = lowest_and_highest(points.map(|p| p.0));
    let what: Vec<&str> = panels.iter().map(|(name, _)| *name).collect();
    let description = format!("{} over time: {}.", what.join(", "), names.join(", "));
    Figure::new((title, note), description, size, move |pen| {
        let scale = |lines: &Vec<Points>| {
            let (low, high) =
                lowest_and_highest(lines.iter().flatten().map(|p| p.1)).unwrap_or((0.0, 1.0));
            // Ticks of an axis around one value would all read the same.
            if between == LineShape::Step || high - low < 1e-3 * high {
                return Scale::linear((0.0, high), 5);
            }
            // Placements differ by little: an axis down to zero would lay their lines on each other.
            Scale::without_zero((low, high), 5)
        };
        let scales: Vec<Scale> = panels.iter().map(|(_, lines)| scale(lines)).collect();
        // All panels start below each other, at the widest labels, so that times can be compared down the figure.
        let left = scales.iter().map(Scale::label_room).fold(0.0, f64::max);
        let (first, last) = times.unwrap_or((0.0, 1.0));
        let x = Scale::named_ticks((first, last.max(first + 1.0)), ticks.clone());
        for (i, ((name, lines), y)) in panels.iter().zip(&scales).enumerate() {
            let top = TOP + i as f64 * (HIGH + BELOW);
            let ends = (left, legend.panel_right());
            let mut chart =
                Panel::place_panel(ends, (top, HIGH), (&x, ""), (y, name)).draw_axes(pen)?;
            for (slot, points) in lines.iter().enumerate() {
                let stroke = Stroke::line_of_look(look_of_slot(slot), 1.8);
                if between == LineShape::Step {
                    // Lines are thinned by pixels, which would mix up the two ends of an upright one.
                    for corners in list_corners(points, last).windows(2) {
                        chart.draw_line(corners.iter().copied(), &stroke)?;
                    }
                } else {
                    chart.draw_line(points.iter().copied(), &stroke)?;
                }
                // More marks would hide the line.
                if points.len() <= 60 {
                    chart.draw_marks(points.iter().copied(), look_of_slot(slot))?;
                }
            }
        }
        legend.draw(pen, TOP - 3.0)
    })
    .if_drawable(times.is_some(), "no value at all")
}

/// Lists the corners of steps through points, the last of which lasts until `end`.
fn list_corners(points: &[(f64, f64)], end: f64) -> Points {
    let mut corners = Points::new();
    for (i, (time, value)) in points.iter().enumerate() {
        let until = points.get(i + 1).map_or(end, |next| next.0);
        corners.push((*time, *value));
        corners.push((until, *value));
    }
    corners
}
