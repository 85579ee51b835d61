//! Replay of recorded jobs in time, on other orderings with other allocators.

use std::sync::{Mutex, PoisonError};

use super::kept::AuditedJobs;
use super::score::{AuditMachine, AuditSettings, Score, Scored, connected_ring};
use super::summary::Summary;
use crate::replay::set::{ReplaySet, ReplaySettings, Summaries};
use crate::replay::{BlockResult, FigureSet, Placed};
use nodeorder_base::{Error, Result};
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::units::UnitCounter;
use nodeorder_trace::Log;

/// Meters of one replay, and the scores of the block that it placed last, by job.
struct ReplayScorer<'a> {
    distances: &'a RankDistances,
    counter: UnitCounter<'a>,
    scores: Vec<(u32, Score)>,
}

impl ReplayScorer<'_> {
    /// Scores a job that the replay placed.
    fn score_placed(&mut self, machine: &AuditMachine<'_>, placed: &Placed) -> Score {
        let figures = &placed.figures;
        let kept = figures.ranks.as_ref();
        let ranks: Vec<u32> = kept.into_iter().flat_map(|ranks| ranks.iter()).collect();
        let ring =
            kept.and_then(|set| connected_ring(machine.topology, self.distances, set, &ranks));
        let measured = Score {
            size: placed.placement.size,
            mean_hops: placed.placement.mean_distance(),
            diameter: figures.extent.as_ref().and_then(|extent| extent.diameter),
            ring,
            shape: figures.shape.clone(),
            ..Score::default()
        };
        machine.complete_score(&mut self.counter, measured, self.distances.nodes_of(&ranks))
    }
}

/// Replays the jobs on every ordering with every allocator, hands each score to `row`, and returns the sums of each
/// replay. Fails if an allocator does not suit the machine, or as `row` does.
pub(super) fn replay_recorded<E: From<Error> + Send>(
    machine: &AuditMachine<'_>,
    kept: &AuditedJobs,
    settings: AuditSettings<'_>,
    row: &mut impl FnMut(Scored<'_>) -> Result<(), E>,
) -> Result<Vec<Summary>, E> {
    let orders = settings.orders;
    let allocators = settings.allocators;
    let distances: Vec<RankDistances> = orders
        .iter()
        .map(|order| RankDistances::new(machine.topology, order))
        .collect::<Result<_>>()?;
    let replayed = ReplaySettings {
        allocators,
        figures: FigureSet {
            ranks: true,
            extent: true,
            shape: settings.shape,
            ..FigureSet::default()
        },
        traffic: None,
        // The audit keeps its own sums, by size and time.
        summaries: Summaries::None,
        rules: None,
    };
    let mut replays = ReplaySet::new(machine.topology, orders, &distances, replayed)?;
    let mut summaries: Vec<Summary> = (replays.requested_labels().iter())
        .map(|label| {
            let name = format!("{} {}", label.ordering, label.allocator);
            Summary::new(&name, label.ordering, label.allocator, machine.units.len())
        })
        .collect();
    let scorers: Vec<Mutex<ReplayScorer<'_>>> = (0..summaries.len())
        .map(|i| {
            let distances = &distances[i / allocators.len()];
            Mutex::new(ReplayScorer {
                distances,
                counter: UnitCounter::new(&machine.units),
                scores: Vec::new(),
            })
        })
        .collect();
    let mut events = Log::new("the recorded jobs", kept.write_log());
    // Blocks are scored on all threads; their rows come from this one, replay by replay, and so in the same order
    // always.
    replays.run_with(
        &mut events,
        None,
        |step: BlockResult<'_>| -> Result<(), E> {
            let mut scorer = scorers[step.replay]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            scorer.scores.clear();
            for placed in step.placed {
                // The log names jobs by their index.
                let job = step
                    .block
                    .name_of_event(placed.event)
                    .parse()
                    .unwrap_or_default();
                let score = scorer.score_placed(machine, placed);
                scorer.scores.push((job, score));
            }
            Ok(())
        },
        || {
            for (i, (scorer, summary)) in scorers.iter().zip(&mut summaries).enumerate() {
                let scorer = scorer.lock().unwrap_or_else(PoisonError::into_inner);
                for (job, score) in &scorer.scores {
                    let (name, start) = kept.name_and_start(*job);
                    summary.add_score(
                        Some(start),
                        score,
                        kept.spared_distance(*job, score.mean_hops),
                    );
                    row(Scored {
                        placement: i + 1,
                        job: &name,
                        start: Some(start),
                        score,
                    })?;
                }
            }
            Ok(())
        },
    )?;
    for (summary, result) in summaries.iter_mut().zip(replays.list_results()) {
        summary.skipped = result.counts.skipped + result.counts.count_refused();
    }
    Ok(summaries)
}
