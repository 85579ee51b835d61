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
//! under its [`Reason`]. What no convention of the archive explains is refused with file and line: fewer or
//! more than 18 fields, text that is no number, negative waits other than -1, a job number used twice.
//!
//! # References
//! Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", 1999,
//! <https://doi.org/10.1007/3-540-47954-6_4>; Feitelson, Tsafrir, Krakov, "Experience with using the Parallel
//! Workloads Archive", 2014, <https://doi.org/10.1016/j.jpdc.2014.06.013>;
//! <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.

use std::path::Path;

use super::header::Header;
use super::log::quote;
use super::tally::{Reason, Tally};
use crate::error::{Error, Result, SourceLocation};
use crate::input::{Lines, RawLine};

/// How a trace is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Processors of a node, at least 1: a job's nodes are its processors divided by this, rounded up.
    pub procs_per_node: u32,
    /// The machine's nodes; without it the header's `MaxProcs` processors, else its `MaxNodes` nodes, else no
    /// limit. Jobs that are larger are left out.
    pub nodes: Option<u32>,
    /// The partitions whose jobs are wanted; empty for all.
    pub partitions: Vec<i32>,
}

impl Default for Options {
    fn default() -> Self {
        Options { procs_per_node: 1, nodes: None, partitions: Vec::new() }
    }
}

/// A job of a trace. Times in seconds; `None` where the trace says -1 (or, for requests, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Job number (field 1): no two jobs have the same.
    pub id: i64,
    /// Submit time (2), as the trace has it: seconds since the header's `UnixStartTime`.
    pub submit: i64,
    /// Wait time (3).
    pub wait: Option<i64>,
    /// Run time (4), cut at the requested time; at least 1.
    pub run: i64,
    /// Processors requested (8), else allocated (5); at least 1.
    pub processors: u32,
    /// Nodes that these take, rounded up.
    pub nodes: u32,
    /// Processors allocated (5).
    pub allocated: Option<u32>,
    /// Processors requested (8).
    pub requested: Option<u32>,
    /// Time requested (9), else the run time; at least the run time.
    pub requested_time: i64,
    /// Status (11): 1 completed, 0 failed, 5 cancelled, 2 to 4 a part of a job, -1 unknown.
    pub status: i32,
    /// User number (12), or -1.
    pub user: i32,
    /// Group number (13), or -1.
    pub group: i32,
    /// Executable number (14), or -1.
    pub executable: i32,
    /// Queue number (15), or -1.
    pub queue: i32,
    /// Partition number (16), or -1.
    pub partition: i32,
    /// The job number that must end before this one is submitted (17), or -1.
    pub preceding: i64,
    /// Seconds from that end to the submit (18), or -1.
    pub think_time: i64,
    /// The line it stands on, from 1.
    pub line: usize,
}

impl Job {
    /// When it started on the traced machine: submit + wait, an unknown wait counting as none.
    pub fn start(&self) -> i64 {
        self.submit + self.wait.unwrap_or(0)
    }

    /// When it ended there: start + run.
    pub fn end(&self) -> i64 {
        self.start() + self.run
    }
}

/// A trace: its header, its jobs, and what was left out of it.
#[derive(Clone, Debug)]
pub struct Trace {
    name: String,
    header: Header,
    jobs: Vec<Job>,
    by_submit: Vec<u32>,
    tally: Tally,
}

impl Trace {
    /// Reads a trace; `-` is standard input, a name ending in `.gz` is decompressed.
    ///
    /// # Errors
    /// A file that cannot be read, or a line that is wrong, by file and line.
    pub fn read(path: &Path, options: &Options) -> Result<Self> {
        Trace::over(Lines::open(path)?, options)
    }

    /// A trace held in memory, quoted as `name`.
    ///
    /// # Errors
    /// As [`Trace::read`].
    pub fn new(name: &str, text: impl Into<Vec<u8>>, options: &Options) -> Result<Self> {
        Trace::over(Lines::new(name, text), options)
    }

    /// The trace that the rest of `lines` is.
    ///
    /// # Errors
    /// As [`Trace::read`].
    ///
    /// # Complexity
    /// O(bytes), and O(jobs · log jobs) where the jobs do not come by number or submit time.
    pub fn over(mut lines: Lines, options: &Options) -> Result<Self> {
        if options.procs_per_node == 0 {
            let location = SourceLocation::option("procs-per-node");
            return Err(Error::input(location, "0", "a whole number of at least 1"));
        }
        let name = lines.name().to_string();
        let mut header = Header::default();
        let mut tally = Tally::default();
        let mut reader = Reader {
            options,
            limit: None,
            tally: &mut tally,
            jobs: Vec::new(),
            notes: Vec::new(),
            numbers: Vec::new(),
        };
        let mut in_header = true;
        while let Some(line) = lines.line()? {
            match line.bytes.trim_ascii().first() {
                None => {}
                Some(b';') => header.push(&line),
                Some(_) => {
                    if in_header {
                        reader.limit = limit(&header, &name, options)?;
                        in_header = false;
                    }
                    reader.job(&line)?;
                }
            }
        }
        let Reader { jobs: read, notes, numbers, .. } = reader;
        if numbers.is_empty() {
            let location = SourceLocation::File(name.as_str().into());
            return Err(Error::input(location, "no jobs", "lines of 18 fields, one a job"));
        }
        let parts = parts(&name, numbers)?;
        let mut jobs = Vec::with_capacity(read.len());
        for (job, notes) in read.into_iter().zip(notes) {
            if parts.binary_search(&job.line).is_ok() {
                tally.add(Reason::PartOfJob, 1);
                continue;
            }
            for (bit, reason) in NOTES.into_iter().enumerate() {
                tally.add(reason, usize::from(notes >> bit & 1));
            }
            jobs.push(job);
        }
        let mut by_submit: Vec<u32> = (0..jobs.len() as u32).collect();
        if !jobs.is_sorted_by_key(|job| job.submit) {
            by_submit.sort_by_key(|i| jobs[*i as usize].submit);
            tally.add(
                Reason::Unsorted,
                jobs.windows(2).filter(|w| w[1].submit < w[0].submit).count(),
            );
        }
        Ok(Trace { name, header, jobs, by_submit, tally })
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

    /// First submit and last end of the jobs, in seconds of the trace; none without jobs.
    pub fn span(&self) -> Option<(i64, i64)> {
        let first = self.jobs.iter().map(|job| job.submit).min()?;
        Some((first, self.jobs.iter().map(Job::end).max()?))
    }
}

/// The largest number of processors that a job may have.
fn limit(header: &Header, name: &str, options: &Options) -> Result<Option<u64>> {
    let per_node = u64::from(options.procs_per_node);
    if let Some(nodes) = options.nodes {
        return Ok(Some(u64::from(nodes) * per_node));
    }
    let procs = header.max_procs(name)?;
    let nodes = header.max_nodes(name)?.map(|nodes| nodes.saturating_mul(per_node));
    Ok(procs.or(nodes))
}

struct Reader<'a> {
    options: &'a Options,
    limit: Option<u64>,
    tally: &'a mut Tally,
    jobs: Vec<Job>,
    /// Which of [`NOTES`] apply to each of them, by bits.
    notes: Vec<u8>,
    /// Job number, whether the line is of a part of a job only, line: of all lines.
    numbers: Vec<(i64, bool, usize)>,
}

/// The assumptions that one line can tell.
const NOTES: [Reason; 5] = [
    Reason::RunTimeCut,
    Reason::AllocatedForRequested,
    Reason::RunForRequestedTime,
    Reason::NoWaitTime,
    Reason::FractionRounded,
];

/// Seconds up to which sums of three of them cannot overflow: 30 million years.
const LONGEST: i64 = 1_000_000_000_000_000;

impl Reader<'_> {
    fn job(&mut self, line: &RawLine<'_>) -> Result<()> {
        let text = line.text()?;
        let mut fields = [""; 18];
        let mut count = 0;
        for field in text.split_ascii_whitespace() {
            if let Some(location) = fields.get_mut(count) {
                *location = field;
            }
            count += 1;
        }
        if count != 18 {
            let found = format!("{count} field{}", if count == 1 { "" } else { "s" });
            return Err(Error::input(
                line.location(),
                found,
                "the 18 fields of a job, -1 where unknown",
            ));
        }
        let fields = Fields { line, fields };
        self.tally.lines += 1;
        let mut rounded = false;
        let id = fields.whole(1, "job number", LONGEST)?;
        let submit = fields.seconds(2, "submit time", &mut rounded)?;
        let wait = fields.seconds(3, "wait time", &mut rounded)?;
        let recorded = fields.seconds(4, "run time", &mut rounded)?;
        let allocated = fields.size(5, "processors allocated")?;
        fields.real(6, "processor time used")?;
        fields.real(7, "memory used")?;
        let requested = fields.size(8, "processors requested")?;
        let wanted = fields.seconds(9, "time requested", &mut rounded)?;
        fields.real(10, "memory requested")?;
        let small = |field, name| fields.whole(field, name, i32::MAX.into()).map(|n| n as i32);
        let (status, user, group) = (small(11, "status")?, small(12, "user")?, small(13, "group")?);
        let (executable, queue) = (small(14, "executable")?, small(15, "queue")?);
        let partition = small(16, "partition")?;
        let preceding = fields.whole(17, "preceding job", LONGEST)?;
        let think_time = fields.seconds(18, "think time", &mut rounded)?;
        if wait < -1 {
            return Err(fields.wrong(3, "wait time", "seconds, or -1 for unknown"));
        }
        self.numbers.push((id, (2..=4).contains(&status), line.number));

        let processors = requested.or(allocated);
        let larger = |p: u32| self.limit.is_some_and(|limit| u64::from(p) > limit);
        let drop = if !self.options.partitions.is_empty()
            && !self.options.partitions.contains(&partition)
        {
            Some(Reason::OtherPartition)
        } else if submit < 0 {
            Some(Reason::NoSubmitTime)
        } else if recorded <= 0 {
            Some(Reason::NoRunTime)
        } else if processors.is_none() {
            Some(Reason::NoProcessors)
        } else if processors.is_some_and(larger) {
            Some(Reason::LargerThanMachine)
        } else {
            None
        };
        let (None, Some(processors)) = (drop, processors) else {
            self.tally.add(drop.unwrap_or(Reason::NoProcessors), 1);
            return Ok(());
        };
        let requested_time = if wanted > 0 { wanted } else { recorded };
        // In the order of NOTES.
        let notes =
            [recorded > requested_time, requested.is_none(), wanted <= 0, wait < 0, rounded];
        let bits = notes.iter().enumerate().map(|(bit, note)| u8::from(*note) << bit);
        self.notes.push(bits.sum());
        self.jobs.push(Job {
            id,
            submit,
            wait: (wait >= 0).then_some(wait),
            run: recorded.min(requested_time),
            processors,
            nodes: processors.div_ceil(self.options.procs_per_node),
            allocated,
            requested,
            requested_time,
            status,
            user,
            group,
            executable,
            queue,
            partition,
            preceding,
            think_time,
            line: line.number,
        });
        Ok(())
    }
}

/// The fields of a line, counted from 1 as the format's description does.
struct Fields<'a> {
    line: &'a RawLine<'a>,
    fields: [&'a str; 18],
}

impl Fields<'_> {
    fn wrong(&self, field: usize, name: &str, expected: &str) -> Error {
        let found = format!("{name} (field {field}) {}", quote(self.fields[field - 1]));
        Error::input(self.line.location(), found, expected)
    }

    /// A whole number of at most `high` either side of zero.
    fn whole(&self, field: usize, name: &str, high: i64) -> Result<i64> {
        let number = self.fields[field - 1].parse().ok();
        number
            .filter(|n| (-high..=high).contains(n))
            .ok_or_else(|| self.wrong(field, name, "a whole number"))
    }

    /// Any decimal number: the archive has fractions here, and nothing is computed from them.
    fn real(&self, field: usize, name: &str) -> Result<()> {
        let text = self.fields[field - 1];
        // The faster reader does for most.
        if text.parse::<i64>().is_ok() || text.parse().is_ok_and(f64::is_finite) {
            return Ok(());
        }
        Err(self.wrong(field, name, "a number"))
    }

    /// Seconds; a fraction is rounded to the nearest, half a second up, and noted.
    fn seconds(&self, field: usize, name: &str, rounded: &mut bool) -> Result<i64> {
        let text = self.fields[field - 1];
        if let Some((whole, fraction)) = text.split_once('.') {
            let digits = fraction.bytes().all(|b| b.is_ascii_digit());
            let seconds: Option<i64> = whole.parse().ok();
            if let Some(seconds) = seconds.filter(|s| digits && (0..LONGEST).contains(s)) {
                *rounded |= fraction.bytes().any(|b| b != b'0');
                return Ok(seconds + i64::from(fraction.as_bytes().first() >= Some(&b'5')));
            }
            // A negative one is only ever an unknown, -1.00.
            if seconds == Some(-1) && digits && fraction.bytes().all(|b| b == b'0') {
                return Ok(-1);
            }
            return Err(self.wrong(field, name, "seconds"));
        }
        self.whole(field, name, LONGEST)
    }

    /// A number of processors, none where it is not positive.
    fn size(&self, field: usize, name: &str) -> Result<Option<u32>> {
        let number = self.whole(field, name, u32::MAX.into())?;
        Ok(u32::try_from(number).ok().filter(|n| *n > 0))
    }
}

/// The lines, ascending, that only tell of a part of a job whose whole has a line of its own: status 2 to 4,
/// a job that was stopped and went on later. By the format's own advice only one of the two kinds counts.
/// Refuses job numbers used twice in any other way.
fn parts(name: &str, mut numbers: Vec<(i64, bool, usize)>) -> Result<Vec<usize>> {
    if numbers.is_sorted_by(|a, b| a.0 < b.0) {
        return Ok(Vec::new());
    }
    // A whole sorts before its parts.
    numbers.sort_unstable();
    let mut parts = Vec::new();
    for same in numbers.chunk_by(|a, b| a.0 == b.0) {
        let (first, rest) = (&same[0], &same[1..]);
        if let Some(twice) = rest.iter().find(|(_, part, _)| !part || first.1) {
            let found = format!("job number {} again, first on line {}", twice.0, first.2);
            return Err(Error::input(
                SourceLocation::line(name, twice.2),
                found,
                "each job number once",
            ));
        }
        parts.extend(rest.iter().map(|(_, _, line)| *line));
    }
    parts.sort_unstable();
    Ok(parts)
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
        // The part that would have been cut is left out, and nothing else is said of it.
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
            (format!("{} 1", good.trim()), "found 19 fields; expected the 18"),
            (with(1, "x"), "found job number (field 1) `x`; expected a whole number"),
            (with(2, "1e5"), "found submit time (field 2) `1e5`; expected a whole number"),
            (with(3, "-2"), "found wait time (field 3) `-2`; expected seconds, or -1 for unknown"),
            (with(4, "3.x"), "found run time (field 4) `3.x`; expected seconds"),
            (with(4, "99999999999999999999"), "found run time (field 4) `9999"),
            (with(5, "4.5"), "found processors allocated (field 5) `4.5`"),
            (with(6, "nan"), "found processor time used (field 6) `nan`; expected a number"),
            (with(8, "4294967296"), "found processors requested (field 8) `4294967296`"),
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
