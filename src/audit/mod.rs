//! What a scheduler did to its jobs: recorded placements scored, beside what orderings and allocators would have given
//! the same jobs.
//!
//! Records are read, resolved and scored batch by batch: only sums by size and by time are kept, and, where orderings are
//! to be tried, the times and sizes of the jobs. Then those jobs are replayed in time: placed when they started and freed
//! when they ended.

use rayon::prelude::*;

use crate::allocator;
use crate::error::{Error, Result, SourceLocation};
use crate::input::{Line, Lines};
use crate::metric::allocation::AllocationMeter;
use crate::metric::rank_distances::RankDistances;
use crate::metric::ring::{Ring, ring};
use crate::metric::shape::{AllocationShape, ShapeMeter};
use crate::metric::units::{UnitCounter, Units};
use crate::ordering::NodeOrder;
use crate::ranks::Ranks;
use crate::topology::Topology;
use crate::trace::Log;
use crate::trace::records::{Record, Records, placements};

mod kept;
mod replayed;
mod resolve;
pub mod summary;

use kept::Kept;
use replayed::replay;
use resolve::{Problem, Resolver};
use summary::Summary;

/// Records that are resolved and scored at once.
const BATCH: usize = 1 << 13;

/// What a job got.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Its nodes.
    pub size: u32,
    /// Mean distance of two of them, in hops; none for one node, and where no path joins some.
    pub mean_hops: Option<f64>,
    /// The largest distance of two of them, in hops; none where no path joins some.
    pub diameter: Option<u32>,
    /// The ring through them: in the order of the record, or of the ranks; none where no path joins some.
    pub ring: Option<Ring>,
    /// Units that they span at each level, leaf first.
    pub spanned: Vec<u32>,
    /// The fewest units at each level that have as many nodes.
    pub fewest: Vec<u32>,
    /// Its shape, its nodes in the order of the ring, where wanted.
    pub shape: Option<Box<AllocationShape>>,
}

/// A scored job.
#[derive(Clone, Copy, Debug)]
pub struct Scored<'a> {
    /// Which placement: 0 is the recorded one, then each ordering with each allocator.
    pub placement: usize,
    /// The job's name.
    pub job: &'a str,
    /// When it started, in seconds.
    pub start: Option<i64>,
    /// What it got.
    pub score: &'a Score,
}

/// What an audit is of.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditSettings<'a> {
    /// Orderings that are tried on the same jobs.
    pub orders: &'a [NodeOrder],
    /// Allocators that are tried on each of them.
    pub allocators: &'a [String],
    /// Whether shapes are wanted.
    pub shape: bool,
}

/// Records that were not scored for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// A short name for JSON.
    pub name: &'static str,
    /// The reason in words.
    pub about: &'static str,
    /// How many.
    pub count: u64,
    /// The first of them: file, line, what was found and expected. Empty where the reason says all.
    pub first: String,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The names of the levels, leaf first.
    pub levels: Vec<String>,
    /// Rows that were read.
    pub read: u64,
    /// Records that were not scored, by reason.
    pub left_out: Vec<LeftOut>,
    /// The recorded placement, then each ordering with each allocator.
    pub placements: Vec<Summary>,
}

/// A machine's scores: what all of its jobs share.
struct Machine<'t> {
    topology: &'t Topology,
    units: Units,
}

impl Machine<'_> {
    /// The score of a set from what was measured already; `routers` are its members', in the order of the ring.
    fn score(
        &self,
        counter: &mut UnitCounter<'_>,
        measured: Score,
        routers: impl Iterator<Item = u32>,
    ) -> Score {
        let spanned = counter.count(routers);
        let fewest =
            (0..spanned.len()).map(|level| self.units.fewest(level, measured.size)).collect();
        Score { spanned, fewest, ..measured }
    }
}

/// Scores one record after the other.
struct Lane<'t> {
    meter: AllocationMeter<'t>,
    counter: UnitCounter<'t>,
    shapes: Option<ShapeMeter<'t>>,
}

/// Scores recorded placements, and those that orderings and allocators give the same jobs. `row` gets every score: those
/// of the records in their order, then those of the others, block by block.
///
/// # Errors
/// A record that is wrong, with file and line; no record that could be scored; an unknown or unsuitable allocator; more
/// memory than allowed; whatever `row` reports.
///
/// # Complexity
/// O(nodes of all jobs) with a small factor of the machine's dimensions for most networks. Memory: the sums of every hour
/// and size, and with orderings at most 60 bytes a job.
pub fn audit<E: From<Error> + Send>(
    topology: &Topology,
    records: &mut Records,
    settings: AuditSettings<'_>,
    mut row: impl FnMut(Scored<'_>) -> Result<(), E>,
) -> Result<Audit, E> {
    settings.allocators.iter().try_for_each(|text| allocator::ALLOCATORS.find(text).map(|_| ()))?;
    let machine = Machine { topology, units: Units::new(topology) };
    let mut recorded = Summary::new("recorded", "", "", machine.units.len());
    let mut kept = Kept::default();
    let keep = !settings.orders.is_empty();
    let mut problems = Vec::<LeftOut>::new();
    {
        let order = NodeOrder::new(topology, "recorded", topology.nodes().iter().collect())?;
        let distances = RankDistances::new(topology, &order)?;
        let resolver = Resolver::new(topology, &order);
        let name = records.name().to_string();
        let lane = |_| -> Result<Lane<'_>> {
            let meter = AllocationMeter::new(topology, &distances)?;
            let shapes = settings.shape.then(|| ShapeMeter::new(topology, &distances));
            let counter = UnitCounter::new(&machine.units);
            Ok(Lane { meter, counter, shapes: shapes.transpose()? })
        };
        let mut lanes = (0..rayon::current_num_threads()).map(lane).collect::<Result<Vec<_>>>()?;
        let mut batch = vec![Record::default(); BATCH];
        loop {
            let mut filled = 0;
            while filled < BATCH && records.next(&mut batch[filled])? {
                match placements::without_nodes(&batch[filled]) {
                    Some(reason) => records.count(reason),
                    None => filled += 1,
                }
            }
            let batch = &batch[..filled];
            let share = filled.div_ceil(lanes.len()).max(1);
            let scores: Vec<Vec<Result<Score, Problem>>> = batch
                .par_chunks(share)
                .zip(&mut lanes)
                .map(|(records, lane)| {
                    let score = |record: &Record| {
                        let line = Line::new(&name, record.line, &record.hosts);
                        let ranks = resolver.ranks(&line)?;
                        Ok(recorded_score(&machine, lane, &distances, &ranks))
                    };
                    records.iter().map(score).collect()
                })
                .collect();
            for (record, score) in batch.iter().zip(scores.into_iter().flatten()) {
                match score {
                    Ok(score) => {
                        recorded.add(record.start, &score);
                        let (job, start) = (record.job.as_str(), record.start);
                        row(Scored { placement: 0, job, start, score: &score })?;
                        if keep && !kept.push(record, score.size)? {
                            problem(&mut problems, Problem::untimed(&name, record));
                        }
                    }
                    Err(Problem::Wrong(error)) => return Err(error.into()),
                    Err(found) => problem(&mut problems, found),
                }
            }
            if filled < BATCH {
                break;
            }
        }
    }
    let mut left_out: Vec<LeftOut> = (records.tally().iter().filter(|(reason, _)| reason.drops()))
        .map(|(reason, count)| LeftOut {
            name: reason.name(),
            about: reason.about(),
            count,
            first: String::new(),
        })
        .collect();
    left_out.append(&mut problems);
    if recorded.all.jobs == 0 {
        let found = match left_out.iter().find(|reason| !reason.first.is_empty()) {
            Some(reason) => format!("no job that could be scored; the first: {}", reason.first),
            None => "no job with a list of nodes".to_string(),
        };
        let expected = "records that list nodes of this machine, such as sacct with NodeList";
        let location = SourceLocation::File(records.name().into());
        return Err(Error::input(location, found, expected).into());
    }
    let mut all = vec![recorded];
    if keep {
        all.extend(replay(&machine, &mut kept, settings, &mut row)?);
    }
    let levels = machine.units.list();
    Ok(Audit { levels, read: records.tally().lines, left_out, placements: all })
}

/// Counts a record that was not scored.
fn problem(problems: &mut Vec<LeftOut>, found: Problem) {
    let (name, about, first) = found.said();
    match problems.iter_mut().find(|known| known.name == name) {
        Some(known) => known.count += 1,
        None => problems.push(LeftOut { name, about, count: 1, first }),
    }
}

/// The score of recorded ranks, in the order of the record.
fn recorded_score(
    machine: &Machine<'_>,
    lane: &mut Lane<'_>,
    distances: &RankDistances,
    ranks: &[u32],
) -> Score {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let mut set = Ranks::default();
    sorted.iter().for_each(|rank| set.push_rank(*rank));
    set.settle();
    let routers = distances.routers();
    let measured = Score {
        size: set.len(),
        mean_hops: lane.meter.measure(&set, None).mind(),
        diameter: lane.meter.extent(&set).diameter,
        ring: joined_ring(machine.topology, distances, &set, ranks),
        shape: lane.shapes.as_mut().map(|shapes| Box::new(shapes.of_sequence(ranks))),
        ..Score::default()
    };
    machine.score(&mut lane.counter, measured, ranks.iter().map(|rank| routers[*rank as usize]))
}

/// The ring through ranks in their order, where paths join them all.
fn joined_ring(
    topology: &Topology,
    distances: &RankDistances,
    set: &Ranks,
    ranks: &[u32],
) -> Option<Ring> {
    distances.within_one_component(topology, set).then(|| ring(distances, ranks))
}

/// The log of the jobs kept.
fn log(kept: &mut Kept) -> Log {
    Log::over(Lines::over("the recorded jobs", Box::new(kept.log())))
}
