//! The event loop: submits, ends and passes of a policy in the order of time.

use super::cluster_state::ClusterState;
use super::policy::Policy;
use super::result::Instant;
use nodeorder_base::error::Result;
use nodeorder_base::observer::unwind_if_stopped;

/// Runs the simulation until every task has ended or is left out; returns the instants, if recorded. Fails if the
/// model fails.
pub(super) fn run_events(
    machine: &mut ClusterState<'_>,
    policy: &mut dyn Policy,
    interval: i64,
    progress: &dyn Fn(usize),
) -> Result<Vec<Instant>> {
    let tasks = machine.tasks;
    let mut submitted = 0;
    let mut ended = 0;
    let first = tasks.first().map_or(0, |task| task.submit);
    let mut timeline = Vec::new();
    // Whether anything has happened since the last pass: if not, another pass would find the same.
    let mut news = false;
    machine.now = first;
    while ended + machine.left_out.len() < tasks.len() {
        unwind_if_stopped();
        let submit = tasks.get(submitted).map(|task| task.submit);
        // This instant has had its pass, so the next one is looked for from the tick after it.
        let poll = news.then(|| next_pass(machine.now + 1, first, interval));
        let relent = machine.next_relent();
        let next = [submit, machine.running.next_end(), poll, relent]
            .into_iter()
            .flatten()
            .min();
        // A policy that leaves tasks waiting on an empty machine would be at fault; end rather than hang.
        let Some(next) = next else { break };
        machine.now = next;
        machine.relenting = relent == Some(next);
        news |= machine.relenting;
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
        if news && next_pass(next, first, interval) == next {
            let started = machine.count_started();
            if !one_by_one {
                policy.start_tasks(machine);
            }
            // A start may make room in a window: a policy that polls looks again next time.
            news = interval > 0 && machine.count_started() > started;
        }
        machine.settle_ends()?;
        if machine.recorder.timeline {
            timeline.push(machine.take_instant(policy.count_waiting()));
        }
        if ended > before {
            progress(ended);
        }
    }
    debug_assert_eq!(ended + machine.left_out.len(), tasks.len());
    Ok(timeline)
}

/// Computes the first time from `now` on at which the policy has a pass: `now` without an interval, else the next
/// whole number of intervals after the first submit.
fn next_pass(now: i64, first: i64, interval: i64) -> i64 {
    if interval == 0 {
        return now;
    }
    now + (first - now).rem_euclid(interval)
}
