//! Drawing in pixels: what pictures of machines are made of, and the texts around charts.

use plotters::element::{Circle, Rectangle};
use plotters::style::text_anchor::{Pos, VPos};
use plotters::style::{RGBAColor, ShapeStyle};

use super::canvas::{Area, DrawError};
use super::element::{Element, Point, Stroke};
use super::palette::Rgb;
use super::text::{DESCENT, Text, register_fonts};
use crate::error::{Error, Result};

/// Draws in pixels on an area of `scale` device units a pixel.
pub(super) struct Pen<'a> {
    pub area: Area<'a>,
    pub scale: f64,
    figure: String,
}

/// A colour that fills.
pub(super) fn filled((r, g, b): Rgb, alpha: f64) -> ShapeStyle {
    ShapeStyle { color: RGBAColor(r, g, b, alpha), filled: true, stroke_width: 0 }
}

impl<'a> Pen<'a> {
    /// `figure` is what errors call the drawing.
    pub fn new(area: Area<'a>, scale: f64, figure: String) -> Self {
        register_fonts();
        Pen { area, scale, figure }
    }

    pub fn device(&self, (x, y): Point) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    /// What plotters answered, with the figure's name.
    pub fn checked<T>(&self, drawn: std::result::Result<T, DrawError>) -> Result<T> {
        drawn.map_err(|e| Error::Draw { figure: self.figure.clone(), reason: e.to_string() })
    }

    /// A polyline.
    pub fn line(&self, points: &[Point], stroke: &Stroke<'_>) -> Result<()> {
        let points = points.iter().map(|p| self.device(*p)).collect();
        self.checked(self.area.draw(&Element::line(points, *stroke, self.scale)))
    }

    /// A filled rectangle.
    pub fn rect(&self, at: Point, size: Point, colour: Rgb) -> Result<()> {
        self.tint(at, size, colour, 1.0)
    }

    /// A filled rectangle, partly transparent.
    pub fn tint(&self, at: Point, size: Point, colour: Rgb, alpha: f64) -> Result<()> {
        let corners = [self.device(at), self.device((at.0 + size.0, at.1 + size.1))];
        self.checked(self.area.draw(&Rectangle::new(corners, filled(colour, alpha))))
    }

    /// A disc.
    pub fn disc(&self, at: Point, radius: f64, colour: Rgb) -> Result<()> {
        let radius = (radius * self.scale).round() as i32;
        self.checked(self.area.draw(&Circle::new(self.device(at), radius, filled(colour, 1.0))))
    }

    /// A text whose baseline starts, is centred or ends at `at`.
    pub fn text(&self, at: Point, text: &str, style: &Text) -> Result<()> {
        let below = style.size * DESCENT;
        let at = if style.upwards { (at.0 + below, at.1) } else { (at.0, at.1 + below) };
        let plain = style.style(self.scale);
        let style = plain.pos(Pos::new(style.anchor, VPos::Bottom));
        self.checked(self.area.draw_text(text, &style, self.device(at)))
    }
}
