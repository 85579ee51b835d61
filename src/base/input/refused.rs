//! Errors of streams of lines: lines that are too long, and files that hold nothing but blanks and comments.

use crate::error::{Error, SourceLocation};

/// Checks whether a line is blank or a comment: of our own formats, of SWF (`;`) or of MatrixMarket (`%`).
pub fn is_idle(line: &[u8]) -> bool {
    matches!(
        line.iter().find(|b| !b.is_ascii_whitespace()),
        None | Some(b'#' | b';' | b'%')
    )
}

/// Builds the error of a line of more than `most` bytes.
pub fn long_line_error(location: SourceLocation, most: usize) -> Error {
    let found = format!("a line of more than {most} bytes");
    Error::input(location, found, "text with shorter lines")
}

/// Builds the error of a file with more than `most` bytes of blanks and comments between lines of data.
pub fn too_blank_error(location: SourceLocation, most: usize) -> Error {
    let found = format!("{} MB of blank lines and comments", most >> 20);
    Error::input(location, found, "lines of data between them")
}
