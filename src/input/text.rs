//! A text held in memory.

use std::path::Path;

use super::{Line, Lines};
use crate::error::{Error, Result, SourceLocation};

/// The longest line of a text, in bytes: a document may be one line.
const LONGEST: usize = 1 << 30;

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
    /// is not UTF-8 or has 64 MB of blank lines and comments in a row.
    pub fn read(path: &Path, most: u64) -> Result<Self> {
        Lines::open(path, most)?.into_text()
    }

    /// A text held in memory, quoted as `name`.
    ///
    /// A byte-order mark is left out; a line may end in `\n`, `\r\n` or `\r`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        if text.contains('\r') {
            text = text.replace("\r\n", "\n").replace('\r', "\n");
        }
        Text { name: name.into(), text }
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

    /// The name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text as a whole, for an error message.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::File(self.name.as_str().into())
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A text that stands on a line, or begins there: for messages about it.
    pub(crate) fn line_at<'a>(&'a self, number: usize, text: &'a str) -> Line<'a> {
        Line { source: &self.name, number, text }
    }

    /// Every line, numbered from 1.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.text.lines().enumerate().map(|(i, text)| Line {
            source: &self.name,
            number: i + 1,
            text,
        })
    }

    /// The lines that say something: `#` comments cut off, blanks trimmed, empty lines left out.
    pub fn data_lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines().filter_map(|line| {
            let text = line.text.split('#').next().unwrap_or("").trim();
            (!text.is_empty()).then_some(Line { text, ..line })
        })
    }

    /// The number of the line that byte `offset` stands on.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_finder()(offset)
    }

    /// Finds the lines of many bytes, each in O(log lines).
    pub(crate) fn line_finder(&self) -> impl Fn(usize) -> usize + use<> {
        let ends: Vec<usize> = self.text.match_indices('\n').map(|(end, _)| end).collect();
        move |offset| 1 + ends.partition_point(|end| *end < offset)
    }
}

impl Lines {
    /// The rest of the lines as a text, within their memory.
    ///
    /// # Errors
    /// As [`Text::read`].
    pub(crate) fn into_text(self) -> Result<Text> {
        // Line by line: a device never ends, and a small compressed file may hold anything.
        let most = self.memory();
        let longest = usize::try_from(most).map_or(LONGEST, |most| most.min(LONGEST));
        let mut lines = self.longest(longest);
        let mut bytes = Vec::new();
        while let Some(line) = lines.line()? {
            bytes.extend_from_slice(line.bytes);
            bytes.push(b'\n');
            if bytes.len() as u64 > most {
                let what = format!("{}: the text", lines.name());
                return Err(Error::Memory { what, needed: bytes.len() as u64, limit: most });
            }
        }
        Text::from_bytes(lines.name(), bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn comments_and_blank_lines_keep_the_numbers_right() {
        let text = Text::new("t", "# head\n\n 3 # three\n4\n");
        let seen: Vec<_> = text.data_lines().map(|l| (l.number, l.text.to_string())).collect();
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
        assert!(error.contains("x.txt.gz: the text needs about 4 B, more than the 3 B"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        let error = Text::from_bytes("f", b"ok\n\xff\n".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("f:2: "), "{error}");
    }
}
