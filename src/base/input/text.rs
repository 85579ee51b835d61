//! A text held in memory.

use std::path::Path;

use super::{Line, Lines, decompress_named};
use crate::error::{Error, Result, SourceLocation};

/// The longest line of a text, in bytes: a document may be one line.
const LONGEST: usize = 1 << 28;

/// Largest number of bytes of a text, whatever memory is allowed: an input that never ends is refused soon.
const MOST: u64 = 1 << 30;

/// A text and the name it is quoted by in messages.
#[derive(Clone, Debug)]
pub struct Text {
    name: String,
    text: String,
}

impl Text {
    /// Reads `path`, at most `most` bytes; `-` is standard input; a name ending in `.gz` is decompressed.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read, [`Error::Memory`] when it is larger, [`Error::Input`] when it
    /// is not UTF-8, has a byte 0 or a line of more than 256 MB, or is larger than 1 GB.
    pub fn read(path: &Path, most: u64) -> Result<Self> {
        Lines::open(path, most)?.into_text()
    }

    /// Reads a file whose bytes are held in memory, as [`Text::read`] does. Errors: as [`Text::read`].
    pub fn read_embedded(path: &Path, bytes: &'static [u8], most: u64) -> Result<Self> {
        let source = decompress_named(path, bytes);
        Lines::from_source(&path.display().to_string(), source)
            .with_memory(most)
            .into_text()
    }

    /// Holds a text in memory, quoted as `name`.
    ///
    /// A byte-order mark is left out; a line may end in `\n`, `\r\n` or `\r`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        // One kind of line end from here on: offsets and line numbers are counted by `\n` alone.
        if text.contains('\r') {
            text = text.replace("\r\n", "\n").replace('\r', "\n");
        }
        Text {
            name: name.into(),
            text,
        }
    }

    pub(super) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Text::new(name, text)),
            Err(e) => {
                let good = e.utf8_error().valid_up_to();
                let line = 1 + e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count();
                Err(Error::input(
                    SourceLocation::line(name, line),
                    "bytes that are not UTF-8",
                    "UTF-8 text",
                ))
            }
        }
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names the location of the text as a whole, for an error message.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::File(self.name.as_str().into())
    }

    /// Returns the whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Makes a line, for messages, from a text that stands on it or begins there.
    pub fn line_at<'a>(&'a self, number: usize, text: &'a str) -> Line<'a> {
        Line::new(&self.name, number, text)
    }

    /// Builds an error at a line, from 1.
    pub fn error_at(
        &self,
        number: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        self.line_at(number, "").error_here(found, expected)
    }

    /// Iterates over every line, numbered from 1.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.text
            .lines()
            .enumerate()
            .map(|(i, text)| Line::new(&self.name, i + 1, text))
    }

    /// Iterates over the lines that say something: `#` comments cut off, blanks trimmed, empty lines left out.
    pub fn data_lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines().filter_map(|line| {
            let text = line.text.split('#').next().unwrap_or("").trim();
            (!text.is_empty()).then_some(Line { text, ..line })
        })
    }

    /// Iterates over the lines below a header of CSV, as [`Text::data_lines`].
    ///
    /// # Errors
    /// The header is not of these columns.
    pub fn list_rows(&self, columns: &[&str]) -> Result<impl Iterator<Item = Line<'_>>> {
        let mut lines = self.data_lines();
        let header = lines.next().map(|line| line.split_csv()).transpose()?;
        if header.as_ref().is_none_or(|fields| fields != columns) {
            let found = header.map_or("no lines".into(), |f| format!("`{}`", f.join(",")));
            let expected = format!("the header {}", columns.join(","));
            return Err(Error::input(self.location(), found, expected));
        }
        Ok(lines)
    }

    /// Finds the number of the line that byte `offset` stands on.
    pub fn line_number_at(&self, offset: usize) -> usize {
        self.line_finder()(offset)
    }

    /// Finds the lines of many bytes, each in O(log lines).
    pub fn line_finder(&self) -> impl Fn(usize) -> usize + use<> {
        // Listed once: counting from the beginning for each value of a long file would be quadratic.
        let ends: Vec<usize> = self.text.match_indices('\n').map(|(end, _)| end).collect();
        move |offset| 1 + ends.partition_point(|end| *end < offset)
    }
}

impl Lines {
    /// Reads the rest of the lines as a text, within their memory. Errors: as [`Text::read`].
    pub fn into_text(self) -> Result<Text> {
        let (name, bytes) = self.read_rest(MOST, LONGEST)?;
        Text::from_bytes(&name, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn comments_and_blank_lines_keep_the_numbers_right() {
        let text = Text::new("t", "# head\n\n 3 # three\n4\n");
        let seen: Vec<_> = text
            .data_lines()
            .map(|l| (l.number, l.text.to_string()))
            .collect();
        assert_eq!(seen, [(3, "3".to_string()), (4, "4".to_string())]);
    }

    #[test]
    fn gzip_is_read_like_plain_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.txt.gz");
        let mut encoder = flate2::write::GzEncoder::new(
            std::fs::File::create(&path).unwrap(),
            flate2::Compression::fast(),
        );
        encoder.write_all(b"1\n2\n").unwrap();
        encoder.finish().unwrap();
        assert_eq!(Text::read(&path, 4).unwrap().as_str(), "1\n2\n");
        // Its unpacked size counts, not its size on disk.
        let error = Text::read(&path, 3).unwrap_err().to_string();
        assert!(
            error.contains("x.txt.gz: the text needs about 4 B, more than the 3 B"),
            "{error}"
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        let error = Text::from_bytes("f", b"ok\n\xff\n".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("f:2: "), "{error}");
    }

    #[test]
    fn a_truncated_gzip_stream_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        (0..10_000).for_each(|i| writeln!(encoder, "{}", i * i).unwrap());
        let bytes = encoder.finish().unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let mut lines = Lines::open(&path, u64::MAX).unwrap();
        let error = loop {
            match lines.read_line() {
                Ok(line) => assert!(line.is_some(), "the end came without an error"),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains("x.gz: reading"), "{error}");
    }
}
