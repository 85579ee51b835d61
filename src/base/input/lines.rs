//! A stream of lines.

use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use raw_line::RawLine;

use super::refused::{is_idle, long_line_error, too_blank_error};
use super::{Line, open_named};
use crate::error::{self, Error, Result, SourceLocation};

mod files;
mod peek;
mod raw_line;

/// A stream of lines, for long files. Memory holds one piece of the file, whatever its length.
///
/// Lines come as bytes: a caller that cuts off comments need not hold them to UTF-8, as the headers of old
/// archives are in all sorts of encodings; [`Lines::read_data_line`] does hold its lines to it.
pub struct Lines {
    name: Arc<str>,
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Range of `buffer` that is read but not handed out: `start..end`.
    start: usize,
    end: usize,
    at_end: bool,
    number: usize,
    /// Whether a byte-order mark was looked for.
    begun: bool,
    /// Bytes of blank lines and comments since the last line of data.
    idle: usize,
    /// Bytes that the reader keeps of the lines, and the limit of these bytes.
    kept: u64,
    memory: u64,
    /// Whether bytes handed out must stay, because the reader will go back to them.
    keep: bool,
    /// The files still to be read, in reverse order, and the number of the file being read, from 0.
    further: Vec<PathBuf>,
    file: u32,
    /// What was left out of folders.
    notes: Vec<String>,
    /// Counter of the bytes read, where there is one.
    counter: Option<Arc<AtomicU64>>,
}

/// The byte-order mark that some editors write before UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("name", &self.name)
            .field("number", &self.number)
            .finish()
    }
}

impl Lines {
    /// Length in bytes of the longest line that is read: longer lines occur in no format, and must not fill the memory.
    pub const LONGEST: usize = 1 << 20;
    /// Bytes of the buffer at first; it grows where a line needs it.
    const PIECE: usize = 1 << 16;
    /// The most bytes of blank lines and comments in a row: a small compressed file can hold any number of them.
    const IDLE: usize = 64 << 20;

    /// Opens `path`; `-` is standard input; a name ending in `.gz` is decompressed. What is kept of the lines may
    /// take `memory` bytes ([`Lines::charge_memory`]).
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be opened.
    pub fn open(path: &Path, memory: u64) -> Result<Self> {
        let (name, source) = open_named(path)?;
        Ok(Lines::from_source(&name, source).with_memory(memory))
    }

    /// Reads a text held in memory, quoted as `name`.
    pub fn new(name: &str, text: impl Into<Vec<u8>>) -> Self {
        Lines::from_source(name, Box::new(std::io::Cursor::new(text.into())))
    }

    /// Reads the lines that `source` gives, quoted as `name`.
    pub fn from_source(name: &str, source: Box<dyn Read + Send>) -> Self {
        Lines {
            name: name.into(),
            source,
            buffer: vec![0; Lines::PIECE],
            start: 0,
            end: 0,
            at_end: false,
            number: 0,
            begun: false,
            idle: 0,
            kept: 0,
            memory: u64::MAX,
            keep: false,
            further: Vec::new(),
            file: 0,
            notes: Vec::new(),
            counter: None,
        }
    }

    /// Sets the memory limit of [`Lines::charge_memory`], in bytes.
    pub fn with_memory(mut self, memory: u64) -> Self {
        self.memory = memory;
        self
    }

    /// Counts `bytes` more that the reader keeps of the lines so far; `what` names them in the message.
    ///
    /// # Errors
    /// They are more than the memory allowed, by file and line.
    pub fn charge_memory(&mut self, bytes: usize, what: &str) -> Result<()> {
        self.kept = self.kept.saturating_add(bytes as u64);
        if self.kept > self.memory {
            let limit = error::format_bytes(self.memory);
            let found = format!("more {what} than fit into {limit}");
            let expected = "a shorter file or a higher --memory";
            return Err(Error::input(self.location_of(self.number), found, expected));
        }
        Ok(())
    }

    /// Counts the bytes read from here on (unpacked ones of a packed file), for progress.
    pub fn start_byte_counter(&mut self) -> Arc<AtomicU64> {
        // What was read ahead to tell the format counts, too.
        let count = Arc::new(AtomicU64::new(self.end as u64));
        self.counter = Some(Arc::clone(&count));
        count
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names the location of a line of the file that is being read.
    pub fn location_of(&self, number: usize) -> SourceLocation {
        SourceLocation::line(&self.name, number)
    }

    /// Returns the number of the line read last; 0 before the first.
    pub fn line_number(&self) -> usize {
        self.number
    }

    /// Reads the next line, without its end (`\n`, `\r\n` or `\r`). `None` at the end of the file.
    ///
    /// # Errors
    /// [`Error::Io`] when reading fails, a truncated gzip file among them; [`Error::Input`] for a line longer
    /// than [`Lines::LONGEST`], for 64 MB of blank lines and comments in a row, and for a byte 0, which no text has.
    ///
    /// # Complexity
    /// O(length of the line).
    pub fn read_line(&mut self) -> Result<Option<RawLine<'_>>> {
        Ok(self.find_next_line()?.map(|range| self.raw_line(range)))
    }

    /// Finds the range of the next line in the buffer.
    fn find_next_line(&mut self) -> Result<Option<Range<usize>>> {
        self.skip_mark()?;
        let mut seen = 0;
        let range = loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(length) = memchr::memchr2(b'\n', b'\r', &rest[seen..]) {
                seen += length;
                let carriage = rest[seen] == b'\r';
                // Whether a line feed follows is seen only when there is another byte, or none to come.
                if !carriage || self.at_end || seen + 1 < rest.len() {
                    let end = 1 + usize::from(carriage && rest.get(seen + 1) == Some(&b'\n'));
                    let from = self.start;
                    self.start += seen + end;
                    break from..from + seen;
                }
            } else {
                seen = rest.len();
            }
            if self.at_end && seen == 0 {
                // A look ahead ends with its file: from the next one it could not go back.
                if self.keep || !self.open_next_file()? {
                    return Ok(None);
                }
                self.skip_mark()?;
                continue;
            }
            if self.at_end {
                let from = self.start;
                self.start = self.end;
                break from..self.end;
            }
            if seen > Lines::LONGEST {
                let location = self.location_of(self.number + 1);
                return Err(long_line_error(location, Lines::LONGEST));
            }
            self.read_more()?;
        };
        self.number += 1;
        self.count_idle(&range)?;
        Ok(Some(range))
    }

    /// Skips a byte-order mark before the first line.
    fn skip_mark(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            // A pipe may give its first bytes one at a time.
            while self.end < MARK.len() && !self.at_end {
                self.read_more()?;
            }
            if self.buffer[..self.end].starts_with(MARK) {
                self.start = MARK.len();
            }
        }
        Ok(())
    }

    /// Refuses a file that goes on and on without a line that says something.
    fn count_idle(&mut self, range: &Range<usize>) -> Result<()> {
        if !is_idle(&self.buffer[range.clone()]) {
            self.idle = 0;
            return Ok(());
        }
        // The line end counts: a blank line is nothing else.
        self.idle += 1 + range.len();
        if self.idle > Lines::IDLE {
            Err(too_blank_error(self.location_of(self.number), Lines::IDLE))
        } else {
            Ok(())
        }
    }

    fn raw_line(&self, range: Range<usize>) -> RawLine<'_> {
        RawLine {
            source: &self.name,
            number: self.number,
            bytes: &self.buffer[range],
            file: self.file,
        }
    }

    /// Reads another piece behind the bytes not yet handed out.
    fn read_more(&mut self) -> Result<()> {
        // What is left moves to the front, so that the buffer grows with the longest line only.
        if self.start > 0 && !self.keep {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        // Doubled, so that all copies of a long text together cost no more than reading it.
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        let read = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                // A signal to the process is no fault of the file.
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        let read = read.map_err(|e| Error::io(Path::new(&*self.name), "reading", e))?;
        // A byte 0 is the first sign of a binary file, such as a packed one whose name does not say so.
        if let Some(zero) = memchr::memchr(0, &self.buffer[self.end..][..read]) {
            let before = &self.buffer[self.start..self.end + zero];
            let line = self.number + 1 + memchr::memchr_iter(b'\n', before).count();
            let (found, expected) = match self.buffer.get(self.start..self.start + 2) {
                Some([0xff, 0xfe] | [0xfe, 0xff]) => {
                    ("UTF-16", "UTF-8, as iconv -f UTF-16 -t UTF-8 writes it")
                }
                _ => ("a byte 0, which no text has", "a text"),
            };
            return Err(Error::input(self.location_of(line), found, expected));
        }
        if let Some(counter) = &self.counter {
            // Only a display of progress reads it: it may lag, and guards no other data.
            counter.fetch_add(read as u64, Ordering::Relaxed);
        }
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }

    /// Returns the bytes read and not yet handed out.
    fn unread_bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads the rest of the lines in one piece, of at most `most` bytes and with no line longer than `longest`.
    /// Errors: as [`Lines::read_line`]; [`Error::Memory`] where it is larger than the memory of
    /// [`Lines::charge_memory`] allows.
    pub(super) fn read_rest(mut self, most: u64, longest: usize) -> Result<(Arc<str>, Vec<u8>)> {
        // Two documents, one behind the other, are no document.
        if let Some(next) = self.further.last() {
            let location = SourceLocation::file(next);
            let expected = "a document of one file";
            return Err(Error::input(location, "a further file", expected));
        }
        self.skip_mark()?;
        let mut line = 0;
        let mut said = 0;
        loop {
            let before = self.unread_bytes().len();
            if before as u64 > self.memory {
                return Err(Error::Memory {
                    what: format!("{}: the text", self.name),
                    needed: before as u64,
                    limit: self.memory,
                });
            }
            let location = || {
                let lines = memchr::memchr_iter(b'\n', self.unread_bytes()).count();
                self.location_of(self.number + 1 + lines)
            };
            if before as u64 > most {
                let found = format!("more than {}", error::format_bytes(most));
                return Err(Error::input(location(), found, "a shorter text"));
            }
            if before - line > longest {
                return Err(long_line_error(location(), longest));
            }
            // The lines are looked at once for each stretch of this length, not with every piece.
            if before - said > Lines::IDLE {
                if self.unread_bytes()[said..]
                    .split(|b| *b == b'\n')
                    .all(is_idle)
                {
                    return Err(too_blank_error(location(), Lines::IDLE));
                }
                said = before;
            }
            if self.at_end {
                break;
            }
            self.read_more()?;
            let new = &self.unread_bytes()[before..];
            line = memchr::memrchr2(b'\n', b'\r', new).map_or(line, |at| before + at + 1);
        }
        self.buffer.truncate(self.end);
        self.buffer.drain(..self.start);
        Ok((self.name, self.buffer))
    }

    /// Reads the next line of data, as [`super::Text::data_lines`] gives it: `#` comments cut off, blanks trimmed,
    /// empty lines left out.
    ///
    /// # Errors
    /// As [`Lines::read_line`]; and [`Error::Input`] for a line that is not UTF-8.
    pub fn read_data_line(&mut self) -> Result<Option<Line<'_>>> {
        self.read_text(|text| text.split('#').next().unwrap_or(""))
    }

    /// Reads the next row of a table, blanks trimmed, empty lines left out. A `#` in it is text, as everywhere in CSV
    /// (RFC 4180 has no comments).
    ///
    /// # Errors
    /// As [`Lines::read_data_line`].
    pub fn read_row(&mut self) -> Result<Option<Line<'_>>> {
        self.read_text(|text| text)
    }

    /// Reads the next line of which `cut` leaves something.
    fn read_text(&mut self, cut: impl Fn(&str) -> &str) -> Result<Option<Line<'_>>> {
        let range = loop {
            let Some(range) = self.find_next_line()? else {
                return Ok(None);
            };
            let text = cut(self.raw_line(range.clone()).text()?);
            let from = range.start + text.len() - text.trim_start().len();
            let length = text.trim().len();
            if length > 0 {
                break from..from + length;
            }
        };
        let raw = self.raw_line(range);
        Ok(Some(Line {
            file: raw.file,
            ..Line::new(raw.source, raw.number, raw.text()?)
        }))
    }
}

#[cfg(test)]
mod tests;
