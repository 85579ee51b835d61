//! The schedule that a trace itself records, summed up to be read beside simulated ones.

use super::result::{Record, ScheduleResult};
use super::saving::UsedSeconds;
use super::summary::ScheduleSummary;
use super::task::Task;

/// Sums up the schedule that the trace records of those tasks that ran in a simulation and whose wait is known: each
/// starts its recorded wait after its submit and takes the trace's run time. `None` if no wait is known.
pub fn summarise_recorded(
    tasks: &[Task],
    waits: &[Option<i64>],
    ran: &UsedSeconds,
    nodes: u32,
) -> Option<ScheduleSummary> {
    let mut result = ScheduleResult {
        ticks: 1,
        nodes,
        ..ScheduleResult::default()
    };
    for ((task, wait), ran) in tasks.iter().zip(waits).zip(ran) {
        // Only jobs that both schedules have can be compared.
        let (Some(wait), Some(_)) = (wait, ran) else {
            continue;
        };
        let start = task.submit + wait;
        result.records.push(Record {
            task: result.tasks.len() as u32,
            start,
            end: start + task.run,
            ..Record::default()
        });
        result.tasks.push(*task);
    }
    result.records.sort_by_key(|record| record.start);
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
        let figures = summarise_recorded(&tasks, &waits, &ran, 4).unwrap();
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
        assert_eq!(summarise_recorded(&tasks, &[None; 4], &ran, 4), None);
    }
}
