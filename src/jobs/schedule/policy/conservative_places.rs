//! Conservative backfilling that promises certain nodes to every job: for allocators that may refuse free nodes.

use super::easy_places::{are_all_free, release_ranks};
use super::entry::{Passes, Policy};
use crate::schedule::cluster_state::{ClusterState, PlaceReply};
use crate::schedule::task::Task;
use nodeorder_base::ranks::{FreeSet, Ranks};

/// Conservative backfilling where every task is promised a *place* (a set of ranks), not a number of nodes.
///
/// Each task in queue order is promised the first time at which the allocator answers with a place. The times asked
/// about are now and those at which free ranks change: assumed ends (start + requested time) of running tasks, begins
/// and ends of promises. The ranks asked about are those free beside running tasks and promises for the whole of the
/// requested time. The place is then kept free for the task. At the last time the whole machine is free, and a task
/// refused there is left out, unless the allocator relents to it: then that is the time. A task starts at its time,
/// on its place.
///
/// As with plain numbers, tasks are promised at the first pass after their submit; when a task ends before its
/// assumed end all promises are dropped and made anew in queue order, and so they are at every event while a
/// task outstays its assumed end, and at every pass with `interval=`.
///
/// # Complexity
/// Making all promises asks the allocator O(queue · steps) times, steps being running and waiting tasks; nodes/8
/// bytes a step.
pub(super) struct ConservativePlaces {
    passes: Passes,
    /// Waiting tasks in queue order, each with its promise, if it has one yet.
    queue: Vec<(u32, Option<PlaceReservation>)>,
    /// Free ranks beside all promises; `None` if all promises must be made anew.
    profile: Option<PlaceProfile>,
}

/// Promise to a waiting task: ranks, and the time at which it starts on them.
struct PlaceReservation {
    time: i64,
    place: Ranks,
}

/// Free ranks over time, in segments. The last segment has no end.
struct PlaceProfile {
    /// Begin of each segment and the ranks that are free in it, by time; at least one.
    segments: Vec<(i64, FreeSet)>,
}

impl PlaceProfile {
    /// Creates the profile of the running tasks, without promises.
    fn new(machine: &ClusterState<'_>) -> Self {
        let now = machine.now();
        let mut steps = vec![(now, machine.free_ranks().clone())];
        for task in machine.running_tasks() {
            // A task that outstays its assumed end is taken to end at the next tick.
            let end = task.end.max(now + 1);
            let last = &steps[steps.len() - 1];
            if last.0 < end {
                steps.push((end, last.1.clone()));
            }
            let at = steps.len() - 1;
            release_ranks(&mut steps[at].1, machine.held_ranks(task.task));
        }
        PlaceProfile { segments: steps }
    }

    /// Drops the segments before `now`.
    fn drop_past(&mut self, now: i64) {
        let current = self
            .segments
            .partition_point(|(time, _)| *time <= now)
            .max(1)
            - 1;
        self.segments.drain(..current);
        self.segments[0].0 = self.segments[0].0.max(now);
    }

    /// Finds the earliest promise for a task; `None` if it is left out.
    fn find_reservation(
        &self,
        task: u32,
        machine: &mut ClusterState<'_>,
    ) -> Option<PlaceReservation> {
        let Task {
            nodes, requested, ..
        } = *machine.task(task);
        for (i, (time, free)) in self.segments.iter().enumerate() {
            // What stays free for the whole of the requested time.
            let mut whole = free.clone();
            for (from, free) in &self.segments[i + 1..] {
                if whole.free_count() < nodes || from - time >= requested {
                    break;
                }
                whole.keep_common(free);
            }
            if whole.free_count() < nodes {
                continue;
            }
            match machine.find_place(&whole, task) {
                PlaceReply::Place(place) => return Some(PlaceReservation { time: *time, place }),
                PlaceReply::NotNow => {}
                PlaceReply::LeftOut => return None,
            }
        }
        // At the last step the whole machine is free, and even that is refused it until the allocator relents.
        let (last, free) = self.segments.last()?;
        let (time, place) = machine.find_late_place(free, task)?;
        Some(PlaceReservation {
            time: time.max(*last),
            place,
        })
    }

    /// Takes the place of a promise out of the free ranks, for `requested` ticks.
    fn reserve_place(&mut self, promise: &PlaceReservation, requested: i64) {
        let first = self.split_at_time(promise.time);
        let last = self.split_at_time(promise.time + requested);
        for (_, free) in &mut self.segments[first..last] {
            promise
                .place
                .list_runs()
                .iter()
                .for_each(|run| free.take_run(*run));
        }
    }

    /// Finds the index of the segment that begins at `time`, not before the first; splits a segment if there is
    /// none.
    fn split_at_time(&mut self, time: i64) -> usize {
        let at = self.segments.partition_point(|(from, _)| *from < time);
        if self.segments.get(at).is_none_or(|(from, _)| *from != time) {
            let free = self.segments[at - 1].1.clone();
            self.segments.insert(at, (time, free));
        }
        at
    }
}

impl ConservativePlaces {
    /// Creates the policy with an empty queue.
    pub fn new(passes: Passes) -> Self {
        ConservativePlaces {
            passes,
            queue: Vec::new(),
            profile: None,
        }
    }
}

impl Policy for ConservativePlaces {
    fn describe_rule(&self) -> String {
        let again = if self.passes.seconds == 0 {
            "on an early end"
        } else {
            "at every pass"
        };
        format!(
            "conservative backfilling with places: every job is reserved the first place that the allocator finds \
             for its requested time beside running jobs and reservations, in queue order; {again} all reservations \
             are rebuilt in queue order; {}",
            self.passes.describe_order()
        )
    }

    fn add_task(&mut self, task: u32, _: &ClusterState<'_>) {
        self.queue.push((task, None));
    }

    fn task_ended(&mut self, task: u32, machine: &ClusterState<'_>) {
        if machine.assumed_end(task) != machine.now() {
            self.profile = None;
        }
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        let now = machine.now();
        // A task that outstays its assumed end still holds ranks that are promised to others.
        let late = machine
            .running_tasks()
            .first()
            .is_some_and(|t| t.end <= now);
        if late || machine.relenting || self.passes.seconds > 0 {
            self.profile = None;
        }
        let kept = self.profile.take();
        let anew = kept.is_none();
        let mut profile = kept.unwrap_or_else(|| PlaceProfile::new(machine));
        profile.drop_past(now);
        self.queue.retain_mut(|(task, promise)| {
            if !anew && promise.is_some() {
                return true;
            }
            *promise = profile.find_reservation(*task, machine);
            if let Some(promise) = promise {
                profile.reserve_place(promise, machine.task(*task).requested);
            }
            promise.is_some()
        });
        self.profile = Some(profile);
        self.queue.retain_mut(|(task, promise)| {
            // A task that runs longer than requested may still hold the place.
            let starts =
                promise.take_if(|p| p.time <= now && are_all_free(machine.free_ranks(), &p.place));
            let waits = starts.is_none();
            if let Some(PlaceReservation { place, .. }) = starts {
                machine.start_on(*task, place);
            }
            waits
        });
    }

    fn count_waiting(&self) -> usize {
        self.queue.len()
    }

    fn passes(&self) -> Passes {
        self.passes
    }
}
