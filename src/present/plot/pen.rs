//! Drawing in pixels: what pictures of machines are made of, and the texts around charts.

use plotters::element::{Circle, Rectangle};
use plotters::style::text_anchor::{Pos, VPos};

use super::canvas::{Area, DrawError};
use super::element::{Element, Glyph, Point, Stroke};
use super::palette::{RAMP_STEPS, Rgb, filled, ramp};
use super::text::{DESCENT, Text, register_fonts};
use nodeorder_base::error::{Error, Result};

/// Draws in pixels on an area of `scale` device units a pixel.
pub(super) struct Pen<'a> {
    pub area: Area<'a>,
    pub scale: f64,
    /// The figure's title, by which errors call it.
    pub title: &'a str,
}

impl<'a> Pen<'a> {
    pub fn new(area: Area<'a>, scale: f64, title: &'a str) -> Self {
        register_fonts();
        Pen { area, scale, title }
    }

    pub fn device(&self, (x, y): Point) -> (i32, i32) {
        (self.length(x), self.length(y))
    }

    /// Converts pixels to device units.
    pub fn length(&self, pixels: f64) -> i32 {
        (pixels * self.scale).round() as i32
    }

    /// Returns what plotters drew; an error gets the figure's title.
    pub fn checked<T>(&self, drawn: std::result::Result<T, DrawError>) -> Result<T> {
        drawn.map_err(|e| Error::Draw {
            figure: self.title.into(),
            reason: e.to_string(),
        })
    }

    /// Draws a polyline.
    pub fn line(&self, points: &[Point], stroke: &Stroke<'_>) -> Result<()> {
        let points = points.iter().map(|p| self.device(*p)).collect();
        let line = Element {
            points,
            glyph: Glyph::Line(*stroke),
            scale: self.scale,
        };
        self.checked(self.area.draw(&line))
    }

    /// Draws a filled rectangle.
    pub fn rect(&self, at: Point, size: Point, colour: Rgb) -> Result<()> {
        self.tint(at, size, colour, 1.0)
    }

    /// Draws a filled rectangle, partly transparent.
    pub fn tint(&self, at: Point, size: Point, colour: Rgb, alpha: f64) -> Result<()> {
        let corners = [self.device(at), self.device((at.0 + size.0, at.1 + size.1))];
        self.checked(
            self.area
                .draw(&Rectangle::new(corners, filled(colour, alpha))),
        )
    }

    /// Draws a disc.
    pub fn disc(&self, at: Point, radius: f64, colour: Rgb) -> Result<()> {
        let disc = Circle::new(self.device(at), self.length(radius), filled(colour, 1.0));
        self.checked(self.area.draw(&disc))
    }

    /// Draws a text whose baseline starts, is centred or ends at `at`.
    pub fn text(&self, at: Point, text: &str, style: &Text) -> Result<()> {
        let below = style.size * DESCENT;
        let at = if style.upwards {
            (at.0 + below, at.1)
        } else {
            (at.0, at.1 + below)
        };
        let plain = style.style(self.scale);
        let style = plain.pos(Pos::new(style.anchor, VPos::Bottom));
        self.checked(self.area.draw_text(text, &style, self.device(at)))
    }
}

/// Draws the colours of ranks or loads, the first at the bottom.
pub(super) fn upright_ramp(pen: &Pen<'_>, (x, y): Point, (wide, high): Point) -> Result<()> {
    let each = high / RAMP_STEPS as f64;
    let step = |step: usize| (x, y + high - (step + 1) as f64 * each);
    (0..RAMP_STEPS).try_for_each(|s| pen.rect(step(s), (wide, each), ramp(s)))
}
