//! One replay: an allocator on the nodes of an ordering, and the jobs that live there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::figures::{AllocationFigures, FigureSet, Placed};
use super::pods::Held;
use super::traffic::Traffic;
use crate::allocator::{Allocator, Choice, RoomSums};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::observer::pause;
use nodeorder_base::ranks::{FreeSet, Ranks, Run};
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::shape::SummedShapes;
use nodeorder_trace::{Block, Event, JobKey};

/// Clock of the caller, for timing allocators: time since any fixed moment. The library reads no clock itself.
pub type Clock<'c> = &'c (dyn Fn() -> Duration + Sync);

/// Replay of a log with one allocator on one ordering, and the state of its machine.
pub struct Replay<'a> {
    allocator: Box<dyn Allocator + 'a>,
    meter: AllocationMeter<'a>,
    free: FreeSet,
    /// Allocations of live jobs, by key.
    held: Vec<Held>,
    /// Ranks of nodes that failed.
    down: BTreeSet<u32>,
    /// Whether options of jobs are ignored: for a baseline that nobody asked for.
    pub(super) ignores_options: bool,
    /// Traffic of live jobs, if it is simulated.
    pub(super) traffic: Option<Traffic<'a>>,
    figures: FigureSet,
    counts: Counts,
    /// Meter of shapes and their sums, if shapes are wanted.
    pub(super) shapes: Option<SummedShapes<'a>>,
    /// Sums of the largest jobs that could still be placed.
    pub(super) room: RoomSums,
}

/// Numbers of jobs placed, skipped, refused and moved, and the time that choosing took.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Number of jobs placed.
    pub placed: u64,
    /// Number of jobs skipped because they asked for more nodes than were free.
    pub skipped: u64,
    /// Number of skipped jobs that asked for more nodes than the ordering has.
    pub oversized: u64,
    /// Number of jobs of which a remainder of pods was left out, and number of these pods.
    pub remainders: (u64, u64),
    /// Number of times that a job's pods of a failed node went to other nodes.
    pub moved: u64,
    /// Number of jobs that ended because a node failed.
    pub evicted: u64,
    /// Number of jobs that the allocator refused although enough nodes were free, by its answer.
    pub refused: BTreeMap<Choice, u64>,
    /// Time spent choosing ranks; zero without a clock.
    pub choosing: Duration,
}

impl Counts {
    /// Counts the jobs refused, for whatever reason.
    pub fn refused(&self) -> u64 {
        self.refused.values().sum()
    }
}

impl<'a> Replay<'a> {
    /// Creates a replay on an empty machine of `size` ranks.
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

    /// Starts from these free ranks, which may have several places each, instead of all ranks with one place.
    #[must_use]
    pub fn on(mut self, free: FreeSet) -> Self {
        self.free = free;
        self
    }

    /// Returns the numbers of jobs so far.
    pub fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Replays a block of events and replaces `out` by its placements, in order.
    ///
    /// # Errors
    /// Fails if traffic takes more memory than allowed, if a job has options that the allocator does not have, or on a node
    /// that cannot fail or return.
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
                    // Keys of freed jobs are used again: the table is as long as the most jobs that lived at once.
                    if job.index() >= self.held.len() {
                        self.held.resize_with(job.index() + 1, Held::default);
                    }
                    if let Some(held) = self.place(block, event, nodes, clock)? {
                        out.push(self.measure(event, job, &held)?);
                        self.held[job.index()] = held;
                    }
                }
                Event::Down | Event::Up => self.node(block, event, *what == Event::Down, out)?,
            }
        }
        Ok(())
    }

    /// Asks the allocator for ranks of a job of `nodes` nodes and takes them; `None` if the job is skipped or refused. Fails
    /// if the allocator does not have the job's options.
    fn place(
        &mut self,
        block: &Block,
        event: usize,
        nodes: u32,
        clock: Option<Clock<'_>>,
    ) -> Result<Option<Held>> {
        let options = block.options(event).filter(|_| !self.ignores_options);
        self.allocator.set_options(options)?;
        // Pods can share nodes, so fewer nodes than asked for may be enough.
        let (least, most) = self.allocator.sizes(nodes);
        if least > self.free.len() {
            // A log has no queue: what does not fit now is never placed.
            self.counts.skipped += 1;
            self.counts.oversized += u64::from(least > self.free.size());
            return Ok(None);
        }
        let started = clock.map(|now| now());
        let mut ranks = Ranks::default();
        let choice = self.allocator.choose(&self.free, most, &mut ranks);
        if let (Some(now), Some(started)) = (clock, started) {
            self.counts.choosing += now().saturating_sub(started);
        }
        if !choice.is_placed() {
            *self.counts.refused.entry(choice).or_default() += 1;
            return Ok(None);
        }
        self.counts.placed += 1;
        ranks.settle();
        // One more than asked for: the leader of a group of pods.
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
        Ok(Some(held))
    }

    /// Measures an allocation that was taken. Fails if its traffic takes more memory than allowed.
    fn measure(&mut self, event: usize, job: JobKey, held: &Held) -> Result<Placed> {
        let ranks = &held.ranks;
        let wanted = self.figures;
        let pods: Vec<(u32, u32)> = held.on().collect();
        // Several pods share a rank: their pairs are not those of the ranks.
        let placement = if held.pods.is_empty() {
            self.meter.measure(ranks, self.allocator.total_distance())
        } else {
            self.meter.measure_pods(ranks, &pods)
        };
        let traffic = match &mut self.traffic {
            Some(traffic) => Some(traffic.start(job, ranks)?.into()),
            None => None,
        };
        // Measured with the job's own ranks taken: what is left for others counts.
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

    /// Lets a node fail or return. If it fails, the pods on it go to other nodes if the allocator has places for them; other
    /// jobs on it end. Fails, with the line, on a node that the ordering does not have, that failed before, or that did not.
    fn node(
        &mut self,
        block: &Block,
        event: usize,
        fails: bool,
        out: &mut Vec<Placed>,
    ) -> Result<()> {
        let name = block.name(event);
        let wrong = |found: String, expected: &str| {
            let location = match block.options(event) {
                Some(options) => options.location.clone(),
                None => SourceLocation::option("--log"),
            };
            Err(Error::input(location, found, expected))
        };
        let Some(rank) = self.meter.rank_named(name) else {
            return wrong(format!("node `{name}`"), "a node of the ordering");
        };
        if fails && !self.down.insert(rank) {
            let found = format!("node `{name}` fails again");
            return wrong(found, "a node that has not failed");
        }
        if !fails && !self.down.remove(&rank) {
            let found = format!("node `{name}` returns");
            return wrong(found, "a node that failed before");
        }
        if let Some(rules) = self.allocator.pods() {
            rules.set_node(rank, !fails);
        }
        if !fails {
            self.free.give(Run {
                first: rank,
                count: 1,
            });
            return Ok(());
        }
        let mut jobs: Vec<usize> = (0..self.held.len())
            .filter(|job| self.held[*job].on().any(|(on, _)| on == rank))
            .collect();
        // Those that were placed first choose first where their pods go.
        jobs.sort_unstable_by_key(|job| self.held[*job].since);
        self.free.take_all(rank);
        for job in jobs {
            self.fail(event, job, rank, out)?;
        }
        Ok(())
    }

    /// Moves the pods of a job from a failed rank to others, or ends the job if the allocator has no places for them.
    fn fail(&mut self, event: usize, job: usize, rank: u32, out: &mut Vec<Placed>) -> Result<()> {
        let mut held = std::mem::take(&mut self.held[job]);
        let key = JobKey(job as u32);
        // If the job moves, its traffic takes other links and is measured anew.
        if let Some(traffic) = &mut self.traffic {
            traffic.end(key);
        }
        let options = held.options.as_ref().filter(|_| !self.ignores_options);
        self.allocator.set_options(options)?;
        let found = self.allocator.pods().and_then(|rules| {
            let choice = rules.replace(&self.free, &held.pods, rank);
            choice.is_placed().then(|| rules.chosen().to_vec())
        });
        held.give_back(&mut self.free);
        // The failed rank is not free, whoever gave it back.
        self.free.take_all(rank);
        let Some(pods) = found else {
            self.counts.evicted += 1;
            return Ok(());
        };
        self.counts.moved += 1;
        held.ranks.clear();
        pods.iter().for_each(|on| held.ranks.push_rank(on.rank));
        held.ranks.settle();
        held.pods = pods;
        held.take(&mut self.free);
        let placed = self.measure(event, key, &held)?;
        out.push(Placed {
            moved: Some(held.name.clone()),
            ..placed
        });
        self.held[job] = held;
        Ok(())
    }
}
