//! Conservative backfilling: a reservation for everybody.

use std::collections::HashMap;

use super::conservative_places::ConservativePlaces;
use super::profile::Profile;
use super::{Attempt, ClusterState, EVERY_EVENT, Passes, Policy, PolicyEntry};

/// `conservative[:interval=0]`: every task is promised, when it is submitted and in queue order, the earliest time at which
/// its nodes are free for its requested time beside all promises before. When a task ends before its assumed
/// end (start + requested time), all promises are dropped and made anew in queue order. A task starts at its
/// time.
///
/// A task that runs beyond its assumed end (which needs a model that stretches) is taken to end at the next
/// tick, and promises are made anew at every event until it does.
///
/// With `interval=` there is a pass every so many seconds from the first submit. A task may then start later than
/// promised, so all promises are made anew in queue order at every pass.
///
/// With an allocator that may refuse free nodes promises are places: see [`ConservativePlaces`].
///
/// # Complexity
/// An early end costs O(queue · steps/16) at worst, steps being those of the [`Profile`], at most two for each running and
/// waiting task. A place is looked for from the last promise to a task of the same size and time on, as promises only
/// take nodes away, and neighbours in the queue of the same size and time are promised together what fits at one time.
/// A pass walks over the queue where a promised time has come.
///
/// # References
/// Mu'alem and Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling
/// the IBM SP2 with backfilling", 2001, section 2, <https://doi.org/10.1109/71.932708>.
pub(super) const CONSERVATIVE: PolicyEntry = PolicyEntry {
    name: "conservative",
    about: "every job is reserved at submit; all reservations are rebuilt in queue order on an early end",
    example: "conservative",
    options: &[EVERY_EVENT],
    build: |params, context| {
        let passes = context.passes(params)?;
        if context.places {
            return Ok(Box::new(ConservativePlaces::new(passes)));
        }
        Ok(Box::new(Conservative {
            passes,
            queue: Vec::new(),
            fresh: 0,
            profile: None,
            round: 0,
            next: i64::MAX,
            shapes: Vec::new(),
            numbers: HashMap::new(),
        }))
    },
};

struct Conservative {
    passes: Passes,
    /// Waiting tasks in queue order, with the time promised.
    queue: Vec<Waiting>,
    /// The last so many of them have no promise yet.
    fresh: usize,
    /// Free nodes beside all promises; nothing where it must be made anew.
    profile: Option<Profile>,
    /// How often the profile was made anew.
    round: u32,
    /// The first promised time.
    next: i64,
    /// Shapes of tasks, and their numbers by nodes and requested time.
    shapes: Vec<Shape>,
    numbers: HashMap<(u32, i64), u32>,
}

/// Tasks of the same nodes and requested time.
struct Shape {
    nodes: u32,
    requested: i64,
    /// The last promise to one of them, and the profile's round that it was made in.
    promise: i64,
    round: u32,
}

/// A waiting task.
#[derive(Clone, Copy)]
struct Waiting {
    task: u32,
    /// Which pair of nodes and requested time it has.
    shape: u32,
    promise: i64,
}

impl Conservative {
    /// What running tasks leave, without any promise.
    fn bare(machine: &ClusterState<'_, '_>) -> Profile {
        let now = machine.now();
        let running = machine.running().iter();
        Profile::new(now, machine.free(), running.map(|task| (task.end.max(now + 1), task.nodes)))
    }
}

impl Policy for Conservative {
    fn rule(&self) -> String {
        format!(
            "conservative backfilling: every job is reserved at {} for its requested time, in queue order; {} all \
             reservations are rebuilt in queue order; {}",
            if self.passes.interval() == 0 { "submit" } else { "the first pass" },
            if self.passes.interval() == 0 { "on an early end" } else { "at every pass" },
            self.passes.after_instants()
        )
    }

    fn submitted(&mut self, task: u32, machine: &ClusterState<'_, '_>) {
        let (nodes, requested) = (machine.task(task).nodes, machine.task(task).requested);
        let next = self.shapes.len() as u32;
        let shape = *self.numbers.entry((nodes, requested)).or_insert(next);
        if shape == next {
            self.shapes.push(Shape { nodes, requested, promise: i64::MIN, round: self.round });
        }
        self.queue.push(Waiting { task, shape, promise: i64::MAX });
        self.fresh += 1;
    }

    fn ended(&mut self, task: u32, machine: &ClusterState<'_, '_>) {
        if machine.assumed_end(task) != machine.now() {
            self.profile = None;
        }
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        let now = machine.now();
        let late = machine.running().first().is_some_and(|task| task.end <= now);
        if late || self.passes.interval() > 0 {
            self.profile = None;
        }
        let (mut profile, fresh) = match self.profile.take() {
            Some(mut profile) => {
                profile.advance(now);
                (profile, self.fresh)
            }
            None => {
                self.round += 1;
                self.next = i64::MAX;
                (Conservative::bare(machine), self.queue.len())
            }
        };
        let known = self.queue.len() - fresh;
        let alike = self.queue[known..].chunk_by_mut(|a, b| a.shape == b.shape);
        for mut tasks in alike {
            let shape = &mut self.shapes[tasks[0].shape as usize];
            if shape.round != self.round {
                (shape.round, shape.promise) = (self.round, i64::MIN);
            }
            while !tasks.is_empty() {
                let spot = profile.earliest(shape.nodes, shape.requested, shape.promise);
                let count = profile.reserve(spot, shape.requested, shape.nodes, tasks.len());
                let (promised, rest) = tasks.split_at_mut(count);
                promised.iter_mut().for_each(|waiting| waiting.promise = spot.time);
                shape.promise = spot.time;
                self.next = self.next.min(spot.time);
                tasks = rest;
            }
        }
        self.fresh = 0;
        self.profile = Some(profile);
        if self.next > now {
            return;
        }
        self.next = i64::MAX;
        self.queue.retain(|waiting| {
            // A task that runs longer than requested may still hold the nodes.
            let nodes = machine.task(waiting.task).nodes;
            let starts = waiting.promise <= now && nodes <= machine.free();
            if starts {
                // Allocators that may refuse have another policy.
                let started = machine.start(waiting.task);
                debug_assert_eq!(started, Attempt::Started);
            } else {
                self.next = self.next.min(waiting.promise);
            }
            !starts
        });
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn interval(&self) -> i64 {
        self.passes.interval()
    }
}
