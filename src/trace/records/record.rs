//! A job as a site recorded it, and the formats of files of such records.

use super::Columns;
use crate::log::quote_token;
use crate::tally::Tally;
use nodeorder_base::slurm_states::{JobPhase, find_job_phase};
use nodeorder_base::{Error, Lines, Result, SourceLocation};

/// A format of files of records: a definition in a file of this room, and a line in
/// [`TRACE_FORMATS`](crate::TRACE_FORMATS).
pub struct RecordFormat {
    /// Name, which `--from` takes.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// A first line of such a file.
    pub example: &'static str,
    /// Kind of file, as messages name it: `accounting of Slurm`.
    pub noun: &'static str,
    /// Whether records of this format may list their nodes.
    pub lists_nodes: bool,
    /// Whether further rows of a job are of its further nodes, as in tables of workers; else the last row is the job.
    pub(super) joins: bool,
    /// Whether a line that is neither blank nor a `#` comment begins such a file; of JSON, a first piece of the
    /// document.
    pub(crate) begins: fn(&[u8]) -> bool,
    /// Opens a file as a reader of its records.
    pub(super) open: Open,
}

/// Opens a file as a reader of its records; columns are those that a user names.
pub type Open = fn(Lines, Option<&Columns>) -> Result<Box<dyn Source>>;

impl PartialEq for RecordFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RecordFormat {}

impl std::fmt::Debug for RecordFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// How a job ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The records do not say how the job ended.
    #[default]
    Unknown,
    /// The job ended as it should.
    Completed,
    /// The job failed: by its own fault, its limit's or a node's.
    Failed,
    /// The job was cancelled, by its user or an administrator.
    Cancelled,
}

impl State {
    /// Reads the state that a word says: those of Slurm, with their reasons, and those of the public traces.
    pub(super) fn parse_state(text: &str) -> State {
        // `CANCELLED by 123` and `CANCELLED+` are CANCELLED.
        let word = text.split([' ', '+']).next().unwrap_or_default();
        let is = |known: &[&str]| known.iter().any(|name| name.eq_ignore_ascii_case(word));
        match find_job_phase([word]) {
            _ if is(&["Pass", "EXITED"]) => State::Completed,
            _ if is(&["Killed"]) => State::Cancelled,
            _ if is(&["", "PENDING", "PD"]) => State::Unknown,
            Some(JobPhase::Completed) => State::Completed,
            Some(JobPhase::Cancelled) => State::Cancelled,
            Some(JobPhase::Holds) => State::Unknown,
            // Every other word tells an early end: TIMEOUT, NODE_FAIL, REQUEUED and those of later versions.
            _ => State::Failed,
        }
    }

    /// Converts the phase of a job in a queue to the state in which it ended.
    pub(super) fn of_phase(phase: JobPhase) -> State {
        match phase {
            JobPhase::Completed => State::Completed,
            JobPhase::Cancelled | JobPhase::Elsewhere => State::Cancelled,
            JobPhase::Failed => State::Failed,
            JobPhase::Flag | JobPhase::Waits | JobPhase::Holds => State::Unknown,
        }
    }

    /// Converts the state to a status of the Standard Workload Format.
    pub(super) fn swf_status(self) -> i32 {
        match self {
            State::Unknown => -1,
            State::Completed => 1,
            State::Failed => 0,
            State::Cancelled => 5,
        }
    }
}

/// A job as a site recorded it. Times in seconds, those of a calendar since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Name of the job.
    pub job: String,
    /// Submit time; `None` if it is not known.
    pub submit: Option<i64>,
    /// Start time; `None` if the job did not start, or the file does not say.
    pub start: Option<i64>,
    /// Seconds that the job ran, 0 or more; `None` if it still runs or never did.
    pub run: Option<i64>,
    /// Seconds that the job asked for; `None` for any time.
    pub limit: Option<i64>,
    /// Number of nodes; 0 where unknown.
    pub nodes: u32,
    /// Nodes of the job as a host list; empty where they are not listed.
    pub hosts: String,
    /// Partition or queue; empty where unknown.
    pub partition: String,
    /// User; empty where unknown.
    pub user: String,
    /// State in which the job ended.
    pub state: State,
    /// Nodes that were to lie in one block each (Slurm's `--segment`); 0 where none were.
    pub segment: u32,
    /// Line that the record stands on, from 1.
    pub line: usize,
    /// Number of the record's file, from 0.
    pub file: u32,
    /// Fingerprint of the record's row; 0 where the record is a whole job.
    pub row: u64,
}

impl Record {
    /// Computes when the job ended, in seconds since 1970; `None` if its start or run time is not known.
    pub fn end_time(&self) -> Option<i64> {
        Some(self.start? + self.run?)
    }

    pub(super) fn clear(&mut self) {
        let mut texts = [
            &mut self.job,
            &mut self.hosts,
            &mut self.partition,
            &mut self.user,
        ]
        .map(std::mem::take);
        // Texts keep their memory: millions of records are read into one.
        texts.iter_mut().for_each(String::clear);
        let [job, hosts, partition, user] = texts;
        *self = Record {
            job,
            hosts,
            partition,
            user,
            ..Record::default()
        };
    }

    /// Sets the file and the line that the record's row stands on, and the fingerprint of the row.
    pub(super) fn stands_on(&mut self, file: u32, line: usize, row: u64) {
        (self.file, self.line, self.row) = (file, line, row);
    }

    /// Sets the run time from the end; true if the job ends before it starts.
    pub(super) fn ends_at(&mut self, end: Option<i64>) -> bool {
        let run = self.start.zip(end).map(|(start, end)| end - start);
        self.run = run.filter(|run| *run >= 0);
        run.is_some_and(|run| run < 0)
    }
}

/// A reader of one format of records.
pub trait Source {
    /// Reads the next record into `record`, which is cleared; false when there is none. Lines that are no job are
    /// counted in `tally`.
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool>;

    /// Returns the time at which the records were taken, in seconds since 1970. `None` where they do not say.
    fn taken_at(&self) -> Option<i64> {
        None
    }
}

/// Builds the error of a value in a row.
pub fn row_error(location: SourceLocation, what: &str, text: &str, expected: &str) -> Error {
    Error::input(location, format!("{what} {}", quote_token(text)), expected)
}
