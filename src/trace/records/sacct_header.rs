//! The header line of `sacct`'s tables: which column is which, and how rows part into fields.
//!
//! Fields stand between `|`, or the `,`, `;` or tab of `--delimiter`; programs that kept the table may have put quotes
//! round them, which sacct does not (`print_fields_str`, `src/common/print_fields.c`).

use std::borrow::Cow;

use nodeorder_base::input::split_fields;
use nodeorder_base::{Error, Result, SourceLocation};

/// Finds the character between the fields of a header line. `None` if it is none of sacct.
pub fn detect_delimiter(header: &[u8]) -> Option<char> {
    let header = std::str::from_utf8(header).ok()?;
    ['|', ';', '\t', ','].into_iter().find(|delimiter: &char| {
        let columns: Vec<&str> = header.split(*delimiter).map(name_column).collect();
        let has = |names: &[&str]| {
            let mut names = names.iter();
            names.any(|name| {
                columns
                    .iter()
                    .any(|column| column.eq_ignore_ascii_case(name))
            })
        };
        // The other separators are those of many tables: of these more of the names must be there.
        let timed = has(&["Start"]) && has(&["End", "ElapsedRaw", "Elapsed"]);
        columns.len() > 1 && has(&["JobIDRaw", "JobID"]) && (*delimiter == '|' || timed)
    })
}

/// Strips the width from the name of a column: sacct takes `State%20` and prints `State`; a user may have kept the
/// width.
fn name_column(column: &str) -> &str {
    strip_quotes(column).split('%').next().unwrap_or_default()
}

/// Splits a line into its fields as sacct writes them; commas in the brackets of a host list part none.
pub fn split_plainly(text: &str, delimiter: char) -> Vec<&str> {
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

/// Takes a pair of quotes off a field.
pub fn strip_quotes(field: &str) -> &str {
    let field = field.trim();
    let inner = field
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.map_or(field, str::trim)
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
pub const WANTED: [(&str, &[&str]); 12] = [
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
    ("elapsed", &["ElapsedRaw", "Elapsed"]),
];
/// Columns of [`WANTED`] of which the header must have one each.
const NEEDED: [&[usize]; 4] = [&[0], &[2], &[3, 11], &[4]];

/// Places of the columns, by a header line.
pub struct SacctHeader {
    pub file: u32,
    pub delimiter: char,
    pub text: String,
    /// Number of fields of a row.
    pub width: usize,
    /// Where each of [`WANTED`] stands.
    pub at: [Option<usize>; WANTED.len()],
    /// The first and the last column of free text.
    pub free: Option<(usize, usize)>,
}

impl SacctHeader {
    pub fn parse_header(text: &str, file: u32, location: &SourceLocation) -> Result<Self> {
        let wrong = |found, expected| Error::input(location.clone(), found, expected);
        let delimiter = detect_delimiter(text.as_bytes()).unwrap_or('|');
        let columns: Vec<&str> = text.split(delimiter).map(strip_quotes).collect();
        let find = |wanted: &str| {
            let mut named = columns.iter().map(|column| name_column(column));
            named.position(|column| column.eq_ignore_ascii_case(wanted))
        };
        let at = WANTED.map(|(_, names)| names.iter().find_map(|name| find(name)));
        let missing = |any: &&&[usize]| any.iter().all(|wanted| at[*wanted].is_none());
        if let Some(any) = NEEDED.iter().find(missing) {
            let found = format!("no column {}", WANTED[any[0]].1.join(" or "));
            return Err(wrong(found, EXPECTED));
        }
        if let Some((i, twice)) = (columns.iter().enumerate())
            .find(|(i, column)| !column.is_empty() && columns[..*i].contains(column))
        {
            let found = format!("column `{twice}` again, as column {}", i + 1);
            return Err(wrong(found, "each column once"));
        }
        let free = FREE.iter().filter_map(|name| find(name));
        let free = free.clone().min().zip(free.max());
        Ok(SacctHeader {
            file,
            delimiter,
            text: text.to_string(),
            width: columns.len(),
            at,
            free,
        })
    }

    /// Checks whether a line is a row of its own: a job id where it should be, and enough fields.
    pub fn starts_row(&self, text: &str) -> bool {
        let fields = split_plainly(text, self.delimiter);
        let first = self.at[0].filter(|at| self.free.is_none_or(|(free, _)| *at < free));
        let job = first.and_then(|at| fields.get(at));
        job.map_or(fields.len() >= self.width, |job| is_job(strip_quotes(job)))
    }

    /// Splits a row into its fields: in the way that gives as many as the header has, first that of sacct for its own
    /// `|`, else first that of CSV.
    pub fn split_row<'a>(&self, text: &'a str) -> Vec<Cow<'a, str>> {
        let plain = split_plainly(text, self.delimiter);
        if text.contains('"') && (self.delimiter != '|' || plain.len() != self.width) {
            let quoted = split_fields(text, self.delimiter, self.delimiter == ',');
            if let Some(quoted) = quoted.filter(|quoted| quoted.len() == self.width) {
                return quoted;
            }
        }
        plain.into_iter().map(Cow::Borrowed).collect()
    }
}

/// A header line, for messages.
pub const EXPECTED: &str =
    "a header line of sacct -P such as JobIDRaw|Submit|Start|End|NNodes|NodeList";

/// Checks whether a text is a job's id, or that of a step of it.
pub fn is_job(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text
            .bytes()
            .all(|b: u8| b.is_ascii_alphanumeric() || b"_[]+-,%:.".contains(&b))
}
