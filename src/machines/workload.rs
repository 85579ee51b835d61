//! What jobs get on one machine with its best ordering: hops under load, waits and slowdowns.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::allocator::{self, AllocatorContext};
use crate::error::{Error, Result};
use crate::metric::allocation::AllocationMeter;
use crate::metric::rank_distances::RankDistances;
use crate::ordering::NodeOrder;
use crate::replay::statistics::{Improvement, Summary};
use crate::replay::{Outputs, Placed, Replay, Step, run};
use crate::schedule::orderings::{OrderingSchedule, TraceSettings};
use crate::schedule::{self, Settings, Task, simulate};
use crate::topology::Topology;
use crate::trace::{Event, Log};

/// The allocator that improvements are measured against.
const BASELINE: &str = "fifo:0";
/// Sizes with more placements than this count in improvements, as in `replay`.
const THRESHOLD: u64 = 30;
/// Jobs that do not fit are named up to this many.
const NAMED: usize = 20;

/// The jobs that machines are compared on.
pub struct Workload<'w> {
    /// Its name.
    pub name: &'w str,
    /// Opens the placement log from its start.
    pub open: &'w (dyn Fn() -> Result<Log> + Sync),
    /// The allocators of the replay.
    pub allocators: &'w [String],
    /// Which of them ranks the machines where jobs have no times.
    pub leading: usize,
    /// What is scheduled and how, where jobs have times.
    pub queue: Option<Queue<'w>>,
}

/// Jobs with times and how they are scheduled.
pub struct Queue<'w> {
    /// The jobs in queue order.
    pub tasks: &'w [Task],
    /// The policy, allocator and model.
    pub settings: &'w TraceSettings,
}

/// What the jobs of a workload get on a machine.
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
    pub(super) hops: Vec<Option<f64>>,
    /// Response times by the jobs' places in the queue, in seconds; none for those left out.
    pub(super) responses: Vec<Option<f64>>,
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

/// What is kept of every placement of the leading allocator.
#[derive(Default)]
struct Kept {
    hops: Vec<Option<f64>>,
    too_large: u64,
    names: Vec<String>,
}

/// Replays and schedules `workload` on one ordering of a machine.
///
/// # Errors
/// A bad log, allocator, policy or model; more memory than allowed.
pub(super) fn serve(
    topology: &Topology,
    order: &NodeOrder,
    workload: &Workload<'_>,
) -> Result<Service> {
    let distances = RankDistances::new(topology, order)?;
    let context = AllocatorContext { topology, order, distances: &distances };
    let mut lanes: Vec<&str> = workload.allocators.iter().map(String::as_str).collect();
    let baseline = lanes.iter().position(|a| *a == BASELINE).unwrap_or_else(|| {
        lanes.push(BASELINE);
        lanes.len() - 1
    });
    let mut replays = Vec::new();
    for text in &lanes {
        let allocator = allocator::make(text, &context)?;
        let meter = AllocationMeter::new(topology, &distances)?;
        replays.push(Replay::new(allocator, meter, distances.len(), Outputs::default()));
    }
    let kept = Mutex::new(Kept::default());
    let write = |step: Step<'_>| -> Result<()> {
        if step.replay == workload.leading {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            keep(&mut kept, &step, distances.len());
        }
        Ok(())
    };
    let mut summaries = vec![Summary::default(); lanes.len()];
    let gather = |placed: &[Vec<Placed>]| {
        for (summary, ours) in summaries.iter_mut().zip(placed) {
            summary.add(ours, &placed[baseline]);
        }
        Ok(())
    };
    let mut log = (workload.open)()?;
    run::<Error>(&mut log, &mut replays, None, write, gather)?;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let of = |(allocator, summary): (&String, &Summary)| {
        let gain: Improvement = summary.improvement(&summaries[baseline], THRESHOLD);
        AllocatorService {
            allocator: allocator.clone(),
            mean_mind: summary.mean_mind(),
            improvement_small: gain.small,
            improvement_large: gain.large,
            improvement: gain.overall,
        }
    };
    let queue = workload.queue.as_ref().map(|queue| scheduled(&context, queue)).transpose()?;
    let (schedule, rest) = queue.unzip();
    let (rules, responses) = rest.unzip();
    Ok(Service {
        allocators: workload.allocators.iter().zip(&summaries).map(of).collect(),
        placed: replays[0].counts().placed,
        skipped: replays[0].counts().skipped - replays[0].counts().oversized,
        too_large: kept.too_large,
        too_large_names: kept.names,
        schedule,
        rules,
        hops: kept.hops,
        responses: responses.unwrap_or_default(),
    })
}

/// Notes a block's placements, and the jobs too large for `nodes`.
fn keep(kept: &mut Kept, step: &Step<'_>, nodes: u32) {
    let mut placed = step.placed.iter().peekable();
    for (event, what) in step.block.events.iter().enumerate() {
        let Event::Place { nodes: wanted, .. } = *what else { continue };
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

/// The policy and the model in words, and the response times.
type Scheduled = ((String, String), Vec<Option<f64>>);

fn scheduled(
    context: &AllocatorContext<'_>,
    queue: &Queue<'_>,
) -> Result<(OrderingSchedule, Scheduled)> {
    let nodes = context.distances.len();
    let numbers: Vec<usize> =
        (0..queue.tasks.len()).filter(|i| queue.tasks[*i].nodes <= nodes).collect();
    let fitting: Vec<Task> = numbers.iter().map(|i| queue.tasks[*i]).collect();
    let settings = Settings {
        policy: &queue.settings.policy,
        allocator: &queue.settings.allocator,
        model: &queue.settings.model,
        outputs: schedule::Outputs { placement: true, ..schedule::Outputs::default() },
    };
    let outcome = simulate(context, &fitting, &settings, &|_| ())?;
    let mut responses = vec![None; queue.tasks.len()];
    for record in &outcome.records {
        let took = record.end - outcome.task(record).submit;
        responses[numbers[record.task as usize]] = Some(took as f64 / outcome.ticks as f64);
    }
    let too_large = queue.tasks.len() - fitting.len();
    let row = OrderingSchedule::of(context.order.label(), too_large, outcome.summary());
    Ok((row, ((outcome.rule, outcome.model), responses)))
}
