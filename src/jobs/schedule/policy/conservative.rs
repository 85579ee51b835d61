//! Conservative backfilling: every waiting job has a reservation, not the head of the queue alone.

use std::collections::HashMap;

use super::conservative_places::ConservativePlaces;
use super::entry::{BuildPolicy, EVERY_EVENT, Passes, Policy, PolicyContext, PolicyEntry};
use super::profile::Profile;
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// `conservative[:interval=0]`: every task is promised, at submit and in queue order, the earliest time from which on
/// its nodes are free for its requested time beside running tasks and all promises before, and starts then. When a
/// task ends before its assumed end (start + requested time), all promises are dropped and made anew in queue order.
///
/// A task that runs beyond its assumed end (which needs a model that stretches) is taken to end at the next
/// tick, and promises are made anew at every event until it does.
///
/// With `interval=` there is a pass every so many seconds from the first submit. A task may then start later than
/// promised, so all promises are made anew in queue order at every pass.
///
/// With an allocator that may refuse free nodes promises are places: see [`ConservativePlaces`].
///
/// Promises follow from running tasks, queue and time: made anew without an early end they come out the same. So no
/// promise is kept from one pass to the next, and a pass makes only those ahead of the last task that may start.
///
/// # Complexity
/// A pass costs O(promises · steps) at worst, steps being the times at which the number of free nodes changes: at most
/// two for each running task and promise. Neighbours in the queue of the same size and requested time are promised
/// together what fits at one time.
///
/// # References
/// Mu'alem and Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling
/// the IBM SP2 with backfilling", 2001, section 2, <https://doi.org/10.1109/71.932708>.
pub(super) const CONSERVATIVE: PolicyEntry = PolicyEntry::new(
    "conservative",
    "every job is reserved at submit; all reservations are rebuilt in queue order on an early end",
    &[EVERY_EVENT],
    |params| Ok(Box::new(ConservativeOptions(Passes::parse(params)?))),
);

struct ConservativeOptions(Passes);

impl BuildPolicy for ConservativeOptions {
    fn build_policy(&self, context: &PolicyContext<'_>) -> Box<dyn Policy> {
        if context.places {
            return Box::new(ConservativePlaces::new(self.0));
        }
        Box::new(Conservative {
            passes: self.0,
            queue: Vec::new(),
        })
    }
}

/// Conservative backfilling with an allocator that takes any free nodes.
struct Conservative {
    passes: Passes,
    /// Waiting tasks in queue order.
    queue: Vec<QueuedTask>,
}

/// A waiting task.
#[derive(Clone, Copy)]
struct QueuedTask {
    task: u32,
    nodes: u32,
    requested: i64,
}

/// Promises made so far in a pass.
struct Reservations {
    /// Free nodes beside running tasks and these promises.
    profile: Profile,
    /// Last time promised to a task of so many nodes and so much requested time.
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

impl Policy for Conservative {
    fn describe_rule(&self) -> String {
        let (first, again) = if self.passes.seconds == 0 {
            ("submit", "on an early end")
        } else {
            ("the first pass", "at every pass")
        };
        format!(
            "conservative backfilling: every job is reserved at {first} for its requested time, in queue order; \
             {again} all reservations are rebuilt in queue order; {}",
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
