//! A workload being made, and what makes one.

use std::fmt;

use nodeorder_base::{Entry, Params, Result};

/// The format that a generator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A placement log.
    Log,
    /// A trace in the Standard Workload Format.
    Swf,
}

/// A workload being made: an iterator over pieces of its text, each of whole lines.
pub struct GeneratedWorkload {
    /// The format of the text.
    pub format: Format,
    pieces: Box<dyn Iterator<Item = String> + Send>,
}

impl Iterator for GeneratedWorkload {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.pieces.next()
    }
}

impl fmt::Debug for GeneratedWorkload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeneratedWorkload")
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Options of a workload, read and checked.
pub trait GenerateWorkload {
    /// Starts the workload.
    ///
    /// # Errors
    /// A file of sizes that cannot be read; no size that fits on the machine.
    fn generate(&self) -> Result<GeneratedWorkload>;
}

/// A generator of workloads: an entry of [`super::GENERATORS`].
pub type GeneratorEntry = Entry<ParseWorkload>;

pub type ParseWorkload = fn(&Params) -> Result<Box<dyn GenerateWorkload>>;

/// Bytes of a piece, and room for the last line of it.
const PIECE: usize = 1 << 16;
const LINE: usize = 256;

impl GeneratedWorkload {
    /// Writes a header, then what `write` writes, an event a call, until it has none left.
    pub(super) fn write_events(
        format: Format,
        header: String,
        mut write: impl FnMut(&mut String) -> bool + Send + 'static,
    ) -> GeneratedWorkload {
        let pieces = std::iter::from_fn(move || {
            let mut text = String::with_capacity(PIECE);
            while text.len() < PIECE - LINE && write(&mut text) {}
            (!text.is_empty()).then_some(text)
        });
        GeneratedWorkload {
            format,
            pieces: Box::new(std::iter::once(header).chain(pieces)),
        }
    }
}
