//! Replay of placement logs: what jobs get from an allocator on an ordering.
//!
//! A [`Replay`] is one allocator on one ordering, block of events by block. [`run`] drives any number of them
//! through one log in parallel and hands each block's outcome to the caller's writer and counters. Nothing is kept of
//! a job that was freed, so a log may be of any length.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rayon::prelude::*;

use crate::allocator::{Allocator, Choice, RoomSums};
use nodeorder_base::error::Result;
use nodeorder_base::observer::pause;
use nodeorder_base::ranks::{FreeSet, Ranks};
use nodeorder_order::metric::allocation::{AllocationMeter, AllocationMetrics};
use nodeorder_order::metric::shape::SummedShapes;
use nodeorder_trace::{Block, Event, JobKey, Log};

pub mod by_size;
mod figures;
mod pods;
pub mod prediction;
pub mod set;
pub mod statistics;
pub mod traffic;

pub use figures::{AllocationFigures, FigureSet};
use pods::Held;
use traffic::Traffic;

/// Events a block.
const BLOCK: usize = 1 << 12;

/// A clock of the caller, for timing allocators: time since any fixed moment. The library reads no clock itself.
pub type Clock<'c> = &'c (dyn Fn() -> Duration + Sync);

/// One allocator on one ordering, and the machine's state in its hands. Starts empty.
pub struct Replay<'a> {
    allocator: Box<dyn Allocator + 'a>,
    meter: AllocationMeter<'a>,
    free: FreeSet,
    /// Ranks that live jobs hold, by key; empty for a job that was skipped.
    held: Vec<Held>,
    /// Ranks of nodes that failed.
    down: BTreeSet<u32>,
    /// Whether jobs' options are passed over: where it only stands beside others.
    ignores_options: bool,
    /// The traffic of live jobs, where it is wanted.
    traffic: Option<Traffic<'a>>,
    figures: FigureSet,
    counts: Counts,
    /// The meter of shapes and their sums, where shapes are wanted.
    shapes: Option<SummedShapes<'a>>,
    room: RoomSums,
}

/// Numbers of jobs placed, skipped and refused so far.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Jobs placed.
    pub placed: u64,
    /// Jobs skipped because they asked for more nodes than were free.
    pub skipped: u64,
    /// Jobs among the skipped that asked for more nodes than the ordering has.
    pub oversized: u64,
    /// Jobs of which a remainder of pods was left out, and these pods.
    pub remainders: (u64, u64),
    /// Jobs whose pods of a failed node went to others; jobs that ended with a node.
    pub moved: u64,
    /// See `moved`.
    pub evicted: u64,
    /// Jobs that the allocator refused although enough nodes were free, by its answer.
    pub refused: BTreeMap<Choice, u64>,
    /// Time spent choosing ranks; zero without a clock.
    pub choosing: Duration,
}

impl Counts {
    /// Jobs refused, for whatever reason.
    pub fn refused(&self) -> u64 {
        self.refused.values().sum()
    }
}

/// One placed job.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Index of its event in the block.
    pub event: usize,
    /// Its name, where it was placed before and its pods of a failed node went to others.
    pub moved: Option<String>,
    /// Its metrics.
    pub placement: AllocationMetrics,
    /// The figures asked for.
    pub figures: AllocationFigures,
}

impl<'a> Replay<'a> {
    /// An empty machine of `size` ranks.
    pub fn new(
        allocator: Box<dyn Allocator + 'a>,
        meter: AllocationMeter<'a>,
        size: u32,
        figures: FigureSet,
    ) -> Self {
        Replay {
            allocator,
            meter,
            free: FreeSet::new(size),
            held: Vec::new(),
            down: BTreeSet::new(),
            ignores_options: false,
            traffic: None,
            figures,
            counts: Counts::default(),
            shapes: None,
            room: RoomSums::default(),
        }
    }

    /// Starts from these free ranks, which may have several places each.
    #[must_use]
    pub fn on(mut self, free: FreeSet) -> Self {
        self.free = free;
        self
    }

    /// Numbers of jobs so far.
    pub fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Goes through a block of events and replaces `out` by its placements, in order.
    ///
    /// # Errors
    /// Traffic that takes more memory than allowed; options of a job that the allocator does not have.
    pub fn step(
        &mut self,
        block: &Block,
        clock: Option<Clock<'_>>,
        out: &mut Vec<Placed>,
    ) -> Result<()> {
        out.clear();
        for (event, what) in block.events.iter().enumerate() {
            pause();
            match *what {
                Event::Free { job } => {
                    // Nothing, where the job was skipped or refused.
                    std::mem::take(&mut self.held[job.index()]).give_back(&mut self.free);
                    if let Some(traffic) = &mut self.traffic {
                        traffic.end(job);
                    }
                }
                Event::Place { job, nodes } => {
                    if job.index() >= self.held.len() {
                        self.held.resize_with(job.index() + 1, Held::default);
                    }
                    let options = block.options(event).filter(|_| !self.ignores_options);
                    self.allocator.set_options(options)?;
                    let (least, most) = self.allocator.sizes(nodes);
                    if least > self.free.len() {
                        self.counts.skipped += 1;
                        self.counts.oversized += u64::from(least > self.free.size());
                        continue;
                    }
                    let started = clock.map(|now| now());
                    let mut ranks = Ranks::default();
                    let choice = self.allocator.choose(&self.free, most, &mut ranks);
                    if let (Some(now), Some(started)) = (clock, started) {
                        self.counts.choosing += now().saturating_sub(started);
                    }
                    if !choice.is_placed() {
                        *self.counts.refused.entry(choice).or_default() += 1;
                        continue;
                    }
                    self.counts.placed += 1;
                    ranks.settle();
                    debug_assert!((least..=most + 1).contains(&ranks.len()));
                    let mut held = Held {
                        since: self.counts.placed,
                        ranks,
                        ..Held::default()
                    };
                    if let Some(rules) = self.allocator.pods() {
                        held.pods = rules.chosen().to_vec();
                        held.name = block.name(event).to_string();
                        held.options = options.cloned();
                        let got: u32 = held.pods.iter().map(|pods| pods.pods).sum();
                        if got < most {
                            self.counts.remainders.0 += 1;
                            self.counts.remainders.1 += u64::from(most - got);
                        }
                    }
                    held.take(&mut self.free);
                    let placed = self.measure(event, job, &held)?;
                    out.push(placed);
                    self.held[job.index()] = held;
                }
                Event::Down | Event::Up => self.node(block, event, *what == Event::Down, out)?,
            }
        }
        Ok(())
    }

    /// Measures a job that was placed.
    fn measure(&mut self, event: usize, job: JobKey, held: &Held) -> Result<Placed> {
        let ranks = &held.ranks;
        let wanted = self.figures;
        let pods: Vec<(u32, u32)> = held.on().collect();
        let placement = if held.pods.is_empty() {
            self.meter.measure(ranks, self.allocator.total_distance())
        } else {
            self.meter.measure_pods(ranks, &pods)
        };
        let traffic = match &mut self.traffic {
            Some(traffic) => Some(traffic.start(job, ranks)?.into()),
            None => None,
        };
        let room = wanted.room.then(|| self.allocator.room(&self.free));
        if let Some(room) = &room {
            self.room.add(room);
        }
        Ok(Placed {
            event,
            moved: None,
            placement,
            figures: AllocationFigures {
                ranks: wanted.keeps_ranks().then(|| ranks.clone()),
                pods: wanted.pods.then_some(pods),
                extent: wanted.extent.then(|| self.meter.extent(ranks).into()),
                shape: self.shapes.as_mut().map(|shapes| shapes.add(ranks)),
                room,
                traffic,
            },
        })
    }
}

/// One block's outcome for one replay.
pub struct Step<'s> {
    /// Which of the replays.
    pub replay: usize,
    /// The events.
    pub block: &'s Block,
    /// Their placements.
    pub placed: &'s [Placed],
}

/// A block of events and its placements by every replay.
#[derive(Default)]
struct Stage {
    block: Block,
    outcomes: Vec<Vec<Placed>>,
}

/// Drives `replays` through `log`, in parallel. `write` is called once for each block and replay, for each replay
/// in the log's order; `gather` afterwards, once a block, from the caller's thread and with the outcome of every
/// replay. (As long as no allocator refuses jobs, a job is skipped by all of them or by none.)
///
/// While a block is stepped through, the one after it is read and the one before it written: a single replay,
/// too, keeps more than one core busy.
///
/// # Errors
/// A bad log, with file and line; traffic that takes too much memory; whatever `write` and `gather` report.
pub fn run<E: From<nodeorder_base::error::Error> + Send>(
    log: &mut Log,
    replays: &mut [Replay<'_>],
    clock: Option<Clock<'_>>,
    write: impl Fn(Step<'_>) -> Result<(), E> + Sync,
    mut gather: impl FnMut(&[Vec<Placed>]) -> Result<(), E>,
) -> Result<(), E> {
    let stage = || Stage {
        outcomes: vec![Vec::new(); replays.len()],
        ..Stage::default()
    };
    let [mut ahead, mut stepping, mut writing] = [stage(), stage(), stage()];
    let mut more = true;
    loop {
        let read = || {
            if more {
                log.next_block(BLOCK, &mut ahead.block)
            } else {
                Ok(false)
            }
        };
        let step = || {
            let lanes = replays.par_iter_mut().zip(&mut stepping.outcomes);
            lanes.try_for_each(|(replay, placed)| replay.step(&stepping.block, clock, placed))
        };
        let write = || {
            let Stage { block, outcomes } = &writing;
            let lanes = outcomes.par_iter().enumerate();
            lanes.try_for_each(|(replay, placed)| {
                write(Step {
                    replay,
                    block,
                    placed,
                })
            })
        };
        let (read, (stepped, written)) = rayon::join(read, || rayon::join(step, write));
        written?;
        stepped?;
        if !writing.block.events.is_empty() {
            gather(&writing.outcomes)?;
        }
        more = read?;
        std::mem::swap(&mut writing, &mut stepping);
        std::mem::swap(&mut stepping, &mut ahead);
        if !more {
            stepping.block = Block::default();
            if writing.block.events.is_empty() {
                return Ok(());
            }
        }
    }
}
