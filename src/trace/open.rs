//! Traces of every format, and what is replayed: a placement log, or a trace turned into one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::records::{RecordFormat, Records};
use super::{Log, Options, Tally, Trace, WorkloadKind, convert, detect_kind};
use nodeorder_base::input::{is_packed, is_parquet};
use nodeorder_base::{Error, Lines, Result, SourceLocation};

/// Opens the trace of a file: SWF, or records in a format that its content tells.
///
/// # Errors
/// As [`read_trace`].
pub fn open_trace(path: &Path, options: &Options) -> Result<Trace> {
    read_trace(Lines::open(path, options.memory)?, options)
}

/// Reads the rest of `lines` as a trace: SWF, or records in a format that their content tells.
///
/// # Errors
/// A file that cannot be read, or a line that is wrong, by file and line; more jobs than the memory holds.
pub fn read_trace(mut lines: Lines, options: &Options) -> Result<Trace> {
    match detect_record_format(&mut lines)? {
        Some(form) => Records::from_lines(lines, form, None)?.read_trace(options),
        None => Trace::from_lines(lines, options),
    }
}

/// Finds the format of job records by their content. `None` for other files, whose faults are reported where their
/// lines are read.
///
/// # Errors
/// A file that cannot be read, or that is of no kind.
pub fn detect_record_format(lines: &mut Lines) -> Result<Option<&'static RecordFormat>> {
    match detect_kind(lines)? {
        WorkloadKind::Records(form) => Ok(Some(form)),
        _ => Ok(None),
    }
}

/// Converts the rest of `lines` to an SWF trace: records in another format are written as one, a processor a node.
/// Returns with it what was left out of the records.
///
/// # Errors
/// As [`read_trace`].
pub fn convert_to_swf(mut lines: Lines, options: &Options) -> Result<(Lines, Tally)> {
    let Some(form) = detect_record_format(&mut lines)? else {
        return Ok((lines, Tally::default()));
    };
    Ok(write_as_swf(
        &Records::from_lines(lines, form, None)?.read_trace(options)?,
        options,
    ))
}

/// Writes a trace in the Standard Workload Format, and returns with it what was left out.
pub fn write_as_swf(trace: &Trace, options: &Options) -> (Lines, Tally) {
    let lines = Lines::new(trace.name(), convert::write_swf(trace)).with_memory(options.memory);
    (lines, trace.tally().clone())
}

/// A log being read.
pub struct OpenedLog {
    /// The log.
    pub log: Log,
    /// The trace that the log was made from; `None` if the file is a log.
    pub trace: Option<Trace>,
    /// Bytes read so far.
    pub read: Arc<AtomicU64>,
    /// Number of bytes of the file; `None` if it is not known.
    pub bytes: Option<u64>,
}

impl OpenedLog {
    /// Opens a placement log as a stream, or reads a trace and makes a log of it.
    ///
    /// # Errors
    /// A file of another kind; whatever is wrong with a trace. What is wrong with a log is found when it is
    /// replayed.
    pub fn open(path: &Path, options: &Options) -> Result<OpenedLog> {
        let bytes = std::fs::metadata(path)
            .ok()
            // Progress is counted in unpacked bytes: of a packed file, a table or a pipe, nobody knows how many.
            .filter(|m: &std::fs::Metadata| m.is_file() && !is_packed(path) && !is_parquet(path))
            .map(|m| m.len());
        OpenedLog::from_lines(Lines::open(path, options.memory)?, bytes, options)
    }

    /// Opens the rest of `lines` as a log; a trace is turned into one. `bytes` is the file's size, for progress.
    ///
    /// # Errors
    /// As [`OpenedLog::open`].
    pub fn from_lines(
        mut lines: Lines,
        bytes: Option<u64>,
        options: &Options,
    ) -> Result<OpenedLog> {
        match detect_kind(&mut lines)? {
            WorkloadKind::Log => {
                let read = lines.start_byte_counter();
                Ok(OpenedLog {
                    log: Log::from_lines(lines),
                    trace: None,
                    read,
                    bytes,
                })
            }
            WorkloadKind::Swf | WorkloadKind::Records(_) => {
                Ok(OpenedLog::from_trace(read_trace(lines, options)?))
            }
            WorkloadKind::Table => {
                let location = SourceLocation::File(lines.name().into());
                let expected = "an SWF trace or a placement log";
                Err(Error::input(location, "a table of sizes", expected))
            }
        }
    }

    /// Makes the log of a trace.
    pub fn from_trace(trace: Trace) -> OpenedLog {
        let text = convert::write_log(&trace, false);
        let bytes = Some(text.len() as u64);
        let mut lines = Lines::new(trace.name(), text);
        let read = lines.start_byte_counter();
        OpenedLog {
            log: Log::from_lines(lines),
            trace: Some(trace),
            read,
            bytes,
        }
    }
}

/// Places an error about `job N` of an SWF trace at the line of `trace` that has the job; leaves any other as it is.
pub fn locate_job_error(error: Error, mut trace: Lines) -> Error {
    let Error::Input {
        location: SourceLocation::Option(option),
        found,
        expected,
    } = &error
    else {
        return error;
    };
    // A schedule knows jobs by their numbers only, so their lines are looked up in the file again.
    let Some(job) = option.strip_prefix("job ") else {
        return error;
    };
    while let Ok(Some(line)) = trace.read_line() {
        if line
            .text()
            .ok()
            .and_then(|text| text.split_ascii_whitespace().next())
            == Some(job)
        {
            return line.error_here(format!("job {job}: {found}"), expected);
        }
    }
    error
}
