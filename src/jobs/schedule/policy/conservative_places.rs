//! Conservative backfilling with places: for allocators that may refuse free nodes.

use super::entry::{Passes, Policy};
use crate::schedule::cluster_state::{ClusterState, Found};
use nodeorder_base::ranks::{FreeSet, Ranks};

/// Conservative backfilling where every task is promised a *place*, not a number of nodes.
///
/// In queue order each task is promised the first time, now or a step of what is promised so far (an assumed end,
/// start + requested time, of a running task, or a begin or end of a promise), at which the allocator, asked about
/// the nodes that are free beside running tasks and promises for the whole of the requested time, answers with a
/// place. That place is kept free for it. At the last step the whole machine is free, and a task refused there
/// is left out, unless the allocator relents to it: then that is the time. A task starts at its time, on its place.
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
    /// Waiting tasks in queue order, with what was promised.
    queue: Vec<(u32, Option<Promise>)>,
    /// Free ranks beside all promises; nothing where it must be made anew.
    profile: Option<PlaceProfile>,
}

struct Promise {
    time: i64,
    place: Ranks,
}

/// The ranks that are free from each time on, until the next. The last step has no end.
struct PlaceProfile {
    steps: Vec<(i64, FreeSet)>,
}

impl PlaceProfile {
    /// Free ranks beside running tasks, before any promise is made.
    fn new(machine: &ClusterState<'_, '_>) -> Self {
        let now = machine.now();
        let mut steps = vec![(now, machine.free_ranks().clone())];
        for task in machine.running() {
            let end = task.end.max(now + 1);
            let last = &steps[steps.len() - 1];
            if last.0 < end {
                steps.push((end, last.1.clone()));
            }
            if let Some((_, free)) = steps.last_mut() {
                machine
                    .held(task.task)
                    .runs()
                    .iter()
                    .for_each(|run| free.give(*run));
            }
        }
        PlaceProfile { steps }
    }

    /// Forgets what was before `now`.
    fn advance(&mut self, now: i64) {
        let current = self.steps.partition_point(|(time, _)| *time <= now).max(1) - 1;
        self.steps.drain(..current);
        self.steps[0].0 = self.steps[0].0.max(now);
    }

    /// The first promise that can be made to a task; none where it is left out.
    fn promise(&self, task: u32, machine: &mut ClusterState<'_, '_>) -> Option<Promise> {
        let (nodes, requested) = (machine.task(task).nodes, machine.task(task).requested);
        for (i, (time, free)) in self.steps.iter().enumerate() {
            let later = self.steps[i + 1..]
                .iter()
                .take_while(|(from, _)| from - time < requested);
            let mut whole = free.clone();
            for (_, free) in later {
                if whole.len() < nodes {
                    break;
                }
                whole.intersect(free);
            }
            if whole.len() < nodes {
                continue;
            }
            match machine.find(&whole, task) {
                Found::Place(place) => return Some(Promise { time: *time, place }),
                Found::NotNow => {}
                Found::LeftOut => return None,
            }
        }
        // Even the whole machine is refused it, until the allocator relents.
        let (last, free) = self.steps.last()?;
        let (time, place) = machine.find_late(free, task)?;
        Some(Promise {
            time: time.max(*last),
            place,
        })
    }

    /// Takes the place of a promise away for `requested` ticks.
    fn reserve(&mut self, promise: &Promise, requested: i64) {
        let first = self.cut(promise.time);
        let last = self.cut(promise.time + requested);
        for (_, free) in &mut self.steps[first..last] {
            promise.place.runs().iter().for_each(|run| free.take(*run));
        }
    }

    /// The index of the step that begins at `time`, which is not before the first.
    fn cut(&mut self, time: i64) -> usize {
        let at = self.steps.partition_point(|(from, _)| *from < time);
        if self.steps.get(at).is_none_or(|(from, _)| *from != time) {
            let free = self.steps[at - 1].1.clone();
            self.steps.insert(at, (time, free));
        }
        at
    }
}

impl ConservativePlaces {
    pub fn new(passes: Passes) -> Self {
        ConservativePlaces {
            passes,
            queue: Vec::new(),
            profile: None,
        }
    }
}

impl Policy for ConservativePlaces {
    fn rule(&self) -> String {
        format!(
            "conservative backfilling with places: every job is reserved the first place that the allocator finds \
             for its requested time beside running jobs and reservations, in queue order; {} all reservations \
             are rebuilt in queue order; {}",
            if self.passes.interval() == 0 {
                "on an early end"
            } else {
                "at every pass"
            },
            self.passes.after_instants()
        )
    }

    fn submitted(&mut self, task: u32, _: &ClusterState<'_, '_>) {
        self.queue.push((task, None));
    }

    fn ended(&mut self, task: u32, machine: &ClusterState<'_, '_>) {
        if machine.assumed_end(task) != machine.now() {
            self.profile = None;
        }
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        let now = machine.now();
        let late = machine
            .running()
            .first()
            .is_some_and(|task| task.end <= now);
        if late || machine.relenting || self.passes.interval() > 0 {
            self.profile = None;
        }
        let (mut profile, anew) = match self.profile.take() {
            Some(mut profile) => {
                profile.advance(now);
                (profile, false)
            }
            None => (PlaceProfile::new(machine), true),
        };
        self.queue.retain_mut(|(task, promise)| {
            if !anew && promise.is_some() {
                return true;
            }
            *promise = profile.promise(*task, machine);
            if let Some(promise) = promise {
                profile.reserve(promise, machine.task(*task).requested);
            }
            promise.is_some()
        });
        self.profile = Some(profile);
        self.queue.retain_mut(|(task, promise)| {
            // A task that runs longer than requested may still hold the place.
            let free = |place: &Ranks| place.iter().all(|rank| machine.free_ranks().contains(rank));
            let starts = promise.take_if(|p| p.time <= now && free(&p.place));
            if let Some(Promise { place, .. }) = starts {
                machine.start_on(*task, place);
                return false;
            }
            true
        });
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn interval(&self) -> i64 {
        self.passes.interval()
    }
}
