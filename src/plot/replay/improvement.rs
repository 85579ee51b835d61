//! A value against job size, a line an allocator.

use super::super::chart::{BELOW, Legend, Panel, TOP, WIDTH, heading};
use super::super::drawing::Drawing;
use super::super::element::Sample;
use super::super::pen::Pen;
use super::super::scale::Scale;
use super::data::{Line, list};
use super::scatter::{Curve, Scatter};
use crate::error::Result;

const PANEL: f64 = 430.0;

pub(super) struct Improvement {
    title: String,
    what: String,
    scatter: Scatter,
    legend: Legend,
}

impl Improvement {
    pub fn new(title: &str, what: &str, lines: &[Line<'_>]) -> Self {
        let curves = lines.iter().map(|l| Curve::new(l.label, l.slot, l.points)).collect();
        let legend = Legend::new(Sample::Curve, lines.iter().map(|l| (l.label, l.slot)));
        Improvement { title: title.into(), what: what.into(), scatter: Scatter { curves }, legend }
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
        (WIDTH, (TOP + PANEL + BELOW).max(TOP + self.legend.height()))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        let y = Scale::linear(self.scatter.values(), 8);
        let (left, right) = (y.room(), self.legend.panel_right());
        let x = Scale::log(self.scatter.sizes().unwrap_or((1.0, 2.0)), right - left);
        heading(pen, &self.title, &self.scatter.note(&y))?;
        let (top, bottom) = (TOP, TOP + PANEL);
        let (x_name, y_name) = ("job size (nodes), log scale", self.what.as_str());
        let panel = Panel { left, right, top, bottom, x: &x, y: &y, x_name, y_name };
        self.scatter.draw(&mut panel.draw(pen)?, &y)?;
        self.legend.draw(pen, TOP - 3.0)
    }
}
