//! The parts of a runtime model: its entry in the table, the trait, and what several models share.

use crate::allocator::AllocatorContext;
use crate::schedule::task::Task;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_base::ranks::Ranks;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::allocation::AllocationMetrics;
use nodeorder_traffic::mapping::FixedRouting;
use nodeorder_traffic::mapping::routing::suitable;

/// A runtime model by name: an entry of [`MODELS`](super::MODELS).
pub type ModelEntry = Entry<BuildModel>;

/// How a model is made.
#[derive(Clone, Copy)]
pub struct BuildModel {
    /// Whether durations may differ from the trace's run times.
    pub(super) stretches: bool,
    /// Whether durations depend on the capacities of links.
    pub(super) links: bool,
    /// Makes the model of so many tasks from its parameters.
    pub(super) make:
        for<'a> fn(&Params, &AllocatorContext<'a>, usize) -> Result<Box<dyn Model + 'a>>,
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

/// The option `base`, as [`base`] reads it.
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

/// `routing=`, or the first that suits the machine; refused where it does not.
pub(super) fn routing(params: &Params, topology: &Topology) -> Result<FixedRouting> {
    let routing = match params.word("routing")? {
        Some(name) => FixedRouting::named(&name)?,
        None => suitable(topology)
            .into_iter()
            .next()
            .ok_or_else(|| params.wrong("routing", "a routing"))?,
    };
    routing.check(topology)?;
    Ok(routing)
}

/// `base=`: the hops that the trace's run times stand for, where it is given.
pub(super) fn base(params: &Params) -> Result<Option<f64>> {
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
