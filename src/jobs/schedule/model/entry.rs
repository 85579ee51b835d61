//! The parts of a runtime model: its entry in the table, the trait, and what several models share.

use crate::allocator::AllocatorContext;
use crate::schedule::task::Task;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_base::ranks::Ranks;
use nodeorder_base::registry::Entry;
use nodeorder_order::metric::allocation::AllocationMetrics;

/// A runtime model by name: an entry of [`MODELS`](super::MODELS).
pub type ModelEntry = Entry<ParseModel>;

/// Reads and checks the options of a model.
pub type ParseModel = fn(&Params) -> Result<Box<dyn BuildModel>>;

/// The options of a model.
pub trait BuildModel {
    /// Makes the model for so many tasks.
    ///
    /// # Errors
    /// The machine lacks something that the model needs; a file that cannot be read.
    fn build<'a>(
        &self,
        context: &AllocatorContext<'a>,
        tasks: usize,
    ) -> Result<Box<dyn Model + 'a>>;

    /// Returns whether durations may differ from the trace's run times.
    fn stretches(&self) -> bool {
        true
    }

    /// Returns whether durations depend on the capacities of links.
    fn uses_links(&self) -> bool {
        false
    }
}

/// A task that starts, as models see it.
pub struct Start<'s> {
    /// Its index in queue order.
    pub index: u32,
    /// The task, times in ticks.
    pub task: &'s Task,
    /// Ranks of its allocation.
    pub ranks: &'s Ranks,
    /// Metrics of that, where [`Model::measures`] asks for them.
    pub placement: Option<&'s AllocationMetrics>,
    /// The time, in ticks.
    pub now: i64,
}

/// The option `base`, as [`parse_base`] reads it.
pub(super) const BASE: Opt = Opt::number("base", "hops that the trace's run times stand for")
    .or_else("those of a compact allocation");

/// Time that tasks took beyond the trace's run times, in nodes times ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// To their own links: alone where they were, less the trace's run times, without latency; below 0 where they ran
    /// faster.
    pub links: i128,
    /// To latency: alone where they were, less the compact allocation.
    pub latency: i128,
    /// Beside the others, less alone.
    pub sharing: i128,
    /// Tasks ended at their requested times.
    pub killed: u32,
}

/// Says how long tasks run. Times are ticks; tasks are known by their index in queue order.
pub trait Model: Send {
    /// The model with its parameters, in words, as results quote it.
    fn rule(&self) -> String;

    /// Whether it needs the metrics of placements.
    fn measures(&self) -> bool {
        false
    }

    /// How long a task that starts now will run as things stand.
    ///
    /// # Errors
    /// The machine lacks something that the model needs.
    fn start(&mut self, start: &Start<'_>) -> Result<i64>;

    /// Time lost by all tasks that have ended; none where the model does not measure it.
    fn lost(&self) -> Option<Lost> {
        None
    }

    /// A task has ended.
    fn end(&mut self, _task: u32) {}

    /// Called after all that happens at `now`: `moves(task, end)` gives a running task another end, after
    /// `now`.
    ///
    /// # Errors
    /// The machine lacks something that the model needs.
    fn settle(&mut self, _now: i64, _moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        Ok(())
    }
}

/// Reads `base=`, the hops that the trace's run times stand for; `None` if it is not given.
pub(super) fn parse_base(params: &Params) -> Result<Option<f64>> {
    params.real("base", 0.0, 1e6)
}

/// The reference distance d₀ in words.
pub(super) fn reference(base: Option<f64>) -> String {
    base.map_or_else(
        || "that of a compact placement".into(),
        |hops| format!("= {hops} hops"),
    )
}

/// `ticks` times `factor`, to the nearest, at least 1.
pub(super) fn stretched(ticks: i64, factor: f64) -> i64 {
    ((ticks as f64 * factor).round() as i64).max(1)
}
