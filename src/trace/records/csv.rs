//! Tables of jobs with a header line, by the names of their columns.

use std::borrow::Cow;

use super::columns::{Columns, PRESETS, ROLES};
use super::time::{INSTANT, LIMIT, instant, limit};
use super::{Record, RecordFormat, Source, State, Tally, placements, wrong};
use crate::error::{Error, Result};
use crate::input::{Line, Lines};
use crate::trace::log::no_jobs;
use crate::trace::tally::Reason;

/// A table with a header line of column names.
pub static CSV: RecordFormat = RecordFormat {
    name: "csv",
    about: "table of jobs by the names of its columns: PM100, Helios, Lassen, others with --columns; also in Parquet",
    example: "job_id,submit_time,start_time,end_time,node_num,state",
    noun: "table of jobs",
    lists_nodes: true,
    begins: |line| Columns::of_header(line).is_some(),
    open: |lines, columns| Ok(Box::new(Csv::new(lines, columns)?)),
};

/// Recorded placements, as [`placements`] writes them.
pub static PLACEMENTS: RecordFormat = RecordFormat {
    name: "placements",
    about: "recorded placements: a CSV row for each job with its times and nodes",
    example: placements::HEADER,
    noun: "recorded placements",
    lists_nodes: true,
    begins: |line| line == placements::HEADER.as_bytes(),
    open: |lines, _| Ok(Box::new(Csv::new(lines, Some(&Columns::of_placements()))?)),
};

/// Rows of a table.
pub(super) struct Csv {
    lines: Lines,
    width: usize,
    /// Where each of [`ROLES`] stands.
    at: [Option<usize>; ROLES.len()],
}

impl Csv {
    pub(super) fn new(mut lines: Lines, columns: Option<&Columns>) -> Result<Self> {
        let name = lines.name().to_string();
        let Some(line) = lines.data_line()? else {
            return Err(no_jobs(&name, "a header line with the names of columns"));
        };
        let header: Vec<String> = line.fields()?.iter().map(ToString::to_string).collect();
        let known = Columns::of_header(line.text.as_bytes());
        let columns = columns.or(known.as_ref()).ok_or_else(|| {
            let presets = PRESETS.map(|preset| preset.name).join(", ");
            line.wrong(
                "a header that is none of a known table",
                format!("--columns submit=NAME,start=NAME,…, or a table such as {presets}"),
            )
        })?;
        let mut at = [None; ROLES.len()];
        for (slot, key) in at.iter_mut().zip(ROLES) {
            let Some(wanted) = columns.name(key) else { continue };
            *slot = Some(header.iter().position(|name| name == wanted).ok_or_else(|| {
                let named: Vec<String> =
                    header.iter().take(20).map(|name| format!("`{name}`")).collect();
                line.wrong(
                    format!("no column `{wanted}` ({key})"),
                    format!("one of {}", named.join(", ")),
                )
            })?);
        }
        let width = header.len();
        Ok(Csv { lines, width, at })
    }
}

/// A row's fields by what they are.
struct CsvRow<'a> {
    line: Line<'a>,
    fields: Vec<Cow<'a, str>>,
    at: &'a [Option<usize>; ROLES.len()],
}

impl CsvRow<'_> {
    /// The text of a role; none where the table has no such column.
    fn get(&self, key: &str) -> Option<&str> {
        let role = ROLES.iter().position(|role| *role == key)?;
        Some(self.fields[self.at[role]?].trim())
    }

    fn wrong(&self, key: &str, expected: &str) -> Error {
        wrong(self.line.location(), key, self.get(key).unwrap_or_default(), expected)
    }

    fn time(&self, key: &str) -> Result<Option<i64>> {
        let read = self.get(key).map(instant);
        read.map_or(Ok(None), |time| time.ok_or_else(|| self.wrong(key, INSTANT)))
    }

    fn length(&self, key: &str, unit: i64) -> Result<Option<i64>> {
        let read = self.get(key).map(|text| limit(text, unit));
        read.map_or(Ok(None), |length| length.ok_or_else(|| self.wrong(key, LIMIT)))
    }

    fn nodes(&self) -> Result<u32> {
        let text = self.get("nodes").unwrap_or_default();
        // Tables made of data frames write whole numbers as 4.0, and nothing for none.
        let whole = text.strip_suffix(".0").unwrap_or(text);
        if text.is_empty() || ["nan", "NaN", "None"].contains(&text) {
            return Ok(0);
        }
        let digits = whole.bytes().all(|b| b.is_ascii_digit());
        let number = whole.parse().ok().filter(|_| digits);
        number.ok_or_else(|| self.wrong("nodes", &format!("a whole number from 0 to {}", u32::MAX)))
    }
}

impl Source for Csv {
    fn next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        loop {
            let Some(line) = self.lines.data_line()? else { return Ok(false) };
            let row = CsvRow { fields: line.fields()?, line, at: &self.at };
            if row.fields.len() != self.width {
                let found = format!("{} fields", row.fields.len());
                return Err(line.wrong(found, format!("the {} of the header", self.width)));
            }
            tally.lines += 1;
            record.line = line.number;
            match row.get("job") {
                Some("") => return Err(row.wrong("job", "a name or number")),
                Some(job) => record.job.push_str(job),
                None => record.job = tally.lines.to_string(),
            }
            (record.submit, record.start) = (row.time("submit")?, row.time("start")?);
            if row.get("submit").is_none() {
                record.submit = record.start;
            }
            record.run = row.length("run", 1)?;
            if row.get("run").is_none() && record.ends_at(row.time("end")?) {
                tally.add(Reason::EndsBeforeStart, 1);
                record.clear();
                continue;
            }
            record.limit = match row.length("limit", 1)? {
                None => row.length("limit-minutes", 60)?,
                limit => limit,
            };
            record.nodes = row.nodes()?;
            hosts(row.get("list").unwrap_or_default(), &mut record.hosts);
            if row.get("nodes").is_none() {
                record.nodes = names(&record.hosts);
            }
            record.user.push_str(row.get("user").unwrap_or_default());
            record.partition.push_str(row.get("partition").unwrap_or_default());
            record.state = State::of(row.get("state").unwrap_or_default());
            return Ok(true);
        }
    }
}

/// A host list, or a list of a data frame such as `['r1', 'r2']` or `[12 13]`, as a host list.
fn hosts(text: &str, into: &mut String) {
    let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        if !["None", "nan", "None assigned"].contains(&text) {
            into.push_str(text);
        }
        return;
    };
    let names = list.split([',', ' ']).map(|name| name.trim_matches(['\'', '"', ' ']));
    for name in names.filter(|name| !name.is_empty()) {
        if !into.is_empty() {
            into.push(',');
        }
        into.push_str(name);
    }
}

/// How many names a host list stands for, where every bracket is a list of ranges; 0 where it is no host list.
fn names(list: &str) -> u32 {
    let (mut all, mut word, mut inside) = (0u32, 1u32, 0u32);
    let mut rest = list;
    if rest.is_empty() {
        return 0;
    }
    while let Some(at) = rest.find(['[', ',']) {
        if rest.as_bytes()[at] == b',' {
            all = all.saturating_add(word);
            word = 1;
            rest = &rest[at + 1..];
            continue;
        }
        let Some((ranges, tail)) = rest[at + 1..].split_once(']') else { return 0 };
        for range in ranges.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
                return 0;
            };
            inside = inside.saturating_add(last.saturating_sub(first).saturating_add(1));
        }
        word = word.saturating_mul(std::mem::take(&mut inside));
        rest = tail;
    }
    all.saturating_add(word)
}

#[cfg(test)]
mod tests {
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
            assert_eq!(names(list), count, "{list}");
        }
        let read = |text: &str| {
            let mut into = String::new();
            hosts(text, &mut into);
            into
        };
        assert_eq!(read("['r1', 'r2']"), "r1,r2");
        assert_eq!(read("[12 13]"), "12,13");
        assert_eq!(read("n[1-4]"), "n[1-4]");
        assert_eq!(read("None"), "");
    }
}
