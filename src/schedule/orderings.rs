//! One trace scheduled on several orderings of a machine: what each does to waiting and running.

use rayon::prelude::*;
use serde::Serialize;

use super::{Outputs, ScheduleSummary, Settings, Task, simulate};
use crate::allocator::AllocatorContext;
use crate::error::Result;
use crate::metric::rank_distances::RankDistances;
use crate::ordering::NodeOrder;
use crate::topology::Topology;

/// What is the same for all orderings.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// The trace's name.
    pub trace: String,
    /// Who starts when (see [`super::POLICIES`]).
    pub policy: String,
    /// Where (see [`crate::allocator::ALLOCATORS`]).
    pub allocator: String,
    /// For how long (see [`super::MODELS`]).
    pub model: String,
}

/// The schedules of one trace on several orderings.
#[derive(Clone, Debug, Serialize)]
pub struct Schedules {
    /// The trace's name.
    pub trace: String,
    /// The policy as it was asked for.
    pub policy: String,
    /// The allocator; none where the policy chooses ranks itself.
    pub allocator: Option<String>,
    /// The model as it was asked for.
    pub model: String,
    /// The policy in words.
    pub rule: String,
    /// The model in words.
    pub model_rule: String,
    /// One an ordering, in the order given.
    pub rows: Vec<OrderingSchedule>,
}

/// One ordering's schedule; times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderingSchedule {
    /// The ordering.
    pub ordering: String,
    /// Jobs scheduled.
    pub jobs: usize,
    /// Jobs of more nodes than the ordering has, which were left out.
    pub too_large: usize,
    /// Mean of start - submit.
    pub mean_wait: f64,
    /// Mean of end - submit.
    pub mean_response: f64,
    /// Mean bounded slowdown.
    pub mean_bounded_slowdown: f64,
    /// Node-seconds used over nodes · makespan.
    pub utilisation: f64,
    /// Last end - first submit.
    pub makespan: f64,
    /// Mean of duration over the trace's run time.
    pub mean_stretch: f64,
    /// Mean distance between the nodes of a job, in hops; none without jobs of two nodes.
    pub mean_mind: Option<f64>,
}

impl OrderingSchedule {
    /// The figures of a schedule that left out `too_large` jobs.
    pub fn of(ordering: &str, too_large: usize, summary: &ScheduleSummary) -> Self {
        OrderingSchedule {
            ordering: ordering.to_string(),
            jobs: summary.jobs,
            too_large,
            mean_wait: summary.mean_wait,
            mean_response: summary.mean_response,
            mean_bounded_slowdown: summary.mean_bounded_slowdown,
            utilisation: summary.utilisation,
            makespan: summary.makespan,
            mean_stretch: summary.mean_stretch,
            mean_mind: summary.mean_mind,
        }
    }
}

/// Schedules `tasks`, which stand in queue order, on every ordering; those too large for one are left out
/// there.
///
/// # Errors
/// As [`simulate`].
///
/// # Complexity
/// That of [`simulate`], once an ordering; orderings in parallel.
pub fn on_orderings(
    topology: &Topology,
    orders: &[NodeOrder],
    tasks: &[Task],
    settings: &TraceSettings,
) -> Result<Schedules> {
    let schedule = |order: &NodeOrder| {
        let distances = RankDistances::new(topology, order)?;
        let fit = |task: &&Task| task.nodes <= distances.len();
        let fitting: Vec<Task> = tasks.iter().filter(fit).copied().collect();
        let context = AllocatorContext { topology, order, distances: &distances };
        let settings = Settings {
            policy: &settings.policy,
            allocator: &settings.allocator,
            model: &settings.model,
            outputs: Outputs { placement: true, ..Outputs::default() },
        };
        let outcome = simulate(&context, &fitting, &settings, &|_| ())?;
        let row =
            OrderingSchedule::of(order.label(), tasks.len() - fitting.len(), &outcome.summary());
        Ok((row, (outcome.rule, outcome.model, outcome.places_itself)))
    };
    let made: Vec<_> = orders.par_iter().map(schedule).collect::<Result<_>>()?;
    let (rows, words): (Vec<OrderingSchedule>, Vec<_>) = made.into_iter().unzip();
    let (rule, model_rule, places_itself) = words.into_iter().next().unwrap_or_default();
    Ok(Schedules {
        trace: settings.trace.clone(),
        policy: settings.policy.clone(),
        allocator: (!places_itself).then(|| settings.allocator.clone()),
        model: settings.model.clone(),
        rule,
        model_rule,
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two jobs of four nodes that cannot run together with one of six; the third is too large for a ring of
    /// seven.
    #[test]
    fn each_ordering_has_the_schedule_it_would_have_alone() {
        let topology = Topology::inline("torus:4x2", &Default::default()).unwrap();
        let orders: Vec<NodeOrder> = ["row-major", "random:seed=3"]
            .map(|text| NodeOrder::make(&topology, text).unwrap())
            .into_iter()
            .collect();
        let task = |id, nodes, run| Task { id, submit: 0, run, requested: run, nodes };
        let tasks = [task(1, 6, 100), task(2, 4, 50), task(3, 4, 50), task(4, 9, 10)];
        let settings = TraceSettings {
            trace: "t".into(),
            policy: "fcfs".into(),
            allocator: "fifo:0".into(),
            model: "fixed".into(),
        };
        let schedules = on_orderings(&topology, &orders, &tasks, &settings).unwrap();
        assert_eq!(schedules.allocator.as_deref(), Some("fifo:0"));
        for (row, order) in schedules.rows.iter().zip(&orders) {
            assert_eq!((&*row.ordering, row.jobs, row.too_large), (order.label(), 3, 1));
            // Waits 0, 100, 100; ends at 100, 150, 150.
            assert_eq!(row.mean_wait, 200.0 / 3.0);
            assert_eq!((row.mean_response, row.makespan), (400.0 / 3.0, 150.0));
            assert_eq!(row.utilisation, (6.0 * 100.0 + 8.0 * 50.0) / (8.0 * 150.0));
            assert_eq!(row.mean_stretch, 1.0);
        }
        assert!(schedules.rows[0].mean_mind < schedules.rows[1].mean_mind);
    }

    #[test]
    fn a_model_of_distance_stretches_what_is_scattered() {
        let topology = Topology::inline("torus:4x4", &Default::default()).unwrap();
        let orders: Vec<NodeOrder> = ["snake", "random:seed=3"]
            .map(|text| NodeOrder::make(&topology, text).unwrap())
            .into_iter()
            .collect();
        let tasks = [Task { id: 1, submit: 0, run: 100, requested: 100, nodes: 4 }];
        let settings = TraceSettings {
            trace: "t".into(),
            policy: "easy".into(),
            allocator: "fifo:0".into(),
            model: "distance".into(),
        };
        let rows = on_orderings(&topology, &orders, &tasks, &settings).unwrap().rows;
        assert!(rows[0].mean_stretch < rows[1].mean_stretch, "{rows:?}");
        assert_eq!(rows[1].mean_response, 100.0 * rows[1].mean_stretch);
    }
}
