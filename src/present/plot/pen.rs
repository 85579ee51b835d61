//! Drawing in pixels: what pictures of machines are made of, and the texts around charts.

use plotters::element::{Circle, Rectangle};
use plotters::style::text_anchor::{Pos, VPos};

use super::canvas::{Area, DrawError};
use super::element::{Element, Glyph, Point, Stroke};
use super::palette::{RAMP_STEPS, Rgb, fill_style, ramp_colour};
use super::text::{DESCENT, Text, register_fonts};
use nodeorder_base::{Error, Result};

/// Draws in pixels on an area of `scale` device units a pixel.
pub struct Pen<'a> {
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

    pub fn to_device(&self, (x, y): Point) -> (i32, i32) {
        (self.to_device_length(x), self.to_device_length(y))
    }

    /// Converts pixels to device units.
    pub fn to_device_length(&self, pixels: f64) -> i32 {
        (pixels * self.scale).round() as i32
    }

    /// Names the figure in an error of plotters; what they drew is handed on.
    pub fn name_in_error<T>(&self, drawn: Result<T, DrawError>) -> Result<T> {
        drawn.map_err(|e| Error::Draw {
            figure: self.title.into(),
            reason: e.to_string(),
        })
    }

    /// Draws a polyline.
    pub fn draw_polyline(&self, points: &[Point], stroke: &Stroke<'_>) -> Result<()> {
        let points = points.iter().map(|p| self.to_device(*p)).collect();
        let line = Element {
            points,
            glyph: Glyph::Line(*stroke),
            scale: self.scale,
        };
        self.name_in_error(self.area.draw(&line))
    }

    /// Draws a filled rectangle.
    pub fn draw_rectangle(&self, at: Point, size: Point, colour: Rgb) -> Result<()> {
        self.draw_tint(at, size, colour, 1.0)
    }

    /// Draws a filled rectangle, partly transparent.
    pub fn draw_tint(&self, at: Point, size: Point, colour: Rgb, alpha: f64) -> Result<()> {
        let corners = [
            self.to_device(at),
            self.to_device((at.0 + size.0, at.1 + size.1)),
        ];
        self.name_in_error(
            self.area
                .draw(&Rectangle::new(corners, fill_style(colour, alpha))),
        )
    }

    /// Draws a disc.
    pub fn draw_disc(&self, at: Point, radius: f64, colour: Rgb) -> Result<()> {
        let disc = Circle::new(
            self.to_device(at),
            self.to_device_length(radius),
            fill_style(colour, 1.0),
        );
        self.name_in_error(self.area.draw(&disc))
    }

    /// Draws a text whose baseline starts, is centred or ends at `at`.
    pub fn draw_text(&self, at: Point, text: &str, style: &Text) -> Result<()> {
        let below = style.size * DESCENT;
        // Plotters places a text by its lower edge, which lies below the baseline.
        let at = if style.upwards {
            (at.0 + below, at.1)
        } else {
            (at.0, at.1 + below)
        };
        let style = style
            .plotters_style(self.scale)
            .pos(Pos::new(style.anchor, VPos::Bottom));
        self.name_in_error(self.area.draw_text(text, &style, self.to_device(at)))
    }
}

/// Draws the colours of ranks or loads, the first at the bottom.
pub fn draw_upright_ramp(pen: &Pen<'_>, (x, y): Point, (wide, high): Point) -> Result<()> {
    let each = high / RAMP_STEPS as f64;
    let step = |step: usize| (x, y + high - (step + 1) as f64 * each);
    (0..RAMP_STEPS).try_for_each(|s| pen.draw_rectangle(step(s), (wide, each), ramp_colour(s)))
}
