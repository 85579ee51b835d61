//! Service that jobs get on one machine with its best ordering: hops under load, waits and slowdowns.

use std::slice;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use nodeorder_base::Result;
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::set::{ReplayResult, ReplaySet, ReplaySettings, Summaries};
use nodeorder_jobs::replay::{BlockResult, FigureSet};
use nodeorder_jobs::schedule::Task;
use nodeorder_jobs::schedule::orderings::{OrderingSchedule, TraceSettings, schedule_fitting};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::{Event, Log};

/// Number of placements that a job size must exceed to count in improvements, as in `replay`.
const THRESHOLD: u64 = 30;
/// Most jobs named that do not fit.
const NAMED: usize = 20;

/// The jobs that machines are compared on.
pub struct ComparedJobs<'w> {
    /// Name of the workload.
    pub name: &'w str,
    /// Function that opens the placement log from its start.
    pub open: &'w (dyn Fn() -> Result<Log> + Sync),
    /// Allocators of the replay.
    pub allocators: &'w [String],
    /// Index of the allocator that ranks the machines where jobs have no times.
    pub leading: usize,
    /// Jobs to be scheduled and how; none where jobs have no times.
    pub queue: Option<ScheduledJobs<'w>>,
}

/// Jobs with times and how they are scheduled.
pub struct ScheduledJobs<'w> {
    /// Jobs in queue order.
    pub tasks: &'w [Task],
    /// Policy, allocator and runtime model.
    pub settings: &'w TraceSettings,
}

/// Hops, waits and response times of the jobs on a machine.
#[derive(Clone, Debug)]
pub struct JobService {
    /// Replay of each allocator, in the order given.
    pub allocators: Vec<AllocatorService>,
    /// Number of jobs that the first allocator placed.
    pub placed: u64,
    /// Number of jobs skipped by it because too few nodes were free.
    pub skipped: u64,
    /// Number of jobs that need more nodes than the machine has.
    pub too_large: u64,
    /// Names of the first of the jobs that are too large, twenty at most.
    pub too_large_names: Vec<String>,
    /// Summary of the schedule; none where jobs have no times.
    pub schedule: Option<OrderingSchedule>,
    /// Policy and runtime model of the schedule in words; none without a schedule.
    pub rules: Option<(String, String)>,
    /// Mean hops of every job placed by the leading allocator, by its number in the log; none for jobs of one node and
    /// those not placed.
    pub hops: Vec<Option<f64>>,
    /// Response times by the jobs' indices in the queue, in seconds; none for those left out.
    pub responses: Vec<Option<f64>>,
}

/// Distances that one allocator gives the jobs of a replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllocatorService {
    /// Allocator, as given.
    pub allocator: String,
    /// Mean MIND in hops over placements of two nodes and more; none without such a placement.
    pub mean_mind: Option<f64>,
    /// Improvement over fifo:0 in per cent, sizes from 2 to 10 nodes.
    pub improvement_small: Option<f64>,
    /// Improvement over fifo:0 in per cent, sizes from 11 nodes.
    pub improvement_large: Option<f64>,
    /// Improvement over fifo:0 in per cent, all sizes.
    pub improvement: Option<f64>,
}

/// Figures of the placements of the allocator that ranks the machines.
#[derive(Default)]
struct LeadingPlacements {
    /// Mean hops of each job of the log; none for jobs of one node and those not placed.
    hops: Vec<Option<f64>>,
    /// Number of jobs that need more nodes than the machine has.
    too_large: u64,
    /// Names of the first of the jobs that are too large.
    names: Vec<String>,
}

/// Replays and schedules `workload` on one ordering of a machine. Fails on a bad log, allocator, policy or model, and
/// if it takes more memory than allowed.
pub(super) fn replay_and_schedule(
    topology: &Topology,
    order: &NodeOrder,
    workload: &ComparedJobs<'_>,
) -> Result<JobService> {
    let distances = RankDistances::new(topology, order)?;
    let settings = ReplaySettings {
        allocators: workload.allocators,
        figures: FigureSet::default(),
        traffic: None,
        // Improvements are over fifo:0, which is replayed even where it was not asked for.
        summaries: Summaries::OverBaseline,
        rules: None,
    };
    let mut replays = ReplaySet::new(
        topology,
        slice::from_ref(order),
        slice::from_ref(&distances),
        settings,
    )?;
    // Replays run on threads of their own; only one of them is the leading one, so nobody waits for this lock.
    let kept = Mutex::new(LeadingPlacements::default());
    replays.run_with(
        &mut (workload.open)()?,
        None,
        |step| {
            if step.replay == workload.leading {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                add_placements(&mut kept, &step, distances.len());
            }
            Result::Ok(())
        },
        || Ok(()),
    )?;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results = replays.list_results();
    let counts = results
        .first()
        .map(|first| first.counts.clone())
        .unwrap_or_default();
    let mut service = JobService {
        allocators: results.iter().map(allocator_service).collect(),
        placed: counts.placed,
        // Jobs too large for the machine are counted apart: they are no fault of the load.
        skipped: counts.skipped - counts.oversized,
        too_large: kept.too_large,
        too_large_names: kept.names,
        schedule: None,
        rules: None,
        hops: kept.hops,
        responses: Vec::new(),
    };
    if let Some(ScheduledJobs { tasks, settings }) = &workload.queue {
        let context = AllocatorContext {
            topology,
            order,
            distances: &distances,
        };
        let fitted = schedule_fitting(
            &context,
            tasks,
            settings,
            &settings.model,
            |schedule, record| (record.end - schedule.task_of_record(record).submit) as f64,
        )?;
        service.schedule = Some(fitted.row);
        service.rules = Some((fitted.rule, fitted.model));
        service.responses = fitted.figures;
    }
    Ok(service)
}

/// Computes the mean distance of a replay and its improvement over the baseline.
fn allocator_service(result: &ReplayResult<'_>) -> AllocatorService {
    let gain = result
        .summary
        .improvement_by_group(result.baseline, THRESHOLD);
    AllocatorService {
        allocator: result.allocator.to_string(),
        mean_mind: result.summary.mean_mind(),
        improvement_small: gain.small,
        improvement_large: gain.large,
        improvement: gain.overall,
    }
}

/// Adds the placements of a block of events, and its jobs too large for `nodes`.
fn add_placements(kept: &mut LeadingPlacements, step: &BlockResult<'_>, nodes: u32) {
    let mut placed = step.placed.iter().peekable();
    for (event, what) in step.block.events.iter().enumerate() {
        let Event::Place { nodes: wanted, .. } = *what else {
            continue;
        };
        // Placements come in the order of their events; a job that was not placed has none.
        let got = placed.next_if(|p| p.event == event);
        kept.hops
            .push(got.and_then(|p| p.placement.mean_distance()));
        if wanted > nodes {
            kept.too_large += 1;
            // All names of a long trace would fill a page.
            if kept.names.len() < NAMED {
                kept.names.push(step.block.name_of_event(event).to_string());
            }
        }
    }
}
