//! Recorded waits of a trace's jobs, as a schedule to read beside simulated ones.

use super::result::{Record, ScheduleResult};
use super::saving::Used;
use super::summary::ScheduleSummary;
use super::task::Task;

/// The schedule that the trace records of those tasks that `ran` in a simulation and whose wait is known: each starts
/// `waits` after its submit and takes the trace's run time. None where no wait is known.
pub(super) fn recorded(
    tasks: &[Task],
    waits: &[Option<i64>],
    ran: &Used,
    nodes: u32,
) -> Option<ScheduleSummary> {
    let known = tasks
        .iter()
        .zip(waits)
        .zip(ran)
        .filter(|(_, ran)| ran.is_some());
    let known = known.filter_map(|((task, wait), _)| Some((*task, task.submit + (*wait)?)));
    let (tasks, starts): (Vec<Task>, Vec<i64>) = known.unzip();
    let mut records: Vec<Record> = (0..)
        .zip(tasks.iter().zip(starts))
        .map(|(index, (task, start))| Record {
            task: index,
            start,
            end: start + task.run,
            ..Record::default()
        })
        .collect();
    records.sort_by_key(|record| record.start);
    let result = ScheduleResult {
        records,
        tasks,
        ticks: 1,
        nodes,
        ..ScheduleResult::default()
    };
    (!result.records.is_empty()).then(|| result.summary())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tasks_that_ran_and_have_a_wait_count() {
        let task = |id, submit, run| Task {
            id,
            submit,
            run,
            requested: run,
            nodes: 2,
        };
        let tasks = [
            task(1, 0, 100),
            task(2, 10, 50),
            task(3, 20, 10),
            task(4, 30, 10),
        ];
        let waits = [Some(0), Some(90), None, Some(1000)];
        let ran = vec![Some(1.0), Some(1.0), Some(1.0), None];
        let figures = recorded(&tasks, &waits, &ran, 4).unwrap();
        assert_eq!(
            (figures.jobs, figures.mean_wait, figures.max_wait),
            (2, 45.0, 90.0)
        );
        // From 0 to 150 two of the four nodes are in use.
        assert_eq!((figures.makespan, figures.utilisation), (150.0, 0.5));
        assert_eq!(
            (figures.mean_response, figures.mean_bounded_slowdown),
            (120.0, 1.9)
        );
        assert_eq!(recorded(&tasks, &[None; 4], &ran, 4), None);
    }
}
