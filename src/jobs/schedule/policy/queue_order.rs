//! Policies that go by an order of the queue alone: by submit, or by size.

use nodeorder_base::params::Opt;
use std::collections::BTreeSet;

use super::entry::{EVERY_EVENT, INTERVAL, Passes, Policy, PolicyEntry};
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// `fcfs[:interval=0]`: first come, first served. Tasks start in queue order; the head waits until it fits, and all
/// others behind it. With `interval=` that is looked at every so many seconds from the first submit. O(log queue) an
/// event beside the allocator.
pub(super) const FCFS: PolicyEntry = PolicyEntry::new(
    "fcfs",
    "first come, first served; a head that does not fit blocks the queue",
    &[EVERY_EVENT],
    |params, _| {
        Ok(Box::new(QueueOrder {
            sign: 0,
            passes: Passes::parse(params)?,
            queue: BTreeSet::new(),
        }))
    },
);

/// `size-first[:desc=true,interval=30]`: the queue is sorted by nodes, then by requested time, then by submit;
/// `desc=true` reverses the first two. Every `interval` seconds from the first submit (0: whenever something
/// happened) tasks start from its head; one that does not fit blocks. O(log queue) a task beside the allocator.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", 2002, section 3.
pub(super) const SIZE_FIRST: PolicyEntry = PolicyEntry {
    name: "size-first",
    about: "by nodes, then requested time (desc=true reverses), every interval=30 seconds; the head blocks",
    example: "size-first:interval=30",
    options: &[Opt::flag("desc", "largest first"), INTERVAL],
    parse: |params, _| {
        Ok(Box::new(QueueOrder {
            sign: if params.is_set("desc")? { -1 } else { 1 },
            passes: Passes::parse(params)?,
            queue: BTreeSet::new(),
        }))
    },
};

/// Policy that starts tasks from the head of a sorted queue.
struct QueueOrder {
    /// 1 if the smallest tasks come first, -1 if the largest do, 0 if sizes do not count.
    sign: i64,
    passes: Passes,
    /// Waiting tasks by nodes and requested time, both times the sign, and index in queue order.
    queue: BTreeSet<(i64, i64, u32)>,
}

impl Policy for QueueOrder {
    fn describe_rule(&self) -> String {
        let order = match self.sign {
            0 => {
                let passes = self.passes.describe_order();
                return format!(
                    "first come, first served by submit and file order; the head blocks; {passes}"
                );
            }
            1 => "ascending",
            _ => "descending",
        };
        let passes = self.passes.describe();
        format!(
            "queue {order} by nodes, then requested time, then submit; the head blocks; {passes}"
        )
    }

    fn add_task(&mut self, index: u32, machine: &ClusterState<'_>) {
        let task = machine.task(index);
        // Keys times a sign reverse the order or leave it to the index, so that one sorted set serves all.
        let nodes = self.sign * i64::from(task.nodes);
        self.queue
            .insert((nodes, self.sign * task.requested, index));
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        while let Some((_, _, head)) = self.queue.first().copied() {
            // A task that is left out leaves the queue like one that started.
            if machine.task(head).nodes > machine.count_free()
                || machine.start_task(head) == Attempt::Waits
            {
                break;
            }
            self.queue.pop_first();
        }
    }

    fn passes(&self) -> Passes {
        self.passes
    }
}
