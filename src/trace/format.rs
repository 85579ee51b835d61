//! Formats of files of jobs, and how the format of a file is recognised.

use super::log::{no_jobs_error, quote_token};
use super::records::{self, RecordFormat};
use nodeorder_base::{Entry, Error, Lines, Registry, Result, SourceLocation};

/// The kinds of files of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadKind {
    /// A trace in the Standard Workload Format.
    Swf,
    /// A placement log.
    Log,
    /// A table `size,share`.
    Table,
    /// Records of a site or of another tool; they have times, as a trace.
    Records(&'static RecordFormat),
}

/// A format of files of jobs: an entry of [`TRACE_FORMATS`], whose example is a first line.
pub type TraceFormatEntry = Entry<DetectFormat>;

/// How the format of a file is recognised.
#[derive(Clone, Copy)]
pub struct DetectFormat {
    /// The kind of file.
    pub kind: WorkloadKind,
    /// Whether a line that is neither blank nor a `#` comment begins such a file.
    begins: fn(&[u8]) -> bool,
}

const fn file_format_entry(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    kind: WorkloadKind,
    begins: fn(&[u8]) -> bool,
) -> TraceFormatEntry {
    Entry {
        name,
        about,
        example,
        options: &[],
        parse: DetectFormat { kind, begins },
    }
}

/// Makes the entry of a format of job records.
const fn records_entry(format: &'static RecordFormat) -> TraceFormatEntry {
    file_format_entry(
        format.name,
        format.about,
        format.example,
        WorkloadKind::Records(format),
        format.begins,
    )
}

/// Every format, in the order in which they are tried: later formats would also accept files of the earlier ones.
pub static TRACE_FORMATS: Registry<DetectFormat> = Registry::new(
    "trace format",
    "",
    &[
        file_format_entry(
            "log",
            "placement log: P JOB NODES places a job, F JOB frees it; D NODE fails, U NODE returns; # comments",
            "P 1 64",
            WorkloadKind::Log,
            |line| matches!(first_word(line), b"P" | b"F" | b"D" | b"U"),
        ),
        records_entry(&records::JOBCOMP),
        records_entry(&records::SACCT),
        records_entry(&records::TORQUE),
        records_entry(&records::COBALT),
        // Behind Torque and Cobalt, whose lines are of this form, too.
        records_entry(&records::PBS),
        records_entry(&records::PLACEMENTS),
        records_entry(&records::CSV),
        // Before the queue, which has Slurm's version, too.
        records_entry(&records::SACCT_JSON),
        records_entry(&records::SQUEUE),
        records_entry(&records::PODS),
        // Behind the queue of Slurm: any JSON object is taken here.
        records_entry(&records::BATSIM),
        records_entry(&records::PHILLY),
        file_format_entry(
            "sizes",
            "table of job sizes: size,share, a line each",
            "size,share",
            WorkloadKind::Table,
            // Tables of jobs have more commas. With two or three the reader of sizes says which line is wrong.
            |line| !line.starts_with(b";") && (1..4).contains(&count_byte(line, b',')),
        ),
        file_format_entry(
            "swf",
            "trace in the Standard Workload Format: a header of ; lines, then 18 numbers a job",
            "; MaxNodes: 2816",
            WorkloadKind::Swf,
            |line| {
                // A row of a table without its header begins with a digit, too; its separators tell it apart.
                matches!(line.first(), Some(b';' | b'-' | b'0'..=b'9'))
                    && recognise_unread(line).is_none()
            },
        ),
    ],
);

/// Cuts out the first word of a line.
fn first_word(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default()
}

fn count_byte(line: &[u8], byte: u8) -> usize {
    line.iter().filter(|b| **b == byte).count()
}

/// Recognises files of jobs that are not read as they are: returns what the line belongs to, and what is expected
/// instead.
fn recognise_unread(line: &[u8]) -> Option<(&'static str, &'static str)> {
    let columns = "a header of a known set, or --columns submit=NAME,start=NAME,… (nodeorder trace convert --help)";
    let [first, second] = {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        [
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        ]
    };
    // A header such as `JobID JobName Partition`, or the line of dashes below it.
    if first.to_ascii_lowercase().starts_with(b"jobid")
        && !second.is_empty()
        && !line.contains(&b'|')
        || first.len() > 1
            && second.len() > 1
            && [first, second].concat().iter().all(|b| *b == b'-')
    {
        return Some((
            "columns of fixed width, as squeue and sacct print them for people, cut off where a text is longer",
            "the output of squeue --json (Slurm 21.08 and later), sacct --json or sacct -P",
        ));
    }
    // No comma, bar or semicolon stands in the fields of an SWF trace.
    let [bars, semicolons, commas] = [b'|', b';', b','].map(|byte| count_byte(line, byte));
    match line.first()? {
        b'0'..=b'9' if bars > 3 || semicolons > 3 || commas > 3 => Some((
            "rows of a table without its header, such as those of sacct --noheader",
            "the header line before them: the output of sacct -P as it is",
        )),
        b';' => None,
        _ if commas > 3 => Some(("a table of jobs whose header is not known", columns)),
        _ if bars > 3 || semicolons > 3 => {
            Some(("a table of jobs without the columns of sacct", columns))
        }
        _ => None,
    }
}

/// Finds the kind of file that `lines` is, by its first line that is not blank or a comment; nothing is consumed.
///
/// # Errors
/// There is no such line, it is of no kind, or cannot be read.
pub fn detect_kind(lines: &mut Lines) -> Result<WorkloadKind> {
    // A JSON document may be one long line: a first piece of it tells.
    let head = lines.peek_start()?;
    if let Some(byte @ (b'{' | b'[')) = head.first() {
        let format = TRACE_FORMATS.iter().find(|format| {
            format.example.as_bytes().first() == Some(byte) && (format.parse.begins)(head)
        });
        if let Some(format) = format {
            return Ok(format.parse.kind);
        }
    }
    let expected = "a placement log (P JOB NODES), an SWF trace (; header, 18 fields), size,share, or records of jobs";
    let mut number = 0;
    let verdict = lines.peek_lines(|at, line| {
        number = at;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        let format = TRACE_FORMATS
            .iter()
            .find(|format| (format.parse.begins)(line));
        Some(format.map(|format| format.parse.kind).ok_or_else(|| {
            let text = quote_token(&String::from_utf8_lossy(line));
            match recognise_unread(line) {
                Some((found, expected)) => (format!("{found}: {text}"), expected),
                None => (text, expected),
            }
        }))
    })?;
    match verdict {
        Some(Ok(kind)) => Ok(kind),
        Some(Err((found, expected))) => Err(Error::input(
            SourceLocation::line(lines.name(), number),
            found,
            expected,
        )),
        None => Err(no_jobs_error(lines.name(), expected)),
    }
}
