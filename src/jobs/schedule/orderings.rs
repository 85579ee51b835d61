//! One trace scheduled on several orderings of a machine, and the figures of each schedule side by side.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use super::recorded::summarise_recorded;
use super::saving::{self, Saving, UsedSeconds};
use super::{Record, ScheduleResult, ScheduleSummary, Settings, SizeClass, Task, simulate};
use crate::allocator::AllocatorContext;
use crate::replay::FigureSet;
use nodeorder_base::Result;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;

/// Allocator of a comparison's schedules if none is given.
pub const DEFAULT_ALLOCATOR: &str = "span-best-fit";
/// Policy of a comparison's schedules if none is given.
pub const DEFAULT_POLICY: &str = "easy";
/// Runtime model of a comparison's schedules if none is given: an assumption, which the output names.
pub const DEFAULT_MODEL: &str = "network:share=0.2,guest=stencil3d";
/// Further models under which the saving is found, besides the default model: a smaller and a larger share of sending.
pub const OTHER_MODELS: [&str; 2] = [
    "network:share=0.1,guest=stencil3d",
    "network:share=0.3,guest=stencil3d",
];

/// Trace, policy, allocator and models of a comparison, the same for all orderings.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// Name of the trace.
    pub trace: String,
    /// Policy with its options (see [`super::POLICIES`]).
    pub policy: String,
    /// Allocator with its options (see [`crate::allocator::ALLOCATORS`]).
    pub allocator: String,
    /// Runtime model with its options (see [`super::MODELS`]).
    pub model: String,
    /// Further models under which the best ordering's saving is found.
    pub other_models: Vec<String>,
    /// Waits of the jobs in queue order as the trace records them; `None` if it does not.
    pub waits: Vec<Option<i64>>,
}

/// Schedules of one trace on several orderings.
#[derive(Clone, Debug, Serialize)]
pub struct Schedules {
    /// Name of the trace.
    pub trace: String,
    /// Policy with its options, as given.
    pub policy: String,
    /// Allocator with its options, as given; `None` if the policy chooses ranks itself.
    pub allocator: Option<String>,
    /// Runtime model with its options, as given.
    pub model: String,
    /// Rule of the policy, in words.
    pub rule: String,
    /// Rule of the runtime model, in words.
    pub model_rule: String,
    /// Node-hours that the best ordering saves; `None` without orderings.
    pub saving: Option<Saving>,
    /// Schedule that the trace itself records, of the jobs that ran on the saving's reference; `None` without waits.
    #[serde(skip)]
    pub recorded: Option<OrderingSchedule>,
    /// Schedule of each ordering, in the order given.
    #[serde(skip)]
    pub rows: Vec<OrderingSchedule>,
}

/// Figures of the schedule of one ordering; times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderingSchedule {
    /// Name of the ordering; `recorded` for what the trace records.
    pub ordering: String,
    /// Number of jobs left out because they have more nodes than the ordering.
    pub too_large: usize,
    /// Figures of the schedule.
    pub summary: ScheduleSummary,
}

impl Schedules {
    /// Finds the ordering with the lowest mean response time, which tables show first; of equal ones the best of the
    /// saving.
    pub fn shortest_response(&self) -> Option<&str> {
        let best = self.saving.as_ref().map(|saving| saving.best.as_str());
        let soonest = self.rows.iter().min_by(|a, b| {
            let a_other = Some(a.ordering.as_str()) != best;
            let b_other = Some(b.ordering.as_str()) != best;
            a.summary
                .mean_response
                .total_cmp(&b.summary.mean_response)
                .then(a_other.cmp(&b_other))
        });
        soonest.map(|row| row.ordering.as_str())
    }

    /// Lists the classes of sizes, first and last size of each, that some ordering has jobs of, ascending.
    pub fn size_classes(&self) -> Vec<(u32, u32)> {
        let classes = self.rows.iter().flat_map(|row| &row.summary.by_size);
        let classes: BTreeSet<(u32, u32)> = classes.map(|class| (class.from, class.to)).collect();
        classes.into_iter().collect()
    }
}

impl OrderingSchedule {
    /// Finds the class of sizes that begins with `from`; `None` if no job has such a size.
    pub fn size_class(&self, from: u32) -> Option<&SizeClass> {
        self.summary.by_size.iter().find(|class| class.from == from)
    }
}

/// Schedule of those tasks that are not too large for an ordering, and a figure of each task.
pub struct FittingSchedule {
    /// Figures of the schedule.
    pub row: OrderingSchedule,
    /// Rule of the policy, in words.
    pub rule: String,
    /// Rule of the runtime model, in words.
    pub model: String,
    /// Whether the policy chose ranks itself, without the allocator.
    pub places_itself: bool,
    /// Figure of each task, in queue order, in seconds; `None` if the task was left out.
    pub figures: Vec<Option<f64>>,
}

/// Schedules those of `tasks` (in queue order) that are not too large for the ordering, and takes `figure`, in ticks,
/// of each that ran. Fails as [`simulate()`].
pub fn schedule_fitting(
    context: &AllocatorContext<'_>,
    tasks: &[Task],
    settings: &TraceSettings,
    model: &str,
    figure: impl Fn(&ScheduleResult, &Record) -> f64,
) -> Result<FittingSchedule> {
    let nodes = context.distances.len();
    let indices: Vec<usize> = (0..tasks.len())
        .filter(|i| tasks[*i].nodes <= nodes)
        .collect();
    // Otherwise one large job would keep a smaller ordering out of the comparison.
    let fitting: Vec<Task> = indices.iter().map(|i| tasks[*i]).collect();
    let settings = Settings {
        policy: &settings.policy,
        allocator: &settings.allocator,
        model,
        metrics: true,
        figures: FigureSet::default(),
        timeline: false,
        rules: None,
    };
    let outcome = simulate(context, &fitting, &settings, &|_| ())?;
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
    Ok(FittingSchedule {
        row,
        rule: outcome.rule,
        model: outcome.model,
        places_itself: outcome.places_itself,
        figures,
    })
}

/// Schedules `tasks`, given in queue order, on every ordering, and finds what the best ordering saves. Tasks too
/// large for an ordering are left out there.
///
/// # Errors
/// As [`simulate()`].
///
/// # Complexity
/// One [`simulate()`] for each ordering; orderings in parallel.
pub fn on_orderings(
    topology: &Topology,
    orders: &[NodeOrder],
    tasks: &[Task],
    settings: &TraceSettings,
) -> Result<Schedules> {
    let made: Vec<FittingSchedule> = orders
        .par_iter()
        .map(|order| schedule_ordering(topology, order, tasks, settings, &settings.model))
        .collect::<Result<_>>()?;
    let seed = topology.context().seed;
    let named: Vec<(&str, &UsedSeconds)> = made
        .iter()
        .map(|made| (made.row.ordering.as_str(), &made.figures))
        .collect();
    let mut saving = Saving::new(&settings.model, tasks, &named, seed);
    if let Some((saving, compared)) = &mut saving {
        // Best and reference under every other model, side by side: each is a simulation of its own.
        let mut cases = Vec::new();
        for model in &settings.other_models {
            cases.extend(compared.map(|index| (model, &orders[index])));
        }
        let used: Vec<UsedSeconds> = cases
            .par_iter()
            .map(|(model, order)| {
                Ok(schedule_ordering(topology, order, tasks, settings, model)?.figures)
            })
            .collect::<Result<_>>()?;
        for (model, used) in settings.other_models.iter().zip(used.chunks(2)) {
            let case = saving::model_saving(model, tasks, &used[0], &used[1], seed);
            saving.models.push(case);
        }
    }
    let reference = saving
        .as_ref()
        .and_then(|(_, [_, reference])| made.get(*reference));
    let recorded = reference.and_then(|made| {
        let nodes = topology.node_count() as u32;
        let summary = summarise_recorded(tasks, &settings.waits, &made.figures, nodes)?;
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

/// Schedules the tasks on one ordering under one model; the figures are node-seconds.
fn schedule_ordering(
    topology: &Topology,
    order: &NodeOrder,
    tasks: &[Task],
    settings: &TraceSettings,
    model: &str,
) -> Result<FittingSchedule> {
    let distances = RankDistances::new(topology, order)?;
    let context = AllocatorContext {
        topology,
        order,
        distances: &distances,
    };
    schedule_fitting(&context, tasks, settings, model, |outcome, record| {
        (record.end - record.start) as f64 * f64::from(outcome.task_of_record(record).nodes)
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
