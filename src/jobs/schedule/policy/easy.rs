//! EASY backfilling: one reservation, for the head of the queue.

use super::super::waiting::{BackfillWindow, WaitQueue};
use super::easy_places::EasyPlaces;
use super::entry::{BuildPolicy, Passes, Policy, PolicyContext, PolicyEntry};
use super::estimates::{self, Estimates};
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// `easy[:runtime-estimates,interval=0]`: tasks start in queue order until one does not fit. For this head of the
/// queue, running tasks are assumed to end at start + requested time. The *shadow time* is the earliest time at which
/// the head then fits; the *extra* nodes are those free at that time (counting every task that is assumed to have
/// ended by then) less those of the head. Then, in queue order, each task starts that fits now and either ends by the
/// shadow time, if it takes as long as it requested, or has at most as many nodes as are extra, which it uses up.
/// Shadow time and extra nodes are computed once a pass.
///
/// With `runtime-estimates`, what CQSim does as shipped: candidates count with their true run time, running tasks with
/// the requested one, and there is a pass after every single event. With `interval=` (in seconds) there is instead a
/// pass at each multiple of it after the first submit.
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
pub const EASY: PolicyEntry = PolicyEntry::new(
    "easy",
    "EASY backfilling: later jobs start early if they do not delay the first; easy:runtime-estimates as CQSim does it",
    estimates::OPTIONS,
    |params| Ok(Box::new(Estimates::parse(params)?)),
);

impl BuildPolicy for Estimates {
    fn build_policy(&self, context: &PolicyContext<'_>) -> Box<dyn Policy> {
        let queue = WaitQueue::new(context.tasks, |task| self.candidate_time(task));
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

/// EASY with an allocator that takes any free nodes.
struct Easy {
    queue: WaitQueue,
    estimates: Estimates,
    /// Reservation of the head, while no task has ended since it was computed.
    blocked: Option<HeadReservation>,
    /// Tasks submitted since the last pass.
    fresh: Vec<u32>,
}

/// Reservation of the head of the queue.
#[derive(Clone, Copy)]
struct HeadReservation {
    /// Shadow time: when the head fits.
    time: i64,
    /// Extra nodes: those that the head leaves free at the shadow time.
    extra: u32,
}

impl HeadReservation {
    /// Computes the reservation of a head that does not fit now.
    fn new(head: u32, machine: &ClusterState<'_>) -> HeadReservation {
        let nodes = machine.task(head).nodes;
        let mut free = machine.count_free();
        let mut time = i64::MAX;
        for task in machine.running_tasks() {
            // Tasks that end together with the one that makes room count, too.
            if free >= nodes && task.end > time {
                break;
            }
            free += task.nodes;
            time = task.end;
        }
        let extra = free - nodes;
        HeadReservation { time, extra }
    }

    /// Computes the limits of a task that may be backfilled now.
    fn backfill_window(&self, machine: &ClusterState<'_>) -> BackfillWindow {
        BackfillWindow {
            free: machine.count_free(),
            time: self.time - machine.now(),
            extra: self.extra,
        }
    }
}

impl Easy {
    /// Starts a task if it fits; a task that runs beyond the shadow time uses up extra nodes.
    fn backfill_task(
        &mut self,
        task: u32,
        shadow: &mut HeadReservation,
        machine: &mut ClusterState<'_>,
    ) {
        let (nodes, time) = self.queue.size_and_time(task);
        if time > shadow.time - machine.now() {
            shadow.extra -= nodes;
        }
        self.start_task(task, machine);
    }

    /// Starts a task for which enough nodes are free.
    fn start_task(&mut self, task: u32, machine: &mut ClusterState<'_>) {
        self.queue.remove_task(task);
        // Always possible: allocators that may refuse free nodes have another policy.
        let started = machine.start_task(task);
        debug_assert_eq!(started, Attempt::Started);
    }
}

impl Policy for Easy {
    fn describe_rule(&self) -> String {
        format!(
            "EASY backfilling: the first waiting job has a reservation, for which running jobs are assumed to use their \
             full requested time; others start early where, by {}, they do not delay it; {}",
            self.estimates.candidate_time_name(),
            self.estimates.passes.describe_order()
        )
    }

    fn add_task(&mut self, task: u32, _: &ClusterState<'_>) {
        self.queue.add_task(task);
        self.fresh.push(task);
    }

    fn task_ended(&mut self, _: u32, _: &ClusterState<'_>) {
        self.blocked = None;
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        let fresh = std::mem::take(&mut self.fresh);
        // Without an end since the last pass only new tasks can fit. With true times this does not hold: a
        // task that was backfilled by its true time is still assumed to run for its requested one, which
        // moves the shadow time.
        if let Some(mut shadow) = self.blocked.filter(|_| !self.estimates.true_times) {
            for task in fresh {
                if shadow
                    .backfill_window(machine)
                    .fits(self.queue.size_and_time(task))
                {
                    self.backfill_task(task, &mut shadow, machine);
                }
            }
            self.blocked = Some(shadow);
            return;
        }
        let head = loop {
            let Some(head) = self.queue.queue_head() else {
                return;
            };
            if machine.task(head).nodes > machine.count_free() {
                break head;
            }
            self.start_task(head, machine);
        };
        let mut shadow = HeadReservation::new(head, machine);
        let mut from = head + 1;
        while let Some(task) = self
            .queue
            .next_fitting(from, shadow.backfill_window(machine))
        {
            self.backfill_task(task, &mut shadow, machine);
            from = task + 1;
        }
        self.blocked = Some(shadow);
    }

    fn passes(&self) -> Passes {
        self.estimates.passes
    }
}
