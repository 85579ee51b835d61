//! Recorded placements of a scheduler scored, beside those that orderings and allocators would have given
//! the same jobs.
//!
//! Records are read, resolved and scored batch by batch: only sums by size and by time are kept, and, where orderings are
//! to be tried, the times and sizes of the jobs. Then those jobs are replayed in time: placed when they started and freed
//! when they ended.

use rayon::prelude::*;

use crate::allocator;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::Line;
use nodeorder_base::ranks::Ranks;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::shape::ShapeMeter;
use nodeorder_order::metric::units::{UnitCounter, Units};
use nodeorder_order::ordering::NodeOrder;
use nodeorder_trace::records::{Record, Records, placements};

mod kept;
mod replayed;
mod resolve;
mod score;
pub mod snapshot;
pub mod summary;

pub use score::{AuditSettings, LeftOut, Score, Scored};

use kept::Kept;
use replayed::replay;
use resolve::{Problem, Resolver};
use score::{Machine, joined_ring};
use summary::Summary;

/// Records that are resolved and scored at once.
const BATCH: usize = 1 << 13;

/// A recorded job that lies far apart.
#[derive(Clone, Debug)]
pub struct Worst {
    /// The job's name.
    pub job: String,
    /// When it started, in seconds.
    pub start: Option<i64>,
    /// Metrics of its allocation.
    pub score: Score,
    /// Its nodes, in the order of the record.
    pub nodes: Vec<NodeId>,
}

/// Jobs that are kept as the worst.
const WORST: usize = 10;

/// How bad a placement is: lowest units beyond the fewest, then mean distance.
fn badness(score: &Score) -> (u32, f64) {
    let beyond = score.spanned.first().zip(score.fewest.first());
    let beyond = beyond.map_or(0, |(spanned, fewest)| spanned.saturating_sub(*fewest));
    (beyond, score.mean_hops.unwrap_or(0.0))
}

/// The result of an audit.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The names of the levels, leaf first.
    pub levels: Vec<String>,
    /// Rows that were read.
    pub read: u64,
    /// Records that were not scored, by reason.
    pub left_out: Vec<LeftOut>,
    /// Records that were read by an assumption, by reason.
    pub mended: Vec<LeftOut>,
    /// The recorded placement, then each ordering with each allocator.
    pub placements: Vec<Summary>,
    /// Recorded jobs of several nodes that span the most units of the lowest level beyond the fewest, or without levels
    /// lie farthest apart; the worst first.
    pub worst: Vec<Worst>,
}

/// Scores recorded placements: one a thread.
struct RecordScorer<'t> {
    meter: AllocationMeter<'t>,
    counter: UnitCounter<'t>,
    shapes: Option<ShapeMeter<'t>>,
}

/// Sums over the records that were read, and those that could not be scored.
struct Recorded {
    summary: Summary,
    /// Times and sizes of the jobs, where orderings are to be tried on them.
    kept: Option<Kept>,
    problems: Vec<LeftOut>,
    worst: Vec<Worst>,
}

impl Recorded {
    /// Sums up a scored record and hands its score to `row`, or counts why it has none.
    fn add<E: From<Error>>(
        &mut self,
        (file, resolver): (&str, &Resolver<'_>),
        record: &Record,
        score: Result<Score, Problem>,
        row: &mut impl FnMut(Scored<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let score = match score {
            Ok(score) => score,
            Err(Problem::Wrong(error)) => return Err(error.into()),
            Err(found) => {
                problem(&mut self.problems, found);
                return Ok(());
            }
        };
        let seconds = record.run.unwrap_or(0).unsigned_abs();
        self.summary.add(record.start, &score, (seconds, 0.0));
        let (job, start) = (record.job.as_str(), record.start);
        row(Scored {
            placement: 0,
            job,
            start,
            score: &score,
        })?;
        if let Some(kept) = &mut self.kept
            && !kept.push(record, &score)?
        {
            problem(&mut self.problems, Problem::untimed(file, record));
        }
        let better = |w: &Worst| badness(&w.score) < badness(&score);
        let place = self
            .worst
            .iter()
            .position(better)
            .unwrap_or(self.worst.len());
        if place < WORST && score.size > 1 {
            let line = Line::new(file, record.line, &record.hosts);
            let nodes = resolver.ranks(&line).map(|ranks| resolver.nodes(&ranks));
            let (job, start) = (record.job.clone(), record.start);
            self.worst.insert(
                place,
                Worst {
                    job,
                    start,
                    score,
                    nodes: nodes.unwrap_or_default(),
                },
            );
            self.worst.truncate(WORST);
        }
        Ok(())
    }
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
    settings
        .allocators
        .iter()
        .try_for_each(|text| allocator::ALLOCATORS.find(text).map(|_| ()))?;
    let machine = Machine {
        topology,
        units: Units::new(topology),
    };
    let Recorded {
        summary,
        kept,
        problems,
        worst,
    } = score_records(&machine, records, &settings, &mut row)?;
    let mut left_out = counted(records, true);
    left_out.extend(problems);
    if summary.all.jobs == 0 {
        return Err(nothing_scored(records, &left_out).into());
    }
    let mut placements = vec![summary];
    if let Some(kept) = kept {
        placements.extend(replay(&machine, &kept, settings, &mut row)?);
    }
    let levels = machine.units.list();
    let mended = counted(records, false);
    Ok(Audit {
        levels,
        read: records.tally().lines,
        left_out,
        mended,
        placements,
        worst,
    })
}

/// Reads the records batch by batch and scores each batch on all threads.
fn score_records<E: From<Error>>(
    machine: &Machine<'_>,
    records: &mut Records,
    settings: &AuditSettings<'_>,
    row: &mut impl FnMut(Scored<'_>) -> Result<(), E>,
) -> Result<Recorded, E> {
    let topology = machine.topology;
    let order = NodeOrder::new(topology, "recorded", topology.nodes().iter().collect())?;
    let distances = RankDistances::new(topology, &order)?;
    let resolver = Resolver::new(topology, &order);
    let scorer = |_| -> Result<RecordScorer<'_>> {
        let meter = AllocationMeter::new(topology, &distances)?;
        let shapes = settings
            .shape
            .then(|| ShapeMeter::new(topology, &distances));
        let counter = UnitCounter::new(&machine.units);
        Ok(RecordScorer {
            meter,
            counter,
            shapes: shapes.transpose()?,
        })
    };
    let mut scorers = (0..rayon::current_num_threads())
        .map(scorer)
        .collect::<Result<Vec<_>>>()?;
    let mut recorded = Recorded {
        summary: Summary::new("recorded", "", "", machine.units.len()),
        kept: (!settings.orders.is_empty()).then(Kept::default),
        problems: Vec::new(),
        worst: Vec::new(),
    };
    let files = records.files();
    let mut batch = vec![Record::default(); BATCH];
    loop {
        let filled = read_batch(records, &mut batch)?;
        let batch = &batch[..filled];
        // One scorer a thread: its meters are large, and are used again for every batch.
        let share = filled.div_ceil(scorers.len()).max(1);
        let scores: Vec<Vec<Result<Score, Problem>>> = batch
            .par_chunks(share)
            .zip(&mut scorers)
            .map(|(records, scorer)| {
                let score = |record: &Record| {
                    let line = Line::new(&files[record.file as usize], record.line, &record.hosts);
                    let ranks = resolver.ranks(&line)?;
                    Ok(recorded_score(
                        machine,
                        scorer,
                        &distances,
                        &ranks,
                        record.segment,
                    ))
                };
                records.iter().map(score).collect()
            })
            .collect();
        for (record, score) in batch.iter().zip(scores.into_iter().flatten()) {
            recorded.add(
                (&files[record.file as usize], &resolver),
                record,
                score,
                row,
            )?;
        }
        if filled < BATCH {
            return Ok(recorded);
        }
    }
}

/// Fills `batch` with the next records that list nodes, and says how many there were; the others are counted.
fn read_batch(records: &mut Records, batch: &mut [Record]) -> Result<usize> {
    let mut filled = 0;
    while filled < batch.len() && records.next(&mut batch[filled])? {
        match placements::without_nodes(&batch[filled]) {
            Some(reason) => records.count(reason, &batch[filled]),
            None => filled += 1,
        }
    }
    Ok(filled)
}

/// Reasons for which records were left out in reading, or else mended.
fn counted(records: &Records, drops: bool) -> Vec<LeftOut> {
    let tally = records.tally();
    let reasons = tally.iter().filter(|(reason, _)| reason.drops() == drops);
    reasons
        .map(|(reason, count)| LeftOut {
            name: reason.name(),
            about: reason.about(),
            count,
            first: tally.first(reason).unwrap_or_default(),
        })
        .collect()
}

/// The error where no record could be scored.
fn nothing_scored(records: &Records, left_out: &[LeftOut]) -> Error {
    let found = match left_out
        .iter()
        .find(|reason| reason.first.contains("; expected "))
    {
        Some(reason) => format!("no job that could be scored; the first: {}", reason.first),
        None => {
            match left_out
                .iter()
                .map(|r| format!("{} {}", r.count, r.about))
                .collect::<Vec<_>>()
            {
                none if none.is_empty() => "no job with a list of nodes".to_string(),
                reasons => format!("no job that could be scored: {}", reasons.join(", ")),
            }
        }
    };
    let expected = "records that list nodes of this machine, such as sacct with NodeList";
    Error::input(SourceLocation::File(records.name().into()), found, expected)
}

/// Counts a record that was not scored.
fn problem(problems: &mut Vec<LeftOut>, found: Problem) {
    let (name, about, first) = found.described();
    match problems.iter_mut().find(|known| known.name == name) {
        Some(known) => known.count += 1,
        None => problems.push(LeftOut {
            name,
            about,
            count: 1,
            first,
        }),
    }
}

/// The score of recorded ranks, in the order of the record.
fn recorded_score(
    machine: &Machine<'_>,
    scorer: &mut RecordScorer<'_>,
    distances: &RankDistances,
    ranks: &[u32],
    segment: u32,
) -> Score {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let mut set = Ranks::default();
    sorted.iter().for_each(|rank| set.push_rank(*rank));
    set.settle();
    let nodes: Vec<NodeId> = match segment {
        0 => Vec::new(),
        _ => distances.nodes_of(ranks).collect(),
    };
    let measured = Score {
        size: set.len(),
        mean_hops: scorer.meter.measure(&set, None).mind(),
        diameter: scorer.meter.extent(&set).diameter,
        ring: joined_ring(machine.topology, distances, &set, ranks),
        shape: scorer
            .shapes
            .as_mut()
            .map(|shapes| Box::new(shapes.of_sequence(ranks))),
        segments: machine.units.segments(&nodes, segment),
        ..Score::default()
    };
    machine.score(&mut scorer.counter, measured, distances.nodes_of(ranks))
}
