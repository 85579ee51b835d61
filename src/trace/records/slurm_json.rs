//! Numbers, states and lists of jobs as Slurm's JSON has them, since 20.11.

use serde::Deserialize;

use super::json::HeldRecords;
use super::record::Record;
use super::rows::hash_text;
use super::time::LONGEST;
use crate::tally::Reason;
use nodeorder_base::slurm_states::{JobPhase, find_job_phase};

/// A number of Slurm's JSON; no number where it is null, not set or infinite.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
pub enum Number {
    Plain(f64),
    Told {
        #[serde(default = "true_by_default")]
        set: bool,
        #[serde(default)]
        infinite: bool,
        number: f64,
    },
    Null,
}

fn true_by_default() -> bool {
    true
}

impl Number {
    /// Converts the number to a count of nodes, 0 where it is unset or no count.
    pub fn node_count(self) -> u32 {
        let number = self.known_number();
        number.and_then(|n| n.try_into().ok()).unwrap_or(0)
    }

    /// Returns the number if it is whole, above 0 (which stands for none), and within the range of times.
    pub fn known_number(self) -> Option<i64> {
        let number = match self {
            Number::Plain(number) => number,
            Number::Told {
                set: true,
                infinite: false,
                number,
            } => number,
            _ => 0.0,
        };
        // Numbers up to there are exact, be they written 8 or 8.0.
        let whole = number.fract() == 0.0 && (1.0..LONGEST as f64).contains(&number);
        whole.then_some(number as i64)
    }
}

/// One state, or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum States {
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

    /// Finds the phase of a job that is in these states; `None` if none of them is known.
    pub fn find_phase(self) -> Option<JobPhase> {
        find_job_phase(self.into_words().iter().map(String::as_str))
    }
}

/// Converts the jobs of a document by `to_record`, which counts those of an unknown state, and gives `None` for one
/// that ends before it starts.
pub fn list_records<J>(
    jobs: Vec<J>,
    to_record: fn(J, &mut usize) -> Option<Record>,
) -> HeldRecords {
    let all = jobs.len();
    let mut unknown = 0;
    let records = jobs
        .into_iter()
        .filter_map(|job| to_record(job, &mut unknown));
    let records: Vec<Record> = records.collect();
    let counts = vec![
        (Reason::EndsBeforeStart, all - records.len()),
        (Reason::UnknownState, unknown),
    ];
    HeldRecords::new(records, counts)
}

/// Gives a record its end. `None` if that is before its start.
pub fn end_record(mut record: Record, end: Option<i64>) -> Option<Record> {
    // The document has no rows: nodes and end tell whether two entries of a job are the same.
    record.row = hash_text(&record.hosts, end.unwrap_or(0));
    (!record.ends_at(end)).then_some(record)
}
