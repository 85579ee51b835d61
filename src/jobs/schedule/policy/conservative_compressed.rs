//! Conservative backfilling that keeps its promises, as numbers of nodes.

use super::entry::{PassTimes, Passes, Policy};
use super::profile::Profile;
use crate::schedule::cluster_state::{Attempt, ClusterState};

/// Conservative backfilling whose promises move up on an early end, with an allocator that takes any free nodes.
///
/// The profile of free nodes is kept from pass to pass: running tasks and promises lower it, an early end raises it
/// from now to the assumed end. Where one task finds no earlier time, a larger or longer one behind it need not look.
///
/// # Complexity
/// An early end costs O(queue · steps) at worst, less where tasks behind each other need more and more; a submit
/// O(steps). Steps are the times at which the number of free nodes changes: at most two for each running task and
/// promise.
pub struct CompressedReservations {
    passes: Passes,
    times: PassTimes,
    /// Waiting tasks in queue order.
    queue: Vec<PromisedTask>,
    /// Free nodes beside running tasks and promises; `None` if all promises must be made anew.
    profile: Option<Profile>,
    /// Whether a task has ended early since the last pass.
    early: bool,
}

/// A waiting task and its promise.
#[derive(Clone, Copy)]
struct PromisedTask {
    task: u32,
    nodes: u32,
    requested: i64,
    /// Time at which it starts; `None` before its first pass.
    start: Option<i64>,
}

impl CompressedReservations {
    /// Creates the policy with an empty queue.
    pub fn new(passes: Passes, times: PassTimes) -> Self {
        CompressedReservations {
            passes,
            times,
            queue: Vec::new(),
            profile: None,
            early: false,
        }
    }

    /// Moves each waiting task up to its earliest start beside all others, in queue order.
    fn compress_promises(&mut self, profile: &mut Profile) {
        let mut searched: Vec<SearchedTime> = Vec::new();
        for queued in &mut self.queue {
            let PromisedTask {
                nodes,
                requested,
                start: Some(promised),
                ..
            } = *queued
            else {
                break;
            };
            let smaller = searched
                .iter()
                .filter(|known| known.nodes <= nodes && known.requested <= requested);
            let from = smaller.map(|known| known.first_open(promised)).max();
            let from = from.unwrap_or(i64::MIN);
            if from >= promised {
                continue;
            }
            let found = profile.earliest_start(nodes, requested, from, promised, self.times);
            let until = found.unwrap_or(promised);
            // The last ones reach farthest, and few are enough.
            searched.retain(|known| {
                known.nodes < nodes || known.requested < requested || known.until > until
            });
            searched.truncate(KEPT - 1);
            searched.insert(
                0,
                SearchedTime {
                    nodes,
                    requested,
                    until,
                    within: promised,
                },
            );
            if let Some(start) = found {
                profile.give_nodes(promised, promised + requested, nodes);
                profile.take_nodes(start, start + requested, nodes);
                queued.start = Some(start);
                // Nodes have become free from its old time on: what was found before that stays known.
                searched
                    .iter_mut()
                    .for_each(|known| known.forget_from(promised));
            }
        }
    }
}

/// Number of searches that are remembered: with more, looking them up takes longer than searching.
const KEPT: usize = 4;

/// What a search of the profile has shown: a task of `nodes` and `requested` ticks that starts before `until` meets too
/// few free nodes, before `within` and before its end.
struct SearchedTime {
    nodes: u32,
    requested: i64,
    until: i64,
    within: i64,
}

impl SearchedTime {
    /// Computes the earliest start that the search has not ruled out for a task promised `promised`: the nodes that the
    /// profile holds for the task itself, from then on, are free to it.
    fn first_open(&self, promised: i64) -> i64 {
        if self.within <= promised {
            return self.until;
        }
        self.until.min(promised - self.requested + 1)
    }

    /// Forgets all findings that do not follow from the profile before `time` alone.
    fn forget_from(&mut self, time: i64) {
        if self.within > time {
            self.until = self.until.min(time - self.requested + 1);
            self.within = time;
        }
    }
}

impl Policy for CompressedReservations {
    fn describe_rule(&self) -> String {
        let first = if self.passes.seconds == 0 {
            "submit"
        } else {
            "the first pass"
        };
        format!(
            "conservative backfilling: every waiting job has a reservation for its requested time, made at {first} in \
             queue order; when a job ends early, each moves forward where it can and none moves back; {}",
            self.passes.describe_order()
        )
    }

    fn add_task(&mut self, task: u32, machine: &ClusterState<'_>) {
        let known = machine.task(task);
        self.queue.push(PromisedTask {
            task,
            nodes: known.nodes,
            requested: known.requested,
            start: None,
        });
    }

    fn task_ended(&mut self, task: u32, machine: &ClusterState<'_>) {
        let end = machine.assumed_end(task);
        if let Some(profile) = self.profile.as_mut().filter(|_| end > machine.now()) {
            profile.give_nodes(machine.now(), end, machine.task(task).nodes);
            self.early = true;
        }
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        let now = machine.now();
        // A task that outstays its assumed end still holds nodes that are promised to others.
        let late = machine
            .running_tasks()
            .first()
            .is_some_and(|task| task.end <= now);
        let kept = self.profile.take().filter(|_| !late);
        let mut profile = match kept {
            Some(mut profile) => {
                profile.drop_past(now);
                if std::mem::take(&mut self.early) {
                    self.compress_promises(&mut profile);
                }
                profile
            }
            None => {
                self.queue.iter_mut().for_each(|queued| queued.start = None);
                self.early = false;
                Profile::new(now, machine.count_free(), machine.running_tasks())
            }
        };
        self.queue.retain_mut(|queued| {
            let PromisedTask {
                nodes, requested, ..
            } = *queued;
            let start = *queued.start.get_or_insert_with(|| {
                let start = profile.first_start(nodes, requested, self.times);
                profile.take_nodes(start, start + requested, nodes);
                start
            });
            if start <= now {
                // Always possible: allocators that may refuse free nodes have another policy.
                let started = machine.start_task(queued.task);
                debug_assert_eq!(started, Attempt::Started);
            }
            start > now
        });
        // Promises that a late task makes impossible are made anew at the next event.
        self.profile = Some(profile).filter(|_| !late);
    }

    fn next_start(&self) -> Option<i64> {
        self.profile.as_ref()?;
        self.queue.iter().filter_map(|queued| queued.start).min()
    }

    fn passes(&self) -> Passes {
        self.passes
    }
}
