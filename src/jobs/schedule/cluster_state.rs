//! The machine at one time: free nodes, running tasks, and what a policy may ask of them or start on them.
//!
//! Every question to the allocator goes through here, because its answers are more than yes and no. It may refuse a
//! size
//! *not now*; if it refuses it on the empty machine, too, the task is left out. Some allocators *relent*: once a task
//! has waited for long enough they give it what they refused before (as Slurm does with its `max_switches` wait).

use super::model::{Model, StartedTask};
use super::result::{Instant, Record, ScheduleResult, UnservedJob};
use super::running::{AssumedEnd, RunningTasks};
use super::task::Task;
use crate::allocator::{Allocator, Choice, FreeComponents, Reason};
use crate::replay::{AllocationFigures, FigureSet};
use nodeorder_base::{FreeSet, Ranks, Result};
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::shape::SummedShapes;

use std::collections::{BTreeMap, BTreeSet};

/// Meters that measure allocations, and the choice of the results to record.
pub(super) struct Recorder<'a> {
    /// Meter of metrics and extents, if either is needed.
    pub meter: Option<AllocationMeter<'a>>,
    /// Meter of shapes, if recorded.
    pub shapes: Option<SummedShapes<'a>>,
    pub figures: FigureSet,
    /// Whether the state after every instant is recorded.
    pub timeline: bool,
}

/// Outcome of an attempt to start a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Attempt {
    /// The task runs.
    Started,
    /// The task waits: the allocator refuses the nodes that are free now.
    Waits,
    /// The task can never run on this machine: it is recorded as left out, and leaves the queue.
    LeftOut,
}

/// Answer of the allocator about a task and a set of free ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceReply {
    /// Ranks that the task would get.
    Place(Ranks),
    /// Refused: the free ranks do not suit the task, but others may.
    NotNow,
    /// Refused for ever: see [`Attempt::LeftOut`].
    LeftOut,
}

/// State of the machine and its clock, as a policy sees and changes it.
pub struct ClusterState<'a> {
    pub(super) tasks: &'a [Task],
    pub(super) now: i64,
    free: FreeSet,
    pub(super) running: RunningTasks,
    allocator: Box<dyn Allocator + 'a>,
    /// Finder of connected sets of free nodes, if the policy needs them.
    components: Option<FreeComponents<'a>>,
    /// Sizes that the allocator refused since the free set last changed.
    refused_sizes: BTreeSet<u32>,
    /// Sizes that were refused once: the reason if even the empty machine refuses them, else `None`.
    refusals_when_empty: BTreeMap<u32, Option<Reason>>,
    /// Time at which an allocator that relents first refused each task.
    refused_since: BTreeMap<u32, i64>,
    /// Times at which the allocator will relent to some task.
    relent_times: BTreeSet<i64>,
    /// Whether the allocator relents to some task at this instant.
    pub relenting: bool,
    /// Ticks per second.
    ticks: i64,
    /// Tasks that can never run.
    pub(super) left_out: Vec<UnservedJob>,
    pub(super) recorder: Recorder<'a>,
    model: Box<dyn Model + 'a>,
    /// Records of the tasks that have started, in the order of starts.
    records: Vec<Record>,
    /// Index of the record of each task; `u32::MAX` before it has started.
    record_of_task: Vec<u32>,
    /// Ranks that each task holds; empty unless it runs.
    held: Vec<Ranks>,
    /// First error of the model, reported after the pass: policies cannot fail.
    fault: Option<nodeorder_base::error::Error>,
}

impl<'a> ClusterState<'a> {
    /// Creates the empty machine at time 0.
    pub(super) fn new(
        tasks: &'a [Task],
        nodes: u32,
        allocator: Box<dyn Allocator + 'a>,
        components: Option<FreeComponents<'a>>,
        recorder: Recorder<'a>,
        model: Box<dyn Model + 'a>,
        ticks: i64,
    ) -> Self {
        ClusterState {
            tasks,
            refused_since: BTreeMap::new(),
            relent_times: BTreeSet::new(),
            relenting: false,
            ticks,
            now: 0,
            free: FreeSet::new(nodes),
            running: RunningTasks::default(),
            allocator,
            components,
            refused_sizes: BTreeSet::new(),
            refusals_when_empty: BTreeMap::new(),
            left_out: Vec::new(),
            recorder,
            model,
            records: Vec::with_capacity(tasks.len()),
            record_of_task: vec![u32::MAX; tasks.len()],
            held: vec![Ranks::default(); tasks.len()],
            fault: None,
        }
    }

    /// Returns the time, in ticks.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Counts the free nodes.
    pub fn count_free(&self) -> u32 {
        self.free.free_count()
    }

    /// Counts the nodes of the machine.
    pub fn count_nodes(&self) -> u32 {
        self.free.rank_count()
    }

    /// Returns the free ranks.
    pub fn free_ranks(&self) -> &FreeSet {
        &self.free
    }

    /// Looks up a task, with times in ticks.
    pub fn task(&self, task: u32) -> &Task {
        &self.tasks[task as usize]
    }

    /// Returns the running tasks by assumed end, which is start + requested time. A task that takes longer keeps its
    /// assumed end.
    pub fn running_tasks(&self) -> &[AssumedEnd] {
        &self.running.assumed
    }

    /// Computes the assumed end of a task that has started, also after it has ended.
    pub fn assumed_end(&self, task: u32) -> i64 {
        let record = &self.records[self.record_of_task[task as usize] as usize];
        record.start + self.tasks[task as usize].requested
    }

    /// Looks up the ranks that a task holds; empty unless it runs.
    pub fn held_ranks(&self, task: u32) -> &Ranks {
        &self.held[task as usize]
    }

    /// Finds the connected sets of free nodes, by their lowest ranks; none unless [`super::Policy::needs_components`].
    pub fn find_components(&mut self) -> Vec<Ranks> {
        let free = &self.free;
        self.components
            .as_mut()
            .map_or_else(Vec::new, |components| components.split_free(free))
    }

    /// Starts a waiting task, for which enough nodes are free, on ranks of the allocator's choice.
    pub fn start_task(&mut self, task: u32) -> Attempt {
        let nodes = self.task(task).nodes;
        // The answer for a size stays the same while nodes only become fewer, except where the allocator relents.
        if self.refused_sizes.contains(&nodes) && !self.relents_to(task) {
            return Attempt::Waits;
        }
        // Lent out for the question: nothing else looks at the free ranks meanwhile.
        let free = std::mem::replace(&mut self.free, FreeSet::new(0));
        let found = self.find_place(&free, task);
        self.free = free;
        match found {
            PlaceReply::Place(ranks) => {
                let total = self.allocator.total_distance();
                self.occupy_ranks(task, ranks, total);
                Attempt::Started
            }
            PlaceReply::LeftOut => Attempt::LeftOut,
            PlaceReply::NotNow => {
                self.refused_sizes.insert(nodes);
                Attempt::Waits
            }
        }
    }

    /// Checks whether a task has waited long enough since its refusal that the allocator now gives it any allocation.
    fn relents_to(&mut self, task: u32) -> bool {
        self.relents_at(task).is_some_and(|time| self.now >= time)
    }

    /// Computes the time at which the allocator relents to a task; `None` if it never does or has not refused it.
    fn relents_at(&mut self, task: u32) -> Option<i64> {
        let nodes = self.task(task).nodes;
        let wait = self.allocator.max_wait(nodes)?;
        Some(self.refused_since.get(&task)? + wait * self.ticks)
    }

    /// Finds time and ranks for a task that is refused even `free` ranks until the allocator relents to it.
    /// `None` if it is left out. The time is after now.
    pub fn find_late_place(&mut self, free: &FreeSet, task: u32) -> Option<(i64, Ranks)> {
        match self.find_place(free, task) {
            PlaceReply::Place(place) => return Some((self.now + 1, place)),
            PlaceReply::LeftOut => return None,
            PlaceReply::NotNow => {}
        }
        let time = self.relents_at(task)?;
        self.allocator.wait_expired();
        let mut ranks = Ranks::default();
        let nodes = self.task(task).nodes;
        let choice = self.allocator.choose_ranks(free, nodes, &mut ranks);
        ranks.sort_and_join();
        choice.is_placed().then_some((time, ranks))
    }

    /// Finds the next time after now at which the allocator relents to a task; `None` if there is none.
    pub(super) fn next_relent(&mut self) -> Option<i64> {
        self.relent_times = self.relent_times.split_off(&(self.now + 1));
        self.relent_times.first().copied()
    }

    /// Asks the allocator for ranks of a waiting task among `free`, of which there are enough. A task that is refused
    /// for ever is recorded as left out.
    pub fn find_place(&mut self, free: &FreeSet, task: u32) -> PlaceReply {
        let nodes = self.task(task).nodes;
        let never = match self.ask_allocator(free, task) {
            Ok(ranks) => return PlaceReply::Place(ranks),
            Err(Choice::Never(reason)) => Some(reason),
            Err(_) => self.refused_for_ever(nodes, free.rank_count()),
        };
        if let Some(reason) = never {
            self.leave_out(task, reason);
            return PlaceReply::LeftOut;
        }
        self.note_refusal(task);
        PlaceReply::NotNow
    }

    /// Asks the allocator for other ranks among `free` of a waiting task that is promised a place already. `None` if
    /// it refuses: the task is not left out for that.
    pub fn find_other_place(&mut self, free: &FreeSet, task: u32) -> Option<Ranks> {
        let found = self.ask_allocator(free, task).ok();
        if found.is_none() {
            self.note_refusal(task);
        }
        found
    }

    /// Asks the allocator for ranks of a waiting task among `free`. Fails with its refusal.
    fn ask_allocator(&mut self, free: &FreeSet, task: u32) -> Result<Ranks, Choice> {
        if self.relents_to(task) {
            self.allocator.wait_expired();
        }
        let nodes = self.task(task).nodes;
        let mut ranks = Ranks::default();
        match self.allocator.choose_ranks(free, nodes, &mut ranks) {
            Choice::Placed => {
                ranks.sort_and_join();
                Ok(ranks)
            }
            refusal => Err(refusal),
        }
    }

    /// Takes note that the allocator refused a task ranks now, for when it relents.
    fn note_refusal(&mut self, task: u32) {
        let nodes = self.task(task).nodes;
        if let Some(seconds) = self.allocator.max_wait(nodes) {
            // The wait counts from the first refusal, however often the task is refused after that.
            let since = *self.refused_since.entry(task).or_insert(self.now);
            self.relent_times.insert(since + seconds * self.ticks);
        }
    }

    /// Finds the reason for which even the empty machine, of `size` nodes, refuses a job; `None` if it does not.
    fn refused_for_ever(&mut self, nodes: u32, size: u32) -> Option<Reason> {
        if let Some(known) = self.refusals_when_empty.get(&nodes) {
            return known.clone();
        }
        // The most lenient answer counts: nothing that could run later is left out.
        self.allocator.wait_expired();
        let empty = FreeSet::new(size);
        let reason = match self
            .allocator
            .choose_ranks(&empty, nodes, &mut Ranks::default())
        {
            Choice::Placed => None,
            Choice::NotNow(reason) => Some(format!("{reason}, even on the empty machine").into()),
            Choice::Never(reason) => Some(reason),
        };
        self.refusals_when_empty.insert(nodes, reason.clone());
        reason
    }

    /// Records that a waiting task can never run; the policy takes it out of its queue.
    pub fn leave_out(&mut self, task: u32, reason: Reason) {
        self.left_out.push(UnservedJob { task, reason });
    }

    /// Starts a waiting task on free ranks that the policy chose, as many as it has nodes.
    pub fn start_on(&mut self, task: u32, ranks: Ranks) {
        self.occupy_ranks(task, ranks, None);
    }

    /// Takes the ranks of a task that starts, measures its allocation, and asks the model for its run time.
    /// `total` is the sum of distances over pairs of its nodes, if the allocator knows it.
    fn occupy_ranks(&mut self, index: u32, mut ranks: Ranks, total: Option<u64>) {
        let task = &self.tasks[index as usize];
        ranks.sort_and_join();
        // Kueue may add a leader to the task's own nodes.
        debug_assert!(ranks.len() <= task.nodes + 1);
        self.free.take_ranks(&ranks);
        // The allocator may place a size in this set that it refused in a larger one: the next pass asks again.
        self.refused_sizes.clear();
        let Recorder {
            meter,
            shapes,
            figures: wanted,
            ..
        } = &mut self.recorder;
        let placement = meter
            .as_mut()
            .map(|meter| meter.measure_ranks(&ranks, total));
        let meter = meter.as_mut().filter(|_| wanted.extent);
        let figures = AllocationFigures {
            ranks: wanted.keeps_ranks().then(|| ranks.clone()),
            extent: meter.map(|meter| meter.measure_extent(&ranks).into()),
            shape: shapes.as_mut().map(|shapes| shapes.add_shape(&ranks)),
            ..AllocationFigures::default()
        };
        let start = StartedTask {
            index,
            task,
            ranks: &ranks,
            placement: placement.as_ref(),
            now: self.now,
        };
        let duration = match self.model.start_task(&start) {
            // At least a tick: a task that ended at once would never be seen running.
            Ok(duration) => duration.max(1),
            Err(error) => {
                self.fault.get_or_insert(error);
                task.run
            }
        };
        let end = self.now + duration;
        let record = self.records.len() as u32;
        self.record_of_task[index as usize] = record;
        self.records.push(Record {
            task: index,
            start: self.now,
            end,
            placement,
            figures,
        });
        self.held[index as usize] = ranks;
        self.running
            .add_task(self.assumed_entry(index), record, end);
    }

    /// Makes the entry of a task that has started in the list of assumed ends.
    fn assumed_entry(&self, task: u32) -> AssumedEnd {
        AssumedEnd {
            end: self.assumed_end(task),
            task,
            nodes: self.task(task).nodes,
        }
    }

    /// Ends a task that is due, of several the one that started first, and returns it; `None` if no more are due.
    pub(super) fn end_one(&mut self) -> Option<u32> {
        let record = self.running.pop_due(self.now)?;
        let index = self.records[record as usize].task;
        let ranks = std::mem::take(&mut self.held[index as usize]);
        self.free.release_ranks(&ranks);
        self.refused_sizes.clear();
        self.running.remove_assumed(self.assumed_entry(index));
        self.model.end_task(index);
        Some(index)
    }

    /// Moves the ends that the model changes, once all starts and ends of this instant are done. Fails if the
    /// model fails.
    pub(super) fn settle_ends(&mut self) -> Result<()> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        self.model.settle_ends(self.now, &mut |task, end| {
            let record = self.record_of_task[task as usize];
            let entry = &mut self.records[record as usize];
            self.running.move_end(record, entry.end, end);
            entry.end = end;
        })
    }

    /// Counts the tasks that have started.
    pub(super) fn count_started(&self) -> usize {
        self.records.len()
    }

    /// Hands over the machine's part of the result, once all tasks have ended.
    pub(super) fn into_result(self) -> ScheduleResult {
        ScheduleResult {
            nodes: self.count_nodes(),
            records: self.records,
            left_out: self.left_out,
            ticks: self.ticks,
            model: self.model.describe_rule(),
            lost: self.model.lost_time(),
            shapes: self.recorder.shapes.map(|shapes| shapes.sums),
            ..ScheduleResult::default()
        }
    }

    /// Measures the state of the machine, for the timeline; `waiting` is the number of tasks that wait.
    pub(super) fn take_instant(&mut self, waiting: usize) -> Instant {
        let mut runs = 0;
        let mut longest = 0;
        for run in self.free.free_runs() {
            runs += 1;
            longest = longest.max(run.count);
        }
        let wanted = self.recorder.figures.room;
        Instant {
            time: self.now,
            busy: self.free.rank_count() - self.free.free_count(),
            waiting: waiting as u32,
            runs,
            longest,
            room: wanted.then(|| self.allocator.measure_room(&self.free)),
        }
    }
}
