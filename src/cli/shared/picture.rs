//! Pictures in the format that a file's name asks for.

use std::path::Path;

use super::output;
use nodeorder_base::error::Result;
use nodeorder_present::plot::Figure;

/// A picture to be drawn into a file.
pub struct Picture<'p> {
    path: &'p Path,
    is_png: bool,
}

impl<'p> Picture<'p> {
    /// Checks the file that `--plot` names. Fails if it ends neither in `.svg` nor in `.png`.
    pub fn new(path: &'p Path) -> Result<Self> {
        // A device has no ending to tell the form by, and neither form is a plain one: it is refused.
        let form = output::form_by_ending("--plot", path, ["svg", "png"], None)?;
        Ok(Picture {
            path,
            is_png: form == "png",
        })
    }

    /// Draws the figure and writes it to the file.
    pub fn draw_figure(&self, figure: &Figure<'_>) -> anyhow::Result<()> {
        let bytes = if self.is_png {
            figure.png()?
        } else {
            figure.svg()?.into_bytes()
        };
        output::write_text(Some(self.path), &bytes)
    }
}
