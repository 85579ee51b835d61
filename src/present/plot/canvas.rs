//! The backend of figures: shapes of an SVG or PDF file, or plotters' own bitmap, painted at twice the size of the file
//! and averaged, which smooths every edge.

use std::io::Write;

use flate2::{Compression, Crc, write::ZlibEncoder};
use plotters::backend::BitMapBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};

use super::text::{Text, baseline_start};

/// Number of painted pixels for each pixel of the file, each way.
const OVERSAMPLING: usize = 2;
/// Number of device units of the bitmap for each pixel of the figure, each way: the file has two pixels for each of
/// them, for sharp screens.
pub const PIXEL_SCALE: f64 = (2 * OVERSAMPLING) as f64;

/// A rectangle of a canvas.
pub type Area<'a> = DrawingArea<Canvas<'a>, Shift>;
/// Why drawing failed.
pub type DrawError = DrawingAreaErrorKind<BitmapError>;
type BitmapError = <BitMapBackend<'static> as DrawingBackend>::ErrorType;
type DrawResult = Result<(), DrawingErrorKind<BitmapError>>;

/// A file of shapes and texts, later ones above earlier ones. Lengths are in device units.
pub trait Shapes {
    /// Width and height.
    fn size(&self) -> (u32, u32);

    /// Draws a filled rectangle between two corners.
    fn draw_rectangle(&mut self, from: BackendCoord, to: BackendCoord, colour: BackendColor);

    /// Draws a stroke of `width`.
    fn draw_stroke(&mut self, points: &[BackendCoord], colour: BackendColor, width: u32);

    /// Draws a filled polygon.
    fn draw_polygon(&mut self, corners: &[BackendCoord], colour: BackendColor);

    /// Draws a disc.
    fn draw_disc(&mut self, centre: BackendCoord, radius: i32, colour: BackendColor);

    /// Draws a text whose size is in device units an em; `at` is on the baseline, at the text's anchor.
    fn draw_text(&mut self, text: &str, style: &Text, at: BackendCoord);

    /// Writes shapes that are still open.
    fn flush(&mut self) {}
}

/// Shapes or pixels.
pub enum Canvas<'a> {
    Shapes(&'a mut dyn Shapes),
    Pixels(BitMapBackend<'a>),
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = BitmapError;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Canvas::Shapes(file) => file.size(),
            Canvas::Pixels(pixels) => pixels.get_size(),
        }
    }

    fn ensure_prepared(&mut self) -> DrawResult {
        Ok(())
    }

    fn present(&mut self) -> DrawResult {
        match self {
            Canvas::Shapes(file) => file.flush(),
            Canvas::Pixels(pixels) => pixels.present()?,
        }
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> DrawResult {
        match self {
            Canvas::Shapes(file) => file.draw_rectangle((x, y), (x + 1, y + 1), color),
            Canvas::Pixels(pixels) => pixels.draw_pixel((x, y), color)?,
        }
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> DrawResult {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        match self {
            // Plotters draws the ground of a legend even where it cannot be seen.
            _ if style.color().alpha == 0.0 => Ok(()),
            Canvas::Shapes(file) if fill => {
                file.draw_rectangle(from, to, style.color());
                Ok(())
            }
            Canvas::Shapes(_) => {
                let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
                self.draw_path(corners, style)
            }
            Canvas::Pixels(pixels) => pixels.draw_rect(from, to, style, fill),
        }
    }

    /// Draws a path. In pixels each stretch is drawn for itself and every joint is round: outlines of whole paths
    /// that cross themselves have holes.
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        let pixels = match self {
            Canvas::Shapes(file) => {
                let points: Vec<BackendCoord> = path.into_iter().collect();
                file.draw_stroke(&points, style.color(), style.stroke_width());
                return Ok(());
            }
            Canvas::Pixels(pixels) => pixels,
        };
        let mut last: Option<(BackendCoord, bool)> = None;
        let radius = style.stroke_width() / 2;
        for point in path {
            if let Some((from, first)) = last.filter(|(from, _)| *from != point) {
                pixels.draw_path([from, point], style)?;
                // The ends of a path stay flat: a disc there would lengthen dashes.
                if !first {
                    pixels.draw_circle(from, radius, &style.color(), true)?;
                }
            }
            last = Some((point, last.is_none()));
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        at: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        match self {
            Canvas::Shapes(file) => file.draw_disc(at, radius as i32, style.color()),
            Canvas::Pixels(pixels) => {
                pixels.draw_circle(at, radius, style, fill)?;
            }
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> DrawResult {
        match self {
            Canvas::Shapes(file) => {
                let corners: Vec<BackendCoord> = corners.into_iter().collect();
                file.draw_polygon(&corners, style.color());
            }
            Canvas::Pixels(pixels) => pixels.fill_polygon(corners, style)?,
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> DrawResult {
        let at = baseline_start(style, at);
        let pixels = match self {
            _ if text.is_empty() => return Ok(()),
            Canvas::Shapes(file) => {
                file.draw_text(text, &Text::from_style(style), at);
                return Ok(());
            }
            Canvas::Pixels(pixels) => pixels,
        };
        let font = |e: S::FontError| DrawingErrorKind::FontError(Box::new(e));
        let (_, (width, _)) = style.layout_box(text).map_err(font)?;
        let shift = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Center => width / 2,
            HPos::Right => width,
        };
        let upwards = matches!(style.transform(), FontTransform::Rotate270);
        // Plotters draws the baseline half a size below the top.
        let rise = (style.size() / 2.0) as i32;
        let drawn = style.draw(text, (0, 0), |x, y, color| {
            let x = x - shift;
            let y = y - rise;
            let (x, y) = if upwards { (y, -x) } else { (x, y) };
            pixels.draw_pixel((at.0 + x, at.1 + y), color)
        });
        drawn.map_err(font)?
    }
}

/// Encodes a painted bitmap of `size` device units as a PNG file that is `printed` millimetres wide on paper, if that
/// was asked for.
pub fn encode_png((width, height): (u32, u32), printed: Option<f64>, rgb: &[u8]) -> Vec<u8> {
    let row = width as usize;
    let width = row / OVERSAMPLING;
    let height = height as usize / OVERSAMPLING;
    let mut rows = Vec::with_capacity((3 * width + 1) * height);
    for y in 0..height {
        // Large areas of one colour pack well as they are.
        rows.push(0); // no filter
        for at in 0..3 * width {
            let corner = 3 * (OVERSAMPLING * y * row + OVERSAMPLING * (at / 3)) + at % 3;
            // The mean of a square of four painted pixels, one colour at a time.
            let sum: usize = [0, 3, 3 * row, 3 * row + 3]
                .map(|d| usize::from(rgb[corner + d]))
                .iter()
                .sum();
            rows.push((sum / (OVERSAMPLING * OVERSAMPLING)) as u8);
        }
    }
    let [width, height] = [width, height].map(|length| (length as u32).to_be_bytes());
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    // 8 bits, RGB, deflate, adaptive filters, not interlaced
    append_chunk(
        &mut png,
        b"IHDR",
        &[&width[..], &height, &[8, 2, 0, 0, 0]].concat(),
    );
    if let Some(printed) = printed {
        let density = (1000.0 * row as f64 / OVERSAMPLING as f64 / printed).round() as u32;
        let density = density.to_be_bytes();
        // Pixels a metre, across and down.
        append_chunk(&mut png, b"pHYs", &[&density[..], &density, &[1]].concat());
    }
    append_chunk(&mut png, b"IDAT", &compress(&rows));
    append_chunk(&mut png, b"IEND", &[]);
    png
}

/// Compresses data as PNG and PDF ask for it.
pub fn compress(data: &[u8]) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let _ = zlib.write_all(data);
    zlib.finish().unwrap_or_default()
}

fn append_chunk(png: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    png.extend(name);
    png.extend(data);
    let mut crc = Crc::new();
    crc.update(name);
    crc.update(data);
    png.extend(crc.sum().to_be_bytes());
}
