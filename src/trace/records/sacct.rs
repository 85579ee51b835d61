//! Slurm's accounting as `sacct -P` prints it.
//!
//! Columns are found by their names, in any order and case; those not named here are left alone. `Submit` may be
//! missing (jobs are then submitted when they start), and `End` where `ElapsedRaw` or `Elapsed` stands, which is the
//! run time wherever it does: times are those of a local clock, which is set twice a year (`slurm_make_time_str`,
//! `src/common/parse_time.c`). Separators and line breaks in a job's name are not escaped: the columns before the
//! first such text are counted from the left, those after the last one from the right. Rows of which that does not
//! say enough are left out.

use std::borrow::Cow;

use super::record::{Record, RecordFormat, Source, State, row_error};
use super::rows::{count_names, hash_text};
use super::sacct_header::{
    EXPECTED, SacctHeader, WANTED, detect_delimiter, is_job, split_plainly, strip_quotes,
};
use super::time::{INSTANT, LIMIT, may_clock_step, parse_instant, parse_time_limit};
use crate::log::no_jobs_error;
use crate::tally::{Reason, Tally};
use nodeorder_base::slurm_states::{JobPhase, find_job_phase};
use nodeorder_base::{Error, Lines, Result, SourceLocation};

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

/// Rows of `sacct`.
pub struct Sacct {
    lines: Lines,
    header: SacctHeader,
    /// Lines of a row whose text has line breaks, and the row that was read behind it.
    joined: String,
    ahead: Option<LineAhead>,
}

/// A line that was read while looking for the end of a row: its file, its number, its text.
type LineAhead = (u32, usize, String);

impl Sacct {
    pub fn new(mut lines: Lines) -> Result<Self> {
        let name = lines.name().to_string();
        loop {
            match lines.read_line()? {
                None => return Err(no_jobs_error(&name, EXPECTED)),
                Some(line) if line.bytes.trim_ascii().is_empty() => {}
                Some(line) => {
                    let header =
                        SacctHeader::parse_header(line.text()?, line.file, &line.location())?;
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
                    SacctHeader::parse_header(&self.joined, file, &self.lines.location_of(number))?;
            } else if !self.joined.trim().is_empty() && self.joined != self.header.text {
                // Outputs put one behind the other repeat the header.
                break (file, number);
            }
        };
        let SacctHeader {
            delimiter,
            width,
            free: Some((_, last)),
            ..
        } = self.header
        else {
            return Ok(Some((file, number, false)));
        };
        let mut was_joined = false;
        loop {
            let short = split_plainly(&self.joined, delimiter).len() < width;
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
            was_joined = true;
        }
        Ok(Some((file, number, was_joined)))
    }
}

/// A row's fields by what they are.
struct SacctRow<'a> {
    location: SourceLocation,
    fields: Vec<Cow<'a, str>>,
    header: &'a SacctHeader,
    /// Fields too many that stand before the columns between two of free text.
    shift: usize,
}

impl SacctRow<'_> {
    /// Counts the fields too many: separators in texts.
    fn count_surplus(&self) -> usize {
        self.fields.len() - self.header.width
    }

    /// Looks up the text of a column; those after the free ones are counted from the right. Empty if the header
    /// has none.
    fn column_text(&self, wanted: usize) -> &str {
        let Some(at) = self.header.at[wanted] else {
            return "";
        };
        let shift = match self.header.free {
            Some((_, last)) if at > last => self.count_surplus(),
            Some((first, _)) if at > first => self.shift,
            _ => 0,
        };
        strip_quotes(&self.fields[at + shift])
    }

    /// Finds the only way in which a row with separators or line breaks in its texts can be read; false if there is
    /// none, or more than one.
    fn decide_reading(&mut self) -> bool {
        let mut columns = self.header.at.iter().flatten();
        let most = match self.header.free {
            Some((first, last)) if columns.any(|at| (first..last).contains(at)) => {
                self.count_surplus()
            }
            _ => 0,
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

    /// Reads the run time into `record`, whose start is known; true if the job ends before it starts.
    fn read_run_time(&self, record: &mut Record) -> Result<bool> {
        let end = self.parse_time(3)?;
        let elapsed = parse_time_limit(self.column_text(11), 1)
            .ok_or_else(|| self.column_error(11, "a time such as 1-02:04:00, or seconds"))?;
        // Of a job that runs it is the time so far.
        let ended = end.is_some() || self.header.at[3].is_none() && !self.holds_nodes();
        match (record.start, elapsed) {
            (Some(_), Some(_)) if ended => record.run = elapsed,
            _ => return Ok(record.ends_at(end)),
        }
        Ok(false)
    }

    /// Checks whether the state says that the job holds nodes or waits.
    fn holds_nodes(&self) -> bool {
        let phase = find_job_phase([self.column_text(9)]);
        phase.is_some_and(|phase| phase >= JobPhase::Waits)
    }

    /// Checks whether the run time is the difference of two times of a clock that may have been set between them.
    fn is_clock_time(&self, record: &Record) -> bool {
        let local = self.column_text(2).contains(':') && self.column_text(11).is_empty();
        let (Some(start), Some(end)) = (record.start, record.end_time()) else {
            return false;
        };
        local && may_clock_step(start, end)
    }

    /// Reads the job into `record`: whether it ends before it starts, and whether its count of nodes is a rounded one.
    fn read_job(&self, record: &mut Record) -> Result<(bool, bool)> {
        let job = self.column_text(0);
        if !is_job(job) {
            return Err(self.column_error(0, "a job id such as 123, 123_4 or 123+1"));
        }
        record.job.push_str(job);
        (record.submit, record.start) = (self.parse_time(1)?, self.parse_time(2)?);
        if self.header.at[1].is_none() {
            record.submit = record.start;
        }
        let backwards = self.read_run_time(record)?;
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
        while let Some((file, number, was_joined)) = self.read_row()? {
            tally.set_row(file, number);
            let header = &self.header;
            let location = self.lines.location_of(number);
            let fields = header.split_row(&self.joined);
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
            if (was_joined || count > width) && !row.decide_reading() {
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
            tally.add_count(Reason::ClockStep, usize::from(row.is_clock_time(record)));
            let assumed = header.at[1].is_none() && record.start.is_some();
            tally.add_count(Reason::NoWaitTime, usize::from(assumed));
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
        (end, 'K' | 'k') => (&text[..end], 1 << 10),
        (end, 'M' | 'm') => (&text[..end], 1 << 20),
        (end, 'G' | 'g') => (&text[..end], 1 << 30),
        _ => (text, 1),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    // At most 12 digits: so no product below leaves 128 bits.
    let plain = |part: &str| part.len() <= 12 && part.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || whole.is_empty() {
        return None;
    }
    let scale = 10u128.pow(fraction.len() as u32);
    let part: u128 = fraction.parse().unwrap_or(0);
    // No job has a part of a node.
    if unit == 1 && part > 0 {
        return None;
    }
    let exact = (whole.parse::<u128>().ok()? * scale + part) * unit / scale;
    Some((exact.try_into().ok()?, unit > 1))
}
