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
use crate::replay::FigureSet;
use nodeorder_base::error::Result;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::shape::SummedShapes;

mod cluster_state;
mod engine;
mod fairness;
mod knapsack;
pub mod model;
pub mod orderings;
pub mod policy;
mod recorded;
mod result;
mod running;
pub mod saving;
mod settings;
mod summary;
mod task;
mod waiting;

pub use fairness::{STARVED_OVERTAKEN, STARVED_WAITS, SizeClass, Starved};
pub use knapsack::{Packing, pack_exactly, pack_greedily};
pub use model::{Lost, MODELS, Model, Start};
pub use policy::{POLICIES, Policy};
pub use result::{BOUND, Instant, LeftOut, Record, ScheduleResult};
pub use settings::Settings;
pub use summary::ScheduleSummary;
pub use task::Task;

use cluster_state::{ClusterState, Recorder};
use policy::PolicyContext;
use task::{TICKS, check, in_ticks};

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
/// use nodeorder_jobs::replay::FigureSet;
/// use nodeorder_jobs::schedule::{Settings, Task, simulate};
/// use nodeorder_order::ordering::NodeOrder;
/// use nodeorder_network::topology::Topology;
/// use nodeorder_jobs::allocator::AllocatorContext;
/// use nodeorder_order::metric::rank_distances::RankDistances;
/// let topology = Topology::inline("torus:4x4", &Default::default())?;
/// let order = NodeOrder::make(&topology, "snake")?;
/// let distances = RankDistances::new(&topology, &order)?;
/// let context = AllocatorContext { topology: &topology, order: &order, distances: &distances };
/// let task = |id, nodes| Task { id, submit: 0, run: 10, requested: 10, nodes };
/// let settings = Settings {
///     policy: "fcfs", allocator: "span-best-fit", model: "fixed", metrics: false,
///     figures: FigureSet::default(), timeline: false, rules: None,
/// };
/// let outcome = simulate(&context, &[task(1, 12), task(2, 8)], &settings, &|_| ())?;
/// assert_eq!((outcome.records[1].start, outcome.summary().makespan), (10, 20.0));
/// # Ok::<(), nodeorder_base::error::Error>(())
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
    let allocator = allocator::make_ruled(settings.allocator, context, settings.rules)?;
    let planned = PolicyContext {
        tasks: &tasks,
        places: allocator.may_refuse(),
    };
    let seed = context.topology.context().seed;
    let mut policy = policy::make(settings.policy, &planned, seed)?;
    let interval = policy.interval() * ticks;
    let components = policy
        .needs_components()
        .then(|| FreeComponents::new(context))
        .transpose()?;
    let figures = settings.figures;
    let measured = settings.metrics || figures.extent || model.measures();
    let recorder = Recorder {
        meter: measured
            .then(|| AllocationMeter::new(context.topology, context.distances))
            .transpose()?,
        shapes: (figures.shape)
            .then(|| SummedShapes::new(context.topology, context.distances))
            .transpose()?,
        figures: FigureSet {
            room: figures.room && !policy.chooses_ranks(),
            ..figures
        },
        timeline: settings.timeline,
    };
    let machine = ClusterState::new(
        &tasks,
        nodes,
        allocator,
        components,
        recorder,
        model.as_mut(),
        ticks,
    );
    let (records, timeline, left_out, shapes) =
        engine::run(machine, policy.as_mut(), interval, progress)?;
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
