//! The machine at one time: what policies may ask of it and do to it.

use super::model::{Model, Start};
use super::result::{Instant, LeftOut, Record};
use super::running::{Assumed, Running};
use super::task::Task;
use crate::allocator::{Allocator, Choice, FreeComponents, Reason};
use crate::replay::{AllocationFigures, FigureSet};
use nodeorder_base::error::Result;
use nodeorder_base::ranks::{FreeSet, Ranks};
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::shape::SummedShapes;

use std::collections::{BTreeMap, BTreeSet};

/// Meters that measure allocations, and which of their results are recorded.
pub(super) struct Recorder<'a> {
    pub meter: Option<AllocationMeter<'a>>,
    pub shapes: Option<SummedShapes<'a>>,
    pub figures: FigureSet,
    pub timeline: bool,
}

/// Outcome of a policy's attempt to start a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Attempt {
    /// It runs.
    Started,
    /// The allocator refuses the nodes that are free now.
    Waits,
    /// It can never run on this machine: it is recorded as left out, and leaves the queue.
    LeftOut,
}

/// Answer of an allocator to a task and a set of free ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// These ranks.
    Place(Ranks),
    /// Not these.
    NotNow,
    /// As [`Attempt::LeftOut`].
    LeftOut,
}

/// The machine and its clock in the hands of a policy.
pub struct ClusterState<'m, 'a> {
    pub(super) tasks: &'m [Task],
    pub(super) now: i64,
    free: FreeSet,
    pub(super) running: Running,
    allocator: Box<dyn Allocator + 'a>,
    /// Finds connected sets of free nodes, where the policy needs them.
    components: Option<FreeComponents<'a>>,
    /// Sizes that the allocator refused since the free set last changed.
    refused: BTreeSet<u32>,
    /// Sizes that were refused: the reason where even the empty machine refuses them, else none.
    never: BTreeMap<u32, Option<Reason>>,
    /// By task: when it was refused first by an allocator that relents; and the times at which it will.
    refused_since: BTreeMap<u32, i64>,
    relents: BTreeSet<i64>,
    /// Whether it relents now.
    pub relenting: bool,
    ticks: i64,
    /// Tasks that can never run.
    pub(super) left_out: Vec<LeftOut>,
    pub(super) recorder: Recorder<'a>,
    model: &'m mut (dyn Model + 'a),
    /// In the order of starts.
    pub(super) records: Vec<Record>,
    /// The record of each task, once it has started.
    record: Vec<u32>,
    /// Ranks that running tasks hold, by task.
    held: Vec<Ranks>,
    /// A fault of the model, reported after the pass.
    fault: Option<nodeorder_base::error::Error>,
}

impl<'m, 'a> ClusterState<'m, 'a> {
    pub(super) fn new(
        tasks: &'m [Task],
        nodes: u32,
        allocator: Box<dyn Allocator + 'a>,
        components: Option<FreeComponents<'a>>,
        recorder: Recorder<'a>,
        model: &'m mut (dyn Model + 'a),
        ticks: i64,
    ) -> Self {
        ClusterState {
            tasks,
            refused_since: BTreeMap::new(),
            relents: BTreeSet::new(),
            relenting: false,
            ticks,
            now: 0,
            free: FreeSet::new(nodes),
            running: Running::default(),
            allocator,
            components,
            refused: BTreeSet::new(),
            never: BTreeMap::new(),
            left_out: Vec::new(),
            recorder,
            model,
            records: Vec::with_capacity(tasks.len()),
            record: vec![u32::MAX; tasks.len()],
            held: vec![Ranks::default(); tasks.len()],
            fault: None,
        }
    }

    /// The time, in ticks.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// How many nodes are free.
    pub fn free(&self) -> u32 {
        self.free.len()
    }

    /// How many there are.
    pub fn nodes(&self) -> u32 {
        self.free.size()
    }

    /// The free ranks.
    pub fn free_ranks(&self) -> &FreeSet {
        &self.free
    }

    /// A task, times in ticks.
    pub fn task(&self, task: u32) -> &Task {
        &self.tasks[task as usize]
    }

    /// Running tasks by the end that is assumed of them: start + requested time. That of a task which takes
    /// longer stays where it was.
    pub fn running(&self) -> &[Assumed] {
        &self.running.assumed
    }

    /// The end that is (or was) assumed of a task that has started.
    pub fn assumed_end(&self, task: u32) -> i64 {
        let record = &self.records[self.record[task as usize] as usize];
        record.start + self.tasks[task as usize].requested
    }

    /// The ranks that a running task holds; empty for others.
    pub fn held(&self, task: u32) -> &Ranks {
        &self.held[task as usize]
    }

    /// The connected sets of free nodes, by their lowest ranks; none unless [`super::Policy::needs_components`].
    pub fn free_components(&mut self) -> Vec<Ranks> {
        let free = &self.free;
        self.components
            .as_mut()
            .map_or_else(Vec::new, |components| components.split(free))
    }

    /// Starts a waiting task, for which enough nodes are free, on ranks of the allocator's choice.
    pub fn start(&mut self, task: u32) -> Attempt {
        let nodes = self.tasks[task as usize].nodes;
        let late = self.relents_to(task);
        if self.refused.contains(&nodes) && !late {
            return Attempt::Waits;
        }
        if late {
            self.allocator.wait_expired();
        }
        let mut ranks = std::mem::take(&mut self.held[task as usize]);
        match self.allocator.choose(&self.free, nodes, &mut ranks) {
            Choice::Placed => {
                let total = self.allocator.total_distance();
                self.occupy(task, ranks, total);
                Attempt::Started
            }
            choice => match self.refuse(task, choice) {
                Found::LeftOut => Attempt::LeftOut,
                _ => {
                    self.refused.insert(nodes);
                    Attempt::Waits
                }
            },
        }
    }

    /// Whether a task was refused so long ago that the allocator relents.
    fn relents_to(&mut self, task: u32) -> bool {
        self.relents_at(task).is_some_and(|time| self.now >= time)
    }

    /// When the allocator gives a task what it refused it before, where it does and has refused it.
    fn relents_at(&mut self, task: u32) -> Option<i64> {
        let wait = self.allocator.max_wait(self.tasks[task as usize].nodes)?;
        Some(self.refused_since.get(&task)? + wait * self.ticks)
    }

    /// When, after now, and where a task starts that the allocator refuses even `free` ranks until then; none where it
    /// is left out.
    pub fn find_late(&mut self, free: &FreeSet, task: u32) -> Option<(i64, Ranks)> {
        match self.find(free, task) {
            Found::Place(place) => return Some((self.now + 1, place)),
            Found::LeftOut => return None,
            Found::NotNow => {}
        }
        let time = self.relents_at(task)?;
        self.allocator.wait_expired();
        let mut ranks = Ranks::default();
        let placed = self
            .allocator
            .choose(free, self.tasks[task as usize].nodes, &mut ranks)
            .is_placed();
        ranks.settle();
        placed.then_some((time, ranks))
    }

    /// The next time after now at which the allocator relents to a task.
    pub(super) fn next_relent(&mut self) -> Option<i64> {
        self.relents = self.relents.split_off(&(self.now + 1));
        self.relents.first().copied()
    }

    /// Asks the allocator for a place of a waiting task among `free` ranks, of which there are enough.
    pub fn find(&mut self, free: &FreeSet, task: u32) -> Found {
        let mut ranks = Ranks::default();
        if self.relents_to(task) {
            self.allocator.wait_expired();
        }
        match self
            .allocator
            .choose(free, self.tasks[task as usize].nodes, &mut ranks)
        {
            Choice::Placed => {
                ranks.settle();
                Found::Place(ranks)
            }
            choice => self.refuse(task, choice),
        }
    }

    /// Whether a refused task waits or is left out: it is where the empty machine refuses it, too.
    fn refuse(&mut self, task: u32, choice: Choice) -> Found {
        let nodes = self.tasks[task as usize].nodes;
        let never = match choice {
            Choice::Never(reason) => Some(reason),
            _ => {
                let (allocator, size) = (&mut self.allocator, self.free.size());
                let asked = self.never.entry(nodes).or_insert_with(|| {
                    // The most lenient answer counts: nothing that could run later is left out.
                    allocator.wait_expired();
                    match allocator.choose(&FreeSet::new(size), nodes, &mut Ranks::default()) {
                        Choice::Placed => None,
                        Choice::NotNow(reason) => {
                            Some(format!("{reason}, even on the empty machine").into())
                        }
                        Choice::Never(reason) => Some(reason),
                    }
                });
                asked.clone()
            }
        };
        match never {
            Some(reason) => {
                self.leave_out(task, reason);
                Found::LeftOut
            }
            None => {
                if let Some(seconds) = self.allocator.max_wait(nodes) {
                    let since = *self.refused_since.entry(task).or_insert(self.now);
                    self.relents.insert(since + seconds * self.ticks);
                }
                Found::NotNow
            }
        }
    }

    /// Records that a waiting task can never run; the policy takes it out of its queue.
    pub fn leave_out(&mut self, task: u32, reason: Reason) {
        self.left_out.push(LeftOut { task, reason });
    }

    /// Starts a waiting task on as many free ranks as it has nodes.
    pub fn start_on(&mut self, task: u32, ranks: Ranks) {
        self.occupy(task, ranks, None);
    }

    fn occupy(&mut self, index: u32, mut ranks: Ranks, total: Option<u64>) {
        let task = &self.tasks[index as usize];
        ranks.settle();
        debug_assert!(ranks.len() <= task.nodes + 1);
        ranks.runs().iter().for_each(|run| self.free.take(*run));
        // Of another free set the allocator may give a size that it refused, even of a smaller one.
        self.refused.clear();
        let placement = self
            .recorder
            .meter
            .as_mut()
            .map(|meter| meter.measure(&ranks, total));
        let meter = self
            .recorder
            .meter
            .as_mut()
            .filter(|_| self.recorder.figures.extent);
        let extent = meter.map(|meter| meter.extent(&ranks).into());
        let shape = self
            .recorder
            .shapes
            .as_mut()
            .map(|shapes| shapes.add(&ranks));
        let start = Start {
            index,
            task,
            ranks: &ranks,
            placement: placement.as_ref(),
            now: self.now,
        };
        let duration = match self.model.start(&start) {
            Ok(duration) => duration.max(1),
            Err(error) => {
                self.fault.get_or_insert(error);
                task.run
            }
        };
        let end = self.now + duration;
        let record = self.records.len() as u32;
        self.record[index as usize] = record;
        let kept = self.recorder.figures.keeps_ranks();
        self.records.push(Record {
            task: index,
            start: self.now,
            end,
            placement,
            figures: AllocationFigures {
                ranks: kept.then(|| ranks.clone()),
                extent,
                shape,
                ..AllocationFigures::default()
            },
        });
        self.held[index as usize] = ranks;
        let assumed = Assumed {
            end: self.now + task.requested,
            task: index,
            nodes: task.nodes,
        };
        self.running.add(assumed, record, end);
    }

    /// Ends one task that is due and says which, the first to start first.
    pub(super) fn end_one(&mut self) -> Option<u32> {
        let record = self.running.pop(self.now)?;
        let index = self.records[record as usize].task;
        let ranks = std::mem::take(&mut self.held[index as usize]);
        ranks.runs().iter().for_each(|run| self.free.give(*run));
        self.refused.clear();
        let task = &self.tasks[index as usize];
        let assumed = Assumed {
            end: self.assumed_end(index),
            task: index,
            nodes: task.nodes,
        };
        self.running.forget(assumed);
        self.model.end(index);
        Some(index)
    }

    /// Moves the ends that the model outputs moved, once all has started and ended that does at this time.
    pub(super) fn settle(&mut self) -> Result<()> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let (running, records, record) = (&mut self.running, &mut self.records, &self.record);
        self.model.settle(self.now, &mut |task, end| {
            let at = record[task as usize];
            let entry = &mut records[at as usize];
            running.move_end(at, entry.end, end);
            entry.end = end;
        })
    }

    pub(super) fn instant(&mut self, waiting: usize) -> Instant {
        let (mut runs, mut longest) = (0, 0);
        for run in self.free.runs() {
            runs += 1;
            longest = longest.max(run.count);
        }
        let busy = self.free.size() - self.free.len();
        let room = self
            .recorder
            .figures
            .room
            .then(|| self.allocator.room(&self.free));
        Instant {
            time: self.now,
            busy,
            waiting: waiting as u32,
            runs,
            longest,
            room,
        }
    }
}
