//! Slurm's queue as `squeue --json` prints it: the jobs of now, those that run with their nodes.
//!
//! The document changed with Slurm's versions: numbers are plain or `{"set", "infinite", "number"}`, states one word
//! or a list of them. A job that still runs has no run time here: the end that squeue prints is the one that its
//! limit allows.

use serde::Deserialize;

use super::json::{HeldRecords, parse_document};
use super::rows::hash_text;
use super::time::LONGEST;
use super::{Record, RecordFormat, State};
use crate::tally::Reason;
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;

/// The queue of Slurm in JSON. A [`Record`] has a start and a host list where the job holds nodes, and a run time only
/// where it has ended.
pub static SQUEUE: RecordFormat = RecordFormat {
    name: "squeue",
    about: "queue of Slurm as squeue --json prints it: jobs that wait and that run, with their nodes",
    example: "{\"jobs\":[{\"job_id\":7,\"job_state\":[\"RUNNING\"],…}]}",
    noun: "queue of Slurm",
    lists_nodes: true,
    joins: false,
    begins: |text| {
        // A queue without jobs has Slurm's version alone.
        let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
        text.starts_with(b"{") && (has(b"\"job_state\"") || has(b"\"slurm\""))
    },
    open: |lines, _| Ok(Box::new(read_queue(&lines.into_text()?)?)),
};

#[derive(Deserialize)]
struct Queue {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    job_id: u64,
    job_state: States,
    submit_time: Number,
    start_time: Number,
    end_time: Number,
    time_limit: Number,
    node_count: Number,
    #[serde(default)]
    nodes: Option<String>,
    #[serde(default)]
    partition: Option<String>,
    #[serde(default)]
    user_name: Option<String>,
    #[serde(default)]
    segment_size: Option<Number>,
}

/// A number, or none where it is null, not set or infinite.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(i64),
    Told {
        #[serde(default = "true_by_default")]
        set: bool,
        #[serde(default)]
        infinite: bool,
        number: i64,
    },
    Null,
}

fn true_by_default() -> bool {
    true
}

impl Number {
    /// Reads the number if it is above 0, which stands for none, and no longer than times are.
    fn known_number(self) -> Option<i64> {
        let number = match self {
            Number::Plain(number) => number,
            Number::Told {
                set: true,
                infinite: false,
                number,
            } => number,
            _ => 0,
        };
        Some(number).filter(|n| (1..LONGEST).contains(n))
    }
}

/// One state, or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum States {
    One(String),
    Several(Vec<String>),
}

impl States {
    pub fn into_words(self) -> Vec<String> {
        match self {
            States::One(state) => vec![state],
            States::Several(states) => states,
        }
    }
}

/// Reads the records of a queue.
fn read_queue(text: &Text) -> Result<HeldRecords> {
    let expected = "the output of squeue --json: jobs of job_id, job_state, submit_time, start_time, end_time, \
                    time_limit, node_count and nodes";
    let Queue { jobs } = parse_document(text, expected)?;
    let all = jobs.len();
    let records: Vec<Record> = jobs.into_iter().filter_map(to_record).collect();
    let left_out = (Reason::EndsBeforeStart, all - records.len());
    Ok(HeldRecords {
        records: records.into_iter(),
        left_out,
    })
}

/// Converts a job to a record. `None` if it ends before it starts.
fn to_record(job: Job) -> Option<Record> {
    let states = job.job_state.into_words();
    let is = |state: &str| states.iter().any(|s| s == state);
    // Slurm may say when it expects to start a job that waits.
    let waits = ["PENDING", "REQUEUED", "CONFIGURING"].into_iter().any(is);
    let holds = ["RUNNING", "SUSPENDED", "COMPLETING", "STOPPED"]
        .into_iter()
        .any(is);
    let nodes = job
        .node_count
        .known_number()
        .and_then(|nodes| u32::try_from(nodes).ok());
    let mut record = Record {
        job: job.job_id.to_string(),
        submit: job.submit_time.known_number(),
        start: job.start_time.known_number().filter(|_| !waits),
        limit: job
            .time_limit
            .known_number()
            .and_then(|minutes| minutes.checked_mul(60)),
        nodes: nodes.unwrap_or(0),
        hosts: job.nodes.filter(|_| !waits).unwrap_or_default(),
        partition: job.partition.unwrap_or_default(),
        user: job.user_name.unwrap_or_default(),
        state: states
            .first()
            .map_or(State::Unknown, |state| State::parse_state(state)),
        segment: job
            .segment_size
            .and_then(Number::known_number)
            .and_then(|n| n.try_into().ok())
            .unwrap_or(0),
        ..Record::default()
    };
    let end = job.end_time.known_number().filter(|_| !holds);
    // The document has no rows: nodes and end tell whether two entries of a job are the same.
    record.row = hash_text(&record.hosts, end.unwrap_or(0));
    (!record.ends_at(end)).then_some(record)
}
