//! Reading input: a file or standard input, plain or gzip, as text whose lines know their number; whole
//! ([`Text`]) or as a stream in constant memory ([`Lines`]).

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

mod line;
mod lines;
mod text;

pub use line::Line;
pub use lines::{Lines, RawLine};
pub use text::Text;

/// Whether the file of this name is compressed, read or written: it ends in `.gz`.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// The bytes of `path`, and the name that messages call them by.
fn open(path: &Path) -> Result<(String, Box<dyn Read + Send>)> {
    if path == Path::new("-") {
        return Ok(("standard input".into(), Box::new(std::io::stdin())));
    }
    let file = std::fs::File::open(path).map_err(|e| Error::io(path, "opening", e))?;
    let source: Box<dyn Read + Send> = if is_packed(path) {
        Box::new(flate2::read::MultiGzDecoder::new(std::io::BufReader::new(file)))
    } else {
        Box::new(file)
    };
    Ok((path.display().to_string(), source))
}

/// `path` as seen from the folder of `base`, the file that names it.
pub fn beside(base: Option<&Path>, path: &str) -> PathBuf {
    match base.and_then(Path::parent) {
        Some(folder) if Path::new(path).is_relative() && path != "-" => folder.join(path),
        _ => PathBuf::from(path),
    }
}
