//! Conservative backfilling that makes all promises anew on an early end, as numbers of nodes.

use std::collections::HashMap;

use super::entry::{Passes, Policy};
use super::profile::Profile;
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// Conservative backfilling whose promises are made anew in queue order on an early end, with an allocator that takes
/// any free nodes.
///
/// Promises follow from running tasks, queue and time: made anew without an early end they come out the same. So no
/// promise is kept from one pass to the next, and a pass makes only those ahead of the last task that may start.
///
/// # Complexity
/// A pass costs O(promises · steps) at worst, steps being the times at which the number of free nodes changes: at most
/// two for each running task and promise. Neighbours in the queue of the same size and requested time are promised
/// together what fits at one time.
pub struct RebuiltReservations {
    pub passes: Passes,
    /// Waiting tasks in queue order.
    pub queue: Vec<QueuedTask>,
}

/// A waiting task.
#[derive(Clone, Copy)]
pub struct QueuedTask {
    task: u32,
    nodes: u32,
    requested: i64,
}

/// Promises made so far in a pass.
struct Reservations {
    /// Free nodes beside running tasks and these promises.
    profile: Profile,
    /// Last time promised to a task, by its number of nodes and its requested time.
    latest: HashMap<(u32, i64), i64>,
}

impl Reservations {
    /// Promises each task of `queue`, in its order, the earliest time that is left for it.
    fn promise_times(&mut self, queue: &[QueuedTask]) {
        for alike in queue.chunk_by(|a, b| (a.nodes, a.requested) == (b.nodes, b.requested)) {
            let QueuedTask {
                nodes, requested, ..
            } = alike[0];
            // Promises only take nodes away, so nothing before the last time has become free.
            let from = self.latest.entry((nodes, requested)).or_insert(i64::MIN);
            let mut left = alike.len() as u32;
            while left > 0 {
                let step = self.profile.earliest_fit(nodes, requested, *from);
                *from = self.profile.segment_begin(step);
                left -= self.profile.reserve_nodes(step, requested, nodes, left);
            }
        }
    }
}

impl Policy for RebuiltReservations {
    fn describe_rule(&self) -> String {
        let (first, again) = if self.passes.seconds == 0 {
            ("submit", "when a job ends early")
        } else {
            ("the first pass", "at every pass")
        };
        format!(
            "conservative backfilling: every waiting job has a reservation for its requested time, made at {first} in \
             queue order; {again} all reservations are made anew; {}",
            self.passes.describe_order()
        )
    }

    fn add_task(&mut self, task: u32, machine: &ClusterState<'_>) {
        let known = machine.task(task);
        self.queue.push(QueuedTask {
            task,
            nodes: known.nodes,
            requested: known.requested,
        });
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        // Nobody can start, so no promise matters.
        if self.queue.iter().all(|q| q.nodes > machine.count_free()) {
            return;
        }
        let profile = Profile::new(machine.now(), machine.count_free(), machine.running_tasks());
        let mut promises = Reservations {
            profile,
            latest: HashMap::new(),
        };
        let mut starting = Vec::new();
        // Everyone ahead of this index starts or has a promise.
        let mut settled = 0;
        for (i, queued) in self.queue.iter().enumerate() {
            let QueuedTask {
                nodes, requested, ..
            } = *queued;
            // Without room now there is none beside more promises: its own can wait for a task behind it
            // that has room.
            if !promises.profile.fits_now(nodes, requested) {
                continue;
            }
            promises.promise_times(&self.queue[settled..i]);
            settled = i;
            if promises.profile.fits_now(nodes, requested) {
                promises.profile.reserve_nodes(0, requested, nodes, 1);
                starting.push(queued.task);
                settled = i + 1;
            }
        }
        // Both lists are in queue order, so a binary search finds who has started.
        self.queue
            .retain(|queued| starting.binary_search(&queued.task).is_err());
        for task in starting {
            // Always possible: allocators that may refuse free nodes have another policy.
            let started = machine.start_task(task);
            debug_assert_eq!(started, Attempt::Started);
        }
    }

    fn passes(&self) -> Passes {
        self.passes
    }
}
