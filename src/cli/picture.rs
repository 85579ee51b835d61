//! Pictures in the format that a file's name asks for.

use std::path::Path;

use super::output;
use crate::error::{Error, Result, SourceLocation};
use crate::plot::Figure;

/// A picture to be drawn into a file.
pub struct Picture<'p> {
    path: &'p Path,
    is_png: bool,
}

impl<'p> Picture<'p> {
    /// The picture that `--plot` asks for.
    ///
    /// # Errors
    /// A name that ends neither in `.svg` nor in `.png`.
    pub fn new(path: &'p Path) -> Result<Self> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => Ok(Picture { path, is_png: false }),
            Some("png") => Ok(Picture { path, is_png: true }),
            _ => {
                let expected = "a file name that ends in .svg or .png";
                let location = SourceLocation::option("--plot");
                Err(Error::input(location, path.display().to_string(), expected))
            }
        }
    }

    /// Draws it and writes the file.
    pub fn draw(&self, figure: &Figure<'_>) -> anyhow::Result<()> {
        let bytes = if self.is_png { figure.png()? } else { figure.svg()?.into_bytes() };
        output::write(Some(self.path), &bytes)
    }
}
