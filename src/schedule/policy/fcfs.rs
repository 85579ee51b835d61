//! First come, first served.

use std::collections::BTreeSet;

use super::{Attempt, ClusterState, EVERY_EVENT, Policy, PolicyEntry};

/// `fcfs[:interval=0]`: tasks start in queue order; the head waits until it fits, and all others behind it. With
/// `interval=` that is looked at every so many seconds from the first submit.
///
/// # Complexity
/// O(log queue) a task beside the allocator.
pub(super) const FCFS: PolicyEntry = PolicyEntry::new(
    "fcfs",
    "first come, first served; a head that does not fit blocks the queue",
    &[EVERY_EVENT],
    |params, context| {
        let passes = context.passes(params)?.after_instants();
        let rule =
            format!("first come, first served by submit and file order; the head blocks; {passes}");
        Ok(Box::new(InTurn::new(0, rule)))
    },
);

/// Tasks start in turn; one that does not fit blocks.
pub(super) struct InTurn {
    /// 1 where smaller tasks go first, -1 where larger ones do, 0 where size does not matter.
    sign: i64,
    rule: String,
    /// Nodes and requested time, by sign; then queue order.
    queue: BTreeSet<(i64, i64, u32)>,
}

impl InTurn {
    pub fn new(sign: i64, rule: String) -> Self {
        InTurn { sign, rule, queue: BTreeSet::new() }
    }
}

impl Policy for InTurn {
    fn rule(&self) -> String {
        self.rule.clone()
    }

    fn submitted(&mut self, index: u32, machine: &ClusterState<'_, '_>) {
        let (task, sign) = (machine.task(index), self.sign);
        self.queue.insert((sign * i64::from(task.nodes), sign * task.requested, index));
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        while let Some((_, _, head)) = self.queue.first().copied() {
            if machine.task(head).nodes > machine.free() || machine.start(head) == Attempt::Waits {
                break;
            }
            self.queue.pop_first();
        }
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }
}
