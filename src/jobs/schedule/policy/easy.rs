//! EASY backfilling: one reservation, for the head of the queue.

use super::super::waiting::{Hole, Waiting};
use super::easy_places::EasyPlaces;
use super::entry::{BuildPolicy, Policy, PolicyContext, PolicyEntry};
use super::estimates::{self, Estimates};
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// `easy[:runtime-estimates,interval=0]`: tasks start in queue order until one does not fit. For that head, running tasks
/// are assumed to end at start + requested time; the *shadow* is the earliest time at which it then fits, and
/// *extra* are the nodes free at that time (every task counted whose assumed end is not after it) less the
/// head's. Then, in queue order, a task starts that fits now and ends by the shadow if it takes as long as it
/// requested; or else one that fits now and has at most `extra` nodes, which `extra` loses. Shadow and extra
/// are not computed anew within a pass.
///
/// With `runtime-estimates`, what CQSim does as shipped: candidates count with their true run time, running
/// tasks with the requested one, and there is a pass after every single event. With `interval=` there is instead a
/// pass every so many seconds from the first submit.
///
/// With an allocator that may refuse free nodes the reservation is a place: see [`EasyPlaces`].
///
/// # Complexity
/// A pass after an end walks the running tasks up to the shadow and searches candidates in O(log tasks) where
/// size and time of the waiting agree, in O(queue) at worst. A pass after submits only looks at those: neither
/// shadow nor extra change without an end, and a job that did not fit before does not fit now.
///
/// # References
/// Lifka, "The ANL/IBM SP scheduling system", 1995, <https://doi.org/10.1007/3-540-60153-8_35>; Mu'alem and
/// Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2
/// with backfilling", 2001, <https://doi.org/10.1109/71.932708>.
pub(super) const EASY: PolicyEntry = PolicyEntry::new(
    "easy",
    "backfilling around a reservation for the head; easy:runtime-estimates as CQSim does it",
    estimates::OPTIONS,
    |params| Ok(Box::new(Estimates::parse(params)?)),
);

impl BuildPolicy for Estimates {
    fn build(&self, context: &PolicyContext<'_>) -> Box<dyn Policy> {
        let queue = Waiting::new(context.tasks, |task| self.time(task));
        if context.places {
            return Box::new(EasyPlaces::new(queue, *self));
        }
        Box::new(Easy {
            queue,
            estimates: *self,
            blocked: None,
            fresh: Vec::new(),
        })
    }
}

struct Easy {
    queue: Waiting,
    estimates: Estimates,
    /// Shadow and what is left of extra, while no task has ended since they were computed.
    blocked: Option<(i64, u32)>,
    /// Tasks submitted since the last pass.
    fresh: Vec<u32>,
}

impl Easy {
    /// Shadow and extra of a head that does not fit now.
    fn reservation(head: u32, machine: &ClusterState<'_, '_>) -> (i64, u32) {
        let nodes = machine.task(head).nodes;
        let (mut free, mut shadow) = (machine.free(), i64::MAX);
        for task in machine.running() {
            // Those that end together with the one that makes room count, too.
            if free >= nodes && task.end > shadow {
                break;
            }
            free += task.nodes;
            shadow = task.end;
        }
        (shadow, free - nodes)
    }

    /// Starts a task that fits into the hole; `extra` may shrink.
    fn backfill(
        &mut self,
        task: u32,
        shadow: i64,
        extra: &mut u32,
        machine: &mut ClusterState<'_, '_>,
    ) {
        let (nodes, time) = self.queue.of(task);
        if time > shadow - machine.now() {
            *extra -= nodes;
        }
        self.queue.remove(task);
        // Allocators that may refuse have another policy.
        let started = machine.start(task);
        debug_assert_eq!(started, Attempt::Started);
    }
}

impl Policy for Easy {
    fn rule(&self) -> String {
        format!(
            "EASY: reservation for the head from start + requested time of running jobs; candidates in queue \
             order count with {}; shadow and extra once a pass; {}",
            self.estimates.candidates(),
            self.estimates.passes_in_words()
        )
    }

    fn submitted(&mut self, task: u32, _: &ClusterState<'_, '_>) {
        self.queue.add(task);
        self.fresh.push(task);
    }

    fn ended(&mut self, _: u32, _: &ClusterState<'_, '_>) {
        self.blocked = None;
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        let fresh = std::mem::take(&mut self.fresh);
        // A backfilled task may outstay the shadow where its true time is shorter than the requested one.
        if let Some((shadow, mut extra)) = self.blocked.filter(|_| !self.estimates.true_times) {
            for task in fresh {
                let time = shadow - machine.now();
                let hole = Hole {
                    free: machine.free(),
                    time,
                    extra,
                };
                if hole.fits(self.queue.of(task)) {
                    self.backfill(task, shadow, &mut extra, machine);
                }
            }
            self.blocked = Some((shadow, extra));
            return;
        }
        let head = loop {
            let Some(head) = self.queue.first() else {
                return;
            };
            if machine.task(head).nodes > machine.free() {
                break head;
            }
            self.queue.remove(head);
            let started = machine.start(head);
            debug_assert_eq!(started, Attempt::Started);
        };
        let (shadow, mut extra) = Easy::reservation(head, machine);
        let mut from = head + 1;
        loop {
            let time = shadow - machine.now();
            let hole = Hole {
                free: machine.free(),
                time,
                extra,
            };
            let Some(task) = self.queue.next(from, hole) else {
                break;
            };
            self.backfill(task, shadow, &mut extra, machine);
            from = task + 1;
        }
        self.blocked = Some((shadow, extra));
    }

    fn pass_per_event(&self) -> bool {
        self.estimates.pass_per_event()
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn interval(&self) -> i64 {
        self.estimates.passes.interval()
    }
}
