//! Reading input: a file or standard input, plain, gzip or (a table) Parquet, as text whose lines know their number;
//! whole ([`Text`]) or as a stream in constant memory ([`Lines`]).

use std::io::Read;
use std::path::{Path, PathBuf};

#[cfg(not(feature = "parquet"))]
use crate::error::SourceLocation;
use crate::error::{Error, Result};

mod line;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;
mod refused;
mod text;

pub use line::{Line, split_fields, strip_zero_fraction};
pub use lines::{Lines, RawLine};
pub use text::Text;

/// Checks whether the file of this name is compressed, read or written: it ends in `.gz`.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// Checks whether the file of this name is a table in Apache Parquet.
pub fn is_parquet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "parquet")
}

#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::{Error, Path, Read, Result, SourceLocation};

    /// Refuses to open a table in Apache Parquet: this build has no support for it.
    pub(super) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
        let location = SourceLocation::file(path);
        let expected = "a table in CSV, or a nodeorder built with `--features parquet`";
        Err(Error::input(location, "a Parquet table", expected))
    }
}

/// Opens `path`, and returns the name that messages call it by with its bytes.
fn open_named(path: &Path) -> Result<(String, Box<dyn Read + Send>)> {
    // Standard input has no name that says what is packed: it is taken as plain text.
    if path == Path::new("-") {
        return Ok(("standard input".into(), Box::new(std::io::stdin())));
    }
    if is_parquet(path) {
        return Ok((path.display().to_string(), parquet::open(path)?));
    }
    let file = std::fs::File::open(path).map_err(|e| Error::io(path, "opening", e))?;
    Ok((path.display().to_string(), decompress_named(path, file)))
}

/// Decompresses the bytes of `source` where the file's name says that they are compressed.
fn decompress_named(path: &Path, source: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    if is_packed(path) {
        // Packed logs are put one behind the other as they are: a plain decoder would end after the first.
        Box::new(flate2::read::MultiGzDecoder::new(std::io::BufReader::new(
            source,
        )))
    } else {
        Box::new(source)
    }
}

/// Resolves `path` from the folder of `base`, the file that names it.
pub fn resolve_beside(base: Option<&Path>, path: &str) -> PathBuf {
    match base.and_then(Path::parent) {
        // `-` is standard input, whatever the folder.
        Some(folder) if Path::new(path).is_relative() && path != "-" => folder.join(path),
        _ => PathBuf::from(path),
    }
}
