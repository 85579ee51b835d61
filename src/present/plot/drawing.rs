//! From a figure to a file: SVG text, PDF or PNG bytes of whatever a pen can draw.

use plotters::backend::BitMapBackend;
use plotters::drawing::IntoDrawingArea;

use super::canvas::{Canvas, PIXEL_SCALE, encode_png};
use super::chart::draw_heading;
use super::element::Point;
use super::palette::PAPER;
use super::pdf::{FontError, Pdf};
use super::pen::Pen;
use super::svg::{self, Svg};
use nodeorder_base::{Error, Result};

type Draw<'a> = Box<dyn Fn(&Pen<'_>) -> Result<()> + 'a>;

/// A figure, ready to be drawn.
pub struct Figure<'a> {
    title: String,
    note: Option<String>,
    description: String,
    size: Point,
    /// Width on paper in millimetres, where one was asked for.
    width: Option<f64>,
    draw: Draw<'a>,
}

impl<'a> Figure<'a> {
    /// Describes a figure: `title` says in a line what it shows, and `note` more, below it; `description` in
    /// words, for those who cannot see it; `size` is in pixels; `draw` draws it, ground and heading excepted.
    pub(super) fn new(
        (title, note): (&str, &str),
        description: String,
        size: Point,
        draw: impl Fn(&Pen<'_>) -> Result<()> + 'a,
    ) -> Self {
        Figure {
            note: Some(note.into()),
            description,
            ..Figure::without_heading(title, size, draw)
        }
    }

    /// Describes a figure without a heading.
    pub(super) fn without_heading(
        title: &str,
        size: Point,
        draw: impl Fn(&Pen<'_>) -> Result<()> + 'a,
    ) -> Self {
        let title = title.to_string();
        let draw = Box::new(draw);
        Figure {
            title,
            note: None,
            description: String::new(),
            size,
            width: None,
            draw,
        }
    }

    /// Makes the figure `width` millimetres wide on paper.
    #[must_use]
    pub fn scaled_to(self, width: f64) -> Self {
        Figure {
            width: Some(width),
            ..self
        }
    }

    /// Keeps the figure if there is something to draw, else fails with the reason why not.
    pub(super) fn if_drawable(self, good: bool, reason: &str) -> Result<Self> {
        if good {
            Ok(self)
        } else {
            Err(Error::Draw {
                figure: self.title,
                reason: reason.into(),
            })
        }
    }

    /// Names the figure in an error of its fonts.
    fn explain(&self, error: FontError) -> Error {
        Error::Draw {
            figure: self.title.clone(),
            reason: error.to_string(),
        }
    }

    fn device_size(&self, scale: f64) -> (u32, u32) {
        (
            (self.size.0 * scale).round() as u32,
            (self.size.1 * scale).round() as u32,
        )
    }

    fn draw_on<'c>(&'c self, canvas: Canvas<'c>, scale: f64, ground: bool) -> Result<()> {
        // Both kinds of file are drawn by the same code: only the canvas and its scale differ.
        let pen = Pen::new(canvas.into_drawing_area(), scale, &self.title);
        // A decoration takes the ground of its page, light or dark.
        if ground {
            pen.draw_rectangle((0.0, 0.0), self.size, PAPER)?;
        }
        self.note
            .iter()
            .try_for_each(|note| draw_heading(&pen, note, self.size.0))?;
        (self.draw)(&pen)?;
        pen.name_in_error(pen.area.present())
    }

    /// Draws the body of the SVG, and returns its size in device units with it.
    fn svg_body(&self, ground: bool) -> Result<((u32, u32), String)> {
        let size = self.device_size(svg::SCALE);
        let mut svg = Svg::new(size);
        self.draw_on(Canvas::Shapes(&mut svg), svg::SCALE, ground)?;
        Ok((size, svg.body))
    }

    /// Draws the figure as SVG.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn svg(&self) -> Result<String> {
        let (size, body) = self.svg_body(true)?;
        Ok(svg::wrap_document(
            size,
            self.width,
            &body,
            &self.title,
            &self.description,
        ))
    }

    /// Draws the figure as a decoration of an HTML page that has the style sheet of figures.
    pub fn decoration_svg(&self) -> Result<String> {
        let (size, body) = self.svg_body(false)?;
        Ok(svg::wrap_decoration(size, &body))
    }

    /// Draws the figure as a PDF file of one page.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn pdf(&self) -> Result<Vec<u8>> {
        let mut pdf = Pdf::new(self.device_size(svg::SCALE)).map_err(|e| self.explain(e))?;
        self.draw_on(Canvas::Shapes(&mut pdf), svg::SCALE, true)?;
        pdf.finish(&self.title, self.width)
            .map_err(|e| self.explain(e))
    }

    /// Draws the figure as a PNG file, two pixels for each of the SVG's.
    ///
    /// # Errors
    /// Drawing failed.
    pub fn png(&self) -> Result<Vec<u8>> {
        let size = self.device_size(PIXEL_SCALE);
        let mut rgb = vec![0; 3 * size.0 as usize * size.1 as usize];
        let canvas = Canvas::Pixels(BitMapBackend::with_buffer(&mut rgb, size));
        self.draw_on(canvas, PIXEL_SCALE, true)?;
        Ok(encode_png(size, self.width, &rgb))
    }
}
