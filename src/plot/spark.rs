//! A curve small enough to stand in a table's cell.

use super::chart::Panel;
use super::curve::Series;
use super::drawing::Drawing;
use super::element::{Point, Stroke};
use super::palette::{AXIS, MUTED, look};
use super::scale::Scale;

const WIDTH: f64 = 112.0;
const HEIGHT: f64 = 28.0;

/// A curve relative to a random placement (the top edge, `mean`; the bottom is 0), sizes on a log axis, over the
/// `best` of all curves at each size in grey.
pub(super) fn spark<'a>(series: Series<'a>, best: &'a [f64], mean: f64) -> Drawing<'a> {
    Drawing::new("a curve in a table", String::new(), (WIDTH, HEIGHT), move |pen| {
        let x = Scale::log((2.0, (best.len() + 1) as f64), WIDTH);
        let mean = if mean > 0.0 { mean } else { 1.0 };
        let y = Scale::named((0.0, mean), Vec::new());
        let (left, right, top, bottom) = (1.0, WIDTH - 1.0, 2.0, HEIGHT - 2.0);
        let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name: "", y_name: "" };
        let mut chart = panel.bare(pen)?;
        let points = |values: &[f64]| -> Vec<Point> {
            values.iter().enumerate().map(|(i, v)| ((i + 2) as f64, *v)).collect()
        };
        chart.across(mean, &Stroke::solid(AXIS, 0.6))?;
        chart.line(&points(best), &Stroke::solid(MUTED, 1.0))?;
        chart.line(&points(series.values), &Stroke::solid(look(series.slot).colour, 1.8))
    })
}
