//! Conservative backfilling: a reservation for everybody.

use std::collections::{HashMap, VecDeque};

use super::super::waiting::Waiting;
use super::conservative_places::ConservativePlaces;
use super::profile::{Lacks, Profile};
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
/// What the rule promises follows from the running tasks, the queue and the time. So only as much of the queue is
/// promised as a pass needs. A task that fits now starts if none ahead of it without a promise can begin before it would
/// end; where some can, promises are made up to the first of these, and the pass looks again. After an early end those
/// promises stay, from the head of the queue on, that the freed nodes cannot move ([`Lacks`]).
///
/// # Complexity
/// An early end costs O(promises · steps/16) at worst, steps being those of the [`Profile`], at most two for each running
/// task and promise. A place is looked for from the last promise to a task of the same size and time on, as promises
/// only take nodes away, and neighbours in the queue of the same size and time are promised together what fits at one
/// time. Who can start at once is searched in O(log tasks) where size and time of the waiting agree, in O(queue) at worst.
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
            waiting: Waiting::new(context.tasks, |task| task.requested),
            groups: Vec::new(),
            promised: Vec::new(),
            rest: VecDeque::new(),
            next: i64::MAX,
            profile: None,
            freed: Vec::new(),
            taken_back: 0,
            round: 0,
            shapes: Vec::new(),
            numbers: HashMap::new(),
            known: 0,
            beyond: i64::MIN,
            walk: 0,
            stairs: Vec::new(),
            starting: Vec::new(),
        }))
    },
};

struct Conservative {
    passes: Passes,
    /// All waiting tasks.
    waiting: Waiting,
    /// The first of them in queue order, which have promises; and the others.
    groups: Vec<Group>,
    promised: Vec<u32>,
    rest: VecDeque<Queued>,
    /// No promise is of an earlier time.
    next: i64,
    /// Free nodes beside all promises; nothing where it must be made anew.
    profile: Option<Profile>,
    /// Assumed ends and nodes of tasks that ended before them since the last pass.
    freed: Vec<(i64, u32)>,
    /// Groups taken back since the profile was made: it may still have their steps.
    taken_back: usize,
    /// How often the profile was made anew.
    round: u32,
    /// Shapes of tasks, and their numbers by nodes and requested time.
    shapes: Vec<Shape>,
    numbers: HashMap<(u32, i64), u32>,
    /// So many of the rest cannot begin before a time, nor can tasks of shapes with the number of this walk over the rest.
    known: usize,
    beyond: i64,
    walk: u32,
    /// What fits now, and who starts, reused.
    stairs: Vec<(i64, u32)>,
    starting: Vec<u32>,
}

/// Tasks of the same nodes and requested time.
struct Shape {
    nodes: u32,
    requested: i64,
    /// The last promise to one of them, and the profile's round that it was made in.
    promise: i64,
    round: u32,
    /// The last walk that found that they cannot begin before its time.
    walk: u32,
}

/// A waiting task without a promise, and its shape.
#[derive(Clone, Copy)]
struct Queued {
    task: u32,
    shape: u32,
}

/// Neighbours in the queue of one shape that are promised the same time.
struct Group {
    shape: u32,
    count: usize,
    time: i64,
    /// The promise to that shape before.
    before: i64,
    lacks: Lacks,
}

impl Conservative {
    /// What running tasks leave, without any promise.
    fn bare(machine: &ClusterState<'_, '_>) -> Profile {
        let now = machine.now();
        let running = machine.running().iter();
        Profile::new(now, machine.free(), running.map(|task| (task.end.max(now + 1), task.nodes)))
    }

    /// The profile with the promises that stay: those ahead of the first that the freed nodes may move. A task that ended
    /// may have been promised after a group that still waits: that group was promised its time as if these nodes were
    /// free, so they are given to it once too often, and it may be promised anew without need.
    fn kept(&mut self, mut profile: Profile, machine: &ClusterState<'_, '_>) -> Option<Profile> {
        let now = machine.now();
        profile.advance(now);
        if !self.freed.is_empty() {
            self.forget_beyond();
        }
        for (end, nodes) in self.freed.drain(..) {
            profile.give(now, end, nodes);
            for group in &mut self.groups {
                group.lacks.give(nodes, group.time <= end);
            }
        }
        let stay = self.groups.iter().take_while(|group| group.lacks.holds(now)).count();
        let leave = self.groups.len() - stay;
        // To take back costs less than to promise; what is left of promises taken back makes all dearer.
        if leave > 2 * stay + 16 || self.taken_back + leave > stay + machine.running().len() {
            return (leave == 0).then_some(profile);
        }
        self.taken_back += leave;
        for _ in 0..leave {
            let Some(group) = self.unpromise() else { break };
            let shape = &mut self.shapes[group.shape as usize];
            let nodes = shape.nodes * group.count as u32;
            profile.give(group.time, group.time + shape.requested, nodes);
            shape.promise = group.before;
        }
        Some(profile)
    }

    /// A profile without promises.
    fn anew(&mut self, machine: &ClusterState<'_, '_>) -> Profile {
        self.round += 1;
        (self.taken_back, self.next) = (0, i64::MAX);
        self.forget_beyond();
        self.freed.clear();
        while self.unpromise().is_some() {}
        Conservative::bare(machine)
    }

    /// Puts the tasks of the last group back among the rest.
    fn unpromise(&mut self) -> Option<Group> {
        let group = self.groups.pop()?;
        for task in self.promised.drain(self.promised.len() - group.count..).rev() {
            self.rest.push_front(Queued { task, shape: group.shape });
        }
        Some(group)
    }

    /// The neighbours alike that begin with one of the rest.
    fn alike(&self, at: usize) -> usize {
        let shape = self.rest[at].shape;
        self.rest.range(at..).take_while(|queued| queued.shape == shape).count()
    }

    /// Where among the rest `task` is that fits now, if none ahead of it can begin before it would end: then it starts now
    /// whatever they are promised. Otherwise where the first ahead is that may.
    fn first_before(&mut self, task: u32, profile: &Profile, now: i64) -> usize {
        let until = now + self.waiting.of(task).1;
        if until > self.beyond {
            (self.known, self.beyond) = (0, until);
            self.walk += 1;
        }
        for queued in self.rest.range(self.known..) {
            let shape = &mut self.shapes[queued.shape as usize];
            if queued.task == task {
                break;
            }
            // More promises take nodes away: what was beyond stays so.
            if shape.walk != self.walk {
                let from = if shape.round == self.round { shape.promise } else { i64::MIN };
                if profile.begins_before(self.beyond, shape.nodes, shape.requested, from) {
                    break;
                }
                shape.walk = self.walk;
            }
            self.known += 1;
        }
        self.known
    }

    /// Forgets that tasks cannot begin before a time.
    fn forget_beyond(&mut self) {
        (self.known, self.beyond) = (0, i64::MIN);
    }

    /// Makes promises in queue order to the first so many of the rest.
    fn promise(&mut self, until: usize, profile: &mut Profile) {
        self.forget_beyond();
        let mut done = 0;
        while done < until {
            let (first, mut left) = (self.rest[0], self.alike(0));
            done += left;
            let shape = &mut self.shapes[first.shape as usize];
            if shape.round != self.round {
                (shape.round, shape.promise) = (self.round, i64::MIN);
            }
            while left > 0 {
                let (nodes, requested, before) = (shape.nodes, shape.requested, shape.promise);
                let spot = profile.earliest(nodes, requested, before);
                let lacks = profile.lacks(spot, nodes, requested, before);
                let count = profile.reserve(spot, requested, nodes, left);
                let time = spot.time;
                for queued in (0..count).filter_map(|_| self.rest.pop_front()) {
                    self.promised.push(queued.task);
                }
                self.groups.push(Group { shape: first.shape, count, time, before, lacks });
                shape.promise = time;
                self.next = self.next.min(time);
                left -= count;
            }
        }
    }

    /// Starts those whose time has come, in queue order.
    fn start(&mut self, machine: &mut ClusterState<'_, '_>) {
        let now = machine.now();
        if self.next <= now {
            self.next = i64::MAX;
            let taken: u32 = self.starting.iter().map(|task| machine.task(*task).nodes).sum();
            let mut free = machine.free() - taken;
            let (mut at, mut stay) = (0, 0);
            self.groups.retain_mut(|group| {
                let tasks = at..at + group.count;
                at = tasks.end;
                let nodes = self.shapes[group.shape as usize].nodes;
                for i in tasks {
                    let task = self.promised[i];
                    // A task that runs longer than requested may still hold the nodes.
                    if group.time <= now && nodes <= free {
                        free -= nodes;
                        group.count -= 1;
                        self.waiting.remove(task);
                        self.starting.push(task);
                    } else {
                        self.promised[stay] = task;
                        stay += 1;
                    }
                }
                if group.count > 0 {
                    self.next = self.next.min(group.time);
                }
                group.count > 0
            });
            self.promised.truncate(stay);
            self.starting.sort_unstable();
        }
        for task in self.starting.drain(..) {
            // Allocators that may refuse have another policy.
            let started = machine.start(task);
            debug_assert_eq!(started, Attempt::Started);
        }
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
            self.shapes.push(Shape {
                nodes,
                requested,
                promise: i64::MIN,
                round: self.round,
                walk: 0,
            });
        }
        self.rest.push_back(Queued { task, shape });
        self.waiting.add(task);
    }

    fn ended(&mut self, task: u32, machine: &ClusterState<'_, '_>) {
        let end = machine.assumed_end(task);
        if end > machine.now() {
            self.freed.push((end, machine.task(task).nodes));
        } else if end < machine.now() {
            self.profile = None;
        }
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        let late = machine.running().first().is_some_and(|task| task.end <= machine.now());
        if late || self.passes.interval() > 0 {
            self.profile = None;
        }
        let kept = self.profile.take().and_then(|profile| self.kept(profile, machine));
        let mut profile = match kept {
            Some(profile) => profile,
            None => self.anew(machine),
        };
        let mut stairs = std::mem::take(&mut self.stairs);
        let mut from = 0;
        while let Some(first) = self.rest.front() {
            profile.stairs(&mut stairs);
            // A task must fit into what is free now for as long as that is free.
            let fits = |(nodes, time): (u32, i64)| {
                stairs.iter().any(|(until, free)| time <= *until && nodes <= *free)
            };
            let Some(task) = self.waiting.next_that(first.task.max(from), fits) else { break };
            // Who did not fit does not fit beside more promises.
            from = task;
            let at = self.first_before(task, &profile, machine.now());
            let count = self.alike(at);
            let (nodes, requested) = self.waiting.of(task);
            if self.rest[at].task < task {
                self.promise(at + count, &mut profile);
                continue;
            }
            let count = profile.reserve(profile.first(), requested, nodes, count);
            for queued in self.rest.drain(at..at + count) {
                self.waiting.remove(queued.task);
                self.starting.push(queued.task);
            }
        }
        self.stairs = stairs;
        self.profile = Some(profile);
        self.start(machine);
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn interval(&self) -> i64 {
        self.passes.interval()
    }
}
