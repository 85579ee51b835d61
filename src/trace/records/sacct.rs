//! Slurm's accounting as `sacct -P` prints it.
//!
//! Columns are found by their names, in any order; those not named here are left alone. Fields stand between `|`, or
//! the `,`, `;` or tab of `--delimiter`. Separators and line breaks in a job's name are not escaped: the columns
//! before the first such text are counted from the left, those after the last one from the right. Rows of which that
//! does not say enough are left out.

use super::rows::{count_names, hash_text};
use super::time::{INSTANT, LIMIT, parse_instant, parse_time_limit};
use super::{Record, RecordFormat, Source, State, Tally, row_error};
use crate::log::no_jobs_error;
use crate::tally::Reason;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::{Lines, RawLine};

/// `sacct -P`: a header line and rows of fields between `|` or another delimiter.
pub static SACCT: RecordFormat = RecordFormat {
    name: "sacct",
    about: "accounting of Slurm as sacct -P prints it: columns by name, between | , ; or tabs",
    example: "JobIDRaw|Submit|Start|End|Timelimit|NNodes|State|NodeList",
    noun: "accounting of Slurm",
    lists_nodes: true,
    joins: false,
    begins: |line| detect_delimiter(line).is_some(),
    open: |lines, _| Ok(Box::new(Sacct::new(lines)?)),
};

/// Finds the character between the fields of a header line. `None` if it is none of sacct.
fn detect_delimiter(header: &[u8]) -> Option<char> {
    let has = |text: &[u8]| memchr::memmem::find(header, text).is_some();
    ['|', ';', '\t', ',']
        .into_iter()
        .find(|c: &char| {
            // The other separators are those of many tables: of these more of the names must be there.
            header.contains(&(*c as u8)) && (*c == '|' || has(b"Start") && has(b"End"))
        })
        .filter(|_| has(b"JobID"))
}

/// Splits a line into its fields; commas in the brackets of a host list part none.
fn split_fields(text: &str, delimiter: char) -> Vec<&str> {
    let mut inside = false;
    match delimiter {
        ',' => text
            .split(|c: char| {
                inside = (inside || c == '[') && c != ']';
                c == delimiter && !inside
            })
            .collect(),
        _ => text.split(delimiter).collect(),
    }
}

/// Columns whose text is the user's, and may have separators and line breaks in it.
const FREE: [&str; 12] = [
    "JobName",
    "Comment",
    "AdminComment",
    "SystemComment",
    "SubmitLine",
    "WorkDir",
    "Extra",
    "Wckey",
    "Container",
    "StdErr",
    "StdIn",
    "StdOut",
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
/// Number of columns of [`WANTED`], from the first, that the header must have.
const NEEDED: usize = 5;

/// Rows of `sacct`.
pub(super) struct Sacct {
    lines: Lines,
    header: Header,
    /// Lines of a row whose text has line breaks, and the row that was read behind it.
    joined: String,
    ahead: Option<Ahead>,
}

/// A line that was read while looking for the end of a row: its file, its number, its text.
type Ahead = (u32, usize, String);

/// Places of the columns, by a header line.
struct Header {
    file: u32,
    delimiter: char,
    text: String,
    /// Number of fields of a row.
    width: usize,
    /// Where each of [`WANTED`] stands.
    at: [Option<usize>; WANTED.len()],
    /// The first and the last column of free text.
    free: Option<(usize, usize)>,
}

impl Header {
    fn new(line: &RawLine<'_>) -> Result<Self> {
        Header::parse_header(line.text()?, line.file, &line.location())
    }

    fn parse_header(text: &str, file: u32, location: &SourceLocation) -> Result<Self> {
        let wrong = |found, expected| Error::input(location.clone(), found, expected);
        let delimiter = detect_delimiter(text.as_bytes()).unwrap_or('|');
        let columns: Vec<&str> = text.split(delimiter).map(str::trim).collect();
        // `State%20` is a width that sacct takes and prints without; a user may have kept it.
        let find = |wanted: &str| {
            columns.iter().position(|column: &&str| {
                column
                    .split('%')
                    .next()
                    .is_some_and(|c| c.eq_ignore_ascii_case(wanted))
            })
        };
        let at = WANTED.map(|(_, names)| names.iter().find_map(|name| find(name)));
        if let Some(missing) = at[..NEEDED].iter().position(Option::is_none) {
            let found = format!("no column {}", WANTED[missing].1.join(" or "));
            return Err(wrong(found, EXPECTED));
        }
        if let Some((i, twice)) = (columns.iter().enumerate())
            .find(|(i, column)| !column.is_empty() && columns[..*i].contains(column))
        {
            let found = format!("column `{twice}` again, as column {}", i + 1);
            return Err(wrong(found, "each column once"));
        }
        let free = FREE.iter().filter_map(|name| find(name));
        let free = free.fold(None, |ends: Option<(usize, usize)>, at| {
            ends.map_or(Some((at, at)), |(first, last)| {
                Some((first.min(at), last.max(at)))
            })
        });
        Ok(Header {
            file,
            delimiter,
            text: text.to_string(),
            width: columns.len(),
            at,
            free,
        })
    }

    /// Checks whether a line is a row of its own: a job id where it should be, and enough fields.
    fn starts_row(&self, text: &str) -> bool {
        let fields = split_fields(text, self.delimiter);
        let first = self.at[0].filter(|at| self.free.is_none_or(|(free, _)| *at < free));
        let job = first.and_then(|at| fields.get(at));
        job.map_or(fields.len() >= self.width, |job| is_job(job.trim()))
    }
}

/// A header line, for messages.
const EXPECTED: &str =
    "a header line of sacct -P such as JobIDRaw|Submit|Start|End|NNodes|NodeList";

/// Checks whether a text is a job's id, or that of a step of it.
fn is_job(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text
            .bytes()
            .all(|b: u8| b.is_ascii_alphanumeric() || b"_[]+-,%:.".contains(&b))
}

impl Sacct {
    pub(super) fn new(mut lines: Lines) -> Result<Self> {
        let name = lines.name().to_string();
        loop {
            match lines.read_line()? {
                None => return Err(no_jobs_error(&name, EXPECTED)),
                Some(line) if line.bytes.trim_ascii().is_empty() => {}
                Some(line) => {
                    let header = Header::new(&line)?;
                    return Ok(Sacct {
                        lines,
                        header,
                        joined: String::new(),
                        ahead: None,
                    });
                }
            }
        }
    }

    /// Reads the next row into `joined`: its file, its first line, and whether its lines were put together. A row that
    /// has too few fields goes on with the lines up to the next that is one of its own, where a text may have line
    /// breaks.
    fn read_row(&mut self) -> Result<Option<(u32, usize, bool)>> {
        let (file, number) = loop {
            self.joined.clear();
            let (file, number) = match self.ahead.take() {
                Some((file, number, text)) => {
                    self.joined.push_str(&text);
                    (file, number)
                }
                None => {
                    let Some(line) = self.lines.read_line()? else {
                        return Ok(None);
                    };
                    self.joined.push_str(line.text()?);
                    (line.file, line.number)
                }
            };
            if file != self.header.file {
                self.header =
                    Header::parse_header(&self.joined, file, &self.lines.location_of(number))?;
            } else if !self.joined.trim().is_empty() && self.joined != self.header.text {
                // Outputs put one behind the other repeat the header.
                break (file, number);
            }
        };
        let Header {
            delimiter,
            width,
            free: Some((_, last)),
            ..
        } = self.header
        else {
            return Ok(Some((file, number, false)));
        };
        let mut put = false;
        loop {
            let short = split_fields(&self.joined, delimiter).len() < width;
            // A row with all of its fields is at its end, unless the last of them is free text.
            if !short && last + 1 < width {
                break;
            }
            let Some(line) = self.lines.read_line()? else {
                break;
            };
            let text = line.text()?;
            let other =
                line.file != file || text == self.header.text || self.header.starts_row(text);
            // A line without separators behind a text that ends its row is of that text.
            let part = !other && (short || !text.contains(delimiter));
            if !part || self.joined.len() > Lines::LONGEST {
                self.ahead = Some((line.file, line.number, text.to_string()));
                break;
            }
            self.joined.push('\n');
            self.joined.push_str(text);
            put = true;
        }
        Ok(Some((file, number, put)))
    }
}

/// A row's fields by what they are.
struct SacctRow<'a> {
    location: SourceLocation,
    fields: Vec<&'a str>,
    header: &'a Header,
    /// Fields too many that stand before the columns between two of free text.
    shift: usize,
}

impl<'a> SacctRow<'a> {
    /// Counts the fields too many: separators in texts.
    fn count_surplus(&self) -> usize {
        self.fields.len() - self.header.width
    }

    /// Looks up the text of a column; those after the free ones are counted from the right. Empty if the header
    /// has none.
    fn column_text(&self, wanted: usize) -> &'a str {
        let Some(at) = self.header.at[wanted] else {
            return "";
        };
        let shift = match self.header.free {
            Some((_, last)) if at > last => self.count_surplus(),
            Some((first, _)) if at > first => self.shift,
            _ => 0,
        };
        self.fields[at + shift].trim()
    }

    /// Finds the one way in which a row with separators or line breaks in its texts can be read; false where there is
    /// none, or where there are several.
    fn decide_reading(&mut self) -> bool {
        let most = if self
            .header
            .at
            .iter()
            .flatten()
            .any(|at: &usize| self.header.free.is_some_and(|(a, b)| (a..b).contains(at)))
        {
            self.count_surplus()
        } else {
            0
        };
        let mut found = None;
        for shift in 0..=most {
            self.shift = shift;
            if self.read_job(&mut Record::default()).is_ok() && found.replace(shift).is_some() {
                return false;
            }
        }
        self.shift = found.unwrap_or(0);
        found.is_some()
    }

    fn column_error(&self, wanted: usize, expected: &str) -> Error {
        let name = WANTED[wanted].0;
        let text = self.column_text(wanted);
        let what = match name {
            "job" => "job id".to_string(),
            "limit" => "time limit".to_string(),
            "submit" | "start" | "end" => format!("{name} time"),
            _ => name.to_string(),
        };
        row_error(self.location.clone(), &what, text, expected)
    }

    fn parse_time(&self, wanted: usize) -> Result<Option<i64>> {
        parse_instant(self.column_text(wanted)).ok_or_else(|| self.column_error(wanted, INSTANT))
    }

    /// Reads the job into `record`: whether it ends before it starts, and whether its count of nodes is a rounded one.
    fn read_job(&self, record: &mut Record) -> Result<(bool, bool)> {
        let job = self.column_text(0);
        if !is_job(job) {
            return Err(self.column_error(0, "a job id such as 123, 123_4 or 123+1"));
        }
        record.job.push_str(job);
        (record.submit, record.start) = (self.parse_time(1)?, self.parse_time(2)?);
        let backwards = record.ends_at(self.parse_time(3)?);
        let (nodes, rounded) = parse_count(self.column_text(4))
            .ok_or_else(|| self.column_error(4, "a number of nodes such as 12 or 1.5K"))?;
        // `TimelimitRaw` is minutes, and so is a bare number in Slurm's own grammar.
        record.limit =
            parse_time_limit(self.column_text(5), 60).ok_or_else(|| self.column_error(5, LIMIT))?;
        let hosts = self.column_text(6);
        if !matches!(hosts, "None assigned" | "None" | "(null)") {
            record.hosts.push_str(hosts);
        }
        // A list is exact, where it is of about as many.
        let listed = if rounded {
            count_names(&record.hosts)
        } else {
            0
        };
        let exact = listed.abs_diff(nodes) <= nodes / 10;
        record.nodes = if rounded && exact { listed } else { nodes };
        record.partition.push_str(self.column_text(7));
        record.user.push_str(self.column_text(8));
        record.state = State::parse_state(self.column_text(9));
        let (segment, _) = parse_count(self.column_text(10))
            .ok_or_else(|| self.column_error(10, "a number of nodes such as 16, or nothing"))?;
        record.segment = segment;
        Ok((backwards, rounded && !exact))
    }
}

impl Source for Sacct {
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        while let Some((file, number, put)) = self.read_row()? {
            tally.set_row(file, number);
            let header = &self.header;
            let location = self.lines.location_of(number);
            let fields = split_fields(&self.joined, header.delimiter);
            let count = fields.len();
            let width = header.width;
            if count < width && header.free.is_some() {
                tally.leave_out(Reason::TornLine);
                continue;
            }
            if count < width || count > width && header.free.is_none() {
                let found = format!("{count} fields");
                return Err(Error::input(
                    location,
                    found,
                    format!("the {width} of the header"),
                ));
            }
            let mut row = SacctRow {
                location,
                fields,
                header,
                shift: 0,
            };
            if (put || count > width) && !row.decide_reading() {
                tally.leave_out(Reason::UnclearFields);
                continue;
            }
            // `123.batch` is a step, whose job has a row of its own.
            if row.column_text(0).contains('.') {
                tally.leave_out(Reason::Step);
                continue;
            }
            record.stands_on(file, number, hash_text(&self.joined, 0));
            let (backwards, rounded) = row.read_job(record)?;
            if backwards {
                tally.leave_out(Reason::EndsBeforeStart);
                record.clear();
                continue;
            }
            tally.lines += 1;
            tally.add_count(Reason::CountRounded, usize::from(rounded));
            return Ok(true);
        }
        Ok(false)
    }
}

/// Parses a count, with a unit of 1024, 1024² or 1024³ where sacct wrote one, and tells whether such a unit has cut
/// digits off. An empty text is 0.
fn parse_count(text: &str) -> Option<(u32, bool)> {
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
    // At most 12 digits: so neither the numbers nor the power of ten below leave 64 bits.
    let plain = |part: &str| part.len() <= 12 && part.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || whole.is_empty() {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let scale = 10u64.pow(fraction.len() as u32);
    let part: u64 = if fraction.is_empty() {
        0
    } else {
        fraction.parse().ok()?
    };
    // No job has a part of a node.
    if unit == 1 && part > 0 {
        return None;
    }
    let exact = whole
        .checked_mul(unit)?
        .checked_add((u128::from(part) * u128::from(unit) / u128::from(scale)) as u64)?;
    Some((exact.try_into().ok()?, unit > 1))
}
