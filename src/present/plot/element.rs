//! Drawing elements that plotters lacks: dashed lines, marks, and samples of a legend. They are drawn in device
//! units, after plotters has placed them.

use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

use super::palette::{Look, Mark, Rgb, fill_style};

/// A point: in pixels from the top left, or in values of a chart.
pub type Point = (f64, f64);

/// Opacity of bands.
pub const BAND: f64 = 0.22;
/// Width of a legend's sample in pixels.
pub const SAMPLE: f64 = 30.0;

/// A line's colour, width in pixels and dashes.
#[derive(Clone, Copy)]
pub struct Stroke<'a> {
    pub colour: Rgb,
    pub width: f64,
    pub dash: &'a [f64],
}

impl Stroke<'static> {
    pub fn solid_line(colour: Rgb, width: f64) -> Self {
        Stroke {
            colour,
            width,
            dash: &[],
        }
    }

    /// Makes the line of a curve.
    pub fn line_of_look(Look { colour, dash, .. }: Look, width: f64) -> Self {
        Stroke {
            colour,
            width,
            dash,
        }
    }
}

type DrawResult<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw_stroke<B: DrawingBackend>(
    canvas: &mut B,
    points: Vec<BackendCoord>,
    stroke: &Stroke<'_>,
    scale: f64,
) -> DrawResult<B> {
    if points.len() < 2 {
        return Ok(());
    }
    // A stroke of width 0 would vanish in the bitmap.
    let width = (stroke.width * scale).round().max(1.0) as u32;
    let style = fill_style(stroke.colour, 1.0).stroke_width(width);
    let pattern: Vec<f64> = stroke.dash.iter().map(|d| d * scale).collect();
    // Dashes are cut here, so that both backends have the same; plotters has no pattern of dots and dashes.
    if pattern.is_empty() {
        return canvas.draw_path(points, &style);
    }
    let points: Vec<Point> = points
        .iter()
        .map(|(x, y)| (f64::from(*x), f64::from(*y)))
        .collect();
    for part in cut_into_dashes(&points, &pattern) {
        canvas.draw_path(
            part.iter()
                .map(|p| (p.0.round() as i32, p.1.round() as i32)),
            &style,
        )?;
    }
    Ok(())
}

fn draw_mark<B: DrawingBackend>(
    canvas: &mut B,
    (x, y): BackendCoord,
    look: Look,
    scale: f64,
) -> DrawResult<B> {
    let fill = fill_style(look.colour, 1.0);
    let d = |pixels: f64| (pixels * scale).round() as i32;
    match look.mark {
        Mark::Disc => canvas.draw_circle((x, y), d(3.3) as u32, &fill, true),
        Mark::Square => {
            let r = d(3.0);
            canvas.draw_rect((x - r, y - r), (x + r, y + r), &fill, true)
        }
        Mark::Triangle => {
            let half = d(4.0);
            let foot = y + d(3.0);
            canvas.fill_polygon([(x, y - d(4.2)), (x + half, foot), (x - half, foot)], &fill)
        }
        Mark::Diamond => {
            let r = d(4.3);
            canvas.fill_polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], &fill)
        }
        Mark::Cross => {
            let r = d(3.2);
            let style = fill.stroke_width(d(1.8) as u32);
            canvas.draw_path([(x - r, y - r), (x + r, y + r)], &style)?;
            canvas.draw_path([(x - r, y + r), (x + r, y - r)], &style)
        }
    }
}

/// The sample beside a label of a legend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// A line with its mark.
    Curve,
    /// A line without a mark.
    Line,
    /// A bar's colour.
    Patch,
    /// A line with its mark over a band.
    Band,
    /// A mark without a line.
    Mark,
}

/// A line, mark or sample to draw at points.
#[derive(Clone, Copy)]
pub enum Glyph<'s> {
    /// A line through all of them, perhaps dashed.
    Line(Stroke<'s>),
    /// The mark of a curve.
    Mark(Look),
    /// A sample of a legend; the point is the middle of its left edge.
    Sample(Look, Sample),
}

/// A glyph at points, which are pixels or values of a chart.
pub struct Element<'s, C> {
    pub points: Vec<C>,
    pub glyph: Glyph<'s>,
    /// Device units a pixel.
    pub scale: f64,
}

impl<'a, C> PointCollection<'a, C> for &'a Element<'_, C> {
    type Point = &'a C;
    type IntoIter = std::slice::Iter<'a, C>;

    fn point_iter(self) -> Self::IntoIter {
        self.points.iter()
    }
}

impl<C, B: DrawingBackend> Drawable<B> for Element<'_, C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        canvas: &mut B,
        _: (u32, u32),
    ) -> DrawResult<B> {
        let line = points.collect::<Vec<_>>();
        let scale = self.scale;
        let (look, sample, (x, y)) = match (self.glyph, line.first()) {
            (Glyph::Line(look), _) => return draw_stroke(canvas, line, &look, scale),
            (Glyph::Mark(look), Some(at)) => return draw_mark(canvas, *at, look, scale),
            (Glyph::Sample(look, sample), Some(at)) => (look, sample, *at),
            _ => return Ok(()),
        };
        let d = |pixels: f64| (pixels * scale).round() as i32;
        let rect = |canvas: &mut B, (from, to): (f64, f64), half: f64, alpha: f64| {
            let corners = ((x + d(from), y - d(half)), (x + d(to), y + d(half)));
            canvas.draw_rect(corners.0, corners.1, &fill_style(look.colour, alpha), true)
        };
        match sample {
            Sample::Patch => return rect(canvas, (8.0, 28.0), 6.0, 1.0),
            Sample::Mark => return draw_mark(canvas, (x + d(SAMPLE / 2.0), y), look, scale),
            Sample::Band => rect(canvas, (0.0, SAMPLE), 7.0, BAND)?,
            Sample::Curve | Sample::Line => {}
        }
        let width = if sample == Sample::Line { 1.4 } else { 2.2 };
        draw_stroke(
            canvas,
            vec![(x, y), (x + d(SAMPLE), y)],
            &Stroke::line_of_look(look, width),
            scale,
        )?;
        match sample {
            Sample::Line => Ok(()),
            _ => draw_mark(canvas, (x + d(SAMPLE / 2.0), y), look, scale),
        }
    }
}

/// Cuts a polyline into dashes; `pattern` alternates strokes and gaps.
fn cut_into_dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut done = Vec::new();
    let mut piece = Vec::new();
    let mut step = 0;
    let mut left = pattern[0];
    for pair in points.windows(2) {
        let a = pair[0];
        let b = pair[1];
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let along = |t: f64| {
            (
                a.0 + (b.0 - a.0) * t / length,
                a.1 + (b.1 - a.1) * t / length,
            )
        };
        let mut t = 0.0;
        if step % 2 == 0 && piece.is_empty() {
            piece.push(a);
        }
        while length - t > left {
            t += left;
            piece.push(along(t));
            if step % 2 == 0 {
                done.push(std::mem::take(&mut piece));
            }
            step += 1;
            left = pattern[step % pattern.len()];
        }
        // The rest of the dash goes on behind the corner: else short stretches of a curve would all be solid.
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
        let parts = cut_into_dashes(&[(0.0, 0.0), (5.0, 0.0), (5.0, 10.0)], &[4.0, 2.0]);
        assert_eq!(parts[0], [(0.0, 0.0), (4.0, 0.0)]);
        assert_eq!(parts[1][0], (5.0, 1.0));
        let length: f64 = parts
            .iter()
            .map(|p| (p[0].0 - p[p.len() - 1].0).hypot(p[0].1 - p[p.len() - 1].1))
            .sum();
        assert!((length - 11.0).abs() < 1e-9, "{length}");
    }
}
