//! From lines to jobs: what is kept, left out or refused.

use super::fields::{Fields, LONGEST};
use super::job::{Job, Options};
use crate::header::Header;
use crate::tally::{Reason, Tally};
use nodeorder_base::input::RawLine;
use nodeorder_base::{Error, Result, SourceLocation};

/// The largest numbers of processors and of nodes that a job may have; `None` where there is no limit.
pub type JobLimits = (Option<u64>, Option<u64>);

/// Reads the limits that the options or the header set.
pub fn read_limits(header: &Header, name: &str, options: &Options) -> Result<JobLimits> {
    let per_node = u64::from(options.procs_per_node);
    // The machine of the user counts, whatever the header says: traces are replayed on other machines.
    if let Some(nodes) = options.nodes.map(u64::from) {
        return Ok((Some(nodes * per_node), Some(nodes)));
    }
    let procs = header.max_procs(name)?;
    let nodes = header.max_nodes(name)?;
    Ok((
        procs.or(nodes.map(|nodes| nodes.saturating_mul(per_node))),
        nodes,
    ))
}

/// Parses nodes and CPUs of each, as `partition:mode:NODESxCPUS` says.
fn nodes_and_cpus(text: &str) -> Option<(u32, u32)> {
    let parts: Vec<&str> = text.split(':').collect();
    let [_, _, shape] = parts[..] else {
        return None;
    };
    let (nodes, cpus) = shape.split_once('x')?;
    let number = |text: &str| {
        text.parse()
            .ok()
            // `parse` would take a leading plus.
            .filter(|n: &u32| *n > 0 && !text.starts_with('+'))
    };
    Some((number(nodes)?, number(cpus)?))
}

/// Bytes that the number of a line takes, and a job beside that: lists grow by doubling, and the jobs are copied once.
const LINE_BYTES: usize = 2 * size_of::<(i64, bool, usize)>();
const JOB_BYTES: usize = 3 * size_of::<Job>();

/// Reads jobs line by line.
pub struct Reader<'a> {
    options: &'a Options,
    pub limits: JobLimits,
    /// Whether the jobs were made up, so that none has started.
    pub synthetic: bool,
    tally: &'a mut Tally,
    pub jobs: Vec<Job>,
    /// Which of [`NOTES`] apply to each of them, by bits.
    pub notes: Vec<u8>,
    /// Job number, whether the line is of a part of a job only, line: of all lines.
    pub numbers: Vec<(i64, bool, usize)>,
}

/// The assumptions that one line can show.
pub const NOTES: [Reason; 7] = [
    Reason::RunTimeCut,
    Reason::AllocatedForRequested,
    Reason::RunForRequestedTime,
    Reason::NoWaitTime,
    Reason::FractionRounded,
    Reason::NodesOfField21,
    Reason::OtherProcessors,
];

impl<'a> Reader<'a> {
    pub fn new(options: &'a Options, tally: &'a mut Tally) -> Self {
        Reader {
            options,
            limits: (None, None),
            synthetic: false,
            tally,
            jobs: Vec::new(),
            notes: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Checks whether a job of these nodes and processors is larger than the machine.
    fn is_larger(&self, shape: Option<(u32, u32)>, processors: u32) -> bool {
        let above =
            |count: u32, limit: Option<u64>| limit.is_some_and(|most| u64::from(count) > most);
        match (shape, self.limits.1) {
            // Field 21 says nodes, so these are held to the nodes of the machine; other lines to its processors.
            (Some((nodes, _)), Some(most)) => above(nodes, Some(most)),
            _ => above(processors, self.limits.0),
        }
    }

    /// Reads the job of a line; returns the bytes that it holds until all lines are read.
    pub fn read_job(&mut self, line: &RawLine<'_>) -> Result<usize> {
        let (fields, shape, count) = split_line(line)?;
        self.tally.lines += 1;
        self.tally.set_row(line.file, line.number);
        self.tally.add_count(
            Reason::MoreFields,
            usize::from(count > if shape.is_some() { 21 } else { 18 }),
        );
        let mut rounded = false;
        let id = fields.parse_integer(1, "job number", LONGEST)?;
        let submit = fields.parse_seconds(2, "submit time", &mut rounded)?;
        let wait = fields.parse_seconds(3, "wait time", &mut rounded)?;
        let recorded = fields.parse_seconds(4, "run time", &mut rounded)?;
        let allocated = fields.parse_size(5, "processors allocated")?;
        fields.check_real(6, "processor time used")?;
        fields.check_real(7, "memory used")?;
        let requested = fields.parse_size(8, "processors requested")?;
        let wanted = fields.parse_seconds(9, "time requested", &mut rounded)?;
        fields.check_real(10, "memory requested")?;
        let small = |field, name| {
            fields
                .parse_integer(field, name, i32::MAX.into())
                .map(|n| n as i32)
        };
        let status = small(11, "status")?;
        let user = small(12, "user")?;
        let group = small(13, "group")?;
        let executable = small(14, "executable")?;
        let queue = small(15, "queue")?;
        let partition = small(16, "partition")?;
        let preceding = fields.parse_integer(17, "preceding job", LONGEST)?;
        let think_time = fields.parse_seconds(18, "think time", &mut rounded)?;
        let expected = || format!("seconds, or -1 for unknown, up to {LONGEST}");
        if wait < -1 {
            return Err(fields.field_error(3, "wait time", &expected()));
        }
        // Lines that are left out count, too: one of them may be the whole that a part is of.
        self.numbers
            .push((id, (2..=4).contains(&status), line.number));

        let whole = shape.map(|(nodes, cpus)| nodes.saturating_mul(cpus));
        // A replay decides anew: what was asked for comes before what the traced machine gave.
        let processors = requested.or(allocated).or(whole);
        let per_node = self.options.procs_per_node;
        let partitions = &self.options.partitions;
        let faults = [
            (
                !partitions.is_empty() && !partitions.contains(&partition),
                Reason::OtherPartition,
            ),
            (submit < 0, Reason::NoSubmitTime),
            (recorded <= 0, Reason::NoRunTime),
            (processors.is_none(), Reason::NoProcessors),
            (
                processors.is_some_and(|p: u32| self.is_larger(shape, whole.unwrap_or(p))),
                Reason::LargerThanMachine,
            ),
        ];
        let fault = faults.into_iter().find(|(found, _)| *found);
        let (None, Some(processors)) = (fault, processors) else {
            self.tally
                .add_count(fault.map_or(Reason::NoProcessors, |(_, reason)| reason), 1);
            return Ok(LINE_BYTES);
        };
        let requested_time = if wanted > 0 { wanted } else { recorded };
        // In the order of NOTES.
        let notes = [
            recorded > requested_time,
            requested.is_none() && shape.is_none(),
            wanted <= 0,
            wait < 0 && !self.synthetic,
            rounded,
            shape.is_some(),
            whole.is_some_and(|whole| whole != processors),
        ];
        let bits = notes
            .iter()
            .enumerate()
            .map(|(bit, note)| u8::from(*note) << bit);
        self.notes.push(bits.sum());
        self.jobs.push(Job {
            id,
            submit,
            wait: (wait >= 0).then_some(wait),
            // Schedules plan by the request, and rely on it that no job runs longer.
            run: recorded.min(requested_time),
            processors,
            nodes: shape.map_or(processors.div_ceil(per_node), |(nodes, _)| nodes),
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
            segment: 0,
            line: line.number,
        });
        Ok(LINE_BYTES + JOB_BYTES)
    }
}

/// The fields of a line, nodes and processors of each where field 21 says them, and how many fields there are.
type SplitLine<'l> = (Fields<'l>, Option<(u32, u32)>, usize);

/// Splits a line into its fields.
fn split_line<'l>(line: &'l RawLine<'_>) -> Result<SplitLine<'l>> {
    let mut fields = [""; 18];
    let mut words = line.text()?.split_ascii_whitespace();
    let filled = fields
        .iter_mut()
        .zip(&mut words)
        .map(|(field, word)| *field = word)
        .count();
    // The public traces of Frontier say here what their processors leave open.
    let shape = words.clone().nth(2).and_then(nodes_and_cpus);
    let count = filled + words.count();
    if count < 18 {
        let found = format!("{count} field{}", if count == 1 { "" } else { "s" });
        let expected = "the 18 fields of a job, -1 where unknown";
        return Err(line.error_here(found, expected));
    }
    Ok((Fields { line, fields }, shape, count))
}

/// Lists the lines, ascending, that are a part of a job whose whole has a line of its own: status 2 to 4, a job that
/// was stopped and went on later. By the format's own advice only one of the two kinds counts.
pub fn lines_of_parts(name: &str, mut numbers: Vec<(i64, bool, usize)>) -> Result<Vec<usize>> {
    // Ascending numbers differ: the usual trace needs no sort.
    if numbers.is_sorted_by(|a, b| a.0 < b.0) {
        return Ok(Vec::new());
    }
    // A whole sorts before its parts.
    numbers.sort_unstable();
    let mut parts = Vec::new();
    for same in numbers.chunk_by(|a, b| a.0 == b.0) {
        let first = &same[0];
        let rest = &same[1..];
        // Two wholes are two jobs of one number; so are parts without a whole, as nothing says what they add up
        // to.
        if let Some(twice) = rest.iter().find(|(_, part, _)| !part || first.1) {
            let found = format!("job number {} again, first on line {}", twice.0, first.2);
            let location = SourceLocation::line(name, twice.2);
            return Err(Error::input(location, found, "each job number once"));
        }
        parts.extend(rest.iter().map(|(_, _, line)| *line));
    }
    parts.sort_unstable();
    Ok(parts)
}
