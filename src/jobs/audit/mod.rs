//! Audit: scores of the placements that a scheduler recorded, beside those that orderings and allocators would have
//! given the same jobs.
//!
//! For example, accounting says that a job of 4 nodes ran on `n00,n01,n08,n09` from 10:00 to 12:00. Its score is the
//! mean distance of these nodes, the units they span, and so on. To compare, all jobs are replayed in time on another
//! ordering: at 10:00 the allocator chooses 4 nodes among those that are free there at 10:00, and these are scored,
//! too.
//!
//! Records are read, resolved and scored batch by batch. Only sums by size and by time are kept and, if orderings are
//! to be tried, times and sizes of the jobs.

use rayon::prelude::*;

use crate::allocator;
use nodeorder_base::{Error, Line, NodeId, Ranks, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::shape::ShapeMeter;
use nodeorder_order::metric::units::{UnitCounter, Units};
use nodeorder_trace::records::{Record, Records, placements};
use nodeorder_traffic::mapping::guest::check_sized_guest;

mod free_deal;
mod free_problem;
pub mod free_units;
mod kept;
mod moments;
mod replayed;
mod resolve;
mod score;
pub mod slots;
pub mod snapshot;
pub mod summary;

pub use moments::visit_starts;
pub use score::{AuditSettings, ReasonCount, Score, Scored};

use kept::AuditedJobs;
use replayed::replay_recorded;
use resolve::{RecordProblem, Resolver};
use score::{AuditMachine, connected_ring, count_case};
use summary::Summary;

/// Number of records that are resolved and scored at once.
const BATCH_RECORDS: usize = 1 << 13;

/// Recorded job whose nodes lie far apart.
#[derive(Clone, Debug)]
pub struct WorstJob {
    /// Name of the job.
    pub job: String,
    /// Start time in seconds, if it is known.
    pub start: Option<i64>,
    /// Metrics of the job's allocation.
    pub score: Score,
    /// Nodes in the order of the record.
    pub nodes: Vec<NodeId>,
}

/// Number of jobs that are kept as the worst.
const MAX_WORST: usize = 10;

/// Measures how bad a placement is, to be compared: units of the lowest level beyond the fewest, then mean distance.
fn placement_badness(score: &Score) -> (u32, f64) {
    let beyond = score.spanned.first().zip(score.fewest.first());
    let beyond = beyond.map_or(0, |(spanned, fewest)| spanned.saturating_sub(*fewest));
    (beyond, score.mean_hops.unwrap_or(0.0))
}

/// Result of an audit.
#[derive(Clone, Debug)]
pub struct Audit {
    /// Names of the levels, leaf first.
    pub levels: Vec<String>,
    /// Number of rows that were read.
    pub read: u64,
    /// Records that were not scored, by reason.
    pub left_out: Vec<ReasonCount>,
    /// Records that were read by an assumption, by reason.
    pub mended: Vec<ReasonCount>,
    /// Sums of the recorded placement, then of each ordering with each allocator.
    pub placements: Vec<Summary>,
    /// Recorded jobs of several nodes that span the most units of the lowest level beyond the fewest, or without
    /// levels lie farthest apart; the worst first.
    pub worst: Vec<WorstJob>,
}

/// Meters that score recorded placements; each thread has its own.
struct RecordScorer<'t> {
    meter: AllocationMeter<'t>,
    counter: UnitCounter<'t>,
    shapes: Option<ShapeMeter<'t>>,
}

/// Sums over the records that were read, and those that could not be scored.
struct RecordedSums {
    summary: Summary,
    /// Times and sizes of the jobs, if orderings are to be tried on them.
    kept: Option<AuditedJobs>,
    /// Records that could not be scored, by reason.
    problems: Vec<ReasonCount>,
    /// Worst jobs, the worst first.
    worst: Vec<WorstJob>,
}

impl RecordedSums {
    /// Adds a scored record and hands its score to `row`, or counts the reason for which it has none. Fails if
    /// the file is wrong, or as `row` does.
    fn add_record<E: From<Error>>(
        &mut self,
        (file, resolver): (&str, &Resolver<'_>),
        record: &Record,
        score: Result<Score, RecordProblem>,
        row: &mut impl FnMut(Scored<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let score = match score {
            Ok(score) => score,
            Err(RecordProblem::Wrong(error)) => return Err(error.into()),
            Err(found) => {
                self.count_problem(found);
                return Ok(());
            }
        };
        // A job that still runs has no node-hours yet.
        let seconds = record.run.unwrap_or(0).unsigned_abs();
        self.summary.add_score(record.start, &score, (seconds, 0.0));
        row(Scored {
            placement: 0,
            job: &record.job,
            start: record.start,
            score: &score,
        })?;
        if let Some(kept) = &mut self.kept
            && !kept.add_record(record, &score)?
        {
            self.count_problem(RecordProblem::missing_start(file, record));
        }
        let mut worst = self.worst.iter();
        let place = worst.position(|w| placement_badness(&w.score) < placement_badness(&score));
        let place = place.unwrap_or(self.worst.len());
        if place < MAX_WORST && score.size > 1 {
            // Resolved again: keeping the ranks of every record for these few would cost more.
            let line = Line::new(file, record.line, &record.hosts);
            let nodes = resolver
                .resolve_ranks(&line)
                .map(|ranks| resolver.nodes_of_ranks(&ranks));
            let worst = WorstJob {
                job: record.job.clone(),
                start: record.start,
                score,
                nodes: nodes.unwrap_or_default(),
            };
            self.worst.insert(place, worst);
            self.worst.truncate(MAX_WORST);
        }
        Ok(())
    }

    /// Counts a record that was not scored, by reason.
    fn count_problem(&mut self, found: RecordProblem) {
        let (name, about, first) = found.describe_case();
        count_case(&mut self.problems, name, about, || first);
    }
}

/// Scores recorded placements, and those that orderings and allocators give the same jobs. `row` gets every score:
/// those of the records in their order, then those of the others, block by block.
///
/// # Errors
/// Fails on a record that is wrong, with file and line; if no record could be scored; if an allocator is unknown or
/// does not suit the machine; if more memory is needed than allowed; or as `row` does.
///
/// # Complexity
/// O(nodes of all jobs) with a small factor of the machine's dimensions for most networks. Memory: the sums of every
/// hour and size, and with orderings at most 60 bytes a job.
pub fn audit<E: From<Error> + Send>(
    topology: &Topology,
    records: &mut Records,
    settings: AuditSettings<'_>,
    mut row: impl FnMut(Scored<'_>) -> Result<(), E>,
) -> Result<Audit, E> {
    // A wrong name is told before hours of records are read.
    for text in settings.allocators {
        allocator::ALLOCATORS.find(text)?;
    }
    settings.guest.map_or(Ok(()), check_sized_guest)?;
    let machine = AuditMachine {
        topology,
        units: Units::new(topology),
        guest: settings.guest,
    };
    let RecordedSums {
        summary,
        kept,
        problems,
        worst,
    } = score_records(&machine, records, &settings, &mut row)?;
    let mut left_out = count_by_reason(records, true);
    left_out.extend(problems);
    if summary.all.jobs == 0 {
        return Err(nothing_scored_error(records, &left_out).into());
    }
    let mut placements = vec![summary];
    if let Some(kept) = kept {
        placements.extend(replay_recorded(&machine, &kept, settings, &mut row)?);
    }
    let levels = machine.units.name_list();
    let mended = count_by_reason(records, false);
    Ok(Audit {
        levels,
        read: records.tally().lines,
        left_out,
        mended,
        placements,
        worst,
    })
}

/// Reads the records batch by batch and scores each batch on all threads. Fails on a record that is wrong, or as
/// `row`.
fn score_records<E: From<Error>>(
    machine: &AuditMachine<'_>,
    records: &mut Records,
    settings: &AuditSettings<'_>,
    row: &mut impl FnMut(Scored<'_>) -> Result<(), E>,
) -> Result<RecordedSums, E> {
    let topology = machine.topology;
    // Any order of all nodes will do: ranks only stand for nodes here.
    let order = NodeOrder::new(topology, "recorded", topology.nodes().iter().collect())?;
    let distances = RankDistances::new(topology, &order)?;
    let resolver = Resolver::new(topology, &order);
    let mut scorers = Vec::new();
    for _ in 0..rayon::current_num_threads() {
        let shapes = settings
            .shape
            .then(|| ShapeMeter::new(topology, &distances));
        scorers.push(RecordScorer {
            meter: AllocationMeter::new(topology, &distances)?,
            counter: UnitCounter::new(&machine.units),
            shapes: shapes.transpose()?,
        });
    }
    let mut recorded = RecordedSums {
        summary: Summary::new("recorded", "", "", machine.units.len()),
        kept: (!settings.orders.is_empty()).then(AuditedJobs::default),
        problems: Vec::new(),
        worst: Vec::new(),
    };
    let files = records.file_names();
    let mut batch = vec![Record::default(); BATCH_RECORDS];
    loop {
        let filled = read_batch(records, &mut batch)?;
        let batch = &batch[..filled];
        // One scorer a thread: its meters are large, and are used again for every batch.
        let share = filled.div_ceil(scorers.len()).max(1);
        let scores: Vec<Vec<Result<Score, RecordProblem>>> = batch
            .par_chunks(share)
            .zip(&mut scorers)
            .map(|(records, scorer)| {
                let mut scores = Vec::new();
                for record in records {
                    let line = Line::new(&files[record.file as usize], record.line, &record.hosts);
                    let ranks = resolver.resolve_ranks(&line);
                    scores.push(ranks.map(|ranks| {
                        score_record(machine, scorer, &distances, &ranks, record.segment)
                    }));
                }
                scores
            })
            .collect();
        // In the order of the records, whichever thread scored them.
        for (record, score) in batch.iter().zip(scores.into_iter().flatten()) {
            recorded.add_record(
                (&files[record.file as usize], &resolver),
                record,
                score,
                row,
            )?;
        }
        if filled < BATCH_RECORDS {
            return Ok(recorded);
        }
    }
}

/// Reads the next records that list nodes into `batch` and returns how many there were; the others are counted. Fails
/// on a row that is wrong.
fn read_batch(records: &mut Records, batch: &mut [Record]) -> Result<usize> {
    let mut filled = 0;
    while filled < batch.len() && records.read_next(&mut batch[filled])? {
        match placements::reason_to_skip(&batch[filled]) {
            Some(reason) => records.count_record(reason, &batch[filled]),
            None => filled += 1,
        }
    }
    Ok(filled)
}

/// Lists the reasons for which records were left out in reading if `drops`, else those for which they were mended.
fn count_by_reason(records: &Records, drops: bool) -> Vec<ReasonCount> {
    let tally = records.tally();
    let reasons = tally
        .iter()
        .filter(|(reason, _)| reason.drops_line() == drops);
    reasons
        .map(|(reason, count)| ReasonCount {
            name: reason.name(),
            about: reason.description(),
            count,
            first: tally.first_line(reason).unwrap_or_default(),
        })
        .collect()
}

/// Builds the error of an audit in which no record could be scored.
fn nothing_scored_error(records: &Records, left_out: &[ReasonCount]) -> Error {
    // A first case that says what was expected helps more than counts.
    let case = left_out.iter().find(|r| r.first.contains("; expected "));
    let found = if let Some(reason) = case {
        format!("no job that could be scored; the first: {}", reason.first)
    } else if left_out.is_empty() {
        "no job with a list of nodes".to_string()
    } else {
        let reasons: Vec<String> = left_out
            .iter()
            .map(|r| format!("{} {}", r.count, r.about))
            .collect();
        format!("no job that could be scored: {}", reasons.join(", "))
    };
    let expected = "records that list nodes of this machine, such as sacct with NodeList";
    Error::input(SourceLocation::File(records.name().into()), found, expected)
}

/// Scores recorded ranks, given in the order of the record; `segment` is the nodes of a segment, 0 without segments.
fn score_record(
    machine: &AuditMachine<'_>,
    scorer: &mut RecordScorer<'_>,
    distances: &RankDistances,
    ranks: &[u32],
    segment: u32,
) -> Score {
    // Distances need a set of ranks; the ring needs them in the order of the record.
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let mut set = Ranks::default();
    sorted.iter().for_each(|rank| set.push_rank(*rank));
    set.sort_and_join();
    let mut nodes: Vec<NodeId> = Vec::new();
    if segment > 0 {
        nodes.extend(distances.nodes_of(ranks));
    }
    let measured = Score {
        size: set.len(),
        mean_hops: scorer.meter.measure_ranks(&set, None).mean_distance(),
        diameter: scorer.meter.measure_extent(&set).diameter,
        ring: connected_ring(machine.topology, distances, &set, ranks),
        shape: scorer
            .shapes
            .as_mut()
            .map(|shapes| Box::new(shapes.measure_sequence(ranks))),
        segments: machine.units.count_segments(&nodes, segment),
        ..Score::default()
    };
    machine.complete_score(&mut scorer.counter, measured, distances.nodes_of(ranks))
}
