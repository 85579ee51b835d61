//! Drawing in pixels onto any plotters backend: the few strokes that figures are made of.

use std::sync::Once;

use plotters::style::{FontDesc, FontStyle, FontTransform, TextStyle, register_font};
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendStyle, BackendTextStyle, DrawingBackend, FontFamily};

use super::palette::{INK, Mark, Rgb, backend};
use crate::error::{Error, Result};

/// The name under which the embedded font is known to plotters.
const FAMILY: &str = "sans-serif";

/// Plotters takes the height of a line (ascent to descent) where people name the em: Noto Sans' ratio.
pub(super) const FONT_SCALE: f64 = 1.362;

/// A point in pixels, from the top left.
pub(super) type Point = (f64, f64);

/// A line's colour, width in pixels, dashes and opacity.
#[derive(Clone, Copy)]
pub(super) struct Stroke<'a> {
    pub colour: Rgb,
    pub width: f64,
    pub dash: &'a [f64],
}

impl Stroke<'static> {
    pub fn solid(colour: Rgb, width: f64) -> Self {
        Stroke { colour, width, dash: &[] }
    }
}

/// Size, weight, colour and anchor of a text.
#[derive(Clone, Copy)]
pub(super) struct Text {
    pub size: f64,
    pub colour: Rgb,
    pub bold: bool,
    pub anchor: HPos,
    pub upwards: bool,
}

impl Text {
    pub fn new(size: f64) -> Self {
        Text { size, colour: INK, bold: false, anchor: HPos::Left, upwards: false }
    }

    pub fn colour(self, colour: Rgb) -> Self {
        Text { colour, ..self }
    }

    pub fn centred(self) -> Self {
        Text { anchor: HPos::Center, ..self }
    }

    pub fn right(self) -> Self {
        Text { anchor: HPos::Right, ..self }
    }

    pub fn bold(self) -> Self {
        Text { bold: true, ..self }
    }

    pub fn upwards(self) -> Self {
        Text { upwards: true, ..self }
    }

    fn style(&self, scale: f64) -> TextStyle<'static> {
        let weight = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        let size = self.size * FONT_SCALE * scale;
        let mut font = FontDesc::new(FontFamily::Name(FAMILY), size, weight);
        if self.upwards {
            font = font.transform(FontTransform::Rotate270);
        }
        let mut style = TextStyle::from(font);
        style.color = backend(self.colour, 1.0);
        style.pos = Pos::new(self.anchor, VPos::Top);
        style
    }

    /// Room for `text` in pixels. A tenth more than in Noto Sans: the reader's font may be wider.
    pub fn width(&self, text: &str) -> f64 {
        register_fonts();
        let style = Text { upwards: false, ..*self }.style(1.0);
        style.layout_box(text).map_or(0.0, |(_, (w, _))| f64::from(w) * 1.1 + 1.0)
    }

    /// `text`, its middle cut out if it is wider than `room`: both ends of an ordering's name tell.
    pub fn fit(&self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_string();
        }
        let chars: Vec<char> = text.chars().collect();
        let shortened = |keep: usize| {
            let (head, tail) = (keep.div_ceil(2), keep / 2);
            let head: String = chars[..head].iter().collect();
            let tail: String = chars[chars.len() - tail..].iter().collect();
            format!("{head}…{tail}")
        };
        let mut keep = chars.len().min(200).saturating_sub(1);
        while keep > 0 && self.width(&shortened(keep)) > room {
            keep -= 1;
        }
        shortened(keep)
    }
}

/// Makes the embedded font known to plotters, once.
fn register_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Data of this crate: that they parse is tested by every figure with text.
        let _ = register_font(FAMILY, FontStyle::Normal, notosans::REGULAR_TTF);
        let _ = register_font(FAMILY, FontStyle::Bold, notosans::BOLD_TTF);
    });
}

/// A colour with a width, as backends take it.
struct Line(BackendColor, u32);

impl BackendStyle for Line {
    fn color(&self) -> BackendColor {
        self.0
    }

    fn stroke_width(&self) -> u32 {
        self.1
    }
}

/// Draws in pixels on a backend of `scale` device units a pixel.
pub(super) struct Pen<'a, B: DrawingBackend> {
    backend: &'a mut B,
    scale: f64,
    figure: &'a str,
}

impl<'a, B: DrawingBackend> Pen<'a, B> {
    /// `figure` is what errors call the drawing.
    pub fn new(backend: &'a mut B, scale: f64, figure: &'a str) -> Self {
        register_fonts();
        Pen { backend, scale, figure }
    }

    fn device(&self, (x, y): Point) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn checked<E: std::fmt::Display>(&self, drawn: std::result::Result<(), E>) -> Result<()> {
        drawn.map_err(|e| Error::Draw { figure: self.figure.into(), reason: e.to_string() })
    }

    /// A polyline.
    pub fn line(&mut self, points: &[Point], stroke: &Stroke<'_>) -> Result<()> {
        let style =
            Line(backend(stroke.colour, 1.0), (stroke.width * self.scale).round().max(1.0) as u32);
        let parts = if stroke.dash.is_empty() {
            vec![points.to_vec()]
        } else {
            dashes(points, stroke.dash)
        };
        for part in parts.iter().filter(|p| p.len() > 1) {
            let device: Vec<_> = part.iter().map(|p| self.device(*p)).collect();
            let drawn = self.backend.draw_path(device, &style);
            self.checked(drawn)?;
        }
        Ok(())
    }

    /// A filled rectangle.
    pub fn rect(&mut self, at: Point, size: Point, colour: Rgb) -> Result<()> {
        let (from, to) = (self.device(at), self.device((at.0 + size.0, at.1 + size.1)));
        let drawn = self.backend.draw_rect(from, to, &backend(colour, 1.0), true);
        self.checked(drawn)
    }

    /// A filled rectangle, partly transparent.
    pub fn tint(&mut self, at: Point, size: Point, colour: Rgb, alpha: f64) -> Result<()> {
        let (from, to) = (self.device(at), self.device((at.0 + size.0, at.1 + size.1)));
        let drawn = self.backend.draw_rect(from, to, &backend(colour, alpha), true);
        self.checked(drawn)
    }

    /// A filled polygon.
    pub fn polygon(&mut self, points: &[Point], colour: Rgb) -> Result<()> {
        let device: Vec<_> = points.iter().map(|p| self.device(*p)).collect();
        let drawn = self.backend.fill_polygon(device, &backend(colour, 1.0));
        self.checked(drawn)
    }

    /// A disc.
    pub fn disc(&mut self, at: Point, radius: f64, colour: Rgb) -> Result<()> {
        let radius = (radius * self.scale).round() as u32;
        let drawn = self.backend.draw_circle(self.device(at), radius, &backend(colour, 1.0), true);
        self.checked(drawn)
    }

    /// A curve's mark.
    pub fn mark(&mut self, (x, y): Point, mark: Mark, colour: Rgb) -> Result<()> {
        match mark {
            Mark::Disc => self.disc((x, y), 3.3, colour),
            Mark::Square => self.rect((x - 3.0, y - 3.0), (6.0, 6.0), colour),
            Mark::Triangle => {
                self.polygon(&[(x, y - 4.2), (x + 4.0, y + 3.0), (x - 4.0, y + 3.0)], colour)
            }
            Mark::Diamond => {
                let r = 4.3;
                self.polygon(&[(x, y - r), (x + r, y), (x, y + r), (x - r, y)], colour)
            }
            Mark::Cross => {
                let stroke = Stroke::solid(colour, 1.8);
                self.line(&[(x - 3.2, y - 3.2), (x + 3.2, y + 3.2)], &stroke)?;
                self.line(&[(x - 3.2, y + 3.2), (x + 3.2, y - 3.2)], &stroke)
            }
        }
    }

    /// A text whose baseline starts, is centred or ends at `at`.
    pub fn text(&mut self, at: Point, text: &str, style: &Text) -> Result<()> {
        let drawn = self.backend.draw_text(text, &style.style(self.scale), self.device(at));
        self.checked(drawn)
    }
}

/// Cuts a polyline into dashes; `pattern` alternates strokes and gaps.
fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let (mut done, mut piece) = (Vec::new(), Vec::new());
    let (mut step, mut left) = (0, pattern[0]);
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let along = |t: f64| (a.0 + (b.0 - a.0) * t / length, a.1 + (b.1 - a.1) * t / length);
        let mut t = 0.0;
        if step % 2 == 0 && piece.is_empty() {
            piece.push(a);
        }
        while length - t > left {
            t += left;
            if step % 2 == 0 {
                piece.push(along(t));
                done.push(std::mem::take(&mut piece));
            } else {
                piece.push(along(t));
            }
            step += 1;
            left = pattern[step % pattern.len()];
        }
        left -= length - t;
        if step % 2 == 0 {
            piece.push(b);
        }
    }
    if piece.len() > 1 {
        done.push(piece);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_keep_their_lengths_round_corners() {
        let parts = dashes(&[(0.0, 0.0), (5.0, 0.0), (5.0, 10.0)], &[4.0, 2.0]);
        assert_eq!(parts[0], [(0.0, 0.0), (4.0, 0.0)]);
        assert_eq!(parts[1][0], (5.0, 1.0));
        let length: f64 = parts
            .iter()
            .map(|p| (p[0].0 - p[p.len() - 1].0).hypot(p[0].1 - p[p.len() - 1].1))
            .sum();
        assert!((length - 11.0).abs() < 1e-9, "{length}");
    }

    #[test]
    fn text_is_measured_and_cut_in_the_middle() {
        let style = Text::new(13.0);
        assert!((30.0..50.0).contains(&style.width("snake:")), "{}", style.width("snake:"));
        let cut = style.fit("brick:size=2x2x2,inner=snake,outer=hilbert", 120.0);
        assert!(cut.starts_with("brick") && cut.ends_with("bert") && cut.contains('…'), "{cut}");
        assert!(style.width(&cut) <= 120.0);
    }
}
