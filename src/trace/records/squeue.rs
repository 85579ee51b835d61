//! Slurm's queue as `squeue --json` prints it: the jobs of now, those that run with their nodes.
//!
//! The document changed with Slurm's versions: numbers are plain or `{"set", "infinite", "number"}`, states one word
//! or a list of them. Whether a job holds its nodes is told by its states ([`nodeorder_base::slurm_states`]): one
//! whose nodes boot (CONFIGURING) does. A job that holds nodes has no run time here: the end that squeue prints is
//! the one that its limit allows. The moment of the queue is its `last_update` (`slurmctld`'s clock as it packs the
//! answer: `pack_all_jobs`, `src/slurmctld/job_mgr.c`).

use serde::Deserialize;

use super::json::{HeldRecords, parse_document};
use super::record::{Record, RecordFormat, State};
use super::slurm_json::{Number, States, end_record, list_records};
use nodeorder_base::slurm_states::JobPhase;
use nodeorder_base::{Result, Text};

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
    jobs: Vec<SqueueJob>,
    /// When the queue was asked.
    last_update: Option<Number>,
}

#[derive(Deserialize)]
struct SqueueJob {
    job_id: f64,
    job_state: States,
    submit_time: Number,
    start_time: Number,
    end_time: Number,
    time_limit: Number,
    node_count: Number,
    nodes: Option<String>,
    partition: Option<String>,
    user_name: Option<String>,
    segment_size: Option<Number>,
}

/// Reads the records of a queue.
fn read_queue(text: &Text) -> Result<HeldRecords> {
    let expected = "the output of squeue --json: jobs of job_id, job_state, submit_time, start_time, end_time, \
                    time_limit, node_count and nodes";
    let Queue { jobs, last_update } = parse_document(text, expected)?;
    Ok(HeldRecords {
        taken_at: last_update.and_then(Number::known_number),
        ..list_records(jobs, to_record)
    })
}

/// Converts a job to a record, and counts those of an unknown state. `None` if it ends before it starts.
fn to_record(job: SqueueJob, unknown: &mut usize) -> Option<Record> {
    let phase = job.job_state.find_phase();
    *unknown += usize::from(phase.is_none());
    // Slurm may say when it expects to start a job that waits.
    let waits = phase == Some(JobPhase::Waits);
    let record = Record {
        job: job.job_id.to_string(),
        submit: job.submit_time.known_number(),
        start: job.start_time.known_number().filter(|_| !waits),
        limit: job
            .time_limit
            .known_number()
            .and_then(|minutes| minutes.checked_mul(60)),
        nodes: job.node_count.node_count(),
        hosts: job.nodes.filter(|_| !waits).unwrap_or_default(),
        partition: job.partition.unwrap_or_default(),
        user: job.user_name.unwrap_or_default(),
        state: State::of_phase(phase.unwrap_or(JobPhase::Flag)),
        segment: job.segment_size.map_or(0, Number::node_count),
        ..Record::default()
    };
    let holds = phase == Some(JobPhase::Holds);
    let end = job.end_time.known_number().filter(|_| !holds);
    end_record(record, end)
}
