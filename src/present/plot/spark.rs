//! A curve small enough to stand in a table's cell, and the sample of a curve.

use super::chart::Panel;
use super::curve::{Series, sizes_and};
use super::drawing::Figure;
use super::element::{Element, Glyph, Sample, Stroke};
use super::palette::{AXIS, MUTED, look};
use super::scale::Scale;

const WIDTH: f64 = 112.0;
const HEIGHT: f64 = 28.0;

/// Draws the curve of `series` relative to a random placement (the top edge, `mean`; the bottom is 0), sizes on a log
/// axis, over the `best` of all curves at each size in grey.
pub fn spark<'a>(series: Series<'a>, best: &'a [f64], mean: f64) -> Figure<'a> {
    Figure::bare("a curve in a table", (WIDTH, HEIGHT), move |pen| {
        let x = Scale::log((2.0, (best.len() + 1) as f64), WIDTH);
        let mean = if mean > 0.0 { mean } else { 1.0 };
        let y = Scale::named((0.0, mean), Vec::new());
        let panel = Panel::at((1.0, WIDTH - 1.0), (2.0, HEIGHT - 4.0), (&x, ""), (&y, ""));
        let mut chart = panel.bare(pen)?;
        chart.across(mean, &Stroke::solid(AXIS, 0.6))?;
        chart.line(sizes_and(best), &Stroke::solid(MUTED, 1.0))?;
        chart.line(
            sizes_and(series.values),
            &Stroke::solid(look(series.slot).colour, 1.8),
        )
    })
}

/// Draws the sample of the curve of slot `slot`.
pub fn sample(slot: usize) -> Figure<'static> {
    Figure::bare("the sample of a curve", (32.0, 12.0), move |pen| {
        let points = vec![pen.device((1.0, 6.0))];
        let glyph = Glyph::Sample(look(slot), Sample::Curve);
        pen.checked(pen.area.draw(&Element {
            points,
            glyph,
            scale: pen.scale,
        }))
    })
}
