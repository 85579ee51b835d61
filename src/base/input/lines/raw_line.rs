//! One line of a stream, as bytes.

use crate::error::{Error, Result, SourceLocation};

/// One line of [`super::Lines`].
#[derive(Clone, Copy, Debug)]
pub struct RawLine<'a> {
    pub(super) source: &'a str,
    /// Line number, from 1.
    pub number: usize,
    /// The line without its end.
    pub bytes: &'a [u8],
    /// Number of the line's file, from 0 ([`super::Lines::open_all`]).
    pub file: u32,
}

impl<'a> RawLine<'a> {
    /// Names the location of the line, for messages.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::line(self.source, self.number)
    }

    /// Builds an error at this line.
    pub fn error_here(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        Error::input(self.location(), found, expected)
    }

    /// Reads the line as text.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes)
            .map_err(|_| self.error_here("bytes that are not UTF-8", "UTF-8 text"))
    }
}
