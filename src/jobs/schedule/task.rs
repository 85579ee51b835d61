//! The jobs of a simulation, checks of them, and the conversion of their times to ticks.

use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_trace::Trace;

/// A job of the trace to be scheduled. Times in seconds outside a simulation, in ticks inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Job number in the trace.
    pub id: i64,
    /// Time at which the job joins the queue.
    pub submit: i64,
    /// Run time in the trace, at least 1.
    pub run: i64,
    /// Run time that the user requested, at least 1: what policies plan with.
    pub requested: i64,
    /// Number of nodes, at least 1.
    pub nodes: u32,
}

impl Task {
    /// Lists the jobs of a trace in queue order: by submit time, those of one second in file order.
    pub fn from_trace(trace: &Trace) -> Vec<Task> {
        let jobs = trace.by_submit().iter().map(|i| &trace.jobs()[*i as usize]);
        jobs.map(|job| Task {
            id: job.id,
            submit: job.submit,
            run: job.run,
            requested: job.requested_time,
            nodes: job.nodes,
        })
        .collect()
    }
}

/// Ticks per second where a model stretches run times.
pub const TICKS_PER_SECOND: i64 = 1_000_000;

/// Checks sizes, times and order of the tasks. Fails with the number of the first job that is wrong.
pub fn check_tasks(tasks: &[Task], nodes: u32) -> Result<()> {
    let mut before = i64::MIN;
    for task in tasks {
        let (found, expected) = if task.nodes == 0 || task.nodes > nodes {
            let expected = format!("1 to {nodes}, the nodes of the ordering");
            (format!("{} nodes", task.nodes), expected)
        } else if task.run < 1 || task.requested < 1 {
            let found = format!("run time {}, requested {}", task.run, task.requested);
            (found, "at least a second of both".into())
        } else if before > task.submit {
            let found = format!("submit {} after {before}", task.submit);
            (found, "jobs by submit time".into())
        } else {
            before = task.submit;
            continue;
        };
        return Err(Error::option(format!("job {}", task.id), found, expected));
    }
    Ok(())
}

/// Converts the times of tasks from seconds to ticks. Fails if the clock overflows when all run one after another.
pub fn convert_to_ticks(tasks: &[Task], ticks: i64) -> Result<Vec<Task>> {
    let mut latest = 0;
    let mut total = 0;
    for task in tasks {
        latest = latest.max(i128::from(task.submit).abs());
        total += i128::from(task.run.max(task.requested));
    }
    let ends = latest + total;
    // An eighth is left for models that stretch.
    let most = i128::from(i64::MAX / ticks / 8);
    if ends > most {
        return Err(Error::unsuited(
            SourceLocation::option("--trace"),
            format!("submits and requested times add up to {ends} seconds"),
            format!("the clock of this model ends after {most} seconds"),
        ));
    }
    let mut scaled = tasks.to_vec();
    for task in &mut scaled {
        task.submit *= ticks;
        task.run *= ticks;
        task.requested *= ticks;
    }
    Ok(scaled)
}
