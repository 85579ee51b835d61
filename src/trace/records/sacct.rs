//! Slurm's accounting as `sacct -P` prints it.
//!
//! Columns are found by their names, in any order; those not named here are left alone. Fields stand between `|`, or the
//! `,`, `;` or tab of `--delimiter`. A `|` in a job's name is not escaped: where one column alone can hold such text,
//! surplus fields are its.

use super::rows::{fingerprint, names};
use super::time::{INSTANT, LIMIT, instant, limit};
use super::{Record, RecordFormat, Source, State, Tally, wrong};
use crate::error::{Error, Result};
use crate::input::{Lines, RawLine};
use crate::trace::log::no_jobs;
use crate::trace::tally::Reason;

/// `sacct -P`: a header line and rows of fields between `|` or another delimiter.
pub static SACCT: RecordFormat = RecordFormat {
    name: "sacct",
    about: "accounting of Slurm as sacct -P prints it: columns by name, between | , ; or tabs",
    example: "JobIDRaw|Submit|Start|End|Timelimit|NNodes|State|NodeList",
    noun: "accounting of Slurm",
    lists_nodes: true,
    joins: false,
    begins: |line| delimiter(line).is_some(),
    open: |lines, _| Ok(Box::new(Sacct::new(lines)?)),
};

/// The character between the fields of a header line; none where it is none of sacct.
fn delimiter(header: &[u8]) -> Option<char> {
    let has = |text: &[u8]| memchr::memmem::find(header, text).is_some();
    let between =
        |c: &char| header.contains(&(*c as u8)) && (*c == '|' || has(b"Start") && has(b"End"));
    ['|', ';', '\t', ','].into_iter().find(between).filter(|_| has(b"JobID"))
}

/// The fields of a line; commas in the brackets of a host list part none.
fn fields(text: &str, delimiter: char) -> Vec<&str> {
    let mut inside = false;
    let is_end = |c: char| {
        inside = (inside || c == '[') && c != ']';
        c == delimiter && !inside
    };
    match delimiter {
        ',' => text.split(is_end).collect(),
        _ => text.split(delimiter).collect(),
    }
}

/// Columns whose text is the user's, and may have bars in it.
const FREE: [&str; 8] = [
    "JobName",
    "Comment",
    "AdminComment",
    "SystemComment",
    "SubmitLine",
    "WorkDir",
    "Extra",
    "Wckey",
];

/// The columns that are read, and their names; the first name that the header has counts.
const WANTED: [(&str, &[&str]); 11] = [
    ("job", &["JobIDRaw", "JobID"]),
    ("submit", &["Submit"]),
    ("start", &["Start"]),
    ("end", &["End"]),
    ("nodes", &["NNodes", "AllocNodes"]),
    ("limit", &["TimelimitRaw", "Timelimit"]),
    ("hosts", &["NodeList"]),
    ("partition", &["Partition"]),
    ("user", &["User"]),
    ("state", &["State"]),
    ("segment", &["SegmentSize"]),
];
/// The first so many of them must be in the header.
const NEEDED: usize = 5;

/// Rows of `sacct`.
pub(super) struct Sacct {
    lines: Lines,
    delimiter: char,
    header: Vec<u8>,
    /// Fields of a row.
    width: usize,
    /// Where each of [`WANTED`] stands.
    at: [Option<usize>; WANTED.len()],
    /// The column that surplus fields belong to.
    free: Option<usize>,
}

impl Sacct {
    pub(super) fn new(mut lines: Lines) -> Result<Self> {
        let name = lines.name().to_string();
        let expected =
            "a header line of sacct -P such as JobIDRaw|Submit|Start|End|NNodes|NodeList";
        let line = loop {
            match lines.line()? {
                None => return Err(no_jobs(&name, expected)),
                Some(line) if line.bytes.trim_ascii().is_empty() => {}
                Some(line) => break line,
            }
        };
        let text = line.text()?;
        let delimiter = delimiter(line.bytes).unwrap_or('|');
        let columns: Vec<&str> = text.split(delimiter).map(str::trim).collect();
        // `State%20` is a width that sacct takes and prints without; a user may have kept it.
        let find = |wanted: &str| {
            let is = |column: &&str| {
                column.split('%').next().is_some_and(|c| c.eq_ignore_ascii_case(wanted))
            };
            columns.iter().position(is)
        };
        let at = WANTED.map(|(_, names)| names.iter().find_map(|name| find(name)));
        if let Some(missing) = at[..NEEDED].iter().position(Option::is_none) {
            let found = format!("no column {}", WANTED[missing].1.join(" or "));
            return Err(Error::input(line.location(), found, expected));
        }
        if let Some((i, twice)) = (columns.iter().enumerate())
            .find(|(i, column)| !column.is_empty() && columns[..*i].contains(column))
        {
            let found = format!("column `{twice}` again, as column {}", i + 1);
            return Err(Error::input(line.location(), found, "each column once"));
        }
        let free: Vec<usize> = FREE.iter().filter_map(|name| find(name)).collect();
        let (width, header) = (columns.len(), line.bytes.to_vec());
        let free = if let [one] = free[..] { Some(one) } else { None };
        Ok(Sacct { lines, delimiter, header, width, at, free })
    }
}

/// A row's fields by what they are.
struct SacctRow<'a> {
    line: RawLine<'a>,
    fields: Vec<&'a str>,
    at: &'a [Option<usize>; WANTED.len()],
    /// The column after which fields are shifted, and by how many.
    shift: (usize, usize),
}

impl<'a> SacctRow<'a> {
    fn get(&self, wanted: usize) -> &'a str {
        let Some(at) = self.at[wanted] else { return "" };
        let (free, surplus) = self.shift;
        self.fields[if at > free { at + surplus } else { at }].trim()
    }

    fn wrong(&self, wanted: usize, expected: &str) -> Error {
        let (name, text) = (WANTED[wanted].0, self.get(wanted));
        let what = match name {
            "job" => "job id".to_string(),
            "limit" => "time limit".to_string(),
            "submit" | "start" | "end" => format!("{name} time"),
            _ => name.to_string(),
        };
        wrong(self.line.location(), &what, text, expected)
    }

    fn time(&self, wanted: usize) -> Result<Option<i64>> {
        instant(self.get(wanted)).ok_or_else(|| self.wrong(wanted, INSTANT))
    }
}

impl Source for Sacct {
    fn next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        loop {
            let Some(line) = self.lines.line()? else { return Ok(false) };
            // Outputs put one behind the other repeat the header.
            if line.bytes.trim_ascii().is_empty() || line.bytes == self.header {
                continue;
            }
            let text = line.text()?;
            let fields = fields(text, self.delimiter);
            let surplus = fields.len().checked_sub(self.width);
            let (Some(surplus), true) = (surplus, surplus == Some(0) || self.free.is_some()) else {
                let found = format!("{} fields", fields.len());
                let expected = format!("the {} of the header", self.width);
                return Err(Error::input(line.location(), found, expected));
            };
            let shift = (self.free.unwrap_or(self.width), surplus);
            let row = SacctRow { line, fields, at: &self.at, shift };
            tally.lines += 1;
            let job = row.get(0);
            if job.contains('.') {
                tally.add(Reason::Step, 1);
                continue;
            }
            let known = |b: u8| b.is_ascii_alphanumeric() || b"_[]+-,%:".contains(&b);
            if !job.starts_with(|c: char| c.is_ascii_digit()) || !job.bytes().all(known) {
                return Err(row.wrong(0, "a job id such as 123, 123_4 or 123+1"));
            }
            record.job.push_str(job);
            (record.line, record.row) = (line.number, fingerprint(text, 0));
            (record.submit, record.start) = (row.time(1)?, row.time(2)?);
            if record.ends_at(row.time(3)?) {
                tally.add(Reason::EndsBeforeStart, 1);
                record.clear();
                continue;
            }
            let (nodes, rounded) = count(row.get(4))
                .ok_or_else(|| row.wrong(4, "a number of nodes such as 12 or 1.5K"))?;
            // `TimelimitRaw` is minutes, and so is a bare number in Slurm's own grammar.
            record.limit = limit(row.get(5), 60).ok_or_else(|| row.wrong(5, LIMIT))?;
            let hosts = row.get(6);
            if !matches!(hosts, "None assigned" | "None" | "(null)") {
                record.hosts.push_str(hosts);
            }
            // A list is exact, where it is of about as many.
            let listed = if rounded { names(&record.hosts) } else { 0 };
            let exact = listed.abs_diff(nodes) <= nodes / 10;
            tally.add(Reason::CountRounded, usize::from(rounded && !exact));
            record.nodes = if rounded && exact { listed } else { nodes };
            record.partition.push_str(row.get(7));
            record.user.push_str(row.get(8));
            record.state = State::of(row.get(9));
            let (size, _) = count(row.get(10))
                .ok_or_else(|| row.wrong(10, "a number of nodes such as 16, or nothing"))?;
            record.segment = size;
            return Ok(true);
        }
    }
}

/// A count, with a unit of 1024, 1024² or 1024³ where sacct wrote one; whether such a unit has cut digits off. Nothing
/// at all is 0.
fn count(text: &str) -> Option<(u32, bool)> {
    if text.is_empty() {
        return Some((0, false));
    }
    let (digits, unit) = match text.char_indices().next_back()? {
        (end, 'K' | 'k') => (&text[..end], 1u64 << 10),
        (end, 'M' | 'm') => (&text[..end], 1 << 20),
        (end, 'G' | 'g') => (&text[..end], 1 << 30),
        _ => (text, 1),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |part: &str| part.len() <= 12 && part.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || whole.is_empty() {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let scale = 10u64.pow(fraction.len() as u32);
    let part: u64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    if unit == 1 && part > 0 {
        return None;
    }
    let exact = whole
        .checked_mul(unit)?
        .checked_add((u128::from(part) * u128::from(unit) / u128::from(scale)) as u64)?;
    Some((exact.try_into().ok()?, unit > 1))
}
