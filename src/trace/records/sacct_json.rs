//! Slurm's accounting as `sacct --json` prints it.
//!
//! Jobs have their times in seconds since 1970, so no clock is set between them; a job that waits or runs has an end
//! of 0 (`JOB` and `JOB_TIME` in `src/plugins/data_parser/*/parsers.c`). Steps are passed over, which sacct prints
//! inside their job.

use serde::Deserialize;

use super::json::{HeldRecords, parse_document};
use super::record::{Record, RecordFormat, State};
use super::slurm_json::{Number, States, end_record, list_records};
use nodeorder_base::slurm_states::JobPhase;
use nodeorder_base::{Result, Text};

/// The accounting of Slurm in JSON.
pub static SACCT_JSON: RecordFormat = RecordFormat {
    name: "sacct-json",
    about: "accounting of Slurm as sacct --json prints it",
    example: "{\"jobs\":[{\"job_id\":12,\"allocation_nodes\":2,\"nodes\":\"n[01-02]\",\"time\":{…},…}]}",
    noun: "accounting of Slurm",
    lists_nodes: true,
    joins: false,
    begins: |text| {
        // A list without jobs has what printed it alone.
        let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
        text.starts_with(b"{")
            && !has(b"\"job_state\"")
            && (has(b"\"allocation_nodes\"") || has(b"slurmdbd\"") || has(b"\"sacct\""))
    },
    open: |lines, _| Ok(Box::new(read_accounting(&lines.into_text()?)?)),
};

#[derive(Deserialize)]
struct Accounting {
    jobs: Vec<SacctJob>,
}

#[derive(Deserialize)]
struct SacctJob {
    job_id: f64,
    state: JobStateJson,
    time: Times,
    allocation_nodes: Number,
    nodes: Option<String>,
    partition: Option<String>,
    user: Option<String>,
    segment_size: Option<Number>,
}

#[derive(Deserialize)]
struct JobStateJson {
    current: States,
}

#[derive(Deserialize)]
struct Times {
    submission: Number,
    start: Number,
    end: Number,
    limit: Option<Number>,
}

/// Reads the records of a document.
fn read_accounting(text: &Text) -> Result<HeldRecords> {
    let expected =
        "the output of sacct --json: jobs of job_id, state, time, allocation_nodes and nodes";
    let Accounting { jobs } = parse_document(text, expected)?;
    Ok(list_records(jobs, to_record))
}

/// Converts a job to a record, and counts those of an unknown state. `None` if it ends before it starts.
fn to_record(job: SacctJob, unknown: &mut usize) -> Option<Record> {
    let phase = job.state.current.find_phase();
    *unknown += usize::from(phase.is_none());
    let limit = job.time.limit.and_then(Number::known_number);
    let hosts = job.nodes.filter(|hosts| hosts != "None assigned");
    let record = Record {
        job: job.job_id.to_string(),
        submit: job.time.submission.known_number(),
        start: job.time.start.known_number(),
        limit: limit.and_then(|minutes| minutes.checked_mul(60)),
        nodes: job.allocation_nodes.node_count(),
        hosts: hosts.unwrap_or_default(),
        partition: job.partition.unwrap_or_default(),
        user: job.user.unwrap_or_default(),
        state: State::of_phase(phase.unwrap_or(JobPhase::Flag)),
        segment: job.segment_size.map_or(0, Number::node_count),
        ..Record::default()
    };
    let end = job.time.end.known_number();
    end_record(record, end)
}
