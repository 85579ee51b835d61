//! One replay: an allocator on the nodes of an ordering, and the jobs that live there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::figures::{AllocationFigures, FigureSet, Placed};
use super::pods::LiveAllocation;
use super::traffic::Traffic;
use crate::allocator::{Allocator, Choice, PlaceableSums};
use nodeorder_base::observer::unwind_if_stopped;
use nodeorder_base::{Error, FreeSet, Ranks, Result, Run, SourceLocation};
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
    allocations: Vec<LiveAllocation>,
    /// Ranks of nodes that failed.
    failed_ranks: BTreeSet<u32>,
    /// Whether options of jobs are ignored: for a baseline that nobody asked for.
    pub(super) ignores_options: bool,
    /// Traffic of live jobs, if it is simulated.
    pub(super) traffic: Option<Traffic<'a>>,
    figures: FigureSet,
    counts: Counts,
    /// Meter of shapes and their sums, if shapes are wanted.
    pub(super) shapes: Option<SummedShapes<'a>>,
    /// Sums of the largest jobs that could still be placed.
    pub(super) room: PlaceableSums,
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
    /// Number of times that the allocator read the list of free ranks, over all jobs placed.
    pub list_refreshes: u64,
    /// Time spent choosing ranks; zero without a clock.
    pub choosing: Duration,
}

impl Counts {
    /// Computes how often the allocator read the list of free ranks for a job, on average; `None` without jobs.
    pub fn mean_list_refreshes(&self) -> Option<f64> {
        (self.placed > 0).then(|| self.list_refreshes as f64 / self.placed as f64)
    }

    /// Counts the jobs refused, for whatever reason.
    pub fn count_refused(&self) -> u64 {
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
            allocations: Vec::new(),
            failed_ranks: BTreeSet::new(),
            ignores_options: false,
            traffic: None,
            figures,
            counts: Counts::default(),
            shapes: None,
            room: PlaceableSums::default(),
        }
    }

    /// Starts from these free ranks, which may have several places each, instead of all ranks with one place.
    #[must_use]
    pub fn with_free_set(mut self, free: FreeSet) -> Self {
        self.free = free;
        self
    }

    /// Returns how many jobs were placed, skipped, moved, evicted and refused so far.
    pub fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Replays a block of events and replaces `out` by its placements, in order.
    ///
    /// # Errors
    /// Fails if traffic takes more memory than allowed, if a job has options that the allocator does not have, or
    /// on a node that cannot fail or return.
    pub fn replay_block(
        &mut self,
        block: &Block,
        clock: Option<Clock<'_>>,
        out: &mut Vec<Placed>,
    ) -> Result<()> {
        out.clear();
        for (event, what) in block.events.iter().enumerate() {
            unwind_if_stopped();
            match *what {
                Event::Free { job } => {
                    // Nothing, where the job was skipped or refused.
                    let held = std::mem::take(&mut self.allocations[job.index()]);
                    held.give_back(&mut self.free);
                    self.settle_pods(&held, false);
                    if let Some(traffic) = &mut self.traffic {
                        traffic.end_job(job);
                    }
                }
                Event::Place { job, nodes } => {
                    // Keys of freed jobs are used again: the table is as long as the most jobs that lived at once.
                    if job.index() >= self.allocations.len() {
                        self.allocations
                            .resize_with(job.index() + 1, LiveAllocation::default);
                    }
                    if let Some(held) = self.place_job(block, event, nodes, clock)? {
                        out.push(self.measure_allocation(event, job, &held)?);
                        self.allocations[job.index()] = held;
                    }
                }
                Event::Down | Event::Up => {
                    self.change_node(block, event, *what == Event::Down, out)?
                }
            }
        }
        Ok(())
    }

    /// Asks the allocator for ranks of a job of `nodes` nodes and takes them; `None` if the job is skipped or
    /// refused. Fails if the allocator does not have the job's options.
    fn place_job(
        &mut self,
        block: &Block,
        event: usize,
        nodes: u32,
        clock: Option<Clock<'_>>,
    ) -> Result<Option<LiveAllocation>> {
        let options = block
            .options_of_event(event)
            .filter(|_| !self.ignores_options);
        self.allocator.set_options(options)?;
        // Pods can share nodes, so fewer nodes than asked for may be enough.
        let (least, most) = self.allocator.job_sizes(nodes);
        if least > self.free.free_count() {
            // A log has no queue: what does not fit now is never placed.
            self.counts.skipped += 1;
            self.counts.oversized += u64::from(least > self.free.rank_count());
            return Ok(None);
        }
        let started = clock.map(|now| now());
        let mut ranks = Ranks::default();
        let choice = self.allocator.choose_ranks(&self.free, most, &mut ranks);
        if let (Some(now), Some(started)) = (clock, started) {
            self.counts.choosing += now().saturating_sub(started);
        }
        if !choice.is_placed() {
            *self.counts.refused.entry(choice).or_default() += 1;
            return Ok(None);
        }
        self.counts.placed += 1;
        self.counts.list_refreshes += self.allocator.list_refreshes();
        ranks.sort_and_join();
        // One more than asked for: the leader of a group of pods.
        debug_assert!((least..=most + 1).contains(&ranks.len()));
        let mut held = LiveAllocation {
            sequence: self.counts.placed,
            ranks,
            ..LiveAllocation::default()
        };
        if let Some(rules) = self.allocator.pod_rules() {
            held.pods = rules.chosen_pods().to_vec();
            held.name = block.name_of_event(event).to_string();
            held.options = options.cloned();
            let got: u32 = held.pods.iter().map(|pods| pods.pods).sum();
            if got < most {
                self.counts.remainders.0 += 1;
                self.counts.remainders.1 += u64::from(most - got);
            }
        }
        held.take_from(&mut self.free);
        self.settle_pods(&held, true);
        Ok(Some(held))
    }

    /// Tells the allocator's rules about pods that a job's pods were put on their nodes (`taken`), or left them.
    fn settle_pods(&mut self, held: &LiveAllocation, taken: bool) {
        if let Some(rules) = self.allocator.pod_rules() {
            rules.settle_pods(&held.pods, taken);
        }
    }

    /// Measures an allocation that was taken. Fails if its traffic takes more memory than allowed.
    fn measure_allocation(
        &mut self,
        event: usize,
        job: JobKey,
        held: &LiveAllocation,
    ) -> Result<Placed> {
        let ranks = &held.ranks;
        let wanted = self.figures;
        let pods: Vec<(u32, u32)> = held.pods_by_rank().collect();
        // Several pods share a rank: their pairs are not those of the ranks.
        let placement = if held.pods.is_empty() {
            self.meter
                .measure_ranks(ranks, self.allocator.total_distance())
        } else {
            self.meter.measure_pods(ranks, &pods)
        };
        let traffic = match &mut self.traffic {
            Some(traffic) => Some(traffic.start_job(job, ranks)?.into()),
            None => None,
        };
        // Measured with the job's own ranks taken: what is left for others counts.
        let room = wanted.room.then(|| self.allocator.measure_room(&self.free));
        if let Some(room) = &room {
            self.room.add_placement(room);
        }
        Ok(Placed {
            event,
            moved: None,
            placement,
            figures: AllocationFigures {
                ranks: wanted.keeps_ranks().then(|| ranks.clone()),
                pods: wanted.pods.then_some(pods),
                extent: wanted
                    .extent
                    .then(|| self.meter.measure_extent(ranks).into()),
                shape: self.shapes.as_mut().map(|shapes| shapes.add_shape(ranks)),
                room,
                traffic,
            },
        })
    }

    /// Lets a node fail or return. If it fails, the pods on it go to other nodes if the allocator has places for
    /// them; other jobs on it end. Fails, with the line, on a node that the ordering does not have, that failed
    /// before, or that did not.
    fn change_node(
        &mut self,
        block: &Block,
        event: usize,
        fails: bool,
        out: &mut Vec<Placed>,
    ) -> Result<()> {
        let name = block.name_of_event(event);
        let wrong = |found: String, expected: &str| {
            let location = match block.options_of_event(event) {
                Some(options) => options.location.clone(),
                None => SourceLocation::option("--trace"),
            };
            Err(Error::input(location, found, expected))
        };
        let Some(rank) = self.meter.rank_named(name) else {
            return wrong(format!("node `{name}`"), "a node of the ordering");
        };
        if fails && !self.failed_ranks.insert(rank) {
            let found = format!("node `{name}` fails again");
            return wrong(found, "a node that has not failed");
        }
        if !fails && !self.failed_ranks.remove(&rank) {
            let found = format!("node `{name}` returns");
            return wrong(found, "a node that failed before");
        }
        if let Some(rules) = self.allocator.pod_rules() {
            rules.set_node_state(rank, !fails);
        }
        if !fails {
            self.free.release_run(Run::of_rank(rank));
            return Ok(());
        }
        let mut jobs: Vec<usize> = (0..self.allocations.len())
            .filter(|job| {
                self.allocations[*job]
                    .pods_by_rank()
                    .any(|(on, _)| on == rank)
            })
            .collect();
        // Those that were placed first choose first where their pods go.
        jobs.sort_unstable_by_key(|job| self.allocations[*job].sequence);
        self.free.take_all(rank);
        for job in jobs {
            self.move_pods(event, job, rank, out)?;
        }
        Ok(())
    }

    /// Moves the pods of a job from a failed rank to others, or ends the job if the allocator has no places for them.
    fn move_pods(
        &mut self,
        event: usize,
        job: usize,
        rank: u32,
        out: &mut Vec<Placed>,
    ) -> Result<()> {
        let mut held = std::mem::take(&mut self.allocations[job]);
        let key = JobKey(job as u32);
        // If the job moves, its traffic takes other links and is measured anew.
        if let Some(traffic) = &mut self.traffic {
            traffic.end_job(key);
        }
        let options = held.options.as_ref().filter(|_| !self.ignores_options);
        self.allocator.set_options(options)?;
        let found = self.allocator.pod_rules().and_then(|rules| {
            let choice = rules.replace_pods(&self.free, &held.pods, rank);
            choice.is_placed().then(|| rules.chosen_pods().to_vec())
        });
        held.give_back(&mut self.free);
        self.settle_pods(&held, false);
        // The failed rank is not free, whoever gave it back.
        self.free.take_all(rank);
        let Some(pods) = found else {
            self.counts.evicted += 1;
            return Ok(());
        };
        self.counts.moved += 1;
        held.ranks.clear();
        pods.iter().for_each(|on| held.ranks.push_rank(on.rank));
        held.ranks.sort_and_join();
        held.pods = pods;
        held.take_from(&mut self.free);
        self.settle_pods(&held, true);
        let placed = self.measure_allocation(event, key, &held)?;
        out.push(Placed {
            moved: Some(held.name.clone()),
            ..placed
        });
        self.allocations[job] = held;
        Ok(())
    }
}
