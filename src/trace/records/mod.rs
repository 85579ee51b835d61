//! Jobs as sites record them: accounting tables and the workloads of other tools, read as a stream of [`Record`]s.
//!
//! A record has the nodes that a job had and, where the file lists them, which. What a file leaves unknown stays
//! unknown here; who reads records decides what it cannot use and counts it in the [`Tally`].

use super::tally::{Reason, Tally};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Lines;

pub mod columns;
mod csv;
mod jobcomp;
mod jobs;
mod json;
mod pbs;
pub mod placements;
mod rows;
mod sacct;
mod sinfo;
mod squeue;
mod time;

pub use columns::Columns;

pub use csv::{CSV, PLACEMENTS};
pub use jobcomp::JOBCOMP;
pub use json::{BATSIM, PHILLY};
pub use pbs::{COBALT, PBS, TORQUE};
pub use sacct::SACCT;
pub use sinfo::{NodeState, read_node_states};
pub use squeue::SQUEUE;

use rows::JobRows;

/// A format of files of records: a definition in a file of this room, and a line in
/// [`TRACE_FORMATS`](super::TRACE_FORMATS).
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
    joins: bool,
    /// Whether a line that is neither blank nor a `#` comment begins such a file; of JSON, a first piece of the
    /// document.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Opens a file as a reader of its records.
    open: Open,
}

/// Opens a file as a reader of its records; columns are those that a user names.
type Open = fn(Lines, Option<&Columns>) -> Result<Box<dyn Source>>;

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
    fn parse_state(text: &str) -> State {
        // `CANCELLED by 123` and `CANCELLED+` are CANCELLED.
        let word = text.split([' ', '+']).next().unwrap_or_default();
        let is = |known: &[&str]| known.iter().any(|name| name.eq_ignore_ascii_case(word));
        if is(&["COMPLETED", "Pass", "EXITED"]) {
            State::Completed
        } else if is(&["CANCELLED", "Killed"]) {
            State::Cancelled
        } else if word.is_empty() || is(&["RUNNING", "PENDING", "SUSPENDED", "COMPLETING"]) {
            State::Unknown
        } else {
            // Every other word tells an early end: TIMEOUT, NODE_FAIL, OUT_OF_MEMORY and those of later versions.
            State::Failed
        }
    }

    /// Converts the state to a status of the Standard Workload Format.
    fn swf_status(self) -> i32 {
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

    fn clear(&mut self) {
        // Texts keep their memory: millions of records are read into one.
        let keep = |text: &mut String| {
            text.clear();
            std::mem::take(text)
        };
        let Record {
            job,
            hosts,
            partition,
            user,
            ..
        } = self;
        let job = keep(job);
        let hosts = keep(hosts);
        let partition = keep(partition);
        let user = keep(user);
        *self = Record {
            job,
            hosts,
            partition,
            user,
            ..Record::default()
        };
    }

    /// Sets the file and the line that the record's row stands on, and the fingerprint of the row.
    fn stands_on(&mut self, file: u32, line: usize, row: u64) {
        (self.file, self.line, self.row) = (file, line, row);
    }

    /// Sets the run time from the end; true if the job ends before it starts.
    fn ends_at(&mut self, end: Option<i64>) -> bool {
        let run = self.start.zip(end).map(|(start, end)| end - start);
        self.run = run.filter(|run| *run >= 0);
        run.is_some_and(|run| run < 0)
    }
}

/// A reader of one format of records.
trait Source {
    /// Reads the next record into `record`, which is cleared; false when there is none. Lines that are no job are
    /// counted in `tally`.
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool>;
}

/// A file of records being read.
///
/// # Examples
/// ```
/// use nodeorder_base::input::Lines;
/// use nodeorder_trace::records::{Record, Records, SACCT};
///
/// let text = "JobIDRaw|Submit|Start|End|NNodes|NodeList\n\
///             1|2026-11-22T12:20:19|2026-11-22T12:20:22|2026-11-22T12:20:23|3|n[000-002]\n";
/// let mut records = Records::from_lines(Lines::new("jobs.txt", text), &SACCT, None)?;
/// let mut record = Record::default();
/// assert!(records.read_next(&mut record)?);
/// assert_eq!((record.nodes, record.run, record.hosts.as_str()), (3, Some(1), "n[000-002]"));
/// assert!(!records.read_next(&mut record)?);
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub struct Records {
    name: String,
    jobs: JobRows,
    tally: Tally,
}

impl Records {
    /// Opens the records that the rest of `lines` is. `columns` says which columns of a CSV table are which;
    /// without it the header must be that of a known table ([`columns::PRESETS`]).
    ///
    /// # Errors
    /// A header without the columns needed; JSON that is no such workload, with its line.
    ///
    /// # Complexity
    /// Tables are read line by line; of JSON the whole text is held, within the memory of `lines`.
    pub fn from_lines(
        lines: Lines,
        format: &RecordFormat,
        columns: Option<&Columns>,
    ) -> Result<Records> {
        let name = lines.name().to_string();
        let jobs = JobRows::new((format.open)(lines, columns)?, format.joins);
        Ok(Records {
            name,
            jobs,
            tally: Tally::default(),
        })
    }

    /// Sets the names of the files that the lines come from, for messages; changes nothing unless there are
    /// several ([`Lines::open_all`]).
    pub fn of_files(mut self, names: Vec<String>) -> Records {
        if names.len() > 1 {
            self.name = format!("{} and {} more", names[0], names.len() - 1);
            self.tally.files = names;
        }
        self
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lists the names of the files, in the order of the numbers that records have for them.
    pub fn file_names(&self) -> Vec<String> {
        if self.tally.files.is_empty() {
            vec![self.name.clone()]
        } else {
            self.tally.files.clone()
        }
    }

    /// Reads the next record, which may be of several rows ([`rows`]); false when there is none. Rows are read ahead.
    ///
    /// # Errors
    /// A row that is wrong, with file and line.
    pub fn read_next(&mut self, record: &mut Record) -> Result<bool> {
        self.jobs.next(record, &mut self.tally)
    }

    /// Returns the count of lines read so far, and of what was left out of them.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Counts a record that its reader left out or mended.
    pub fn count_record(&mut self, reason: Reason, record: &Record) {
        self.tally.set_row(record.file, record.line);
        self.tally.add_count(reason, 1);
    }
}

/// Builds the error of a value in a row.
fn row_error(location: SourceLocation, what: &str, text: &str, expected: &str) -> Error {
    Error::input(
        location,
        format!("{what} {}", super::log::quote_token(text)),
        expected,
    )
}
