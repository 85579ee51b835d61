//! Tables of jobs with a header line, by the names of their columns.
//!
//! Fields stand between commas, or `|`, `;` or tabs where the header has these, and quotes are those of RFC 4180.
//! Lines that begin with `#` are comments before the header only; in a row `#` is text.

use std::borrow::Cow;

use super::columns::{Columns, PRESETS, ROLES, find_delimiter};
use super::placements;
use super::record::{Record, RecordFormat, Source, State, row_error};
use super::rows::{hash_text, split_host_list};
use super::time::{INSTANT, LIMIT, parse_instant, parse_time_limit};
use crate::log::no_jobs_error;
use crate::tally::{Reason, Tally};
use nodeorder_base::input::strip_zero_fraction;
use nodeorder_base::{Error, Line, Lines, Result};

/// A table with a header line of column names.
pub static CSV: RecordFormat = RecordFormat {
    name: "csv",
    about: "table of jobs by its column names: of a known set (pm100, oar, helios and others) or --columns; also in Parquet",
    example: "job_id,submit_time,start_time,end_time,node_num,state",
    noun: "table of jobs",
    lists_nodes: true,
    joins: true,
    begins: |line| Columns::from_header(line).is_some(),
    open: |lines, columns| Ok(Box::new(Csv::new(lines, columns)?)),
};

/// Recorded placements, as [`placements`] writes them.
pub static PLACEMENTS: RecordFormat = RecordFormat {
    name: "placements",
    about: "recorded placements: a CSV row for each job with its times and nodes",
    example: placements::HEADER,
    noun: "recorded placements",
    lists_nodes: true,
    joins: true,
    begins: |line| line == placements::HEADER.as_bytes(),
    open: |lines, _| Ok(Box::new(Csv::new(lines, Some(&Columns::for_placements()))?)),
};

/// Times from here on are taken for milliseconds: as seconds they would be those of the year 5138.
const MILLISECONDS: i64 = 100_000_000_000;

/// Rows of a table.
pub struct Csv {
    lines: Lines,
    /// The columns that a user names.
    columns: Option<Columns>,
    header: CsvHeader,
}

/// A header line: which column holds which field of a record.
struct CsvHeader {
    /// Number of the file that the header line stands in, from 0.
    file: u32,
    delimiter: char,
    width: usize,
    /// Where each of [`ROLES`] stands.
    at: [Option<usize>; ROLES.len()],
    per_second: Option<i64>,
    /// Whether limits are in minutes only because a known set has them so.
    assumed_minutes: bool,
}

impl CsvHeader {
    fn new(line: &Line<'_>, columns: Option<&Columns>) -> Result<Self> {
        let delimiter = find_delimiter(line.text);
        let header = line.split_table_row(delimiter)?;
        let header: Vec<&str> = header.iter().map(Cow::as_ref).collect();
        let known = Columns::from_header(line.text.as_bytes());
        let columns = columns.or(known.as_ref()).ok_or_else(|| {
            let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            line.error_here(
                "a header that is none of a known table",
                format!(
                    "--columns submit=NAME,start=NAME,…, or a table such as {}",
                    presets.join(", ")
                ),
            )
        })?;
        let mut at = [None; ROLES.len()];
        for (slot, key) in at.iter_mut().zip(ROLES) {
            *slot = columns.find_column(key, &header).map_err(|wanted| {
                let named: Vec<String> = header
                    .iter()
                    .take(20)
                    .map(|name| format!("`{name}`"))
                    .collect();
                line.error_here(
                    format!("no column `{wanted}` ({key})"),
                    format!("one of {}", named.join(", ")),
                )
            })?;
        }
        Ok(CsvHeader {
            file: line.file,
            delimiter,
            width: header.len(),
            at,
            per_second: columns.per_second,
            assumed_minutes: columns.recognised,
        })
    }
}

impl Csv {
    pub fn new(mut lines: Lines, columns: Option<&Columns>) -> Result<Self> {
        let name = lines.name().to_string();
        loop {
            let Some(line) = lines.read_row()? else {
                let expected = "a header line with the names of columns";
                return Err(no_jobs_error(&name, expected));
            };
            if line.text.starts_with('#') {
                continue;
            }
            let header = CsvHeader::new(&line, columns)?;
            return Ok(Csv {
                lines,
                columns: columns.cloned(),
                header,
            });
        }
    }
}

/// A row's fields by what they are.
struct CsvRow<'a> {
    line: Line<'a>,
    fields: Vec<Cow<'a, str>>,
    header: &'a CsvHeader,
    /// Whether a time was taken for milliseconds by its size.
    large: bool,
}

impl CsvRow<'_> {
    /// Looks up the text of a role. `None` if the table has no such column.
    fn role_text(&self, key: &str) -> Option<&str> {
        let role = ROLES.iter().position(|role| *role == key)?;
        Some(self.fields[self.header.at[role]?].trim())
    }

    fn role_error(&self, key: &str, expected: &str) -> Error {
        row_error(
            self.line.location(),
            key,
            self.role_text(key).unwrap_or_default(),
            expected,
        )
    }

    fn parse_time(&mut self, key: &str) -> Result<Option<i64>> {
        let Some(text) = self.role_text(key) else {
            return Ok(None);
        };
        let time = parse_instant(text).ok_or_else(|| self.role_error(key, INSTANT))?;
        let plain = is_number(text);
        // The size of the numbers decides only where no `unit=` does.
        let per_second = self.header.per_second;
        let large = per_second.is_none() && time.is_some_and(|time| time >= MILLISECONDS);
        self.large |= plain && large;
        let unit = if large { 1000 } else { per_second.unwrap_or(1) };
        Ok(time.map(|time| if plain { time.div_euclid(unit) } else { time }))
    }

    fn parse_length(&self, key: &str, unit: i64) -> Result<Option<i64>> {
        let Some(text) = self.role_text(key) else {
            return Ok(None);
        };
        let length = parse_time_limit(text, unit).ok_or_else(|| self.role_error(key, LIMIT))?;
        if unit > 1 || !is_number(text) {
            return Ok(length);
        }
        // Times whose size tells milliseconds say nothing of lengths: a guess could be wrong by a factor of 1000.
        if self.large {
            return Err(self.role_error(
                key,
                "unit=s or unit=ms in --columns, as times are milliseconds",
            ));
        }
        Ok(length.map(|length| length / self.header.per_second.unwrap_or(1)))
    }

    fn count_nodes(&self) -> Result<u32> {
        let text = self.role_text("nodes").unwrap_or_default();
        // Tables made of data frames write whole numbers as 4.0, and nothing for none.
        let whole = strip_zero_fraction(text);
        if text.is_empty() || ["nan", "NaN", "None"].contains(&text) {
            return Ok(0);
        }
        let digits = whole.bytes().all(|b| b.is_ascii_digit());
        let number = whole.parse().ok().filter(|_| digits);
        number.ok_or_else(|| {
            self.role_error("nodes", &format!("a whole number from 0 to {}", u32::MAX))
        })
    }
}

/// Checks whether a time is a plain number.
fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

impl Source for Csv {
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        loop {
            let Some(line) = self.lines.read_row()? else {
                return Ok(false);
            };
            // Every file has a header of its own, whose columns may stand in another order.
            if line.file != self.header.file {
                if !line.text.starts_with('#') {
                    self.header = CsvHeader::new(&line, self.columns.as_ref())?;
                }
                continue;
            }
            let header = &self.header;
            let mut row = CsvRow {
                fields: line.split_table_row(header.delimiter)?,
                line,
                header,
                large: false,
            };
            let count = row.fields.len();
            if count != header.width {
                let found = format!("{count} fields");
                let expected = format!("the {} of the header", header.width);
                return Err(line.error_here(found, expected));
            }
            tally.lines += 1;
            tally.set_row(line.file, line.number);
            record.stands_on(line.file, line.number, hash_text(line.text, 0));
            match row.role_text("job") {
                Some("") => return Err(row.role_error("job", "a name or number")),
                Some(job) => record.job.push_str(strip_zero_fraction(job)),
                None => record.job = tally.lines.to_string(),
            }
            (record.submit, record.start) = (row.parse_time("submit")?, row.parse_time("start")?);
            if row.role_text("submit").is_none() && record.start.is_some() {
                record.submit = record.start;
                tally.add_count(Reason::NoWaitTime, 1);
            }
            let end = row.parse_time("end")?;
            record.run = row.parse_length("run", 1)?;
            if row.role_text("run").is_none() && record.ends_at(end) {
                tally.add_count(Reason::EndsBeforeStart, 1);
                record.clear();
                continue;
            }
            tally.add_count(Reason::Milliseconds, usize::from(row.large));
            record.limit = match row.parse_length("limit", 1)? {
                None => row.parse_length("limit-minutes", 60)?,
                limit => limit,
            };
            let minutes =
                header.assumed_minutes && row.role_text("limit-minutes").is_some_and(is_number);
            tally.add_count(Reason::LimitInMinutes, usize::from(minutes));
            // Where no column says how many, the list does.
            record.nodes = row.count_nodes()?;
            append_host_list(row.role_text("list").unwrap_or_default(), &mut record.hosts);
            record
                .user
                .push_str(row.role_text("user").unwrap_or_default());
            record
                .partition
                .push_str(row.role_text("partition").unwrap_or_default());
            record.state = State::parse_state(row.role_text("state").unwrap_or_default());
            return Ok(true);
        }
    }
}

/// Appends a host list, made of a host list, of a list of a data frame such as `['r1', 'r2']` or `[12 13]`, or of
/// numbers and ranges with blanks between.
pub fn append_host_list(text: &str, into: &mut String) {
    if ["None", "nan", "None assigned"].contains(&text) {
        return;
    }
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let first = text.bytes().next().unwrap_or_default();
    // Most are as they should be; a piece of digits may be a range of ids, behind names, too.
    let ids = first.is_ascii_digit()
        || text
            .as_bytes()
            .windows(2)
            .any(|pair: &[u8]| pair[0] == b',' && pair[1].is_ascii_digit());
    if inner.is_none() && !ids && !text.contains([' ', '\'']) {
        return into.push_str(text);
    }
    for piece in split_host_list(inner.unwrap_or(text)) {
        let name = piece.trim_matches(['\'', '"']);
        if name.is_empty() {
            continue;
        }
        into.push_str(if into.is_empty() { "" } else { "," });
        let range = name.split_once('-').is_some_and(|(first, last)| {
            [first, last]
                .iter()
                .all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        });
        // A host list would take `3-7` for the name of one node; in brackets it is a range.
        if range {
            into.extend(["[", name, "]"])
        } else {
            into.push_str(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::count_names;
    use super::*;

    #[test]
    fn names_are_counted_and_lists_of_data_frames_read() {
        let counts = [
            ("", 0),
            ("a", 1),
            ("a,b", 2),
            ("n[1-4,7]", 5),
            ("r[1-2]n[0-3],x", 9),
            ("n[", 0),
            ("n[a]", 0),
        ];
        for (list, count) in counts {
            assert_eq!(count_names(list), count, "{list}");
        }
        let read = |text: &str| {
            let mut into = String::new();
            append_host_list(text, &mut into);
            into
        };
        assert_eq!(read("['r1', 'r2']"), "r1,r2");
        assert_eq!(read("[12 13]"), "12,13");
        assert_eq!(read("n[1-4]"), "n[1-4]");
        assert_eq!(read("None"), "");
        assert_eq!(read("20 19"), "20,19");
        assert_eq!(read("0-3 7,9-10"), "[0-3],7,[9-10]");
        assert_eq!(read("n[1, 2] n7"), "n[1, 2],n7");
    }
}
