//! Conservative backfilling that promises certain nodes to every job: for allocators that may refuse free nodes.

use super::easy_places::are_all_free;
use super::entry::{PassTimes, Passes, Policy};
use crate::schedule::cluster_state::{ClusterState, PlaceReply};
use crate::schedule::task::Task;
use nodeorder_base::{FreeSet, Ranks};

/// Conservative backfilling where every task is promised a *place* (a set of ranks), not a number of nodes.
///
/// Each task in queue order is promised the first time at which the allocator answers with a place. The times asked
/// about are now and those at which free ranks change: assumed ends (start + requested time) of running tasks, begins
/// and ends of promises. The ranks asked about are those free beside running tasks and promises for the whole of the
/// requested time. The place is then kept free for the task. At the last time the whole machine is free, and a task
/// refused there is left out, unless the allocator relents to it: then that is the time. A task starts at its time,
/// on its place.
///
/// When a task ends before its assumed end, each waiting task in queue order is taken out and promised the first place
/// that the allocator finds for it at an earlier time, beside all other promises; it keeps its own where there is
/// none. With `rebuild` all promises are dropped and made anew instead, also at every pass with `interval=`. While a
/// task outstays its assumed end, promises are made anew at every event.
///
/// # Complexity
/// Making all promises asks the allocator O(queue · steps) times, steps being running and waiting tasks; nodes/8
/// bytes a step.
pub struct ConservativePlaces {
    passes: Passes,
    /// Times at which tasks may be promised to start.
    times: PassTimes,
    /// Whether all promises are made anew on an early end, else moved up.
    rebuilds: bool,
    /// Waiting tasks in queue order, each with its promise, if it has one yet.
    queue: Vec<(u32, Option<PlaceReservation>)>,
    /// Free ranks beside all promises; `None` if all promises must be made anew.
    profile: Option<PlaceProfile>,
    /// End of the time in which ranks have become free since all tasks were last looked at.
    freed_until: i64,
    /// Whether a task has ended early since the last pass.
    early: bool,
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
            steps[at].1.release_ranks(machine.held_ranks(task.task));
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

    /// Finds the first time of a pass in a segment of the profile. `None` if no pass falls into it.
    fn start_in_segment(&self, at: usize, times: PassTimes) -> Option<i64> {
        let start = times.next_pass(self.segments[at].0);
        let next = self.segments.get(at + 1);
        next.is_none_or(|(from, _)| *from > start).then_some(start)
    }

    /// Finds the ranks that are free from `start`, in a segment, for the whole of a task's requested time. `None` if
    /// they are fewer than its nodes.
    fn free_throughout(&self, at: usize, start: i64, task: &Task) -> Option<FreeSet> {
        let mut whole = self.segments[at].1.clone();
        for (from, free) in &self.segments[at + 1..] {
            if whole.free_count() < task.nodes || from - start >= task.requested {
                break;
            }
            whole.keep_common(free);
        }
        (whole.free_count() >= task.nodes).then_some(whole)
    }

    /// Finds the earliest promise for a task; `None` if it is left out.
    fn find_reservation(
        &self,
        task: u32,
        times: PassTimes,
        machine: &mut ClusterState<'_>,
    ) -> Option<PlaceReservation> {
        for at in 0..self.segments.len() {
            let Some(time) = self.start_in_segment(at, times) else {
                continue;
            };
            let Some(whole) = self.free_throughout(at, time, machine.task(task)) else {
                continue;
            };
            match machine.find_place(&whole, task) {
                PlaceReply::Place(place) => return Some(PlaceReservation { time, place }),
                PlaceReply::NotNow => {}
                PlaceReply::LeftOut => return None,
            }
        }
        // At the last step the whole machine is free, and even that is refused it until the allocator relents.
        let (last, free) = self.segments.last()?;
        let (time, place) = machine.find_late_place(free, task)?;
        let time = times.next_pass(time.max(*last));
        Some(PlaceReservation { time, place })
    }

    /// Finds a promise before `limit` for a task that has one at `limit` or later. `None` if there is none.
    fn find_earlier_reservation(
        &self,
        task: u32,
        limit: i64,
        times: PassTimes,
        machine: &mut ClusterState<'_>,
    ) -> Option<PlaceReservation> {
        for at in 0..self.segments.len() {
            let Some(time) = self.start_in_segment(at, times) else {
                continue;
            };
            if time >= limit {
                return None;
            }
            if let Some(whole) = self.free_throughout(at, time, machine.task(task))
                && let Some(place) = machine.find_other_place(&whole, task)
            {
                return Some(PlaceReservation { time, place });
            }
        }
        None
    }

    /// Takes the place of a promise out of the free ranks, or puts it back, for `requested` ticks.
    fn change_place(
        &mut self,
        promise: &PlaceReservation,
        requested: i64,
        change: fn(&mut FreeSet, &Ranks),
    ) {
        let first = self.split_at_time(promise.time);
        let last = self.split_at_time(promise.time + requested);
        for (_, free) in &mut self.segments[first..last] {
            change(free, &promise.place);
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
    pub fn new(passes: Passes, times: PassTimes, rebuilds: bool) -> Self {
        ConservativePlaces {
            passes,
            times: if rebuilds {
                PassTimes::default()
            } else {
                times
            },
            rebuilds,
            queue: Vec::new(),
            profile: None,
            freed_until: i64::MIN,
            early: false,
        }
    }

    /// Promises each waiting task in queue order an earlier place beside all others, if there is one. Returns the free
    /// ranks beside all promises.
    fn compress_promises(&mut self, machine: &mut ClusterState<'_>) -> PlaceProfile {
        let mut profile = PlaceProfile::new(machine);
        for (task, promise) in &self.queue {
            if let Some(promise) = promise {
                let requested = machine.task(*task).requested;
                profile.change_place(promise, requested, FreeSet::take_ranks);
            }
        }
        let mut freed_until = std::mem::replace(&mut self.freed_until, i64::MIN);
        // An allocator that relents may place now what it refused of the same ranks.
        if machine.relenting {
            freed_until = i64::MAX;
        }
        for (task, promise) in &mut self.queue {
            let Some(promise) = promise else { break };
            let requested = machine.task(*task).requested;
            profile.change_place(promise, requested, FreeSet::release_ranks);
            // Where nothing became free the allocator has refused it before.
            let limit = promise.time.min(freed_until);
            let earlier = profile.find_earlier_reservation(*task, limit, self.times, machine);
            if let Some(earlier) = earlier {
                // Its old time is open to the tasks behind it now, and to those before it at the next early end.
                let freed = promise.time + requested;
                freed_until = freed_until.max(freed);
                self.freed_until = self.freed_until.max(freed);
                *promise = earlier;
            }
            profile.change_place(promise, requested, FreeSet::take_ranks);
        }
        profile
    }
}

impl Policy for ConservativePlaces {
    fn describe_rule(&self) -> String {
        let again = if !self.rebuilds {
            "when a job ends early, each moves to the first earlier nodes that there are, in queue order"
        } else if self.passes.seconds == 0 {
            "when a job ends early, all reservations are made anew"
        } else {
            "at every pass all reservations are made anew"
        };
        format!(
            "conservative backfilling that reserves specific nodes, not just a count: every waiting job has the first \
             nodes that the allocator finds for its requested time, in queue order; {again}; {}",
            self.passes.describe_order()
        )
    }

    fn add_task(&mut self, task: u32, _: &ClusterState<'_>) {
        self.queue.push((task, None));
    }

    fn task_ended(&mut self, task: u32, machine: &ClusterState<'_>) {
        let end = machine.assumed_end(task);
        if self.rebuilds && end != machine.now() {
            self.profile = None;
        }
        if end > machine.now() {
            self.freed_until = self.freed_until.max(end);
            self.early = true;
        }
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        let now = machine.now();
        // A task that outstays its assumed end still holds ranks that are promised to others.
        let late = machine
            .running_tasks()
            .first()
            .is_some_and(|t| t.end <= now);
        let again = machine.relenting || self.passes.seconds > 0;
        let kept = self
            .profile
            .take()
            .filter(|_| !(late || self.rebuilds && again));
        let anew = kept.is_none();
        let early = std::mem::take(&mut self.early);
        let mut profile = match kept {
            Some(_) if !self.rebuilds && (early || machine.relenting) => {
                self.compress_promises(machine)
            }
            Some(kept) => kept,
            None => {
                self.freed_until = i64::MIN;
                PlaceProfile::new(machine)
            }
        };
        profile.drop_past(now);
        let times = self.times;
        self.queue.retain_mut(|(task, promise)| {
            if !anew && promise.is_some() {
                return true;
            }
            *promise = profile.find_reservation(*task, times, machine);
            if let Some(promise) = promise {
                let requested = machine.task(*task).requested;
                profile.change_place(promise, requested, FreeSet::take_ranks);
            }
            promise.is_some()
        });
        // Promises that a late task makes impossible are made anew at the next event.
        self.profile = Some(profile).filter(|_| self.rebuilds || !late);
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

    fn next_start(&self) -> Option<i64> {
        if self.rebuilds {
            return None;
        }
        self.profile.as_ref()?;
        let promised = self.queue.iter();
        promised
            .filter_map(|(_, promise)| Some(promise.as_ref()?.time))
            .min()
    }

    fn passes(&self) -> Passes {
        self.passes
    }
}
