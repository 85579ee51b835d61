//! A whole simulation: builds policy, allocator and model from their names, runs the event loop, returns the schedule.

use super::cluster_state::{ClusterState, Recorder};
use super::policy::{self, PassTimes, PolicyContext};
use super::result::ScheduleResult;
use super::settings::Settings;
use super::task::{TICKS_PER_SECOND, Task, check_tasks, convert_to_ticks};
use super::{engine, model};
use crate::allocator::{self, AllocatorContext, FreeComponents};
use crate::replay::FigureSet;
use nodeorder_base::Result;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::shape::SummedShapes;

/// Runs the whole schedule of `tasks`, given in queue order, on the empty machine of the context's ordering.
/// `progress` is called with the number of tasks that have ended, at most once an instant.
///
/// # Errors
/// Fails if tasks are not in order of submit, have no nodes or no time, or are larger than the machine; if a name is
/// unknown or its options are wrong; if times are too long for the clock; or if the machine lacks what the model
/// needs.
///
/// # Complexity
/// Number of events times the cost of policy, allocator and model at each; 90 bytes a task, and the ranks if recorded.
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
    check_tasks(tasks, nodes)?;
    let (model, stretches) = model::build_model(settings.model, context, tasks.len())?;
    // A model that keeps the trace's run times needs no finer clock, and results print whole seconds.
    let ticks = if stretches { TICKS_PER_SECOND } else { 1 };
    let tasks = convert_to_ticks(tasks, ticks)?;
    let allocator = allocator::make_ruled(settings.allocator, context, settings.rules)?;
    let planned = PolicyContext {
        tasks: &tasks,
        places: allocator.may_refuse(),
        ticks,
    };
    let seed = context.topology.context().seed;
    let mut policy = policy::build_policy(settings.policy, &planned, seed)?;
    let times = PassTimes::new(policy.passes(), &planned);
    // Only for policies that need them: they are found on the whole network at each pass.
    let components = policy
        .needs_components()
        .then(|| FreeComponents::new(context))
        .transpose()?;
    let figures = settings.figures;
    // Components and extents come from the same meter, so one of them is enough to pay for it.
    let measured = settings.metrics || figures.extent || model.needs_metrics();
    let recorder = Recorder {
        meter: measured
            .then(|| AllocationMeter::new(context.topology, context.distances))
            .transpose()?,
        shapes: (figures.shape)
            .then(|| SummedShapes::new(context.topology, context.distances))
            .transpose()?,
        figures: FigureSet {
            // Room is what the allocator could still place: it means nothing where the policy chooses ranks.
            room: figures.room && !policy.chooses_ranks(),
            ..figures
        },
        timeline: settings.timeline,
    };
    let mut machine =
        ClusterState::new(&tasks, nodes, allocator, components, recorder, model, ticks);
    let timeline = engine::run_events(&mut machine, policy.as_mut(), times, progress)?;
    let result = machine.into_result();
    Ok(ScheduleResult {
        timeline,
        tasks,
        rule: policy.describe_rule(),
        places_itself: policy.chooses_ranks(),
        ..result
    })
}
