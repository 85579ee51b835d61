//! A curve small enough to stand in a table's row.

use super::chart::Panel;
use super::curve::Series;
use super::drawing::Drawing;
use super::element::{Point, Stroke};
use super::palette::{AXIS, MUTED, look};
use super::pen::Pen;
use super::scale::Scale;
use crate::error::Result;

const WIDTH: f64 = 112.0;
const HEIGHT: f64 = 28.0;

/// A curve relative to a random placement (the top edge; the bottom is 0), sizes on a log axis, over the best of
/// all curves at each size in grey.
pub(super) struct Spark<'a> {
    pub series: Series<'a>,
    /// The lowest value of each size.
    pub best: &'a [f64],
    /// The machine's mean distance.
    pub mean: f64,
}

impl Drawing for Spark<'_> {
    fn title(&self) -> String {
        "a curve in a table".to_string()
    }

    fn description(&self) -> String {
        String::new()
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, HEIGHT)
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        let x = Scale::log((2.0, (self.best.len() + 1) as f64), WIDTH);
        let mean = if self.mean > 0.0 { self.mean } else { 1.0 };
        let y = Scale::named((0.0, mean), Vec::new());
        let (left, right, top, bottom) = (1.0, WIDTH - 1.0, 2.0, HEIGHT - 2.0);
        let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name: "", y_name: "" };
        let mut chart = panel.bare(pen)?;
        let points = |values: &[f64]| -> Vec<Point> {
            values.iter().enumerate().map(|(i, v)| ((i + 2) as f64, *v)).collect()
        };
        chart.across(mean, &Stroke::solid(AXIS, 0.6))?;
        chart.line(&points(self.best), &Stroke::solid(MUTED, 1.0))?;
        let colour = look(self.series.slot).colour;
        chart.line(&points(self.series.values), &Stroke::solid(colour, 1.8))
    }
}
