//! The event loop: submits, ends and passes of a policy in the order of time.

use super::cluster_state::ClusterState;
use super::policy::{PassTimes, Policy};
use super::result::Instant;
use nodeorder_base::Result;
use nodeorder_base::observer::unwind_if_stopped;

/// Runs the simulation until every task has ended or is left out; returns the instants, if recorded. Fails if the
/// model fails.
pub fn run_events(
    machine: &mut ClusterState<'_>,
    policy: &mut dyn Policy,
    times: PassTimes,
    progress: &dyn Fn(usize),
) -> Result<Vec<Instant>> {
    let tasks = machine.tasks;
    let mut submitted = 0;
    let mut ended = 0;
    let mut timeline = Vec::new();
    // Whether anything has happened since the last pass: if not, another pass would find the same.
    let mut news = false;
    machine.now = tasks.first().map_or(0, |task| task.submit);
    while ended + machine.left_out.len() < tasks.len() {
        unwind_if_stopped();
        let submit = tasks.get(submitted).map(|task| task.submit);
        // This instant has had its pass, so the next one is looked for from the tick after it.
        let poll = news.then(|| times.next_pass(machine.now + 1));
        let relent = machine.next_relent();
        let promised = policy.next_start();
        let next = [submit, machine.running.next_end(), poll, relent, promised]
            .into_iter()
            .flatten()
            .min();
        // A policy that leaves tasks waiting on an empty machine would be at fault; end rather than hang.
        let Some(next) = next else { break };
        machine.now = next;
        machine.relenting = relent == Some(next);
        news |= machine.relenting || promised == Some(next);
        let before = ended;
        let one_by_one = policy.passes().per_event;
        // Ends come first, so that nodes freed now are there for tasks that are submitted now.
        while let Some(task) = machine.end_one() {
            ended += 1;
            news = true;
            policy.task_ended(task, machine);
            if one_by_one {
                policy.start_tasks(machine);
            }
        }
        while tasks.get(submitted).is_some_and(|task| task.submit == next) {
            policy.add_task(submitted as u32, machine);
            submitted += 1;
            news = true;
            if one_by_one {
                policy.start_tasks(machine);
            }
        }
        if news && times.next_pass(next) == next {
            let started = machine.count_started();
            if !one_by_one {
                policy.start_tasks(machine);
            }
            // A start may make room in a window: a policy that polls looks again next time.
            news = times.interval > 0 && machine.count_started() > started;
        }
        machine.settle_ends()?;
        if machine.recorder.timeline {
            let waiting = submitted - machine.count_started() - machine.left_out.len();
            timeline.push(machine.take_instant(waiting));
        }
        if ended > before {
            progress(ended);
        }
    }
    debug_assert_eq!(ended + machine.left_out.len(), tasks.len());
    Ok(timeline)
}
