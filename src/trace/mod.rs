//! Workloads: placement logs, traces in the Standard Workload Format, distributions of job sizes, and
//! synthetic ones of each. Nothing here knows a network: sizes are numbers of nodes.

use crate::error::{Error, Result, SourceLocation};
use crate::input::Lines;

pub mod convert;
pub mod header;
pub mod log;
pub mod open;
pub mod sizes;
pub mod survey;
pub mod swf;
pub mod synthetic;
pub mod tally;

pub use log::{Block, Event, JobKey, Log};
pub use sizes::{Sizes, Weight};
pub use swf::{Job, Options, Trace};
pub use synthetic::{Format, GENERATORS, Generator, Workload};
pub use tally::{Reason, Tally};

/// What a file of jobs can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadKind {
    /// A trace in the Standard Workload Format.
    Swf,
    /// A placement log.
    Log,
    /// A table `size,share`.
    Table,
}

/// What kind of file `lines` is, told by its first line that says something; they then are where they were.
/// A file without any is an empty placement log.
///
/// # Errors
/// That line is of no kind, or cannot be read.
pub fn kind(lines: &mut Lines) -> Result<WorkloadKind> {
    let mut number = lines.number();
    let verdict = lines.peek(|line| {
        number += 1;
        let line = line.trim_ascii();
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        match line.first()? {
            b'#' => None,
            b';' => Some(Ok(WorkloadKind::Swf)),
            _ if [b"P", b"F"].iter().any(|letter| word == *letter) => Some(Ok(WorkloadKind::Log)),
            _ if line.contains(&b',') => Some(Ok(WorkloadKind::Table)),
            b'-' | b'0'..=b'9' => Some(Ok(WorkloadKind::Swf)),
            _ => Some(Err(log::quote(&String::from_utf8_lossy(line)))),
        }
    })?;
    verdict.unwrap_or(Ok(WorkloadKind::Log)).map_err(|found| {
        let expected =
            "a placement log (P JOB NODES), an SWF trace (; header, 18 fields) or size,share";
        Error::input(SourceLocation::line(lines.name(), number), found, expected)
    })
}
