//! A value against job size, a line an allocator.

use plotters_backend::DrawingBackend;

use super::super::Drawing;
use super::super::pen::Pen;
use super::Line;
use super::frame::{Area, BELOW, Frame, Key, Sample, Scale, TOP, WIDTH, heading, list};
use super::scatter::{Curve, Scatter};
use crate::error::Result;

const PANEL: f64 = 430.0;

pub(super) struct Improvement {
    title: String,
    what: String,
    scatter: Scatter,
    key: Key,
}

impl Improvement {
    pub fn new(title: &str, what: &str, lines: &[Line<'_>]) -> Self {
        let curves = lines.iter().map(|l| Curve::new(l.label, l.slot, l.points)).collect();
        let key = Key::new(Sample::Line, lines.iter().map(|l| (l.label, l.slot)));
        Improvement { title: title.into(), what: what.into(), scatter: Scatter { curves }, key }
    }

    pub fn is_empty(&self) -> bool {
        self.scatter.is_empty()
    }
}

impl Drawing for Improvement {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        let names = list(self.scatter.curves.iter().map(|c| c.label.as_str()));
        format!("{} against job size in nodes on a logarithmic axis: {names}.", self.what)
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, (TOP + PANEL + BELOW).max(self.key.bottom()))
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let y = Scale::linear(self.scatter.values(), 8);
        let (left, right) = (y.room(), self.key.panel_right());
        let x = Scale::log(self.scatter.sizes().unwrap_or((1.0, 2.0)), right - left);
        let frame = Frame {
            area: Area { left, right, top: TOP, bottom: TOP + PANEL },
            x: &x,
            y: &y,
            x_name: "job size (nodes), log scale",
            y_name: &self.what,
        };
        heading(pen, &self.title, &self.scatter.note(&y))?;
        frame.draw(pen)?;
        self.scatter.draw(pen, &frame)?;
        self.key.draw(pen)
    }
}
