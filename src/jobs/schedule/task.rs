//! The jobs to be scheduled, and their times in ticks.

use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_trace::Trace;

/// A job to be scheduled. Times in seconds, or in ticks inside a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its number in the trace.
    pub id: i64,
    /// When it joins the queue.
    pub submit: i64,
    /// How long it runs by the trace, at least 1.
    pub run: i64,
    /// How long it was expected to run, at least 1: what policies plan with.
    pub requested: i64,
    /// Nodes, at least 1.
    pub nodes: u32,
}

impl Task {
    /// The jobs of a trace in queue order: by submit, those of one second in file order.
    pub fn of(trace: &Trace) -> Vec<Task> {
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

/// Ticks a second where run times are stretched.
pub(super) const TICKS: i64 = 1_000_000;

/// Refuses tasks that no schedule can hold: sizes, times or an order that are wrong.
pub(super) fn check(tasks: &[Task], nodes: u32) -> Result<()> {
    let wrong = |task: &Task, found: String, expected: String| {
        Err(Error::input(
            SourceLocation::option(format!("job {}", task.id)),
            found,
            expected,
        ))
    };
    for (i, task) in tasks.iter().enumerate() {
        if task.nodes == 0 || task.nodes > nodes {
            let expected = format!("1 to {nodes}, the nodes of the ordering");
            return wrong(task, format!("{} nodes", task.nodes), expected);
        }
        if task.run < 1 || task.requested < 1 {
            let found = format!("run time {}, requested {}", task.run, task.requested);
            return wrong(task, found, "at least a second of both".into());
        }
        if i > 0 && tasks[i - 1].submit > task.submit {
            let found = format!("submit {} after {}", task.submit, tasks[i - 1].submit);
            return wrong(task, found, "jobs by submit time".into());
        }
    }
    Ok(())
}

/// The tasks with times in ticks; refuses what the clock cannot hold even if all run one after another.
pub(super) fn in_ticks(tasks: &[Task], ticks: i64) -> Result<Vec<Task>> {
    let all: i128 = tasks
        .iter()
        .map(|t| i128::from(t.run.max(t.requested)))
        .sum();
    let ends = tasks
        .iter()
        .map(|t| i128::from(t.submit).abs())
        .max()
        .unwrap_or(0)
        + all;
    // An eighth is left for models that stretch.
    let most = i128::from(i64::MAX / ticks / 8);
    if ends > most {
        return Err(Error::unsuited(
            SourceLocation::option("--trace"),
            format!("submits and requested times add up to {ends} seconds"),
            format!("the clock of this model ends after {most} seconds"),
        ));
    }
    let scale = |t: &Task| Task {
        submit: t.submit * ticks,
        run: t.run * ticks,
        requested: t.requested * ticks,
        ..*t
    };
    Ok(tasks.iter().map(scale).collect())
}
