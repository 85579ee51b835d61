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
//! under its [`Reason`]. Some public traces have further fields behind the 18: of these, field 21 is read as the node count
//! where it is `partition:mode:NODESxCPUS`. What no convention of
//! the archive explains is refused with file and line: fewer than 18 fields, text that is no number, negative waits
//! other than -1, a job number used twice.
//!
//! # References
//! Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", 1999,
//! <https://doi.org/10.1007/3-540-47954-6_4>; Feitelson, Tsafrir, Krakov, "Experience with using the Parallel
//! Workloads Archive", 2014, <https://doi.org/10.1016/j.jpdc.2014.06.013>;
//! <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.

use std::path::Path;

use super::header::Header;
use super::log::no_jobs;
use super::tally::{Reason, Tally};
use crate::error::{Error, Result};
use crate::input::Lines;

mod fields;
mod job;
mod processors;
mod reader;

pub use job::{Job, Options};
pub use processors::ProcessorsHint;

use reader::{NOTES, Reader, limits, parts};

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
        Trace::over(Lines::open(path, options.memory)?, options)
    }

    /// A trace held in memory, quoted as `name`.
    ///
    /// # Errors
    /// As [`Trace::read`].
    pub fn new(name: &str, text: impl Into<Vec<u8>>, options: &Options) -> Result<Self> {
        Trace::over(Lines::new(name, text).within(options.memory), options)
    }

    /// The trace that the rest of `lines` is, within their memory.
    ///
    /// # Errors
    /// As [`Trace::read`]; more jobs than the memory holds.
    ///
    /// # Complexity
    /// O(bytes), and O(jobs · log jobs) where the jobs do not come by number or submit time. Memory: at most
    /// 450 bytes a job while they are read, 150 after that.
    pub fn over(mut lines: Lines, options: &Options) -> Result<Self> {
        if options.procs_per_node == 0 {
            let expected = "a whole number from 1 to 4294967295";
            return Err(Error::option("procs-per-node", "0", expected));
        }
        let name = lines.name().to_string();
        let mut header = Header::default();
        let mut tally = Tally::default();
        let mut reader = Reader::new(options, &mut tally);
        let mut in_header = true;
        while let Some(line) = lines.line()? {
            match line.bytes.trim_ascii().first() {
                None => {}
                Some(b';') => {
                    let kept = header.push(&line);
                    lines.keep(kept, "header")?;
                }
                Some(_) => {
                    if in_header {
                        // The header ends where jobs begin; its counts limit the sizes of jobs.
                        reader.limits = limits(&header, &name, options)?;
                        in_header = false;
                    }
                    let kept = reader.job(&line)?;
                    lines.keep(kept, "jobs")?;
                }
            }
        }
        let Reader { jobs: read, notes, numbers, .. } = reader;
        if numbers.is_empty() {
            return Err(no_jobs(&name, "lines of 18 fields, one a job"));
        }
        // Which lines are parts of a job shows only when the numbers of all lines are known.
        let parts = parts(&name, numbers)?;
        let mut jobs = Vec::with_capacity(read.len());
        for (job, notes) in read.into_iter().zip(notes) {
            if parts.binary_search(&job.line).is_ok() {
                tally.at(0, job.line);
                tally.add(Reason::PartOfJob, 1);
                continue;
            }
            for (bit, reason) in NOTES.into_iter().enumerate() {
                tally.add(reason, usize::from(notes >> bit & 1));
            }
            jobs.push(job);
        }
        let processors_hint = ProcessorsHint::new(&name, &header, options, &tally);
        Ok(Trace { processors_hint, ..Trace::sorted(name, header, jobs, tally) })
    }

    /// A trace of jobs with distinct numbers that were read elsewhere.
    ///
    /// # Errors
    /// No line at all.
    pub(super) fn of_jobs(
        name: &str,
        header: Header,
        jobs: Vec<Job>,
        tally: Tally,
    ) -> Result<Self> {
        if tally.lines == 0 {
            return Err(no_jobs(name, "a row for each job"));
        }
        Ok(Trace::sorted(name.to_string(), header, jobs, tally))
    }

    fn sorted(name: String, header: Header, jobs: Vec<Job>, mut tally: Tally) -> Self {
        let mut by_submit: Vec<u32> = (0..jobs.len() as u32).collect();
        if !jobs.is_sorted_by_key(|job| job.submit) {
            by_submit.sort_by_key(|i| jobs[*i as usize].submit);
            tally.add(
                Reason::Unsorted,
                jobs.windows(2).filter(|w| w[1].submit < w[0].submit).count(),
            );
        }
        Trace { name, header, jobs, by_submit, tally, processors_hint: None }
    }

    /// The name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The jobs that are left, in file order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The jobs by submit time, those of one instant in file order: indices of [`Trace::jobs`].
    pub fn by_submit(&self) -> &[u32] {
        &self.by_submit
    }

    /// How many lines were left out or mended, and why.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Evidence that each of its processors was taken for a node, though a node has several.
    pub fn processors_hint(&self) -> Option<&ProcessorsHint> {
        self.processors_hint.as_ref()
    }

    /// First submit and last end of the jobs, in seconds of the trace; none without jobs.
    pub fn span(&self) -> Option<(i64, i64)> {
        let first = self.jobs.iter().map(|job| job.submit).min()?;
        Some((first, self.jobs.iter().map(Job::end).max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Trace> {
        Trace::new("t", text, &Options::default())
    }

    fn line(id: i64, rest: &str) -> String {
        // submit wait run allocated | requested time status
        let f: Vec<&str> = rest.split(' ').collect();
        let [submit, wait, run, allocated, requested, time, status] = f[..] else {
            panic!("{rest}")
        };
        format!(
            "{id} {submit} {wait} {run} {allocated} -1 -1 {requested} {time} -1 {status} 1 2 3 4 5 -1 -1\n"
        )
    }

    fn counts(trace: &Trace) -> Vec<(&'static str, u64)> {
        trace.tally().iter().map(|(reason, count)| (reason.name(), count)).collect()
    }

    #[test]
    fn the_fields_of_a_line_are_where_they_belong() {
        let text =
            "; MaxProcs: 64\n 7 100 20 300 16 299.51 1024 17 600 2048.5 1 11 12 13 14 15 6 99\n";
        let options = Options { procs_per_node: 4, ..Options::default() };
        let trace = Trace::new("t", text, &options).unwrap();
        let job = Job {
            id: 7,
            submit: 100,
            wait: Some(20),
            run: 300,
            processors: 17,
            nodes: 5,
            allocated: Some(16),
            requested: Some(17),
            requested_time: 600,
            status: 1,
            user: 11,
            group: 12,
            executable: 13,
            queue: 14,
            partition: 15,
            preceding: 6,
            think_time: 99,
            line: 2,
        };
        assert_eq!(trace.jobs(), [job]);
        assert_eq!((job.start(), job.end(), trace.span()), (120, 420, Some((100, 420))));
        assert_eq!(trace.header().max_procs("t").unwrap(), Some(64));
        assert_eq!(trace.tally().lines, 1);
        assert_eq!(counts(&trace), []);
    }

    #[test]
    fn every_line_is_a_job_or_counted() {
        let text = [
            "; MaxProcs: 8\n".to_string(),
            line(1, "5 0 10 4 4 20 1"),
            line(2, "4 0 0 4 4 20 1"),
            line(3, "-1 0 9 4 4 20 1"),
            line(4, "6 0 9 -1 0 20 1"),
            line(5, "7 0 9 8 9 20 1"),
            line(6, "3 -1 99 9 8 20 1"),
            "\n; a comment\n".to_string(),
            line(7, "8 2.50 99.4 8 -1 -1 1"),
            line(8, "8 0 -1 -1 -1 -1 5"),
        ];
        let trace = read(&text.concat()).unwrap();
        let ids: Vec<i64> = trace.jobs().iter().map(|job| job.id).collect();
        assert_eq!(ids, [1, 6, 7]);
        assert_eq!(trace.by_submit(), [1, 0, 2]);
        assert_eq!(trace.tally().lines, 8);
        assert_eq!(trace.tally().dropped(), 5);
        let wanted = [
            ("no-submit-time", 1),
            ("no-run-time", 2),
            ("no-processors", 1),
            ("larger-than-machine", 1),
            ("run-time-cut", 1),
            ("allocated-for-requested", 1),
            ("run-for-requested-time", 1),
            ("no-wait-time", 1),
            ("fraction-rounded", 1),
            ("unsorted", 1),
        ];
        assert_eq!(counts(&trace), wanted);
        assert_eq!((trace.jobs()[1].run, trace.jobs()[1].wait), (20, None));
        assert_eq!((trace.jobs()[2].wait, trace.jobs()[2].run), (Some(3), 99));
        assert_eq!((trace.jobs()[2].requested_time, trace.jobs()[2].processors), (99, 8));
    }

    #[test]
    fn the_machine_and_its_partitions_limit_what_is_kept() {
        let text =
            format!("; MaxNodes: 4\n{}{}", line(1, "0 0 9 4 4 9 1"), line(2, "0 0 9 5 5 9 1"));
        let kept =
            |options: Options| Trace::new("t", text.as_str(), &options).unwrap().jobs().len();
        let options = Options::default;
        assert_eq!(kept(options()), 1);
        assert_eq!(kept(Options { procs_per_node: 2, ..options() }), 2);
        assert_eq!(kept(Options { nodes: Some(3), ..options() }), 0);
        assert_eq!(kept(Options { nodes: Some(3), procs_per_node: 2, ..options() }), 2);
        assert_eq!(kept(Options { partitions: vec![1, 5], nodes: Some(9), ..options() }), 2);
        assert_eq!(kept(Options { partitions: vec![1], nodes: Some(9), ..options() }), 0);
        let none = Options { procs_per_node: 0, ..options() };
        assert!(Trace::new("t", "", &none).is_err());
    }

    #[test]
    fn parts_of_a_job_count_once() {
        let text = [
            line(1, "0 0 30 4 4 40 1"),
            line(1, "0 0 10 4 4 5 2"),
            line(1, "20 0 20 4 4 40 3"),
            line(2, "9 0 10 4 4 40 2"),
        ];
        let trace = read(&text.concat()).unwrap();
        let seen: Vec<(i64, i64)> = trace.jobs().iter().map(|job| (job.id, job.run)).collect();
        assert_eq!(seen, [(1, 30), (2, 10)]);
        // The part that would have been cut is left out, and nothing else is counted for it.
        assert_eq!(counts(&trace), [("part-of-job", 2), ("unsorted", 0)][..1]);
        for status in [[1, 1], [0, 5], [2, 3], [-1, 1]] {
            let lines = status.map(|s| line(3, &format!("0 0 30 4 4 40 {s}")));
            let error = read(&lines.concat()).unwrap_err().to_string();
            assert_eq!(
                error,
                "t:2: found job number 3 again, first on line 1; expected each job number once"
            );
        }
    }

    #[test]
    fn bad_lines_are_refused_by_name() {
        let good = line(1, "0 0 30 4 4 40 1");
        let with = |field: usize, text: &str| {
            let mut fields: Vec<&str> = good.split_ascii_whitespace().collect();
            fields[field - 1] = text;
            fields.join(" ")
        };
        let cases = [
            ("1 2 3".into(), "found 3 fields; expected the 18 fields of a job, -1 where unknown"),
            (with(1, "x"), "found job number (field 1) `x`; expected a whole number"),
            (with(2, "1e5"), "found submit time (field 2) `1e5`; expected a whole number"),
            (
                with(3, "-2"),
                "found wait time (field 3) `-2`; expected seconds, or -1 for unknown, up to 1000000000000000",
            ),
            (
                with(8, "4294967296"),
                "found processors requested (field 8) `4294967296`; expected a whole number from -4294967295 to \
                 4294967295",
            ),
            (
                with(2, "1000000000000000.5"),
                "found submit time (field 2) `1000000000000000.5`; expected seconds from 0 to 1000000000000000, or -1",
            ),
            (with(4, "3.x"), "found run time (field 4) `3.x`; expected seconds"),
            (with(4, "99999999999999999999"), "found run time (field 4) `9999"),
            (with(5, "4.5"), "found processors allocated (field 5) `4.5`"),
            (with(6, "nan"), "found processor time used (field 6) `nan`; expected a number"),
            (with(11, "ok"), "found status (field 11) `ok`"),
            (with(18, "-"), "found think time (field 18) `-`"),
        ];
        for (line, message) in cases {
            let error =
                read(&format!("; head\n{}\n{line}\n", with(1, "2"))).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t:3: {message}")), "{error}");
        }
        let error = read(&format!("; MaxProcs: some\n{good}")).unwrap_err().to_string();
        assert!(error.starts_with("t:1: found MaxProcs: some; expected a whole number"), "{error}");
        // Unknown as a decimal, whole decimals, no newline at the end, carriage returns, tabs.
        let text =
            with(3, "-1.00").replace(' ', "\t") + "\r\n" + &with(1, "2").replace(" 30 ", " 30.0 ");
        assert_eq!(counts(&read(&text).unwrap()), [("no-wait-time", 1)]);
        for nothing in ["", "; only a header\n", "\r\r\r"] {
            let error = read(nothing).unwrap_err().to_string();
            assert!(error.starts_with("t: found no jobs; expected"), "{error}");
        }
    }
}
