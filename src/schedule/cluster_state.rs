//! The machine at one time: what policies may ask of it and do to it.

use super::model::Model;
use super::result::{Instant, Record};
use super::running::{Assumed, Running};
use super::{Outputs, Start, Task};
use crate::allocator::Allocator;
use crate::error::Result;
use crate::metric::allocation::AllocationMeter;
use crate::ranks::{FreeSet, Ranks};

/// What is recorded of allocations, and with what.
pub(super) struct Recorder<'a> {
    pub meter: Option<AllocationMeter<'a>>,
    pub outputs: Outputs,
}

/// The machine and its clock in the hands of a policy.
pub struct ClusterState<'m, 'a> {
    pub(super) tasks: &'m [Task],
    pub(super) now: i64,
    free: FreeSet,
    pub(super) running: Running,
    allocator: Box<dyn Allocator + 'a>,
    pub(super) recorder: Recorder<'a>,
    model: &'m mut (dyn Model + 'a),
    /// In the order of starts.
    pub(super) records: Vec<Record>,
    /// The record of each task, once it has started.
    record: Vec<u32>,
    /// What running tasks hold.
    held: Vec<Ranks>,
    /// A fault of the model, reported after the pass.
    fault: Option<crate::Error>,
}

impl<'m, 'a> ClusterState<'m, 'a> {
    pub(super) fn new(
        tasks: &'m [Task],
        nodes: u32,
        allocator: Box<dyn Allocator + 'a>,
        recorder: Recorder<'a>,
        model: &'m mut (dyn Model + 'a),
    ) -> Self {
        ClusterState {
            tasks,
            now: 0,
            free: FreeSet::new(nodes),
            running: Running::default(),
            allocator,
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
        self.running.assumed()
    }

    /// The end that is (or was) assumed of a task that has started.
    pub fn assumed_end(&self, task: u32) -> i64 {
        let record = &self.records[self.record[task as usize] as usize];
        record.start + self.tasks[task as usize].requested
    }

    /// Starts a waiting task that fits on ranks of the allocator's choice.
    pub fn start(&mut self, task: u32) {
        let mut ranks = std::mem::take(&mut self.held[task as usize]);
        self.allocator.choose(&self.free, self.tasks[task as usize].nodes, &mut ranks);
        let total = self.allocator.total_distance();
        self.occupy(task, ranks, total);
    }

    /// Starts a waiting task on as many free ranks as it has nodes.
    pub fn start_on(&mut self, task: u32, ranks: Ranks) {
        self.occupy(task, ranks, None);
    }

    fn occupy(&mut self, index: u32, mut ranks: Ranks, total: Option<u64>) {
        let task = &self.tasks[index as usize];
        ranks.settle();
        debug_assert_eq!(ranks.len(), task.nodes);
        ranks.runs().iter().for_each(|run| self.free.take(*run));
        let placement = self.recorder.meter.as_mut().map(|meter| meter.measure(&ranks, total));
        let start =
            Start { index, task, ranks: &ranks, placement: placement.as_ref(), now: self.now };
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
        self.records.push(Record {
            task: index,
            start: self.now,
            end,
            placement,
            ranks: self.recorder.outputs.ranks.then(|| ranks.clone()),
        });
        self.held[index as usize] = ranks;
        let assumed = Assumed { end: self.now + task.requested, task: index, nodes: task.nodes };
        self.running.add(assumed, record, end);
    }

    /// Ends one task that is due and says which, the first to start first.
    pub(super) fn end_one(&mut self) -> Option<u32> {
        let record = self.running.pop(self.now)?;
        let index = self.records[record as usize].task;
        let ranks = std::mem::take(&mut self.held[index as usize]);
        ranks.runs().iter().for_each(|run| self.free.give(*run));
        let task = &self.tasks[index as usize];
        let assumed = Assumed { end: self.assumed_end(index), task: index, nodes: task.nodes };
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

    pub(super) fn instant(&self, waiting: usize) -> Instant {
        let (mut runs, mut longest) = (0, 0);
        self.free.for_each_run(|run| {
            runs += 1;
            longest = longest.max(run.count);
        });
        let busy = self.free.size() - self.free.len();
        Instant { time: self.now, busy, waiting: waiting as u32, runs, longest }
    }
}
