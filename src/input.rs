//! Reading input: a file or standard input, plain or gzip, as text whose lines know their number.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Place, Result};

/// A text and the name it is quoted by in messages.
#[derive(Clone, Debug)]
pub struct Text {
    name: String,
    text: String,
}

/// One line of a [`Text`].
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    source: &'a str,
    /// Line number, from 1.
    pub number: usize,
    /// The line without its end.
    pub text: &'a str,
}

impl Line<'_> {
    /// The line as a place for an error message.
    pub fn place(&self) -> Place {
        Place::line(self.source, self.number)
    }
}

impl Text {
    /// Reads `path`; `-` is standard input; a name ending in `.gz` is decompressed.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read, [`Error::Input`] when it is not UTF-8.
    pub fn read(path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        if path == Path::new("-") {
            std::io::stdin()
                .read_to_end(&mut bytes)
                .map_err(|e| Error::io(Path::new("standard input"), "reading", e))?;
            return Text::from_bytes("standard input", bytes);
        }
        let file = std::fs::File::open(path).map_err(|e| Error::io(path, "opening", e))?;
        let outcome = if path.extension().is_some_and(|e| e == "gz") {
            flate2::read::MultiGzDecoder::new(std::io::BufReader::new(file)).read_to_end(&mut bytes)
        } else {
            std::io::BufReader::new(file).read_to_end(&mut bytes)
        };
        outcome.map_err(|e| Error::io(path, "reading", e))?;
        Text::from_bytes(&path.display().to_string(), bytes)
    }

    /// A text held in memory, quoted as `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Text { name: name.into(), text: text.into() }
    }

    fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Text::new(name, text)),
            Err(e) => {
                let good = e.utf8_error().valid_up_to();
                let line = 1 + e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count();
                Err(Error::input(Place::line(name, line), "bytes that are not UTF-8", "UTF-8 text"))
            }
        }
    }

    /// The name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
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
    pub fn line_of(&self, offset: usize) -> usize {
        1 + self.text.as_bytes()[..offset.min(self.text.len())]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
    }
}

/// `path` as seen from the folder of `base`, the file that names it.
pub fn beside(base: Option<&Path>, path: &str) -> PathBuf {
    match base.and_then(Path::parent) {
        Some(folder) if Path::new(path).is_relative() && path != "-" => folder.join(path),
        _ => PathBuf::from(path),
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
        assert_eq!(Text::read(&path).unwrap().as_str(), "1\n2\n");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        let error = Text::from_bytes("f", b"ok\n\xff\n".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("f:2: "), "{error}");
    }
}
