//! First come, first served.

use std::collections::VecDeque;

use super::{ClusterState, Policy, PolicyEntry};

/// `fcfs`: tasks start in queue order; the head waits until it fits, and all others behind it.
///
/// # Complexity
/// O(1) an event beside the allocator.
pub(super) const FCFS: PolicyEntry = PolicyEntry {
    name: "fcfs",
    about: "first come, first served; a head that does not fit blocks the queue",
    example: "fcfs",
    options: &[],
    build: |_, _| Ok(Box::new(Fcfs::default())),
};

#[derive(Default)]
struct Fcfs {
    queue: VecDeque<u32>,
}

impl Policy for Fcfs {
    fn rule(&self) -> String {
        "first come, first served by submit and file order; the head blocks; all ends, then all submits of an \
         instant, then one pass"
            .into()
    }

    fn submitted(&mut self, task: u32, _: &ClusterState<'_, '_>) {
        self.queue.push_back(task);
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        while let Some(head) = self.queue.front().copied() {
            if machine.task(head).nodes > machine.free() {
                break;
            }
            self.queue.pop_front();
            machine.start(head);
        }
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }
}
