//! From a figure to a file: SVG text or PNG bytes of whatever can draw itself with a pen.

use plotters::backend::BitMapBackend;
use plotters::drawing::IntoDrawingArea;

use super::canvas::{Canvas, PIXEL_SCALE, png};
use super::palette::PAPER;
use super::pen::Pen;
use super::svg::{self, Svg};
use crate::error::{Error, Result};

/// A figure that can be drawn on any canvas.
pub(super) trait Drawing {
    /// What it shows, in a line.
    fn title(&self) -> String;
    /// What it shows, in words, for those who cannot see it.
    fn description(&self) -> String;
    /// Width and height in pixels.
    fn size(&self) -> (f64, f64);
    /// Draws it, ground excepted.
    fn draw(&self, pen: &Pen<'_>) -> Result<()>;
}

/// A figure, ready to be drawn.
pub struct Figure(pub(super) Box<dyn Drawing>);

impl Figure {
    /// `drawing` if there is something to draw, else an error with the reason why not.
    pub(super) fn new(drawing: impl Drawing + 'static, good: bool, reason: &str) -> Result<Self> {
        match good {
            true => Ok(Figure(Box::new(drawing))),
            false => Err(Error::Draw { figure: drawing.title(), reason: reason.into() }),
        }
    }

    /// The figure as SVG.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn svg(&self) -> Result<String> {
        to_svg(self.0.as_ref())
    }

    /// The figure as a PNG file, two pixels for each of the SVG's.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn png(&self) -> Result<Vec<u8>> {
        to_png(self.0.as_ref())
    }
}

fn device_size(drawing: &dyn Drawing, scale: f64) -> (u32, u32) {
    let (width, height) = drawing.size();
    ((width * scale).round() as u32, (height * scale).round() as u32)
}

fn draw(drawing: &dyn Drawing, canvas: Canvas<'_>, scale: f64, ground: bool) -> Result<()> {
    let pen = Pen::new(canvas.into_drawing_area(), scale, drawing.title());
    if ground {
        pen.rect((0.0, 0.0), drawing.size(), PAPER)?;
    }
    drawing.draw(&pen)?;
    pen.checked(pen.area.present())
}

fn body(drawing: &dyn Drawing, ground: bool) -> Result<(String, (u32, u32))> {
    let (mut body, size) = (String::new(), device_size(drawing, svg::SCALE));
    draw(drawing, Canvas::Svg(Svg::new(size, &mut body)), svg::SCALE, ground)?;
    Ok((body, size))
}

pub(super) fn to_svg(drawing: &dyn Drawing) -> Result<String> {
    let (body, size) = body(drawing, true)?;
    Ok(svg::document(size, &body, &drawing.title(), &drawing.description()))
}

/// The drawing as a decoration of an HTML page that has the style sheet of figures.
pub(super) fn to_decoration(drawing: &dyn Drawing) -> Result<String> {
    let (body, size) = body(drawing, false)?;
    Ok(svg::decoration(size, &body))
}

pub(super) fn to_png(drawing: &dyn Drawing) -> Result<Vec<u8>> {
    let size = device_size(drawing, PIXEL_SCALE);
    let mut rgb = vec![0; 3 * size.0 as usize * size.1 as usize];
    let canvas = Canvas::Pixels(BitMapBackend::with_buffer(&mut rgb, size));
    draw(drawing, canvas, PIXEL_SCALE, true)?;
    Ok(png(size, &rgb))
}
