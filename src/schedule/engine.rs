//! The machine in time: events in order, and what policies may ask of it and do to it.

use super::model::Model;
use super::policy::Policy;
use super::result::{Instant, Record};
use super::running::{Assumed, Running};
use super::{Outputs, Start, Task};
use crate::allocator::Allocator;
use crate::error::Result;
use crate::metric::allocation::AllocationMeter;
use crate::ranks::{FreeSet, Ranks};

/// What is told of placements, and with what.
pub(super) struct Recorder<'a> {
    pub meter: Option<AllocationMeter<'a>>,
    pub outputs: Outputs,
}

/// The machine and its clock in the hands of a policy.
pub struct ClusterState<'m, 'a> {
    tasks: &'m [Task],
    now: i64,
    free: FreeSet,
    running: Running,
    allocator: Box<dyn Allocator + 'a>,
    recorder: Recorder<'a>,
    model: &'m mut (dyn Model + 'a),
    /// In the order of starts.
    records: Vec<Record>,
    /// The record of each task, once it has started.
    record: Vec<u32>,
    /// What running tasks hold.
    held: Vec<Ranks>,
    /// A fault of the model, told after the pass.
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
    fn end_one(&mut self) -> Option<u32> {
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
    fn settle(&mut self) -> Result<()> {
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

    fn instant(&self, waiting: usize) -> Instant {
        let (mut runs, mut longest) = (0, 0);
        self.free.for_each_run(|run| {
            runs += 1;
            longest = longest.max(run.count);
        });
        let busy = self.free.size() - self.free.len();
        Instant { time: self.now, busy, waiting: waiting as u32, runs, longest }
    }
}

/// Runs all tasks to their end: what became of them in the order of starts, and the instants if wanted.
pub(super) fn run(
    mut machine: ClusterState<'_, '_>,
    policy: &mut (dyn Policy + '_),
    progress: &dyn Fn(usize),
) -> Result<(Vec<Record>, Vec<Instant>)> {
    let tasks = machine.tasks;
    let (mut submitted, mut ended) = (0, 0);
    let first = tasks.first().map_or(0, |task| task.submit);
    let interval = policy.interval();
    let mut timeline = Vec::new();
    // Whether anything has happened that the last pass could not know: without, another would find the same.
    let mut news = false;
    machine.now = first;
    while ended < tasks.len() {
        let submit = tasks.get(submitted).map(|task| task.submit);
        // The instant itself is done.
        let poll = news.then(|| poll_after(machine.now + 1, first, interval));
        let next = [submit, machine.running.next(), poll].into_iter().flatten().min();
        // A policy that leaves tasks waiting on an empty machine would be at fault; end rather than hang.
        let Some(next) = next else { break };
        machine.now = next;
        let before = ended;
        let one_by_one = policy.pass_per_event();
        while let Some(task) = machine.end_one() {
            ended += 1;
            news = true;
            policy.ended(task, &machine);
            if one_by_one {
                policy.pass(&mut machine);
            }
        }
        while tasks.get(submitted).is_some_and(|task| task.submit == next) {
            policy.submitted(submitted as u32, &machine);
            submitted += 1;
            news = true;
            if one_by_one {
                policy.pass(&mut machine);
            }
        }
        if news && poll_after(next, first, interval) == next {
            let started = machine.records.len();
            if !one_by_one {
                policy.pass(&mut machine);
            }
            // Whoever starts may make room in a window: a policy that polls looks again next time.
            news = interval > 0 && machine.records.len() > started;
        }
        machine.settle()?;
        if machine.recorder.outputs.timeline {
            timeline.push(machine.instant(policy.waiting()));
        }
        if ended > before {
            progress(ended);
        }
    }
    debug_assert_eq!(ended, tasks.len());
    Ok((machine.records, timeline))
}

/// The first time from `now` on at which a policy looks: any without an interval, else every so many ticks
/// from the first submit.
fn poll_after(now: i64, first: i64, interval: i64) -> i64 {
    if interval == 0 {
        return now;
    }
    now + (first - now).rem_euclid(interval)
}
