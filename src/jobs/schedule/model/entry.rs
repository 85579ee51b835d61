//! The parts of a runtime model: its entry in the table, the traits, and helpers that several models share.

use crate::allocator::AllocatorContext;
use crate::schedule::task::Task;
use nodeorder_base::{Entry, Opt, Params, Ranks, Result};
use nodeorder_order::metric::allocation::AllocationMetrics;

/// Runtime model by name: an entry of [`MODELS`](super::MODELS).
pub type ModelEntry = Entry<ParseModel>;

/// Function that reads and checks the options of a model.
pub type ParseModel = fn(&Params) -> Result<Box<dyn BuildModel>>;

/// Checked options of a model.
pub trait BuildModel {
    /// Builds the model for a number of tasks.
    ///
    /// # Errors
    /// Fails if the machine lacks something that the model needs, or if a file cannot be read.
    fn build_model<'a>(
        self: Box<Self>,
        context: &AllocatorContext<'a>,
        tasks: usize,
    ) -> Result<Box<dyn Model + 'a>>;

    /// Checks whether durations may differ from the trace's run times.
    fn stretches_times(&self) -> bool {
        true
    }

    /// Checks whether durations depend on the capacities of links.
    fn uses_links(&self) -> bool {
        false
    }
}

/// Task that starts and its allocation, as models see them.
pub struct StartedTask<'s> {
    /// Index of the task in queue order.
    pub index: u32,
    /// Task, with times in ticks.
    pub task: &'s Task,
    /// Ranks of the task's allocation.
    pub ranks: &'s Ranks,
    /// Metrics of the allocation, if [`Model::needs_metrics`] asks for them.
    pub placement: Option<&'s AllocationMetrics>,
    /// Start time, in ticks.
    pub now: i64,
}

/// Option `base`, as [`parse_base`] reads it.
pub const BASE: Opt = Opt::number("base", "hops that the trace's run times stand for")
    .default_in_words("those of a compact allocation");

/// Time that tasks lost against the trace's run times, by cause, in nodes times ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostNodeTime {
    /// Lost to the tasks' own links: time alone on their nodes, less the trace's run times, without latency;
    /// below 0 if they ran faster.
    pub links: i128,
    /// Lost to latency: that of their nodes, less that of the compact allocation.
    pub latency: i128,
    /// Lost to sharing: time beside others, less time alone on the same nodes.
    pub sharing: i128,
    /// Number of tasks ended at their requested times.
    pub killed: u32,
}

/// Decides how long tasks run. Times are ticks; tasks are known by their index in queue order.
pub trait Model: Send {
    /// Describes the model with its options, as results quote it.
    fn describe_rule(&self) -> String;

    /// Checks whether the model needs the metrics of allocations.
    fn needs_metrics(&self) -> bool {
        false
    }

    /// Computes how long a task that starts now will run if nothing changes, in ticks. Fails if the machine lacks
    /// something that the model needs.
    fn start_task(&mut self, start: &StartedTask<'_>) -> Result<i64>;

    /// Returns the time lost by all tasks that have ended; `None` if the model does not measure it.
    fn lost_time(&self) -> Option<LostNodeTime> {
        None
    }

    /// Takes note that a task has ended.
    fn end_task(&mut self, _task: u32) {}

    /// Moves the ends of running tasks, after all starts and ends at `now`: `moves(task, end)` gives a task
    /// another end, after `now`. Fails if the machine lacks something that the model needs.
    fn settle_ends(&mut self, _now: i64, _moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        Ok(())
    }
}

/// Reads `base=`, the hops that the trace's run times stand for; `None` if it is not given.
pub fn parse_base(params: &Params) -> Result<Option<f64>> {
    params.optional_real("base", 0.0, 1e6)
}

/// Describes the reference distance d₀.
pub fn describe_reference(base: Option<f64>) -> String {
    match base {
        Some(hops) => format!("= {hops} hops"),
        None => "that of a compact placement".into(),
    }
}

/// Multiplies `ticks` by `factor`, rounded to the nearest tick, at least 1.
pub fn scale_ticks(ticks: i64, factor: f64) -> i64 {
    ((ticks as f64 * factor).round() as i64).max(1)
}
