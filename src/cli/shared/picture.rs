//! Pictures in the format that a file's name asks for.

use std::path::Path;

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
            "pdf" => figure.pdf()?,
            _ => figure.svg()?.into_bytes(),
        };
        output::write_text(Some(self.path), &bytes)
    }
}
