//! Workloads that are one JSON document: those of Batsim, and the job log of the Philly traces.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::record::{Record, RecordFormat, Source, State};
use super::time::{LONGEST, parse_instant};
use crate::tally::{Reason, Tally};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;

/// A Batsim workload.
pub static BATSIM: RecordFormat = RecordFormat {
    name: "batsim",
    about: "Batsim workload: JSON with jobs and profiles; profiles of the type delay run, and sequences of these",
    example: "{\"nb_res\":64,\"jobs\":[…],\"profiles\":{…}}",
    noun: "Batsim workload",
    lists_nodes: false,
    joins: false,
    begins: |line| line.starts_with(b"{"),
    open: |lines, _| Ok(Box::new(read_batsim(&lines.into_text()?)?)),
};

/// The job log of the Philly traces.
pub static PHILLY: RecordFormat = RecordFormat {
    name: "philly",
    about: "job log of the Philly traces: JSON, a list of jobs with attempts and their servers",
    example: "[{\"jobid\":…,\"submitted_time\":…,\"attempts\":[…]}]",
    noun: "Philly job log",
    lists_nodes: true,
    joins: false,
    begins: |line| line.starts_with(b"["),
    open: |lines, _| Ok(Box::new(read_philly(&lines.into_text()?)?)),
};

/// Jobs that were read as a whole.
pub(super) struct HeldRecords {
    pub records: std::vec::IntoIter<Record>,
    /// Jobs left out, and why.
    pub left_out: (Reason, usize),
    /// Jobs of which something is assumed, and what.
    pub mended: (Reason, usize),
    /// When they were taken, in seconds since 1970; none where the document does not say.
    pub taken_at: Option<i64>,
}

impl Source for HeldRecords {
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        let reason = self.left_out.0;
        // Counted once, with the first record that is asked for.
        let count = std::mem::take(&mut self.left_out.1);
        tally.lines += count as u64;
        tally.add_count(reason, count);
        tally.add_count(self.mended.0, std::mem::take(&mut self.mended.1));
        let Some(next) = self.records.next() else {
            return Ok(false);
        };
        tally.lines += 1;
        *record = next;
        Ok(true)
    }

    fn taken_at(&self) -> Option<i64> {
        self.taken_at
    }
}

impl HeldRecords {
    /// Makes the records of a document, of whose jobs so many are left out.
    pub fn new(records: Vec<Record>, reason: Reason, left_out: usize) -> HeldRecords {
        HeldRecords {
            records: records.into_iter(),
            left_out: (reason, left_out),
            mended: (Reason::UnknownState, 0),
            taken_at: None,
        }
    }
}

/// Reads a document of the type `T`; an error has its line.
pub(super) fn parse_document<'t, T: Deserialize<'t>>(text: &'t Text, expected: &str) -> Result<T> {
    serde_json::from_str(text.as_str()).map_err(|e| {
        let said = e.to_string();
        let said = said
            // Our messages begin with file and line; that of the parser ends with them.
            .rsplit_once(" at line ")
            .map_or(said.as_str(), |(said, _)| said);
        let (found, wanted) = match said.strip_prefix("expected ") {
            Some(wanted) => ("text that is no JSON", wanted),
            None => said.split_once(", expected ").unwrap_or((said, expected)),
        };
        // The end of a text is on its last line.
        let line = e.line().clamp(1, text.lines().count().max(1));
        Error::input(SourceLocation::line(text.name(), line), found, wanted)
    })
}

/// Finds the line on which a text first stands within quotes.
fn locate_quoted(text: &Text, quoted: &str) -> SourceLocation {
    let at = serde_json::to_string(quoted)
        .ok()
        .and_then(|q| text.as_str().find(&q));
    match at {
        Some(at) => SourceLocation::line(text.name(), text.line_number_at(at)),
        None => text.location(),
    }
}

/// Reads seconds, a fraction cut off.
fn parse_seconds<'d, D: Deserializer<'d>>(from: D) -> std::result::Result<i64, D::Error> {
    let number = f64::deserialize(from)?;
    // -1 is a walltime that is not set.
    if (-1.0..1e15).contains(&number) {
        Ok(number.floor() as i64)
    } else {
        Err(D::Error::custom(format!(
            "{number} seconds, expected a number from 0 to 1e15"
        )))
    }
}

/// A name, or a number as one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Number(i64),
    Text(String),
}

impl Name {
    fn into_text(self) -> String {
        match self {
            Name::Number(number) => number.to_string(),
            Name::Text(text) => text,
        }
    }
}

#[derive(Deserialize)]
struct BatsimWorkload {
    #[serde(default)]
    profiles: BTreeMap<String, BatsimProfile>,
    jobs: Vec<BatsimJob>,
}

#[derive(Deserialize)]
struct BatsimJob {
    id: Name,
    #[serde(deserialize_with = "parse_seconds")]
    subtime: i64,
    #[serde(default = "no_limit", deserialize_with = "parse_seconds")]
    walltime: i64,
    res: u32,
    profile: String,
}

fn no_limit() -> i64 {
    -1
}

/// Only delays count: what other profiles take depends on the machine that Batsim simulates.
#[derive(Deserialize)]
struct BatsimProfile {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "no_limit", deserialize_with = "parse_seconds")]
    delay: i64,
    /// Names of the profiles that a sequence runs in turn, and how often.
    #[serde(default)]
    seq: Vec<String>,
    repeat: Option<u32>,
}

/// Computes the seconds that a profile takes: a delay, or a sequence of delays. `None` if the machine decides.
fn run_time(profile: &BatsimProfile, profiles: &BTreeMap<String, BatsimProfile>) -> Option<i64> {
    let delay = |profile: &BatsimProfile| Some(profile.delay).filter(|_| profile.kind == "delay");
    if profile.seq.is_empty() {
        return delay(profile);
    }
    let parts = profile
        .seq
        .iter()
        .map(|name| delay(profiles.get(name)?).filter(|run| *run >= 0));
    let once = parts.sum::<Option<i64>>()?;
    once.checked_mul(profile.repeat.unwrap_or(1).into())
        .filter(|run| *run <= LONGEST)
}

/// Reads a Batsim workload: jobs with their submit times, in resources taken as nodes; they run as long as a profile
/// of the type `delay`, or a sequence of such profiles, says.
fn read_batsim(text: &Text) -> Result<HeldRecords> {
    let expected =
        "a Batsim workload: jobs of id, subtime, walltime, res and profile, and profiles by name";
    let BatsimWorkload { profiles, jobs } = parse_document(text, expected)?;
    if jobs.is_empty() {
        return Err(Error::input(text.location(), "no jobs", expected));
    }
    let mut records = Vec::with_capacity(jobs.len());
    let mut without = 0;
    for job in jobs {
        let Some(profile) = profiles.get(&job.profile) else {
            let found = format!("profile `{}`, which `profiles` does not have", job.profile);
            return Err(Error::input(
                locate_quoted(text, &job.profile),
                found,
                "one of its names",
            ));
        };
        if profile.kind == "delay" && profile.delay < 0 {
            let found = format!("profile `{}` without its delay", job.profile);
            return Err(Error::input(
                locate_quoted(text, &job.profile),
                found,
                "\"delay\": seconds",
            ));
        }
        let Some(run) = run_time(profile, &profiles) else {
            without += 1;
            continue;
        };
        records.push(Record {
            job: job.id.into_text(),
            submit: Some(job.subtime).filter(|time| *time >= 0),
            run: Some(run),
            limit: Some(job.walltime).filter(|time| *time >= 0),
            nodes: job.res,
            ..Record::default()
        });
    }
    Ok(HeldRecords::new(records, Reason::OtherProfile, without))
}

#[derive(Deserialize)]
struct PhillyJob {
    jobid: String,
    #[serde(deserialize_with = "parse_time")]
    submitted_time: Option<i64>,
    #[serde(default)]
    status: String,
    #[serde(default)]
    vc: String,
    #[serde(default)]
    user: String,
    attempts: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Attempt {
    #[serde(default, deserialize_with = "parse_time")]
    start_time: Option<i64>,
    #[serde(default, deserialize_with = "parse_time")]
    end_time: Option<i64>,
    detail: Vec<Server>,
}

#[derive(Deserialize)]
struct Server {
    ip: String,
}

/// Reads a time of a calendar, or null.
fn parse_time<'d, D: Deserializer<'d>>(from: D) -> std::result::Result<Option<i64>, D::Error> {
    let text = Option::<String>::deserialize(from)?.unwrap_or_default();
    parse_instant(&text).ok_or_else(|| {
        D::Error::custom(format!(
            "`{text}`, expected a time such as 2017-10-03 22:53:38, or None"
        ))
    })
}

/// Reads the job log of the Philly traces: a record for every attempt, with the servers it had.
fn read_philly(text: &Text) -> Result<HeldRecords> {
    let expected = "a list of jobs of jobid, submitted_time and attempts, each with start_time, end_time and detail";
    let jobs: Vec<PhillyJob> = parse_document(text, expected)?;
    if jobs.is_empty() {
        return Err(Error::input(text.location(), "no jobs", expected));
    }
    let mut records = Vec::with_capacity(jobs.len());
    for job in jobs {
        let state = State::parse_state(&job.status);
        let whole = |attempt: Option<Attempt>| {
            let (start, end, detail) = attempt.map_or((None, None, Vec::new()), |a| {
                (a.start_time, a.end_time, a.detail)
            });
            let hosts: Vec<String> = detail.into_iter().map(|server| server.ip).collect();
            let mut record = Record {
                job: job.jobid.clone(),
                submit: job.submitted_time,
                start,
                nodes: hosts.len() as u32,
                hosts: hosts.join(","),
                partition: job.vc.clone(),
                user: job.user.clone(),
                state,
                ..Record::default()
            };
            record.ends_at(end);
            record
        };
        // A job that never ran is a record, too, so that it is counted among those left out.
        if job.attempts.is_empty() {
            records.push(whole(None))
        } else {
            records.extend(job.attempts.into_iter().map(|attempt| whole(Some(attempt))))
        }
    }
    Ok(HeldRecords::new(records, Reason::OtherProfile, 0))
}
