//! Reading input: a file or standard input, plain or gzip, as text whose lines know their number; whole
//! ([`Text`]) or as a stream in constant memory ([`Lines`]).

use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result, SourceLocation};

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
    pub fn location(&self) -> SourceLocation {
        SourceLocation::line(self.source, self.number)
    }

    /// An error at this line.
    pub fn wrong(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        Error::input(self.location(), found, expected)
    }
}

impl Text {
    /// Reads `path`, at most `most` bytes; `-` is standard input; a name ending in `.gz` is decompressed.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read, [`Error::Memory`] when it is larger, [`Error::Input`] when it
    /// is not UTF-8.
    pub fn read(path: &Path, most: u64) -> Result<Self> {
        let mut bytes = Vec::new();
        let (name, source) = open(path)?;
        // A device never ends, and a small compressed file may hold anything.
        let mut source = source.take(most.saturating_add(1));
        source.read_to_end(&mut bytes).map_err(|e| Error::io(Path::new(&name), "reading", e))?;
        if bytes.len() as u64 > most {
            let what = format!("{name}: the text");
            return Err(Error::Memory { what, needed: bytes.len() as u64, limit: most });
        }
        Text::from_bytes(&name, bytes)
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

    /// The text as a whole as a place for an error message.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::File(self.name.as_str().into())
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

/// A source that counts the bytes it gives.
struct Counting {
    source: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A stream of lines: what a long file is read by. Memory holds one piece of the file, whatever its length.
///
/// Lines come as bytes: a caller that cuts off comments need not hold them to UTF-8, as the headers of old
/// archives are in all sorts of encodings; [`Lines::data_line`] does hold its lines to it.
pub struct Lines {
    name: Arc<str>,
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The bytes of `buffer` that are read but not handed out.
    start: usize,
    end: usize,
    at_end: bool,
    number: usize,
    /// Whether bytes handed out must stay, because the reader will go back to them.
    keep: bool,
}

/// One line of [`Lines`].
#[derive(Clone, Copy, Debug)]
pub struct RawLine<'a> {
    source: &'a str,
    /// Line number, from 1.
    pub number: usize,
    /// The line without its end.
    pub bytes: &'a [u8],
}

impl<'a> RawLine<'a> {
    /// The line as a place for an error message.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::line(self.source, self.number)
    }

    /// The line as text.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes)
            .map_err(|_| Error::input(self.location(), "bytes that are not UTF-8", "UTF-8 text"))
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("name", &self.name).field("number", &self.number).finish()
    }
}

impl Lines {
    /// The longest line read, in bytes: longer ones are no text of ours, and must not fill the memory.
    pub const LONGEST: usize = 1 << 20;
    const PIECE: usize = 1 << 16;

    /// Opens `path`; `-` is standard input; a name ending in `.gz` is decompressed.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let (name, source) = open(path)?;
        Ok(Lines::over(&name, source))
    }

    /// A text held in memory, quoted as `name`.
    pub fn new(name: &str, text: impl Into<Vec<u8>>) -> Self {
        Lines::over(name, Box::new(std::io::Cursor::new(text.into())))
    }

    fn over(name: &str, source: Box<dyn Read + Send>) -> Self {
        let buffer = vec![0; Lines::PIECE];
        let name = name.into();
        Lines { name, source, buffer, start: 0, end: 0, at_end: false, number: 0, keep: false }
    }

    /// Counts the bytes read from here on (unpacked ones of a packed file), for progress.
    pub fn count(&mut self) -> Arc<AtomicU64> {
        let count = Arc::new(AtomicU64::new(self.end as u64));
        let source = std::mem::replace(&mut self.source, Box::new(std::io::empty()));
        self.source = Box::new(Counting { source, count: Arc::clone(&count) });
        count
    }

    /// The name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the line read last; 0 before the first.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The next line, without its end (`\n` or `\r\n`); none at the end of the file.
    ///
    /// # Errors
    /// [`Error::Io`] when reading fails, a truncated gzip file among them; [`Error::Input`] for a line longer
    /// than [`Lines::LONGEST`].
    ///
    /// # Complexity
    /// O(length of the line).
    pub fn line(&mut self) -> Result<Option<RawLine<'_>>> {
        Ok(self.next()?.map(|range| self.raw(range)))
    }

    /// Where in the buffer the next line stands.
    fn next(&mut self) -> Result<Option<Range<usize>>> {
        let mut seen = 0;
        let mut range = loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(length) = rest[seen..].iter().position(|b| *b == b'\n') {
                let from = self.start;
                self.start += seen + length + 1;
                break from..self.start - 1;
            }
            seen = rest.len();
            if self.at_end && seen == 0 {
                return Ok(None);
            }
            if self.at_end {
                let from = self.start;
                self.start = self.end;
                break from..self.end;
            }
            if seen > Lines::LONGEST {
                let location = SourceLocation::line(&self.name, self.number + 1);
                let found = format!("a line of more than {} bytes", Lines::LONGEST);
                return Err(Error::input(location, found, "text with shorter lines"));
            }
            self.fill()?;
        };
        self.number += 1;
        if self.buffer[range.clone()].ends_with(b"\r") {
            range.end -= 1;
        }
        Ok(Some(range))
    }

    fn raw(&self, range: Range<usize>) -> RawLine<'_> {
        RawLine { source: &self.name, number: self.number, bytes: &self.buffer[range] }
    }

    /// Reads another piece behind the bytes not yet handed out.
    fn fill(&mut self) -> Result<()> {
        if self.start > 0 && !self.keep {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        let read = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        let read = read.map_err(|e| Error::io(Path::new(&*self.name), "reading", e))?;
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }

    /// The next line that says something, as [`Text::data_lines`] gives it: `#` comments cut off, blanks
    /// trimmed, empty lines left out.
    ///
    /// # Errors
    /// As [`Lines::line`]; and [`Error::Input`] for a line that is not UTF-8.
    pub fn data_line(&mut self) -> Result<Option<Line<'_>>> {
        let range = loop {
            let Some(range) = self.next()? else { return Ok(None) };
            let text = self.raw(range.clone()).text()?;
            let before_comment = text.split('#').next().unwrap_or("");
            let from = range.start + before_comment.len() - before_comment.trim_start().len();
            let length = before_comment.trim().len();
            if length > 0 {
                break from..from + length;
            }
        };
        let raw = self.raw(range);
        Ok(Some(Line { source: raw.source, number: raw.number, text: raw.text()? }))
    }

    /// Lets `judge` look at lines from here on until it returns something, then goes back to where it was.
    ///
    /// # Errors
    /// As [`Lines::line`].
    pub fn peek<T>(&mut self, mut judge: impl FnMut(&[u8]) -> Option<T>) -> Result<Option<T>> {
        // From here on the offset of the next line stays good, whatever else is read.
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        self.keep = true;
        let number = self.number;
        let verdict = loop {
            match self.line()? {
                None => break None,
                Some(line) => {
                    if let Some(verdict) = judge(line.bytes) {
                        break Some(verdict);
                    }
                }
            }
        };
        self.keep = false;
        self.start = 0;
        self.number = number;
        Ok(verdict)
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
    use proptest::prelude::*;
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
        // What it holds counts, not what it takes on disk.
        let error = Text::read(&path, 3).unwrap_err().to_string();
        assert!(error.contains("x.txt.gz: the text needs about 4 B, more than the 3 B"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        let error = Text::from_bytes("f", b"ok\n\xff\n".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("f:2: "), "{error}");
    }

    /// Hands out its bytes in pieces of `step`, as a pipe may.
    struct Dripping(std::io::Cursor<Vec<u8>>, usize);

    impl Read for Dripping {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let step = self.1.min(buffer.len());
            self.0.read(&mut buffer[..step])
        }
    }

    proptest! {
        #[test]
        fn a_stream_has_the_lines_of_the_text(
            text in "([ab#\t é]{0,9}\r?\n){0,20}[ab #]{0,5}",
            step in 1usize..9,
            peeked in 0usize..30,
        ) {
            let whole = Text::new("t", text.clone());
            let expected: Vec<_> = whole.data_lines().map(|l| (l.number, l.text.to_string())).collect();
            let drip = || Lines::over("t", Box::new(Dripping(std::io::Cursor::new(text.clone().into()), step)));
            let mut lines = drip();
            let mut left = peeked;
            lines.peek(|_| { left = left.saturating_sub(1); (left == 0).then_some(()) }).unwrap();
            let mut seen = Vec::new();
            while let Some(line) = lines.data_line().unwrap() {
                seen.push((line.number, line.text.to_string()));
            }
            prop_assert_eq!(seen, expected);
            let (mut lines, mut seen) = (drip(), Vec::new());
            while let Some(line) = lines.line().unwrap() {
                seen.push((line.number, line.text().unwrap().to_string()));
            }
            let expected: Vec<_> = whole.lines().map(|l| (l.number, l.text.to_string())).collect();
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn a_stream_holds_one_piece_and_refuses_endless_lines() {
        let mut lines = Lines::new("t", "12345678\n".repeat(100_000));
        while lines.line().unwrap().is_some() {}
        assert_eq!((lines.number(), lines.buffer.len()), (100_000, Lines::PIECE));
        let mut lines = Lines::new("t", format!("short\n{}", "x".repeat(3 * Lines::LONGEST)));
        assert!(lines.line().unwrap().is_some());
        let error = lines.line().unwrap_err().to_string();
        assert!(error.starts_with("t:2: found a line of more than 1048576 bytes"), "{error}");
    }

    #[test]
    fn a_stream_names_the_line_that_is_no_text() {
        let mut lines = Lines::new("t", b"ok\n# fine\n\xff\n".to_vec());
        assert_eq!(lines.data_line().unwrap().unwrap().text, "ok");
        assert!(lines.data_line().unwrap_err().to_string().starts_with("t:3: "));
    }

    #[test]
    fn a_truncated_gzip_stream_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        (0..10_000).for_each(|i| writeln!(encoder, "{}", i * i).unwrap());
        let bytes = encoder.finish().unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let mut lines = Lines::open(&path).unwrap();
        let error = loop {
            match lines.line() {
                Ok(line) => assert!(line.is_some(), "the end came without an error"),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains("x.gz: reading"), "{error}");
    }
}
