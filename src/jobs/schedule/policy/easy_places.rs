//! EASY backfilling that reserves certain nodes for the head of the queue: for allocators that may refuse free nodes.
//!
//! The example in [`super`] shows why a number of nodes is not enough.

use std::collections::BTreeSet;

use super::super::waiting::WaitQueue;
use super::entry::{Passes, Policy};
use super::estimates::Estimates;
use crate::schedule::cluster_state::{Attempt, ClusterState, PlaceReply};
use nodeorder_base::{FreeSet, Ranks, Run};

/// EASY where the head of the queue waits for a *place* (a set of ranks), because the allocator refuses the free
/// nodes or because they are too few.
///
/// - Tasks start in queue order while the allocator places them on the free nodes.
/// - The first that does not start is the head. Its *reservation* is a time and a place: the allocator is asked
///   about the nodes that would be free at each assumed end (start + requested time) of running tasks, in
///   order, every task counted that is assumed to have ended by then; the first end at which it answers with a
///   place is the time. At the last of them the whole machine is free, and a task refused there is left out, unless
///   the allocator relents to it: then that is the time.
/// - Then each other task in queue order is a candidate where enough nodes are free. One that ends by the
///   reservation's time if it takes as long as it requested may have any place; one that takes longer may have
///   a place outside the reserved one: the allocator is asked about the other free nodes.
/// - The reservation stays until the head starts. When a task ends before its assumed end, the times before it are
///   asked about again, so it only moves to earlier times. Where the allocator refuses the free nodes though the
///   reserved place is free, which a search of limited effort may do, the head takes the reserved place.
///
/// As long as no task runs for longer than requested, the head therefore starts by the time of its reservation.
/// A reservation that a task has outstayed is made anew.
///
/// The allocator is not asked twice about a size while free nodes only become fewer.
///
/// # Complexity
/// A new reservation asks the allocator at most once a running task; a pass at most twice a size that waits, and
/// once for each start.
pub struct EasyPlaces {
    queue: WaitQueue,
    estimates: Estimates,
    /// Reservation of the head, while one waits.
    reservation: Option<Reservation>,
    /// Whether a task has ended since the last pass.
    ended: bool,
    /// Whether a task has ended at another time than assumed since the reservation was made.
    early: bool,
    /// Tasks submitted since the last pass.
    fresh: Vec<u32>,
    /// Sizes that the allocator refused: among all free nodes, and among those outside the reserved place.
    refused: [BTreeSet<u32>; 2],
}

/// Promise to the head of the queue.
struct Reservation {
    head: u32,
    /// Time at which the head starts at the latest.
    time: i64,
    /// Ranks on which the head can start then.
    place: Ranks,
}

/// Checks whether all of `place` is free.
pub fn are_all_free(free: &FreeSet, place: &Ranks) -> bool {
    place.iter().all(|rank| free.is_free(rank))
}

impl EasyPlaces {
    /// Creates the policy with an empty queue.
    pub fn new(queue: WaitQueue, estimates: Estimates) -> Self {
        EasyPlaces {
            queue,
            estimates,
            reservation: None,
            ended: true,
            early: false,
            fresh: Vec::new(),
            refused: Default::default(),
        }
    }

    /// Starts tasks in queue order and returns the first that must wait; `None` if none must.
    fn start_in_order(&mut self, machine: &mut ClusterState<'_>) -> Option<u32> {
        loop {
            let head = self.queue.queue_head()?;
            if machine.task(head).nodes > machine.count_free() {
                return Some(head);
            }
            if machine.start_task(head) == Attempt::Waits {
                // A search of limited effort may miss in a larger set what it found in a smaller one.
                let reserved = self
                    .reservation
                    .take_if(|r| r.head == head && are_all_free(machine.free_ranks(), &r.place));
                let Some(reserved) = reserved else {
                    return Some(head);
                };
                machine.start_on(head, reserved.place);
            }
            self.queue.remove_task(head);
        }
    }

    /// Makes the reservation of a head that must wait, or keeps it. Returns `false` if the head is left out instead.
    fn reserve_for_head(&mut self, head: u32, machine: &mut ClusterState<'_>) -> bool {
        self.reservation
            .take_if(|r| r.head != head || !still_stands(r, machine));
        if self.reservation.is_some() && !self.early {
            return true;
        }
        // Another place is reserved: other nodes lie outside it.
        self.refused[1].clear();
        let before = self.reservation.as_ref().map_or(i64::MAX, |r| r.time);
        if let Some(earlier) = earliest_reservation(head, before, machine) {
            self.reservation = Some(earlier);
        }
        self.reservation.is_some()
    }

    /// Starts a task that is not the head if it does not break the head's reservation.
    fn try_backfill(&mut self, task: u32, machine: &mut ClusterState<'_>) {
        let Some(Reservation { time, place, .. }) = &self.reservation else {
            return;
        };
        let (nodes, duration) = self.queue.size_and_time(task);
        // What ends by then may have any free nodes, all else must leave the place alone.
        let in_time = duration <= time - machine.now();
        // A size that all free nodes cannot place has none outside the place either.
        let asked = &self.refused[..=usize::from(!in_time)];
        if nodes > machine.count_free() || asked.iter().any(|sizes| sizes.contains(&nodes)) {
            return;
        }
        let attempt = if in_time {
            machine.start_task(task)
        } else {
            start_outside(place, task, machine)
        };
        if attempt == Attempt::Waits {
            self.refused[usize::from(!in_time)].insert(nodes);
        } else {
            self.queue.remove_task(task);
        }
    }
}

/// Starts a task on free ranks outside `place`, if the allocator finds some.
fn start_outside(place: &Ranks, task: u32, machine: &mut ClusterState<'_>) -> Attempt {
    let mut outside = machine.free_ranks().clone();
    for rank in place.iter() {
        // Running tasks may hold some of the place until the reservation's time.
        if outside.is_free(rank) {
            outside.take_run(Run::of_rank(rank));
        }
    }
    if outside.free_count() < machine.task(task).nodes {
        return Attempt::Waits;
    }
    match machine.find_place(&outside, task) {
        PlaceReply::Place(ranks) => {
            machine.start_on(task, ranks);
            Attempt::Started
        }
        PlaceReply::NotNow => Attempt::Waits,
        PlaceReply::LeftOut => Attempt::LeftOut,
    }
}

/// Checks whether a reservation still stands: it is in the future, and no task is assumed to hold its place then.
fn still_stands(reservation: &Reservation, machine: &ClusterState<'_>) -> bool {
    let mut free = machine.free_ranks().clone();
    for task in machine.running_tasks() {
        if task.end <= reservation.time {
            free.release_ranks(machine.held_ranks(task.task));
        }
    }
    reservation.time > machine.now() && are_all_free(&free, &reservation.place)
}

/// Finds the first assumed end of a running task, before `before`, at which the allocator would place `head`. `None`
/// if there is none, or if the head is left out.
fn earliest_reservation(
    head: u32,
    before: i64,
    machine: &mut ClusterState<'_>,
) -> Option<Reservation> {
    let nodes = machine.task(head).nodes;
    let running = machine.running_tasks().to_vec();
    let mut free = machine.free_ranks().clone();
    for ending in running.chunk_by(|a, b| a.end == b.end) {
        let time = ending[0].end;
        if time >= before {
            return None;
        }
        for task in ending {
            free.release_ranks(machine.held_ranks(task.task));
        }
        if free.free_count() < nodes {
            continue;
        }
        match machine.find_place(&free, head) {
            PlaceReply::Place(place) => return Some(Reservation { head, time, place }),
            PlaceReply::NotNow => {}
            PlaceReply::LeftOut => return None,
        }
    }
    // Even the whole machine is refused it, until the allocator relents.
    let last = running.last().map_or(i64::MIN, |task| task.end);
    let (time, place) = machine.find_late_place(&free, head)?;
    let time = time.max(last);
    (time < before).then_some(Reservation { head, time, place })
}

impl Policy for EasyPlaces {
    fn describe_rule(&self) -> String {
        format!(
            "EASY backfilling that reserves specific nodes, not just a count: the first waiting job has the first nodes \
             that the allocator finds at an expected end (start + requested time) of a running job; others start early \
             where, by {}, they end before, or on other nodes; {}",
            self.estimates.candidate_time_name(),
            self.estimates.passes.describe_order()
        )
    }

    fn add_task(&mut self, task: u32, _: &ClusterState<'_>) {
        self.queue.add_task(task);
        self.fresh.push(task);
    }

    fn task_ended(&mut self, task: u32, machine: &ClusterState<'_>) {
        self.ended = true;
        self.early |= machine.assumed_end(task) != machine.now();
        self.refused = Default::default();
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        let fresh = std::mem::take(&mut self.fresh);
        // An allocator that relents may place now what it refused, as if nodes had become free.
        if machine.relenting {
            self.ended = true;
            self.refused = Default::default();
        }
        // Without an end the head still waits and its reservation stands: only new tasks can start.
        if self.reservation.is_some() && !self.ended && !self.estimates.true_times {
            return fresh
                .into_iter()
                .for_each(|task| self.try_backfill(task, machine));
        }
        let head = loop {
            let Some(head) = self.start_in_order(machine) else {
                self.reservation = None;
                return;
            };
            if self.reserve_for_head(head, machine) {
                break head;
            }
            self.queue.remove_task(head);
        };
        self.ended = false;
        self.early = false;
        let mut from = head + 1;
        while let Some(task) = self.queue.next_small(from, machine.count_free()) {
            self.try_backfill(task, machine);
            from = task + 1;
        }
    }

    fn passes(&self) -> Passes {
        self.estimates.passes
    }
}
