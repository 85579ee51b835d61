//! Traces in the Standard Workload Format (SWF) of the Parallel Workloads Archive.
//!
//! # The format
//! Lines that start with `;` are the header, `; Label: value`; every other line is a job of 18 fields, `-1`
//! where unknown: job number, submit time, wait time, run time, processors allocated, processor time used,
//! memory used, processors requested, time requested, memory requested, status, user, group, executable,
//! queue, partition, preceding job, think time. Times are whole seconds.
//!
//! # What is left out, what is mended
//! Every line that does not become a job, or becomes one only by an assumption, is counted in the [`Tally`]
//! under its [`Reason`]. Some public traces have further fields behind the 18: of these, field 21 is read as the node
//! count where it is `partition:mode:NODESxCPUS`. What no convention of the archive explains is refused with file and
//! line: fewer than 18 fields, text that is no number, negative waits other than -1, a job number used twice.
//!
//! # References
//! Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", 1999,
//! <https://doi.org/10.1007/3-540-47954-6_4>; Feitelson, Tsafrir, Krakov, "Experience with using the Parallel
//! Workloads Archive", 2014, <https://doi.org/10.1016/j.jpdc.2014.06.013>;
//! <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.

use std::path::Path;

use super::header::Header;
use super::log::no_jobs_error;
use super::tally::{Reason, Tally};
use nodeorder_base::{Error, Lines, Result};

mod fields;
mod job;
mod processors;
mod reader;

pub use job::{Job, Options};
pub use processors::ProcessorsHint;

use reader::{NOTES, Reader, lines_of_parts, read_limits};

/// A trace: its header, its jobs, and what was left out of it.
#[derive(Clone, Debug)]
pub struct Trace {
    name: String,
    header: Header,
    jobs: Vec<Job>,
    by_submit: Vec<u32>,
    tally: Tally,
    processors_hint: Option<ProcessorsHint>,
}

impl Trace {
    /// Reads a trace; `-` is standard input, a name ending in `.gz` is decompressed.
    ///
    /// # Errors
    /// A file that cannot be read, or a line that is wrong, by file and line.
    pub fn read(path: &Path, options: &Options) -> Result<Self> {
        Trace::from_lines(Lines::open(path, options.memory)?, options)
    }

    /// Reads a trace held in memory, quoted as `name`.
    ///
    /// # Errors
    /// As [`Trace::read`].
    pub fn new(name: &str, text: impl Into<Vec<u8>>, options: &Options) -> Result<Self> {
        Trace::from_lines(Lines::new(name, text).with_memory(options.memory), options)
    }

    /// Reads the rest of `lines` as a trace, within their memory.
    ///
    /// # Errors
    /// As [`Trace::read`]; more jobs than the memory holds.
    ///
    /// # Complexity
    /// O(bytes), and O(jobs · log jobs) where the jobs do not come by number or submit time. Memory: at most
    /// 450 bytes a job while they are read, 150 after that.
    pub fn from_lines(mut lines: Lines, options: &Options) -> Result<Self> {
        if options.procs_per_node == 0 {
            let expected = "a whole number from 1 to 4294967295";
            return Err(Error::option("procs-per-node", "0", expected));
        }
        let name = lines.name().to_string();
        let mut header = Header::default();
        let mut tally = Tally::default();
        let mut reader = Reader::new(options, &mut tally);
        let mut in_header = true;
        while let Some(line) = lines.read_line()? {
            match line.bytes.trim_ascii().first() {
                None => {}
                Some(b';') => {
                    let kept = header.add_line(&line);
                    lines.charge_memory(kept, "header")?;
                }
                Some(_) => {
                    if in_header {
                        // The header ends where jobs begin; its counts limit the sizes of jobs.
                        reader.limits = read_limits(&header, &name, options)?;
                        // Jobs that were made up have never started: nothing is missing.
                        reader.synthetic = header
                            .values_of_label("Computer")
                            .any(|computer| computer == "none, synthetic");
                        in_header = false;
                    }
                    let kept = reader.read_job(&line)?;
                    lines.charge_memory(kept, "jobs")?;
                }
            }
        }
        let Reader {
            jobs: read,
            notes,
            numbers,
            ..
        } = reader;
        if numbers.is_empty() {
            return Err(no_jobs_error(&name, "lines of 18 fields, one a job"));
        }
        // Which lines are parts of a job shows only when the numbers of all lines are known.
        let parts = lines_of_parts(&name, numbers)?;
        let mut jobs = Vec::with_capacity(read.len());
        for (job, notes) in read.into_iter().zip(notes) {
            if parts.binary_search(&job.line).is_ok() {
                tally.set_row(0, job.line);
                tally.add_count(Reason::PartOfJob, 1);
                continue;
            }
            for (bit, reason) in NOTES.into_iter().enumerate() {
                tally.add_count(reason, usize::from(notes >> bit & 1));
            }
            jobs.push(job);
        }
        let processors_hint = ProcessorsHint::new(&name, &header, options, &tally);
        Ok(Trace {
            processors_hint,
            ..Trace::sort_jobs(name, header, jobs, tally)
        })
    }

    /// Makes a trace of jobs with distinct numbers that were read elsewhere. Fails if there was no line at all.
    pub(super) fn from_jobs(
        name: &str,
        header: Header,
        jobs: Vec<Job>,
        tally: Tally,
    ) -> Result<Self> {
        if tally.lines == 0 {
            return Err(no_jobs_error(name, "a row for each job"));
        }
        Ok(Trace::sort_jobs(name.to_string(), header, jobs, tally))
    }

    fn sort_jobs(name: String, header: Header, jobs: Vec<Job>, mut tally: Tally) -> Self {
        let mut by_submit: Vec<u32> = (0..jobs.len() as u32).collect();
        if !jobs.is_sorted_by_key(|job| job.submit) {
            // A stable sort: jobs of one instant stay in the order of the file.
            by_submit.sort_by_key(|i| jobs[*i as usize].submit);
            tally.add_count(
                Reason::Unsorted,
                jobs.windows(2)
                    .filter(|w| w[1].submit < w[0].submit)
                    .count(),
            );
        }
        Trace {
            name,
            header,
            jobs,
            by_submit,
            tally,
            processors_hint: None,
        }
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the jobs that are left, in file order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Returns the jobs by submit time, those of one instant in file order: indices of [`Trace::jobs`].
    pub fn by_submit(&self) -> &[u32] {
        &self.by_submit
    }

    /// Returns how many lines were left out or mended, and why.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns the evidence, if any, that the trace counts processors while nodes have several each.
    pub fn processors_hint(&self) -> Option<&ProcessorsHint> {
        self.processors_hint.as_ref()
    }

    /// Finds the first submit and the last end of the jobs, in seconds of the trace. `None` without jobs.
    pub fn time_span(&self) -> Option<(i64, i64)> {
        let first = self.jobs.iter().map(|job| job.submit).min()?;
        Some((first, self.jobs.iter().map(Job::end_time).max()?))
    }
}
