//! What is replayed: a placement log, or an SWF trace turned into one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::{Log, Options, Trace, WorkloadKind, convert, kind};
use crate::error::{Error, Result, SourceLocation};
use crate::input::{Lines, is_packed};

/// A log being read.
pub struct OpenedLog {
    /// The log.
    pub log: Log,
    /// The trace that it was made from, if any.
    pub trace: Option<Trace>,
    /// Bytes read so far.
    pub read: Arc<AtomicU64>,
    /// All bytes, where that is known.
    pub bytes: Option<u64>,
}

impl OpenedLog {
    /// Opens a placement log as a stream, or reads an SWF trace and makes a log of it.
    ///
    /// # Errors
    /// A file of another kind; whatever is wrong with a trace. What is wrong with a log is found when it is
    /// replayed.
    pub fn open(path: &Path, options: &Options) -> Result<OpenedLog> {
        let mut lines = Lines::open(path, options.memory)?;
        match kind(&mut lines)? {
            WorkloadKind::Log => {
                let plain_file = |m: &std::fs::Metadata| m.is_file() && !is_packed(path);
                let bytes = std::fs::metadata(path).ok().filter(plain_file).map(|m| m.len());
                let read = lines.count();
                Ok(OpenedLog { log: Log::over(lines), trace: None, read, bytes })
            }
            WorkloadKind::Swf => {
                let trace = Trace::over(lines, options)?;
                let text = convert::to_log(&trace);
                let bytes = Some(text.len() as u64);
                let mut lines = Lines::new(trace.name(), text);
                let read = lines.count();
                Ok(OpenedLog { log: Log::over(lines), trace: Some(trace), read, bytes })
            }
            WorkloadKind::Table => {
                let location = SourceLocation::File(lines.name().into());
                let expected = "an SWF trace or a placement log";
                Err(Error::input(location, "a table of sizes", expected))
            }
        }
    }
}
