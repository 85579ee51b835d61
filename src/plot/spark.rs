//! A curve small enough to stand in a table's row.

use plotters_backend::DrawingBackend;

use super::axis::Axis;
use super::palette::{AXIS, MUTED, look};
use super::pen::{Pen, Point, Stroke};
use super::thin::thin;
use super::{Drawing, Series};
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

impl Spark<'_> {
    fn points(&self, values: &[f64]) -> Vec<Point> {
        let x = Axis::log((2.0, (self.best.len() + 1) as f64), (1.0, WIDTH - 1.0));
        let top = if self.mean > 0.0 { self.mean } else { 1.0 };
        let y = Axis::linear((0.0, top), (HEIGHT - 2.0, 2.0));
        let point = |(i, v): (usize, &f64)| (x.pixel((i + 2) as f64), y.pixel(*v));
        thin(values.iter().enumerate().map(point))
    }
}

impl Drawing for Spark<'_> {
    fn title(&self) -> String {
        String::new()
    }

    fn description(&self) -> String {
        String::new()
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, HEIGHT)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        pen.line(&[(1.0, 2.0), (WIDTH - 1.0, 2.0)], &Stroke::solid(AXIS, 0.6))?;
        pen.line(&self.points(self.best), &Stroke::solid(MUTED, 1.0))?;
        let colour = look(self.series.slot).colour;
        pen.line(&self.points(self.series.values), &Stroke::solid(colour, 1.8))
    }
}
