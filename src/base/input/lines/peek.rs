//! A look ahead, after which the stream stands where it was.

use super::Lines;
use crate::error::Result;
use crate::input::refused::too_blank_error;

impl Lines {
    /// Looks ahead at the text from the first byte that is not blank on, nothing of it consumed: of JSON all or a
    /// first piece, else at least that byte, so that lines are read as they come. Fails with `Error::Io` when
    /// reading fails, and after 64 MB of blanks.
    pub fn peek_start(&mut self) -> Result<&[u8]> {
        self.skip_mark()?;
        loop {
            let text = self.unread_bytes().trim_ascii_start();
            let held = text.len();
            let blanks = self.unread_bytes().len() - held;
            let other = text.first().is_some_and(|byte| !b"{[".contains(byte));
            // A first file of blanks says nothing of the format: the next one does.
            if self.at_end && held == 0 && self.open_next_file()? {
                self.skip_mark()?;
                continue;
            }
            if self.at_end || held >= Lines::PIECE / 2 || other {
                return Ok(&self.buffer[self.start + blanks..self.end]);
            }
            if blanks > Lines::IDLE {
                let location = self.location_of(self.number + 1);
                return Err(too_blank_error(location, Lines::IDLE));
            }
            self.read_more()?;
        }
    }

    /// Shows `judge` the lines from here on with their numbers until it returns something, then goes back to where it
    /// was. A file for which it returns nothing is passed over if another follows. Errors: as [`Lines::read_line`].
    pub fn peek_lines<T>(
        &mut self,
        mut judge: impl FnMut(usize, &[u8]) -> Option<T>,
    ) -> Result<Option<T>> {
        loop {
            let verdict = self.peek_file(&mut judge)?;
            if verdict.is_some() || !self.open_next_file()? {
                return Ok(verdict);
            }
        }
    }

    /// Shows `judge` the lines of this file from here on until it returns something, then goes back to where it was.
    fn peek_file<T>(
        &mut self,
        judge: &mut impl FnMut(usize, &[u8]) -> Option<T>,
    ) -> Result<Option<T>> {
        // From here on the offset of the next line stays good, whatever else is read.
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        self.skip_mark()?;
        let start = self.start;
        self.keep = true;
        let number = self.number;
        let idle = self.idle;
        let verdict = loop {
            let Some(line) = self.read_line()? else {
                break None;
            };
            let verdict = judge(line.number, line.bytes);
            if verdict.is_some() {
                break verdict;
            }
        };
        self.keep = false;
        self.start = start;
        // The same lines are counted again when they are read.
        (self.number, self.idle) = (number, idle);
        Ok(verdict)
    }
}
