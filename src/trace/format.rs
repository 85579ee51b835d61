//! Formats of files of jobs, and how a file's is recognised.

use super::log::{no_jobs, quote};
use super::records::{Columns, Form, placements};
use crate::error::{Error, Result, SourceLocation};
use crate::input::Lines;
use crate::registry::{Entry, Registry};

/// What a file of jobs can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadKind {
    /// A trace in the Standard Workload Format.
    Swf,
    /// A placement log.
    Log,
    /// A table `size,share`.
    Table,
    /// Records of a site or of another tool; they have times, as a trace.
    Records(Form),
}

impl WorkloadKind {
    /// Whether its jobs have times.
    pub fn has_times(self) -> bool {
        matches!(self, WorkloadKind::Swf | WorkloadKind::Records(_))
    }
}

/// A format of files of jobs: an entry of [`TRACE_FORMATS`], whose example is a first line.
pub type TraceFormatEntry = Entry<Recognise>;

/// How the format of a file is recognised.
#[derive(Clone, Copy)]
pub struct Recognise {
    /// What such a file is.
    pub kind: WorkloadKind,
    /// Whether a line that is neither blank nor a `#` comment begins such a file.
    begins: fn(&[u8]) -> bool,
}

/// Every format, in the order in which they are tried.
pub static TRACE_FORMATS: Registry<Recognise> = Registry::new(
    "trace format",
    "",
    &[
        TraceFormatEntry {
            name: "log",
            about: "placement log: P JOB NODES places a job, F JOB frees it; # comments",
            example: "P 1 64",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Log,
                begins: |line| [b"P", b"F"].iter().any(|letter| word(line) == *letter),
            },
        },
        TraceFormatEntry {
            name: "sacct",
            about: "accounting of Slurm as sacct -P prints it: columns by name, between |",
            example: "JobIDRaw|Submit|Start|End|Timelimit|NNodes|State|NodeList",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Records(Form::Sacct),
                begins: |line| {
                    line.contains(&b'|') && memchr::memmem::find(line, b"JobID").is_some()
                },
            },
        },
        TraceFormatEntry {
            name: "placements",
            about: "recorded placements: a CSV row for each job with its times and nodes",
            example: placements::HEADER,
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Records(Form::Placements),
                begins: |line| line == placements::HEADER.as_bytes(),
            },
        },
        TraceFormatEntry {
            name: "csv",
            about: "table of jobs by the names of its columns: PM100, Helios, Lassen, others with --columns; also in Parquet",
            example: "job_id,submit_time,start_time,end_time,node_num,state",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Records(Form::Csv),
                begins: |line| Columns::of_header(line).is_some(),
            },
        },
        TraceFormatEntry {
            name: "batsim",
            about: "Batsim workload: JSON with jobs and profiles; profiles of the type delay run",
            example: "{\"nb_res\":64,\"jobs\":[…],\"profiles\":{…}}",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Records(Form::Batsim),
                begins: |line| line.starts_with(b"{"),
            },
        },
        TraceFormatEntry {
            name: "philly",
            about: "job log of the Philly traces: JSON, a list of jobs with attempts and their servers",
            example: "[{\"jobid\":…,\"submitted_time\":…,\"attempts\":[…]}]",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Records(Form::Philly),
                begins: |line| line.starts_with(b"["),
            },
        },
        TraceFormatEntry {
            name: "sizes",
            about: "table of job sizes: size,share, a line each",
            example: "size,share",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Table,
                begins: |line| !line.starts_with(b";") && line.contains(&b','),
            },
        },
        TraceFormatEntry {
            name: "swf",
            about: "trace in the Standard Workload Format: a header of ; lines, then 18 numbers a job",
            example: "; MaxNodes: 2816",
            options: &[],
            build: Recognise {
                kind: WorkloadKind::Swf,
                begins: |line| matches!(line.first(), Some(b';' | b'-' | b'0'..=b'9')),
            },
        },
    ],
);

/// The first word of a line.
fn word(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// What kind of file `lines` is, by its first line that is not blank or a comment; nothing is consumed.
///
/// # Errors
/// There is no such line, it is of no kind, or cannot be read.
pub fn kind(lines: &mut Lines) -> Result<WorkloadKind> {
    let mut number = lines.number();
    // A JSON document may be one long line.
    let json = match lines.first_byte()? {
        Some(b'{') => Some(Form::Batsim),
        Some(b'[') => Some(Form::Philly),
        _ => None,
    };
    if let Some(form) = json {
        return Ok(WorkloadKind::Records(form));
    }
    let verdict = lines.peek(|line| {
        number += 1;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        let format = TRACE_FORMATS.iter().find(|format| (format.build.begins)(line));
        let unknown = || quote(&String::from_utf8_lossy(line));
        Some(format.map(|format| format.build.kind).ok_or_else(unknown))
    })?;
    let expected = "a placement log (P JOB NODES), an SWF trace (; header, 18 fields), size,share, or records of jobs \
                    (nodeorder list traces)";
    match verdict {
        Some(Ok(kind)) => Ok(kind),
        Some(Err(found)) => {
            Err(Error::input(SourceLocation::line(lines.name(), number), found, expected))
        }
        None => Err(no_jobs(lines.name(), expected)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_recognise_their_examples() {
        for format in &TRACE_FORMATS {
            let found = kind(&mut Lines::new("w", format.example)).unwrap();
            assert_eq!(found, format.build.kind, "{}", format.name);
        }
        let names: std::collections::BTreeSet<&str> = TRACE_FORMATS.names().collect();
        assert_eq!(names.len(), TRACE_FORMATS.entries.len());
    }
}
