//! A curve small enough to stand in a table's cell, and the sample of a curve.

use super::chart::Panel;
use super::curve::{Series, points_of_curve};
use super::drawing::Figure;
use super::element::{Element, Glyph, Sample, Stroke};
use super::palette::{AXIS, MUTED, look_of_slot};
use super::scale::Scale;

const WIDTH: f64 = 112.0;
const HEIGHT: f64 = 28.0;

/// Draws the curve of `series` relative to a random placement (the top edge, `mean`; the bottom is 0), sizes on a log
/// axis, over the `best` of all curves at each size in grey.
pub fn plot_sparkline<'a>(series: Series<'a>, best: &'a [f64], mean: f64) -> Figure<'a> {
    Figure::without_heading("a curve in a table", (WIDTH, HEIGHT), move |pen| {
        let x = Scale::logarithmic((2.0, (best.len() + 1) as f64), WIDTH);
        // On a machine of one router all distances are zero, and so would be the axis.
        let mean = if mean > 0.0 { mean } else { 1.0 };
        let y = Scale::named_ticks((0.0, mean), Vec::new());
        let mut chart =
            Panel::place_panel((1.0, WIDTH - 1.0), (2.0, HEIGHT - 4.0), (&x, ""), (&y, ""))
                .without_axes(pen)?;
        chart.draw_across(mean, &Stroke::solid_line(AXIS, 0.6))?;
        chart.draw_line(points_of_curve(best), &Stroke::solid_line(MUTED, 1.0))?;
        chart.draw_line(
            points_of_curve(series.values),
            &Stroke::solid_line(look_of_slot(series.slot).colour, 1.8),
        )
    })
}

/// Draws the sample of the curve of slot `slot`.
pub fn plot_sample(slot: usize) -> Figure<'static> {
    Figure::without_heading("the sample of a curve", (32.0, 12.0), move |pen| {
        let points = vec![pen.to_device((1.0, 6.0))];
        let glyph = Glyph::Sample(look_of_slot(slot), Sample::Curve);
        pen.name_in_error(pen.area.draw(&Element {
            points,
            glyph,
            scale: pen.scale,
        }))
    })
}
