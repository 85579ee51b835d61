//! The rows of several replays that run side by side, in one table: all rows of the first, then of the second.

use std::io::{self, Seek, Write};
use std::path::Path;

use anyhow::Context as _;
use rayon::prelude::*;
use tempfile::SpooledTempFile;

use super::output::{self, Output};
use nodeorder_present::report::replay::BlockRows;

/// Rows of one replay kept in memory before they go to a temporary file, in bytes.
const SPOOL: usize = 1 << 20;

/// The table being written. Rows of the first replay go out at once, those of the others wait for their turn.
pub struct RowFile<'p> {
    path: Option<&'p Path>,
    out: Output,
    /// The header, until it is written with the first rows; without rows [`RowFile::finish`] writes it.
    header: Vec<u8>,
    /// Rows of the second replay, the third and so on.
    waiting: Vec<SpooledTempFile>,
}

impl<'p> RowFile<'p> {
    /// Opens the table, with what writes its header.
    pub fn open_table(
        path: Option<&'p Path>,
        write_header: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> anyhow::Result<Self> {
        let out = Output::open(path)?;
        let mut header = Vec::new();
        write_header(&mut header)?;
        Ok(RowFile {
            path,
            out,
            header,
            waiting: Vec::new(),
        })
    }

    /// Writes rows of the first replay.
    fn write_first(&mut self, rows: &[u8]) -> anyhow::Result<()> {
        // Only the first call finds a header. It waits for rows, since a command that fails before them should print
        // nothing.
        let header = std::mem::take(&mut self.header);
        let written = self
            .out
            .write_all(&header)
            .and_then(|()| self.out.write_all(rows));
        written.with_context(|| output::describe_output(self.path))
    }

    /// Adds rows of replay `i`.
    pub fn add_rows(&mut self, i: usize, rows: &[u8]) -> anyhow::Result<()> {
        let Some(later) = i.checked_sub(1) else {
            return self.write_first(rows);
        };
        let known = self.waiting.len().max(i);
        self.waiting
            .resize_with(known, || SpooledTempFile::new(SPOOL));
        self.waiting[later]
            .write_all(rows)
            .context("a temporary file: writing")
    }

    /// Adds the rows of a block.
    pub fn append_block(&mut self, block: &BlockRows<'_>) -> anyhow::Result<()> {
        let texts: Vec<_> = block.texts().collect();
        let Some((first, later)) = texts.split_first() else {
            return Ok(());
        };
        self.write_first(first)?;
        self.waiting
            .resize_with(later.len(), || SpooledTempFile::new(SPOOL));
        // Rows of different replays go to files of their own, so no thread waits for another.
        let lanes = self.waiting.par_iter_mut().zip(later);
        lanes
            .try_for_each(|(rows, later)| rows.write_all(later))
            .context("a temporary file: writing")
    }

    /// Completes the table: appends the rows that waited, replay by replay.
    pub fn finish(mut self) -> anyhow::Result<()> {
        // A table without rows has its header all the same.
        self.write_first(&[])?;
        for rows in &mut self.waiting {
            rows.rewind()?;
            std::io::copy(rows, &mut self.out)
                .with_context(|| output::describe_output(self.path))?;
        }
        self.out.finish()
    }
}
