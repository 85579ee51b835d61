//! Service that jobs get on one machine with its best ordering: hops under load, waits and slowdowns.

use std::slice;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use nodeorder_base::error::Result;
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::set::{ReplayResult, ReplaySet, ReplaySettings, Summaries};
use nodeorder_jobs::replay::{FigureSet, Step};
use nodeorder_jobs::schedule::orderings::{OrderingSchedule, TraceSettings, fitting};
use nodeorder_jobs::schedule::{Record, ScheduleResult, Task};
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_trace::{Event, Log};

/// Sizes with more placements than this count in improvements, as in `replay`.
const THRESHOLD: u64 = 30;
/// Jobs that do not fit are named up to this many.
const NAMED: usize = 20;

/// The jobs that machines are compared on.
pub struct ComparedJobs<'w> {
    /// Its name.
    pub name: &'w str,
    /// Opens the placement log from its start.
    pub open: &'w (dyn Fn() -> Result<Log> + Sync),
    /// The allocators of the replay.
    pub allocators: &'w [String],
    /// Which of them ranks the machines where jobs have no times.
    pub leading: usize,
    /// The jobs to be scheduled and how, where jobs have times.
    pub queue: Option<Queue<'w>>,
}

/// Jobs with times and how they are scheduled.
pub struct Queue<'w> {
    /// The jobs in queue order.
    pub tasks: &'w [Task],
    /// The policy, allocator and model.
    pub settings: &'w TraceSettings,
}

/// Hops, waits and response times of the jobs on a machine.
#[derive(Clone, Debug)]
pub struct Service {
    /// One an allocator, in the order given.
    pub allocators: Vec<AllocatorService>,
    /// Jobs placed, and jobs skipped because too few nodes were free; the same for all allocators.
    pub placed: u64,
    /// See `placed`.
    pub skipped: u64,
    /// Jobs of more nodes than the machine has.
    pub too_large: u64,
    /// The first of those by name.
    pub too_large_names: Vec<String>,
    /// The schedule, where the jobs have times.
    pub schedule: Option<OrderingSchedule>,
    /// The policy and the runtime model of the schedule in words.
    pub rules: Option<(String, String)>,
    /// Mean hops of every job placed by the leading allocator, by its number in the log; none for jobs of one node and
    /// those not placed.
    pub hops: Vec<Option<f64>>,
    /// Response times by the jobs' indices in the queue, in seconds; none for those left out.
    pub responses: Vec<Option<f64>>,
}

/// One allocator's replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllocatorService {
    /// The allocator.
    pub allocator: String,
    /// Mean MIND over placements from two nodes, each the same.
    pub mean_mind: Option<f64>,
    /// Improvement over fifo:0 in per cent, sizes from 2 to 10 nodes.
    pub improvement_small: Option<f64>,
    /// Sizes above.
    pub improvement_large: Option<f64>,
    /// All sizes.
    pub improvement: Option<f64>,
}

/// Data kept of the placements of the leading allocator.
#[derive(Default)]
struct LeadingPlacements {
    hops: Vec<Option<f64>>,
    too_large: u64,
    names: Vec<String>,
}

/// Replays and schedules `workload` on one ordering of a machine. Errors: a bad log, allocator, policy or model; more
/// memory than allowed.
pub(super) fn serve(
    topology: &Topology,
    order: &NodeOrder,
    workload: &ComparedJobs<'_>,
) -> Result<Service> {
    let distances = RankDistances::new(topology, order)?;
    let settings = ReplaySettings {
        allocators: workload.allocators,
        figures: FigureSet::default(),
        traffic: None,
        summaries: Summaries::OverBaseline,
        rules: None,
    };
    let (orders, all) = (slice::from_ref(order), slice::from_ref(&distances));
    let mut replays = ReplaySet::new(topology, orders, all, settings)?;
    let kept = Mutex::new(LeadingPlacements::default());
    let write = |step: Step<'_>| -> Result<()> {
        if step.replay == workload.leading {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            keep(&mut kept, &step, distances.len());
        }
        Ok(())
    };
    replays.run_with(&mut (workload.open)()?, None, write, || Ok(()))?;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results = replays.results();
    let service = |result: &ReplayResult<'_>| {
        let gain = result.summary.improvement(result.baseline, THRESHOLD);
        AllocatorService {
            allocator: result.allocator.to_string(),
            mean_mind: result.summary.mean_mind(),
            improvement_small: gain.small,
            improvement_large: gain.large,
            improvement: gain.overall,
        }
    };
    let context = AllocatorContext {
        topology,
        order,
        distances: &distances,
    };
    let response = |outcome: &ScheduleResult, record: &Record| {
        (record.end - outcome.task(record).submit) as f64
    };
    let schedule = |queue: &Queue<'_>| {
        fitting(
            &context,
            queue.tasks,
            queue.settings,
            &queue.settings.model,
            response,
        )
    };
    let fitted = workload.queue.as_ref().map(schedule).transpose()?;
    let (schedule, rest) = fitted
        .map(|f| (f.row, ((f.rule, f.model), f.figures)))
        .unzip();
    let (rules, responses) = rest.unzip();
    let counts = results
        .first()
        .map(|first| first.counts.clone())
        .unwrap_or_default();
    Ok(Service {
        allocators: results.iter().map(service).collect(),
        placed: counts.placed,
        skipped: counts.skipped - counts.oversized,
        too_large: kept.too_large,
        too_large_names: kept.names,
        schedule,
        rules,
        hops: kept.hops,
        responses: responses.unwrap_or_default(),
    })
}

/// Notes a block's placements, and the jobs too large for `nodes`.
fn keep(kept: &mut LeadingPlacements, step: &Step<'_>, nodes: u32) {
    let mut placed = step.placed.iter().peekable();
    for (event, what) in step.block.events.iter().enumerate() {
        let Event::Place { nodes: wanted, .. } = *what else {
            continue;
        };
        let got = placed.next_if(|p| p.event == event);
        kept.hops.push(got.and_then(|p| p.placement.mind()));
        if wanted > nodes {
            kept.too_large += 1;
            if kept.names.len() < NAMED {
                kept.names.push(step.block.name(event).to_string());
            }
        }
    }
}
