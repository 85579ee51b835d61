//! The queue of Cplant's simulations: by size, then by requested time.

use nodeorder_base::Opt;
use std::collections::BTreeSet;

use super::entry::{INTERVAL, Passes, Policy, PolicyEntry};
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// `size-first[:desc=true,interval=30]`: the queue is sorted by nodes, then by requested time, then by submit;
/// `desc=true` reverses the first two. Every `interval` seconds from the first submit (0: whenever something
/// happened) tasks start from its head; one that does not fit blocks. O(log queue) a task beside the allocator.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", 2002, section 3.
pub const SIZE_FIRST: PolicyEntry = PolicyEntry {
    name: "size-first",
    about: "by nodes, then requested time (desc=true reverses), every interval=30 seconds; the head blocks",
    example: "size-first:interval=30",
    options: &[Opt::flag("desc", "largest first"), INTERVAL],
    parse: |params| {
        let descending = params.is_set("desc")?;
        let passes = Passes::parse(params)?;
        Ok(Box::new(SizeFirst {
            descending,
            passes,
            queue: BTreeSet::new(),
        }))
    },
};

/// Policy that keeps its queue sorted by size.
#[derive(Clone)]
struct SizeFirst {
    descending: bool,
    passes: Passes,
    /// Waiting tasks by nodes, requested time (both negative if larger ones go first) and index in queue order.
    queue: BTreeSet<(i64, i64, u32)>,
}

impl Policy for SizeFirst {
    fn describe_rule(&self) -> String {
        let order = if self.descending {
            "descending"
        } else {
            "ascending"
        };
        let passes = self.passes.describe();
        format!(
            "queue {order} by nodes, then requested time, then submit; no job passes the first one; {passes}"
        )
    }

    fn add_task(&mut self, index: u32, machine: &ClusterState<'_>) {
        let task = machine.task(index);
        // Negated keys reverse the order, so that one sorted set serves both.
        let sign = if self.descending { -1 } else { 1 };
        self.queue
            .insert((sign * i64::from(task.nodes), sign * task.requested, index));
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
