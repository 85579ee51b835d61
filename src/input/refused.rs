//! What streams of lines refuse: lines that are too long, and files that say nothing.

use crate::error::{Error, SourceLocation};

/// Whether a line is blank or a comment: of our own formats, of SWF (`;`) or of MatrixMarket (`%`).
pub(super) fn is_idle(line: &[u8]) -> bool {
    matches!(line.iter().find(|b| !b.is_ascii_whitespace()), None | Some(b'#' | b';' | b'%'))
}

/// The error of a line of more than `most` bytes.
pub(super) fn long(location: SourceLocation, most: usize) -> Error {
    let found = format!("a line of more than {most} bytes");
    Error::input(location, found, "text with shorter lines")
}

/// The error of a file that says nothing for more than `most` bytes.
pub(super) fn idle(location: SourceLocation, most: usize) -> Error {
    let found = format!("{} MB of blank lines and comments", most >> 20);
    Error::input(location, found, "lines of data between them")
}
