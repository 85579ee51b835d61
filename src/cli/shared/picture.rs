//! Pictures in the format that a file's name asks for.

use std::path::Path;

use svg2pdf::{ConversionOptions, PageOptions, usvg};

use super::output;
use nodeorder_base::Result;
use nodeorder_present::plot::Figure;

/// A picture to be drawn into a file.
pub struct Picture<'p> {
    path: &'p Path,
    form: &'static str,
}

impl<'p> Picture<'p> {
    /// Checks the file that `--plot` names. Fails if it ends in none of `.svg`, `.png` and `.pdf`.
    pub fn new(path: &'p Path) -> Result<Self> {
        // A device has no ending to tell the form by, and no form is a plain one: it is refused.
        let form = output::form_by_ending("--plot", path, &["svg", "png", "pdf"], None)?;
        Ok(Picture { path, form })
    }

    /// Draws the figure and writes it to the file.
    pub fn draw_figure(&self, figure: &Figure<'_>) -> anyhow::Result<()> {
        let bytes = match self.form {
            "png" => figure.png()?,
            "pdf" => convert_to_pdf(&figure.svg()?)?,
            _ => figure.svg()?.into_bytes(),
        };
        output::write_text(Some(self.path), &bytes)
    }
}

/// Converts a drawing to a PDF file of one page, with text as text in the font that widths are measured in.
fn convert_to_pdf(svg: &str) -> anyhow::Result<Vec<u8>> {
    let mut options = usvg::Options::default();
    // No system font is asked for: a machine without any draws the same.
    for font in [notosans::REGULAR_TTF, notosans::BOLD_TTF] {
        options.fontdb_mut().load_font_data(font.to_vec());
    }
    let tree = usvg::Tree::from_str(svg, &options)?;
    // The tree's lengths are CSS pixels, whatever unit the document names.
    let page = PageOptions { dpi: 96.0 };
    svg2pdf::to_pdf(&tree, ConversionOptions::default(), page)
        .map_err(|error| anyhow::anyhow!("a PDF file: {error}"))
}
