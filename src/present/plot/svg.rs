//! Compact SVG.
//!
//! Plotters' own writes whole pixels and every attribute of every element; a machine of 20,000 cells or a
//! dashed curve would take megabytes. This one joins neighbouring shapes of one style into one path,
//! works in tenths of a pixel, and gives the greys classes, so that a page can turn them dark.
//!
//! Text is `<text>` in a generic sans-serif: it can be searched, selected and read aloud, and any viewer
//! has such a font. Widths are taken from Noto Sans with room to spare, so that the layout does not hang
//! on which one.

use std::fmt::Write;

use plotters_backend::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord};

use super::canvas::Shapes;
use super::palette::{AXIS, GRID, HOLE, INK, MUTED, PAPER, Rgb, format_hex, to_backend_colour};
use super::text::Text;

/// Device units a pixel.
pub const SCALE: f64 = 10.0;

/// The body of an SVG document under construction; whole when it is flushed.
pub struct Svg {
    size: (u32, u32),
    pub body: String,
    /// Path data of shapes that are not written yet; `paint` holds the attributes of their look.
    path: String,
    paint: String,
}

/// Wraps `body` in a document: `title` names it, `description` says in words what it shows; it is `width` millimetres
/// wide, or has its size in pixels.
pub fn wrap_document(
    size: (u32, u32),
    width: Option<f64>,
    body: &str,
    title: &str,
    description: &str,
) -> String {
    let w = f64::from(size.0) / SCALE;
    let h = f64::from(size.1) / SCALE;
    let (wide, high) = match width {
        Some(width) => (format!("{width}mm"), format!("{:.2}mm", width * h / w)),
        None => (w.to_string(), h.to_string()),
    };
    let title = escape_xml(title);
    let description = escape_xml(description);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"nodeorder\" width=\"{wide}\" \
         height=\"{high}\" viewBox=\"0 0 {w} {h}\" role=\"img\" aria-label=\"{title}\">\n\
         <title>{title}</title>\n<desc>{description}</desc>\n<style>{STYLE}</style>\n{body}</svg>\n"
    )
}

/// Wraps the drawing as a decoration of an HTML page that has [`STYLE`].
pub fn wrap_decoration(size: (u32, u32), body: &str) -> String {
    let w = f64::from(size.0) / SCALE;
    let h = f64::from(size.1) / SCALE;
    format!(
        "<svg class=\"nodeorder\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         aria-hidden=\"true\">{}</svg>",
        body.trim_end()
    )
}

impl Svg {
    /// Starts a drawing of `size` device units.
    pub fn new(size: (u32, u32)) -> Self {
        Svg {
            size,
            body: String::new(),
            path: String::new(),
            paint: String::new(),
        }
    }

    /// Opens the path to add shapes of `paint` to.
    fn open_path(&mut self, paint: String) -> &mut String {
        if self.paint != paint {
            self.flush();
            self.paint = paint;
        }
        &mut self.path
    }

    fn append_polyline(&mut self, paint: String, points: &[BackendCoord]) {
        let path = self.open_path(paint);
        let mut last: Option<BackendCoord> = None;
        for &(x, y) in points {
            match last {
                None => append_pair(path, 'M', (x, y)),
                // Points may meet when rounded to tenths; a step of no length would only take room.
                Some(before) if before == (x, y) => continue,
                // Steps are shorter in text than positions.
                Some((px, py)) => append_pair(path, 'l', (x - px, y - py)),
            }
            last = Some((x, y));
        }
    }
}

impl Shapes for Svg {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn flush(&mut self) {
        if !self.path.is_empty() {
            let _ = writeln!(self.body, "<path {} d=\"{}\"/>", self.paint, self.path);
            self.path.clear();
        }
    }

    fn draw_rectangle(
        &mut self,
        (x0, y0): BackendCoord,
        (x1, y1): BackendCoord,
        colour: BackendColor,
    ) {
        // Edges are kept sharp: smoothed ones leave seams between cells.
        let path = self.open_path(fill_attribute(colour) + " shape-rendering=\"crispEdges\"");
        append_pair(path, 'M', (x0, y0));
        for (way, tenths) in [('h', x1 - x0), ('v', y1 - y0), ('h', x0 - x1)] {
            path.push(way);
            append_tenths(path, tenths, false);
        }
        path.push('z');
    }

    fn draw_stroke(
        &mut self,
        points: &[BackendCoord],
        BackendColor { rgb, alpha }: BackendColor,
        width: u32,
    ) {
        let colour = match grey_class(rgb) {
            Some(class) => format!("class=\"s s{class}\""),
            None => format!("class=\"s\" stroke=\"{}\"", format_hex(rgb)),
        };
        let width = f64::from(width) / SCALE;
        self.append_polyline(
            format!(
                "{colour}{} stroke-width=\"{width}\"",
                opacity_attribute(alpha)
            ),
            points,
        );
    }

    fn draw_polygon(&mut self, corners: &[BackendCoord], colour: BackendColor) {
        self.append_polyline(fill_attribute(colour), corners);
        self.path.push('z');
    }

    fn draw_disc(&mut self, (x, y): BackendCoord, radius: i32, colour: BackendColor) {
        let path = self.open_path(fill_attribute(colour));
        append_pair(path, 'M', (x - radius, y));
        // Two half circles: an arc that ends where it starts is not drawn.
        for across in [2 * radius, -2 * radius] {
            let _ = write!(path, "a{0} {0} 0 0 0 ", f64::from(radius) / SCALE);
            append_tenths(path, across, false);
            path.push_str(" 0");
        }
        path.push('z');
    }

    fn draw_text(&mut self, text: &str, style: &Text, at: BackendCoord) {
        // Shapes drawn before are written first, or they would cover the text.
        self.flush();
        let x = f64::from(at.0) / SCALE;
        let y = f64::from(at.1) / SCALE;
        let anchor = match style.anchor {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let turn = if style.upwards {
            format!(" transform=\"rotate(-90 {x} {y})\"")
        } else {
            String::new()
        };
        let weight = if style.bold {
            " font-weight=\"600\""
        } else {
            ""
        };
        let size = (style.size / SCALE * 10.0).round() / 10.0;
        let paint = fill_attribute(to_backend_colour(style.colour, 1.0));
        let text = escape_xml(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}{weight}{turn} {paint}>{text}</text>"
        );
    }
}

/// Appends a command of a path and its two numbers.
fn append_pair(path: &mut String, command: char, (x, y): BackendCoord) {
    path.push(command);
    append_tenths(path, x, false);
    append_tenths(path, y, true);
}

/// Appends a number, given in tenths, with the blank that separates it from the number before.
fn append_tenths(out: &mut String, tenths: i32, follows: bool) {
    // A minus sign parts numbers as well as a blank does.
    if follows && tenths >= 0 {
        out.push(' ');
    }
    if tenths < 0 {
        out.push('-');
    }
    let whole = tenths.unsigned_abs() / 10;
    let rest = tenths.unsigned_abs() % 10;
    let _ = if rest == 0 {
        write!(out, "{whole}")
    } else {
        write!(out, "{whole}.{rest}")
    };
}

/// Looks up the letter of the style class of a grey, which the style sheet turns for dark surroundings; `None` for any
/// other colour, which is written as it is.
fn grey_class(rgb: Rgb) -> Option<char> {
    let greys = [PAPER, INK, MUTED, AXIS, GRID, HOLE, (0, 0, 0)];
    let found = greys
        .iter()
        .zip("pimaghk".chars())
        .find(|(grey, _)| **grey == rgb);
    found.map(|(_, class)| class)
}

fn fill_attribute(BackendColor { rgb, alpha }: BackendColor) -> String {
    let colour = match grey_class(rgb) {
        Some(class) => format!("class=\"f{class}\""),
        None => format!("fill=\"{}\"", format_hex(rgb)),
    };
    colour + &opacity_attribute(alpha)
}

fn opacity_attribute(alpha: f64) -> String {
    if alpha < 1.0 {
        format!(" opacity=\"{alpha}\"")
    } else {
        String::new()
    }
}

/// Escapes `text` as XML or HTML character data or attribute value. Characters XML forbids become U+FFFD.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Readers of XML take these for blanks in attributes; so the title is the same in its element.
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Light, and dark where the reader asks for it; paper is always light.
pub const STYLE: &str = include_str!("style.css");

/// Strips from `svg` what a page that has [`STYLE`] does not need again.
pub fn strip_for_page(svg: &str) -> String {
    let style = format!("<style>{STYLE}</style>\n");
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
        .replacen(&style, "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_are_written_short() {
        let mut out = String::new();
        for (tenths, follows) in [(10, false), (-3, true), (0, true), (-125, true)] {
            append_tenths(&mut out, tenths, follows);
        }
        assert_eq!(out, "1-0.3 0-12.5");
    }

    #[test]
    fn shapes_of_one_paint_share_a_path() {
        let mut svg = Svg::new((100, 100));
        let red = to_backend_colour((200, 0, 0), 1.0);
        svg.draw_rectangle((0, 0), (10, 10), red);
        svg.draw_rectangle((20, 0), (25, 10), red);
        svg.flush();
        let text = svg.body;
        assert!(
            text.contains("d=\"M0 0h1v1h-1zM2 0h0.5v1h-0.5z\""),
            "{text}"
        );
    }

    #[test]
    fn hostile_text_is_defused() {
        assert_eq!(
            escape_xml("<a b='\"&\u{0}\n"),
            "&lt;a b=&#39;&quot;&amp;\u{fffd} "
        );
    }
}
