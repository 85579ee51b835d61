//! Figures as PDF (ISO 32000-1): one page, shapes as paths, and text as text in the font that widths are measured in,
//! embedded with the glyphs that occur, so that it can be searched and copied and no reader needs the font.

use std::collections::BTreeSet;

use ab_glyph::{Font, FontRef};
use pdf_writer::types::{CidFontType, FontFlags, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::writers::ExtGraphicsState;
use pdf_writer::{Content, Filter, Finish, Name, Rect, Ref, Str, TextStr};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord};
use subsetter::GlyphRemapper;

use super::canvas::{Shapes, compress};
use super::palette::{Rgb, to_backend_colour};
use super::svg::SCALE;
use super::text::Text;

/// Why a font cannot be used or embedded.
pub type FontError = Box<dyn std::error::Error>;

/// Points a pixel: a pixel of CSS is 1/96 inch, a point 1/72.
const PIXEL: f64 = 0.75;
/// Points a millimetre.
const MILLIMETRE: f64 = 72.0 / 25.4;
/// Distance of a Bézier curve's inner points for a quarter of a circle of radius 1.
const QUARTER_CIRCLE: f32 = 0.552_284_8;
/// Numbering of glyphs: as the font itself numbers them.
const IDENTITY: SystemInfo<'_> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// A page under construction.
pub struct Pdf {
    size: (u32, u32),
    content: Content,
    /// Opacity in force, and every opacity that occurs, in percent.
    opacity: u8,
    opacities: BTreeSet<u8>,
    /// Regular and bold.
    fonts: [EmbeddedFont; 2],
}

/// A font and the glyphs of it that occur.
struct EmbeddedFont {
    data: &'static [u8],
    font: FontRef<'static>,
    glyphs: GlyphRemapper,
    /// Character and width in units an em of each glyph, by its number in the file; 0 is the missing glyph.
    used: Vec<(char, f32)>,
}

impl EmbeddedFont {
    fn parse(data: &'static [u8]) -> Result<Self, FontError> {
        Ok(EmbeddedFont {
            data,
            font: FontRef::try_from_slice(data)?,
            glyphs: GlyphRemapper::new(),
            used: vec![(char::REPLACEMENT_CHARACTER, 0.0)],
        })
    }

    /// Encodes `text` as glyph numbers of two bytes. Returns its width in ems, too.
    fn encode_text(&mut self, text: &str) -> (Vec<u8>, f32) {
        let mut codes = Vec::new();
        let mut width = 0.0;
        for character in text.chars() {
            let glyph = self.font.glyph_id(character);
            let advance = self.font.h_advance_unscaled(glyph) * self.ems(1.0);
            let number = self.glyphs.remap(glyph.0);
            // Numbers are given one by one, so the next one is that of a new glyph.
            if usize::from(number) == self.used.len() {
                self.used.push((character, advance));
            }
            codes.extend(number.to_be_bytes());
            width += advance;
        }
        (codes, width)
    }

    /// Converts units of the font to ems.
    fn ems(&self, units: f32) -> f32 {
        units / self.font.units_per_em().unwrap_or(1000.0)
    }

    /// Writes the font's objects, the first of them as `id`, the others from `next` on.
    fn write(
        &self,
        pdf: &mut pdf_writer::Pdf,
        id: Ref,
        next: &mut Ref,
        name: &str,
    ) -> Result<(), FontError> {
        let cid_font = next.bump();
        let descriptor = next.bump();
        let to_unicode = next.bump();
        let file = next.bump();
        // Six letters mark a font of which only some glyphs are there.
        let name = format!("NODEOR+{name}");
        let name = Name(name.as_bytes());
        pdf.type0_font(id)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid_font)
            .to_unicode(to_unicode);
        let mut cid = pdf.cid_font(cid_font);
        cid.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(IDENTITY)
            .font_descriptor(descriptor)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let widths = self.used.iter().map(|(_, width)| width * 1000.0);
        cid.widths().consecutive(0, widths);
        cid.finish();
        let ascent = self.ems(self.font.ascent_unscaled()) * 1000.0;
        let descent = self.ems(self.font.descent_unscaled()) * 1000.0;
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(0.0, descent, 1000.0, ascent))
            .italic_angle(0.0)
            .ascent(ascent)
            .descent(descent)
            .cap_height(ascent)
            .stem_v(80.0)
            .font_file2(file);
        let mut letters = UnicodeCmap::new(Name(b"Letters"), IDENTITY);
        for (number, (character, _)) in self.used.iter().enumerate().skip(1) {
            letters.pair(number as u16, *character);
        }
        pdf.cmap(to_unicode, &letters.finish());
        let subset = compress(&subsetter::subset(self.data, 0, &self.glyphs)?);
        pdf.stream(file, &subset).filter(Filter::FlateDecode);
        Ok(())
    }
}

impl Pdf {
    /// Starts a page of `size` device units.
    pub fn new(size: (u32, u32)) -> Result<Self, FontError> {
        Ok(Pdf {
            size,
            content: Content::new(),
            opacity: 100,
            opacities: BTreeSet::new(),
            fonts: [
                EmbeddedFont::parse(notosans::REGULAR_TTF)?,
                EmbeddedFont::parse(notosans::BOLD_TTF)?,
            ],
        })
    }

    /// Writes the file. The page is `width` millimetres wide, or has its size in pixels.
    pub fn finish(self, title: &str, width: Option<f64>) -> Result<Vec<u8>, FontError> {
        let points_wide = match width {
            Some(width) => width * MILLIMETRE,
            None => f64::from(self.size.0) / SCALE * PIXEL,
        };
        let unit = points_wide as f32 / self.size.0 as f32;
        let high = unit * self.size.1 as f32;
        let mut next = Ref::new(1);
        let mut pdf = pdf_writer::Pdf::new();
        let catalog = next.bump();
        let pages = next.bump();
        let page = next.bump();
        let content = next.bump();
        pdf.document_info(next.bump()).title(TextStr(title));
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let fonts = [next.bump(), next.bump()];
        let mut leaf = pdf.page(page);
        leaf.media_box(Rect::new(0.0, 0.0, points_wide as f32, high))
            .parent(pages)
            .contents(content);
        let mut resources = leaf.resources();
        let mut named = resources.fonts();
        for (name, id) in FONT_NAMES.into_iter().zip(fonts) {
            named.pair(name, id);
        }
        named.finish();
        let mut states = resources.ext_g_states();
        for percent in &self.opacities {
            let opacity = f32::from(*percent) / 100.0;
            states
                .insert(Name(name_opacity(*percent).as_bytes()))
                .start::<ExtGraphicsState<'_>>()
                .stroking_alpha(opacity)
                .non_stroking_alpha(opacity);
        }
        states.finish();
        resources.finish();
        leaf.finish();
        for ((font, id), name) in self
            .fonts
            .iter()
            .zip(fonts)
            .zip(["NotoSans-Regular", "NotoSans-Bold"])
        {
            font.write(&mut pdf, id, &mut next, name)?;
        }
        // A page of PDF begins below, a drawing above.
        let mut turned = Content::new();
        turned
            .transform([unit, 0.0, 0.0, -unit, 0.0, high])
            .set_line_join(LineJoinStyle::RoundJoin);
        let mut drawing = turned.finish().to_vec();
        drawing.push(b'\n');
        drawing.extend_from_slice(&self.content.finish());
        pdf.stream(content, &compress(&drawing))
            .filter(Filter::FlateDecode);
        Ok(pdf.finish())
    }

    /// Makes `colour` that of what is filled next.
    fn set_fill(&mut self, colour: BackendColor) {
        self.set_opacity(colour.alpha);
        let [red, green, blue] = unit_components(colour.rgb);
        self.content.set_fill_rgb(red, green, blue);
    }

    fn set_opacity(&mut self, alpha: f64) {
        let percent = (alpha * 100.0).round() as u8;
        if percent != self.opacity {
            self.opacity = percent;
            self.opacities.insert(percent);
            self.content
                .set_parameters(Name(name_opacity(percent).as_bytes()));
        }
    }

    /// Adds a line through `points` to the open path.
    fn append_polyline(&mut self, points: &[BackendCoord]) {
        for (at, (x, y)) in points.iter().enumerate() {
            if at == 0 {
                self.content.move_to(*x as f32, *y as f32);
            } else {
                self.content.line_to(*x as f32, *y as f32);
            }
        }
    }
}

/// Names of the regular and the bold font on the page.
const FONT_NAMES: [Name<'static>; 2] = [Name(b"R"), Name(b"B")];

fn name_opacity(percent: u8) -> String {
    format!("O{percent}")
}

/// Converts a colour to shares of 1.
fn unit_components((red, green, blue): Rgb) -> [f32; 3] {
    [red, green, blue].map(|part| f32::from(part) / 255.0)
}

impl Shapes for Pdf {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn draw_rectangle(&mut self, from: BackendCoord, to: BackendCoord, colour: BackendColor) {
        self.draw_polygon(&[from, (to.0, from.1), to, (from.0, to.1)], colour);
    }

    fn draw_stroke(&mut self, points: &[BackendCoord], colour: BackendColor, width: u32) {
        self.set_opacity(colour.alpha);
        let [red, green, blue] = unit_components(colour.rgb);
        self.content
            .set_stroke_rgb(red, green, blue)
            .set_line_width(width as f32);
        self.append_polyline(points);
        self.content.stroke();
    }

    fn draw_polygon(&mut self, corners: &[BackendCoord], colour: BackendColor) {
        self.set_fill(colour);
        self.append_polyline(corners);
        self.content.close_path().fill_nonzero();
    }

    fn draw_disc(&mut self, (x, y): BackendCoord, radius: i32, colour: BackendColor) {
        self.set_fill(colour);
        let x = x as f32;
        let y = y as f32;
        let radius = radius as f32;
        let inner = radius * QUARTER_CIRCLE;
        self.content.move_to(x + radius, y);
        // The quarters' ends as directions from the centre.
        for [(ax, ay), (bx, by)] in [
            [(1.0, 0.0), (0.0, 1.0)],
            [(0.0, 1.0), (-1.0, 0.0)],
            [(-1.0, 0.0), (0.0, -1.0)],
            [(0.0, -1.0), (1.0, 0.0)],
        ] {
            self.content.cubic_to(
                x + radius * ax + inner * bx,
                y + radius * ay + inner * by,
                x + radius * bx + inner * ax,
                y + radius * by + inner * ay,
                x + radius * bx,
                y + radius * by,
            );
        }
        self.content.fill_nonzero();
    }

    fn draw_text(&mut self, text: &str, style: &Text, (x, y): BackendCoord) {
        self.set_fill(to_backend_colour(style.colour, 1.0));
        let em = style.size as f32;
        let face = usize::from(style.bold);
        let (codes, width) = self.fonts[face].encode_text(text);
        let before = match style.anchor {
            HPos::Left => 0.0,
            HPos::Center => width * em / 2.0,
            HPos::Right => width * em,
        };
        // The page is turned upside down, so letters are turned back.
        let matrix = if style.upwards {
            [0.0, -1.0, -1.0, 0.0, x as f32, y as f32 + before]
        } else {
            [1.0, 0.0, 0.0, -1.0, x as f32 - before, y as f32]
        };
        self.content
            .begin_text()
            .set_font(FONT_NAMES[face], em)
            .set_text_matrix(matrix)
            .show(Str(&codes))
            .end_text();
    }
}
