//! One trace scheduled on several orderings of a machine: what each does to waiting and running.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use super::recorded::recorded;
use super::saving::{self, Saving, Used};
use super::{Record, ScheduleResult, ScheduleSummary, Settings, SizeClass, Task, simulate};
use crate::allocator::AllocatorContext;
use crate::replay::FigureSet;
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::NodeOrder;

/// The allocator of a comparison's schedule where none is given.
pub const DEFAULT_ALLOCATOR: &str = "span-best-fit";
/// The policy where none is given.
pub const DEFAULT_POLICY: &str = "easy";
/// The runtime model where none is given: an assumption, which the output names.
pub const DEFAULT_MODEL: &str = "network:share=0.2,guest=stencil3d";
/// With it, what the best ordering saves is found under these, too.
pub const OTHER_MODELS: [&str; 2] = [
    "network:share=0.1,guest=stencil3d",
    "network:share=0.3,guest=stencil3d",
];

/// Trace, policy, allocator and models, the same for all orderings.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// The trace's name.
    pub trace: String,
    /// The policy (see [`super::POLICIES`]).
    pub policy: String,
    /// The allocator (see [`crate::allocator::ALLOCATORS`]).
    pub allocator: String,
    /// The runtime model (see [`super::MODELS`]).
    pub model: String,
    /// Other models under which the best ordering's saving is found, too.
    pub other_models: Vec<String>,
    /// Waits of the jobs in queue order as the trace records them; none where it does not.
    pub waits: Vec<Option<i64>>,
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
    /// Node-hours that the best ordering saves.
    pub saving: Option<Saving>,
    /// What the trace records of the jobs that ran on the saving's reference, on the machine that it is of.
    #[serde(skip)]
    pub recorded: Option<OrderingSchedule>,
    /// One an ordering, in the order given.
    #[serde(skip)]
    pub rows: Vec<OrderingSchedule>,
}

/// One ordering's schedule; times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderingSchedule {
    /// The ordering.
    pub ordering: String,
    /// Jobs of more nodes than the ordering has, which were left out.
    pub too_large: usize,
    /// Its figures.
    pub summary: ScheduleSummary,
}

impl Schedules {
    /// The ordering with the lowest mean response time, which tables show first; of equal ones the best of the saving.
    pub fn soonest(&self) -> Option<&str> {
        let best = self.saving.as_ref().map(|saving| saving.best.as_str());
        let key = |row: &OrderingSchedule| {
            (
                row.summary.mean_response,
                Some(row.ordering.as_str()) != best,
            )
        };
        let soonest = self.rows.iter().min_by(|a, b| {
            let ((a, other), (b, another)) = (key(a), key(b));
            a.total_cmp(&b).then(other.cmp(&another))
        });
        soonest.map(|row| row.ordering.as_str())
    }

    /// The classes of sizes, first and last of each, that some ordering has jobs of, ascending.
    pub fn size_classes(&self) -> Vec<(u32, u32)> {
        let classes = self.rows.iter().flat_map(|row| &row.summary.by_size);
        let classes: BTreeSet<(u32, u32)> = classes.map(|class| (class.from, class.to)).collect();
        classes.into_iter().collect()
    }
}

impl OrderingSchedule {
    /// The class of sizes that begins with `from`.
    pub fn class(&self, from: u32) -> Option<&SizeClass> {
        self.summary.by_size.iter().find(|class| class.from == from)
    }
}

/// The schedule of those tasks that are not too large for an ordering.
pub struct Fitting {
    /// Its figures.
    pub row: OrderingSchedule,
    /// The policy in words.
    pub rule: String,
    /// The runtime model in words.
    pub model: String,
    /// Whether the policy chose ranks itself, without the allocator.
    pub places_itself: bool,
    /// A figure of each task, in seconds; none where the task was left out.
    pub figures: Vec<Option<f64>>,
}

/// Schedules those of `tasks` (in queue order) that are not too large for the ordering; `figure` is taken of each that
/// ran, in ticks. Errors: as [`simulate`].
pub fn fitting(
    context: &AllocatorContext<'_>,
    tasks: &[Task],
    settings: &TraceSettings,
    model: &str,
    figure: impl Fn(&ScheduleResult, &Record) -> f64,
) -> Result<Fitting> {
    let nodes = context.distances.len();
    let indices: Vec<usize> = (0..tasks.len())
        .filter(|i| tasks[*i].nodes <= nodes)
        .collect();
    let fitting: Vec<Task> = indices.iter().map(|i| tasks[*i]).collect();
    let TraceSettings {
        policy, allocator, ..
    } = settings;
    let outcome = simulate(
        context,
        &fitting,
        &Settings {
            policy,
            allocator,
            model,
            metrics: true,
            figures: FigureSet::default(),
            timeline: false,
            rules: None,
        },
        &|_| (),
    )?;
    let mut figures = vec![None; tasks.len()];
    for record in &outcome.records {
        let seconds = figure(&outcome, record) / outcome.ticks as f64;
        figures[indices[record.task as usize]] = Some(seconds);
    }
    let row = OrderingSchedule {
        ordering: context.order.label().to_string(),
        too_large: tasks.len() - fitting.len(),
        summary: outcome.summary(),
    };
    let ScheduleResult {
        rule,
        model,
        places_itself,
        ..
    } = outcome;
    Ok(Fitting {
        row,
        rule,
        model,
        places_itself,
        figures,
    })
}

/// Schedules `tasks`, which stand in queue order, on every ordering; those too large for one are left out
/// there.
///
/// # Errors
/// As [`simulate`].
///
/// # Complexity
/// One [`simulate`] for each ordering; orderings in parallel.
pub fn on_orderings(
    topology: &Topology,
    orders: &[NodeOrder],
    tasks: &[Task],
    settings: &TraceSettings,
) -> Result<Schedules> {
    let schedule = |order: &NodeOrder, model: &str| -> Result<Fitting> {
        let distances = RankDistances::new(topology, order)?;
        let context = AllocatorContext {
            topology,
            order,
            distances: &distances,
        };
        fitting(&context, tasks, settings, model, |outcome, record| {
            (record.end - record.start) as f64 * f64::from(outcome.task(record).nodes)
        })
    };
    let first = |order: &NodeOrder| schedule(order, &settings.model);
    let made: Vec<Fitting> = orders.par_iter().map(first).collect::<Result<_>>()?;
    let seed = topology.context().seed;
    let named: Vec<(&str, &Used)> = made
        .iter()
        .map(|made| (made.row.ordering.as_str(), &made.figures))
        .collect();
    let mut saving = Saving::new(&settings.model, tasks, &named, seed);
    if let Some((saving, compared)) = &mut saving {
        let cases: Vec<(&String, usize)> = settings
            .other_models
            .iter()
            .flat_map(|m| compared.map(|index| (m, index)))
            .collect();
        let run = |(model, index): &(&String, usize)| Ok(schedule(&orders[*index], model)?.figures);
        let used: Vec<Used> = cases.par_iter().map(run).collect::<Result<_>>()?;
        let pairs = settings.other_models.iter().zip(used.chunks(2));
        saving
            .models
            .extend(pairs.map(|(m, u)| saving::under(m, tasks, &u[0], &u[1], seed)));
    }
    let reference = saving
        .as_ref()
        .and_then(|(_, [_, reference])| made.get(*reference));
    let recorded = reference.and_then(|made| {
        let nodes = topology.node_count() as u32;
        let summary = recorded(tasks, &settings.waits, &made.figures, nodes)?;
        Some(OrderingSchedule {
            ordering: "recorded".into(),
            too_large: 0,
            summary,
        })
    });
    let (rule, model_rule, places_itself) = match made.first() {
        Some(made) => (made.rule.clone(), made.model.clone(), made.places_itself),
        None => Default::default(),
    };
    Ok(Schedules {
        trace: settings.trace.clone(),
        policy: settings.policy.clone(),
        allocator: (!places_itself).then(|| settings.allocator.clone()),
        model: settings.model.clone(),
        rule,
        model_rule,
        saving: saving.map(|(saving, _)| saving),
        recorded,
        rows: made.into_iter().map(|made| made.row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedules of some tasks on two orderings of a machine.
    fn schedules(spec: &str, orders: [&str; 2], tasks: &[Task]) -> Schedules {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let orders = orders.map(|text| NodeOrder::make(&topology, text).unwrap());
        let settings = TraceSettings {
            trace: "t".into(),
            policy: "fcfs".into(),
            allocator: "fifo:0".into(),
            model: "fixed".into(),
            other_models: Vec::new(),
            waits: Vec::new(),
        };
        on_orderings(&topology, &orders, tasks, &settings).unwrap()
    }

    /// Two jobs of four nodes that cannot run together with one of six; the fourth is too large for a ring of
    /// eight.
    #[test]
    fn each_ordering_has_the_schedule_it_would_have_alone() {
        let task = |id, nodes, run| Task {
            id,
            submit: 0,
            run,
            requested: run,
            nodes,
        };
        let tasks = [
            task(1, 6, 100),
            task(2, 4, 50),
            task(3, 4, 50),
            task(4, 9, 10),
        ];
        let orders = ["row-major", "random:seed=3"];
        let schedules = schedules("torus:4x2", orders, &tasks);
        assert_eq!(schedules.allocator.as_deref(), Some("fifo:0"));
        for (row, order) in schedules.rows.iter().zip(orders) {
            let figures = &row.summary;
            assert_eq!((&*row.ordering, figures.jobs, row.too_large), (order, 3, 1));
            // Waits 0, 100, 100; ends at 100, 150, 150.
            assert_eq!(figures.mean_wait, 200.0 / 3.0);
            assert_eq!(
                (figures.mean_response, figures.makespan),
                (400.0 / 3.0, 150.0)
            );
            assert_eq!(
                figures.utilisation,
                (6.0 * 100.0 + 8.0 * 50.0) / (8.0 * 150.0)
            );
            assert_eq!(figures.mean_stretch, 1.0);
        }
        assert!(schedules.rows[0].summary.mean_mind < schedules.rows[1].summary.mean_mind);
    }
}
