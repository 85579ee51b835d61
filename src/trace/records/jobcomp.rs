//! Slurm's `jobcomp/filetxt`, and what `scontrol -o show job` prints: a line a job of `Key=value` with blanks between.
//!
//! Names and folders are a user's and may have blanks and keys in them, the values read here have none: a line on
//! which a key that is read comes twice leaves open which is meant, and is left out.

use super::record::{Record, RecordFormat, Source, State, row_error};
use super::rows::hash_text;
use super::time::{INSTANT, LIMIT, may_clock_step, parse_instant, parse_time_limit};
use crate::log::no_jobs_error;
use crate::tally::{Reason, Tally};
use nodeorder_base::input::{RawLine, strip_zero_fraction};
use nodeorder_base::slurm_states::{JobPhase, find_job_phase};
use nodeorder_base::{Lines, Result};

/// Jobs that ended, as Slurm writes them where it has no database.
pub static JOBCOMP: RecordFormat = RecordFormat {
    name: "jobcomp",
    about: "jobs that ended, as Slurm's jobcomp/filetxt writes them, or scontrol -o show job: Key=value, a line a job",
    example: "JobId=12 UserId=u(1) Name=a JobState=COMPLETED TimeLimit=60 StartTime=2026-01-01T00:00:10 EndTime=2026-01-01T00:10:10 NodeList=n[0-3] NodeCnt=4",
    noun: "log of jobcomp/filetxt",
    lists_nodes: true,
    joins: false,
    begins: |line| line.starts_with(b"JobId="),
    open: |lines, _| {
        Ok(Box::new(JobComp {
            lines,
            begun: false,
        }))
    },
};

/// Keys that are read, each with its place among the values; two names of the same value have the same place.
const KEYS: [(&str, usize); 12] = [
    ("JobId", 0),
    ("StartTime", 1),
    ("EndTime", 2),
    ("NodeList", 3),
    ("NodeCnt", 4),
    ("NumNodes", 4),
    ("JobState", 5),
    ("SubmitTime", 6),
    ("TimeLimit", 7),
    ("Partition", 8),
    ("UserId", 9),
    ("SegmentSize", 10),
];
/// Number of different places of keys.
const PLACES: usize = 11;
const NEEDED: usize = 6;

struct JobComp {
    lines: Lines,
    begun: bool,
}

/// Splits a line into its values by their places. Fails with the reason why it has none.
fn split_values(text: &str) -> Result<[&str; PLACES], Reason> {
    let mut found = [None; PLACES];
    for (key, value) in text
        .split_ascii_whitespace()
        .filter_map(|word| word.split_once('='))
    {
        let Some((_, place)) = KEYS.iter().find(|(known, _)| *known == key) else {
            continue;
        };
        if found[*place].replace(value).is_some() {
            return Err(Reason::UnclearFields);
        }
    }
    if found[..NEEDED].contains(&None) {
        Err(Reason::TornLine)
    } else {
        Ok(found.map(Option::unwrap_or_default))
    }
}

/// Reads the values of a line into `record`; true if the job ends before it starts.
fn read_values(line: &RawLine<'_>, values: &[&str; PLACES], record: &mut Record) -> Result<bool> {
    let [
        job,
        start,
        end,
        hosts,
        nodes,
        state,
        submit,
        most,
        partition,
        user,
        segment,
    ] = *values;
    let time = |key: &str, text: &str| {
        parse_instant(text).ok_or_else(|| row_error(line.location(), key, text, INSTANT))
    };
    let phase = find_job_phase([state]);
    let waits = phase == Some(JobPhase::Waits);
    record.job.push_str(job);
    record.submit = time("SubmitTime", submit)?;
    // Starts and ends that Slurm expects have not happened.
    record.start = time("StartTime", start)?.filter(|_| !waits);
    let end = time("EndTime", end)?;
    // A bare number is minutes.
    record.limit = parse_time_limit(most, 60)
        .ok_or_else(|| row_error(line.location(), "TimeLimit", most, LIMIT))?;
    if !["", "(null)", "None"].contains(&hosts) {
        record.hosts.push_str(hosts);
    }
    let whole = |key: &str, text: &str| {
        let text = strip_zero_fraction(text);
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let number = text.parse::<u32>().ok().filter(|_| digits);
        number.ok_or_else(|| row_error(line.location(), key, text, "a whole number"))
    };
    // A job that waits may ask for a range such as 2-4, and has no nodes yet.
    record.nodes = if waits { 0 } else { whole("NodeCnt", nodes)? };
    record.segment = if segment.is_empty() {
        0
    } else {
        whole("SegmentSize", segment)?
    };
    record.partition.push_str(partition);
    record
        .user
        // Slurm writes name and number, as in `ben(1001)`.
        .push_str(user.split('(').next().unwrap_or_default());
    record.state = if waits {
        State::Unknown
    } else {
        State::parse_state(state)
    };
    // The end of a job that still holds nodes is the one that its limit allows; a record RESIZING is of the nodes that
    // the job had up to that end.
    let holds = phase == Some(JobPhase::Holds) && state != "RESIZING";
    Ok(record.ends_at(end.filter(|_| !holds)))
}

/// Checks whether a line goes on with a job of the line above: `   UserId=…` (`slurm_sprint_job_info`,
/// `src/api/job_info.c`).
fn is_further_line(text: &str) -> bool {
    let key = text
        .strip_prefix("   ")
        .and_then(|rest| rest.split_once('='));
    key.is_some_and(|(key, _)| {
        key.starts_with(|c: char| c.is_ascii_uppercase())
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "/:_".contains(c))
    })
}

impl Source for JobComp {
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        while let Some(line) = self.lines.read_line()? {
            let text = line.text()?;
            if is_further_line(text) {
                let found = "a job over several lines, as scontrol show job prints it";
                return Err(line.error_here(found, "scontrol -o show job: a line a job"));
            }
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            self.begun = true;
            tally.set_row(line.file, line.number);
            let found = match split_values(text) {
                Ok(found) => found,
                Err(reason) => {
                    tally.leave_out(reason);
                    continue;
                }
            };
            tally.lines += 1;
            record.stands_on(line.file, line.number, hash_text(text, 0));
            if read_values(&line, &found, record)? {
                tally.add_count(Reason::EndsBeforeStart, 1);
                record.clear();
                continue;
            }
            let times = record.start.zip(record.end_time());
            let stepped = times.is_some_and(|(start, end)| may_clock_step(start, end));
            tally.add_count(Reason::ClockStep, usize::from(stepped));
            return Ok(true);
        }
        if self.begun {
            Ok(false)
        } else {
            Err(no_jobs_error(
                self.lines.name(),
                "lines such as JobId=12 UserId=…",
            ))
        }
    }
}
