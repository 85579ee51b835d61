//! Scheduling: jobs with times, a queue, and what an ordering does to waiting and running.
//!
//! [`simulate`] drives the jobs of a trace through a policy ([`POLICIES`]) that decides what starts when, an
//! allocator that says where, and a model ([`MODELS`]) that says how long. The machine is the ordering's
//! nodes. It is a simulation by events: at one instant all ends happen, then all submits, then one pass of
//! the policy (with `interval=` policies pass on their own clock).
//!
//! An allocator may refuse the nodes that are free ([`allocator::Choice`]). *Not now* leaves the task in the
//! queue; *never*, and *not now* on the empty machine, leave it out ([`ScheduleResult::left_out`]). EASY and
//! conservative backfilling then reserve places instead of numbers of nodes.
//!
//! # Time
//! Times are whole numbers: seconds where run times are the trace's own, microseconds where a model stretches
//! them. Every duration is rounded to the nearest such tick, once a change of speed, and nothing else ever is:
//! same input, same bytes.

use crate::allocator::{self, AllocatorContext, FreeComponents};
use crate::error::{Error, Result, SourceLocation};
use crate::metric::allocation::{AllocationMeter, AllocationMetrics};
use crate::metric::shape::{ShapeMeter, ShapeSums};
use crate::ranks::Ranks;
use crate::trace::Trace;

mod cluster_state;
mod engine;
mod fairness;
mod knapsack;
pub mod model;
pub mod orderings;
pub mod policy;
mod result;
mod running;
pub mod saving;
mod summary;
mod waiting;

pub use fairness::{STARVED_OVERTAKEN, STARVED_WAITS, SizeClass, Starved};
pub use knapsack::{Packing, pack_exactly, pack_greedily};
pub use model::{Lost, MODELS, Model};
pub use policy::{POLICIES, Policy};
pub use result::{BOUND, Instant, LeftOut, Record, ScheduleResult};
pub use summary::ScheduleSummary;

use cluster_state::{ClusterState, Recorder};
use policy::PolicyContext;

/// A job to be scheduled. Times in seconds, or in ticks inside a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its number in the trace.
    pub id: i64,
    /// When it joins the queue.
    pub submit: i64,
    /// How long it runs by the trace, at least 1.
    pub run: i64,
    /// How long it was expected to run, at least 1: what policies plan with.
    pub requested: i64,
    /// Nodes, at least 1.
    pub nodes: u32,
}

impl Task {
    /// The jobs of a trace in queue order: by submit, those of one second in file order.
    pub fn of(trace: &Trace) -> Vec<Task> {
        let jobs = trace.by_submit().iter().map(|i| &trace.jobs()[*i as usize]);
        jobs.map(|job| Task {
            id: job.id,
            submit: job.submit,
            run: job.run,
            requested: job.requested_time,
            nodes: job.nodes,
        })
        .collect()
    }
}

/// What is recorded beside times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// Metrics of every placement.
    pub placement: bool,
    /// Its ranks.
    pub ranks: bool,
    /// Diameter and bounding box.
    pub extent: bool,
    /// Units, ring, halvings, closed rings.
    pub shape: bool,
    /// Busy nodes, queue and free runs after every instant.
    pub timeline: bool,
    /// What is left room for after every instant, unless the policy chooses ranks itself.
    pub room: bool,
}

/// How tasks are scheduled.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'s> {
    /// Who starts when, such as `easy` or `window-bnb:window=5` (see [`POLICIES`]).
    pub policy: &'s str,
    /// Where, such as `span-best-fit` (see [`allocator::ALLOCATORS`]).
    pub allocator: &'s str,
    /// For how long, such as `contiguity:alpha=20,beta=30` (see [`MODELS`]).
    pub model: &'s str,
    /// What is recorded.
    pub outputs: Outputs,
}

/// Schedules `tasks`, which stand in queue order, on an empty machine of `site`'s ordering. `progress` is
/// called with the number of tasks ended, once an instant at most.
///
/// # Errors
/// Tasks that are no queue ([`Task`]) or larger than the machine; unknown names or bad parameters; times too
/// long for the clock; whatever a model needs of the machine and does not find.
///
/// # Complexity
/// Events times what policy, allocator and model need at each; 90 bytes a task and those of the ranks wanted.
///
/// # Examples
/// ```
/// use nodeorder::schedule::{Settings, Task, Outputs, simulate};
/// use nodeorder::{NodeOrder, Topology, allocator::AllocatorContext, metric::rank_distances::RankDistances};
/// let topology = Topology::inline("torus:4x4", &Default::default())?;
/// let order = NodeOrder::make(&topology, "snake")?;
/// let distances = RankDistances::new(&topology, &order)?;
/// let context = AllocatorContext { topology: &topology, order: &order, distances: &distances };
/// let task = |id, nodes| Task { id, submit: 0, run: 10, requested: 10, nodes };
/// let settings = Settings {
///     policy: "fcfs", allocator: "span-best-fit", model: "fixed", outputs: Outputs::default(),
/// };
/// let outcome = simulate(&context, &[task(1, 12), task(2, 8)], &settings, &|_| ())?;
/// assert_eq!((outcome.records[1].start, outcome.summary().makespan), (10, 20.0));
/// # Ok::<(), nodeorder::Error>(())
/// ```
pub fn simulate(
    context: &AllocatorContext<'_>,
    tasks: &[Task],
    settings: &Settings<'_>,
    progress: &dyn Fn(usize),
) -> Result<ScheduleResult> {
    let nodes = context.distances.len();
    check(tasks, nodes)?;
    let (mut model, stretches) = model::make(settings.model, context, tasks.len())?;
    let ticks = if stretches { TICKS } else { 1 };
    let tasks = in_ticks(tasks, ticks)?;
    let allocator = allocator::make(settings.allocator, context)?;
    let planned = PolicyContext { tasks: &tasks, ticks, places: allocator.may_refuse() };
    let mut policy = policy::make(settings.policy, &planned, context.topology.context().seed)?;
    let components = policy.needs_components().then(|| FreeComponents::new(context)).transpose()?;
    let measured = settings.outputs.placement || settings.outputs.extent || model.measures();
    let recorder = Recorder {
        meter: measured
            .then(|| AllocationMeter::new(context.topology, context.distances))
            .transpose()?,
        shapes: match settings.outputs.shape {
            false => None,
            true => {
                let meter = ShapeMeter::new(context.topology, context.distances)?;
                let sums = ShapeSums::new(meter.levels());
                Some((meter, sums))
            }
        },
        outputs: Outputs {
            room: settings.outputs.room && !policy.chooses_ranks(),
            ..settings.outputs
        },
    };
    let machine =
        ClusterState::new(&tasks, nodes, allocator, components, recorder, model.as_mut(), ticks);
    let (records, timeline, left_out, shapes) = engine::run(machine, policy.as_mut(), progress)?;
    Ok(ScheduleResult {
        records,
        timeline,
        left_out,
        tasks,
        ticks,
        nodes,
        rule: policy.rule(),
        model: model.rule(),
        lost: model.lost(),
        shapes,
        places_itself: policy.chooses_ranks(),
    })
}

/// Ticks a second where run times are stretched.
const TICKS: i64 = 1_000_000;

fn check(tasks: &[Task], nodes: u32) -> Result<()> {
    let wrong = |task: &Task, found: String, expected: String| {
        Err(Error::input(SourceLocation::option(format!("job {}", task.id)), found, expected))
    };
    for (i, task) in tasks.iter().enumerate() {
        if task.nodes == 0 || task.nodes > nodes {
            let expected = format!("1 to {nodes}, the nodes of the ordering");
            return wrong(task, format!("{} nodes", task.nodes), expected);
        }
        if task.run < 1 || task.requested < 1 {
            let found = format!("run time {}, requested {}", task.run, task.requested);
            return wrong(task, found, "at least a second of both".into());
        }
        if i > 0 && tasks[i - 1].submit > task.submit {
            let found = format!("submit {} after {}", task.submit, tasks[i - 1].submit);
            return wrong(task, found, "jobs by submit time".into());
        }
    }
    Ok(())
}

/// The tasks with times in ticks; refuses what the clock cannot hold even if all run one after another.
fn in_ticks(tasks: &[Task], ticks: i64) -> Result<Vec<Task>> {
    let all: i128 = tasks.iter().map(|t| i128::from(t.run.max(t.requested))).sum();
    let ends = tasks.iter().map(|t| i128::from(t.submit).abs()).max().unwrap_or(0) + all;
    // An eighth is left for models that stretch.
    let most = i128::from(i64::MAX / ticks / 8);
    if ends > most {
        return Err(Error::unsuited(
            SourceLocation::option("--trace"),
            format!("submits and requested times add up to {ends} seconds"),
            format!("the clock of this model ends after {most} seconds"),
        ));
    }
    let scale = |t: &Task| Task {
        submit: t.submit * ticks,
        run: t.run * ticks,
        requested: t.requested * ticks,
        ..*t
    };
    Ok(tasks.iter().map(scale).collect())
}

/// A task that starts, as models see it.
pub struct Start<'s> {
    /// Its index in queue order.
    pub index: u32,
    /// The task, times in ticks.
    pub task: &'s Task,
    /// What it got.
    pub ranks: &'s Ranks,
    /// Metrics of that, where [`Model::measures`] asks for them.
    pub placement: Option<&'s AllocationMetrics>,
    /// The time, in ticks.
    pub now: i64,
}
