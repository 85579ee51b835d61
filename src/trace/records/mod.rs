//! Jobs as sites record them: accounting tables and the workloads of other tools, read as a stream of [`Record`]s.
//!
//! A record has the nodes that a job had and, where the file lists them, which. What a file leaves unknown stays
//! unknown here; who reads records decides what it cannot use and counts it in the [`Tally`].

use super::tally::{Reason, Tally};
use nodeorder_base::{Lines, Result};

pub mod columns;
mod csv;
mod jobcomp;
mod jobs;
mod json;
mod pbs;
pub mod placements;
mod pods;
mod record;
mod rows;
mod sacct;
mod sacct_header;
mod sacct_json;
mod sinfo;
mod slurm_json;
mod squeue;
mod time;

pub use columns::Columns;

pub use csv::{CSV, PLACEMENTS};
pub use jobcomp::JOBCOMP;
pub use json::{BATSIM, PHILLY};
pub use pbs::{COBALT, PBS, TORQUE};
pub use pods::PODS;
pub use record::{Record, RecordFormat, State};
pub use sacct::SACCT;
pub use sacct_json::SACCT_JSON;
pub use sinfo::{NodeRow, NodeState, read_node_states};
pub use squeue::SQUEUE;

use rows::JobRows;

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
    /// Opens the rest of `lines` as records. `columns` says which columns of a CSV table are which; without it the
    /// header must be that of a known table ([`columns::PRESETS`]).
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

    /// Returns the time at which the records were taken, in seconds since 1970. `None` where they do not say.
    pub fn taken_at(&self) -> Option<i64> {
        self.jobs.source.taken_at()
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

    /// Returns the count of lines read so far, and of lines left out by reason.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Counts a record that its reader left out or mended.
    pub fn count_record(&mut self, reason: Reason, record: &Record) {
        self.tally.set_row(record.file, record.line);
        self.tally.add_count(reason, 1);
    }
}
