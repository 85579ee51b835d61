//! Workloads that are one JSON document: those of Batsim, and the job log of the Philly traces.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::record::{Record, RecordFormat, Source, State};
use super::time::{LONGEST, parse_instant};
use crate::tally::{Reason, Tally};
use nodeorder_base::{Error, Result, SourceLocation, Text};

/// A Batsim workload.
pub static BATSIM: RecordFormat = RecordFormat {
    name: "batsim",
    about: "Batsim workload (4 and 5): JSON with jobs and profiles; delays run, sequences of these, and what tells its expected_execution_time",
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
pub struct HeldRecords {
    pub records: std::vec::IntoIter<Record>,
    /// Jobs left out or kept by an assumption, and why.
    pub counts: Vec<(Reason, usize)>,
    /// When they were taken, in seconds since 1970; none where the document does not say.
    pub taken_at: Option<i64>,
}

impl Source for HeldRecords {
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        // Counted once, with the first record that is asked for.
        for (reason, count) in self.counts.drain(..) {
            if reason.drops_line() {
                tally.lines += count as u64;
            }
            tally.add_count(reason, count);
        }
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
    /// Makes the records of a document; `counts` has the numbers of jobs left out or kept by an assumption, by reason.
    pub fn new(records: Vec<Record>, counts: Vec<(Reason, usize)>) -> HeldRecords {
        HeldRecords {
            records: records.into_iter(),
            counts,
            taken_at: None,
        }
    }
}

/// Reads a document of the type `T`; an error has its line.
pub fn parse_document<'t, T: Deserialize<'t>>(text: &'t Text, expected: &str) -> Result<T> {
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
fn parse_seconds<'d, D: Deserializer<'d>>(from: D) -> Result<i64, D::Error> {
    parse_duration(from).map(|seconds| seconds.map_or(-1, |seconds| seconds.floor() as i64))
}

/// Reads seconds; `None` below 0, since -1 is a walltime that is not set.
fn parse_duration<'d, D: Deserializer<'d>>(from: D) -> Result<Option<f64>, D::Error> {
    let number = f64::deserialize(from)?;
    if (-1.0..=LONGEST as f64).contains(&number) {
        Ok(Some(number).filter(|seconds| *seconds >= 0.0))
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
    #[serde(default, deserialize_with = "parse_duration")]
    expected_execution_time: Option<f64>,
}

fn no_limit() -> i64 {
    -1
}

/// What a profile says of its run time: a delay, the parts of a sequence, or an expected time. The run time of other
/// profiles depends on the machine that Batsim simulates.
#[derive(Deserialize)]
struct BatsimProfile {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "parse_duration")]
    delay: Option<f64>,
    /// Names of the profiles that a sequence runs in turn, and how often.
    #[serde(default)]
    seq: Vec<String>,
    repeat: Option<NonZeroU32>,
    #[serde(default, deserialize_with = "parse_duration")]
    expected_execution_time: Option<f64>,
}

impl BatsimProfile {
    /// Checks whether it is a delay, as Batsim 4 or as Batsim 5 calls it.
    fn is_delay(&self) -> bool {
        ["delay", "DelayProfile"].contains(&self.kind.as_str())
    }
}

/// Largest depth of nested sequences.
const DEEPEST: u32 = 100;

/// Run times of profiles, each computed once.
struct ProfileTimes<'w> {
    profiles: &'w BTreeMap<String, BatsimProfile>,
    /// Seconds, and whether they are only expected; `None` where the machine decides.
    known: BTreeMap<&'w str, Option<(f64, bool)>>,
}

impl<'w> ProfileTimes<'w> {
    /// Finds the seconds that a profile takes. `None` if the machine decides, or if it never ends.
    fn find_run_time(&mut self, name: &'w str, depth: u32) -> Option<(f64, bool)> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let profile = self.profiles.get(name).filter(|_| depth <= DEEPEST)?;
        // While its parts are looked at: a sequence within itself never ends.
        self.known.insert(name, None);
        let stated = if profile.is_delay() {
            profile.delay.map(|seconds| (seconds, false))
        } else {
            self.sum_parts(profile, depth)
        };
        let expected = profile.expected_execution_time.map(|run| (run, true));
        let found = stated.or(expected);
        self.known.insert(name, found);
        found
    }

    /// Sums up the parts of a sequence, as often as it is repeated. `None` if it has none.
    fn sum_parts(&mut self, profile: &'w BatsimProfile, depth: u32) -> Option<(f64, bool)> {
        let mut once = None;
        for part in &profile.seq {
            let (seconds, expected) = self.find_run_time(part, depth + 1)?;
            let (sum, any) = once.unwrap_or((0.0, false));
            once = Some((sum + seconds, any || expected));
        }
        let times = profile.repeat.map_or(1, NonZeroU32::get);
        once.map(|(seconds, expected)| (seconds * f64::from(times), expected))
            .filter(|(seconds, _)| *seconds <= LONGEST as f64)
    }
}

/// Reads a Batsim workload: jobs with their submit times, in resources taken as nodes. They run as long as a delay or
/// a sequence of delays says; else as long as `expected_execution_time`, in which Batsim's own test workloads say what
/// other profiles take. A fraction of a second is cut off.
///
/// # References
/// Batsim 5, `Profile::from_json` in `src/profiles.cpp` (`DelayProfile`, `SequentialCompositionProfile`) and
/// `test/helper.py` (`check_job_duration_from_job_expected_duration`, `…_from_profile_…`); Batsim 4 calls these types
/// `delay` and `composed`.
fn read_batsim(text: &Text) -> Result<HeldRecords> {
    let expected =
        "a Batsim workload: jobs of id, subtime, walltime, res and profile, and profiles by name";
    let BatsimWorkload { profiles, jobs } = parse_document(text, expected)?;
    if jobs.is_empty() {
        return Err(Error::input(text.location(), "no jobs", expected));
    }
    let mut times = ProfileTimes {
        profiles: &profiles,
        known: BTreeMap::new(),
    };
    let mut records = Vec::with_capacity(jobs.len());
    let mut without: BTreeMap<&str, usize> = BTreeMap::new();
    let mut estimated = 0;
    for job in jobs {
        let Some((name, profile)) = profiles.get_key_value(&job.profile) else {
            let found = format!("profile `{}`, which `profiles` does not have", job.profile);
            return Err(Error::input(
                locate_quoted(text, &job.profile),
                found,
                "one of its names",
            ));
        };
        if profile.is_delay() && profile.delay.is_none() {
            let found = format!("profile `{name}` without its delay");
            return Err(Error::input(
                locate_quoted(text, name),
                found,
                "\"delay\": seconds",
            ));
        }
        let own = job.expected_execution_time.map(|run| (run, true));
        let Some((run, is_expected)) = own.or_else(|| times.find_run_time(name, 0)) else {
            *without.entry(&profile.kind).or_default() += 1;
            continue;
        };
        estimated += usize::from(is_expected);
        records.push(Record {
            job: job.id.into_text(),
            submit: Some(job.subtime).filter(|time| *time >= 0),
            run: Some(run.floor() as i64),
            limit: Some(job.walltime).filter(|time| *time >= 0),
            nodes: job.res,
            ..Record::default()
        });
    }
    if records.is_empty() {
        let kinds: Vec<String> = without
            .iter()
            .map(|(kind, count)| format!("{count} of type {kind}"))
            .collect();
        let found = format!(
            "no job whose profile says its run time ({})",
            kinds.join(", ")
        );
        let expected = "delays, sequences of these, or an expected_execution_time";
        return Err(Error::input(text.location(), found, expected));
    }
    let counts = vec![
        (Reason::OtherProfile, without.values().sum()),
        (Reason::ExpectedRunTime, estimated),
    ];
    Ok(HeldRecords::new(records, counts))
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
fn parse_time<'d, D: Deserializer<'d>>(from: D) -> Result<Option<i64>, D::Error> {
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
        let to_record = |attempt: Option<Attempt>| {
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
            records.push(to_record(None))
        } else {
            records.extend(
                job.attempts
                    .into_iter()
                    .map(|attempt| to_record(Some(attempt))),
            )
        }
    }
    Ok(HeldRecords::new(records, Vec::new()))
}
