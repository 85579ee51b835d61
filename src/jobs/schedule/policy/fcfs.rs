//! First come, first served.

use std::collections::VecDeque;

use super::entry::{EVERY_EVENT, Passes, Policy, PolicyEntry};
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// `fcfs[:interval=0]`: tasks start in queue order; the head waits until it fits, and all others behind it. With
/// `interval=` (in seconds) tasks start only at multiples of it after the first submit. O(1) an event beside the
/// allocator.
pub const FCFS: PolicyEntry = PolicyEntry::new(
    "fcfs",
    "first come, first served; a head that does not fit blocks the queue",
    &[EVERY_EVENT],
    |params| {
        Ok(Box::new(Fcfs {
            passes: Passes::parse(params)?,
            queue: VecDeque::new(),
        }))
    },
);

/// Policy first come, first served.
#[derive(Clone)]
struct Fcfs {
    passes: Passes,
    queue: VecDeque<u32>,
}

impl Policy for Fcfs {
    fn describe_rule(&self) -> String {
        let passes = self.passes.describe_order();
        format!(
            "first come, first served, in the order of submit times, then of the file; no job passes the first one; {passes}"
        )
    }

    fn add_task(&mut self, task: u32, _: &ClusterState<'_>) {
        self.queue.push_back(task);
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        while let Some(head) = self.queue.front().copied() {
            // A task that is left out leaves the queue like one that started.
            if machine.task(head).nodes > machine.count_free()
                || machine.start_task(head) == Attempt::Waits
            {
                break;
            }
            self.queue.pop_front();
        }
    }

    fn passes(&self) -> Passes {
        self.passes
    }
}
