//! Runtime models: for how long a task runs where it was placed.
//!
//! Each model is one file with a [`ModelEntry`]; [`MODELS`] is the table that names them all.

use super::Start;
use crate::allocator::AllocatorContext;
use crate::error::Result;
use crate::mapping::RoutingEntry;
use crate::mapping::routing::suitable;
use crate::params::{Opt, Params};
use crate::registry::{Entry, Registry};
use crate::topology::Topology;

mod compact;
mod contention;
mod contiguity;
mod distance;
mod fixed;
mod network;

/// A runtime model by name: an entry of [`MODELS`].
pub type ModelEntry = Entry<BuildModel>;

/// How a model is made.
#[derive(Clone, Copy)]
pub struct BuildModel {
    /// Whether durations may differ from the trace's run times.
    stretches: bool,
    /// Makes the model of so many tasks from its parameters.
    make: for<'a> fn(&Params, &AllocatorContext<'a>, usize) -> Result<Box<dyn Model + 'a>>,
}

/// Every model.
pub static MODELS: Registry<BuildModel> = Registry::new(
    "model",
    "--model",
    &[
        fixed::FIXED,
        contiguity::CONTIGUITY,
        distance::DISTANCE,
        contention::CONTENTION,
        network::NETWORK,
    ],
);

/// The option of [`base`].
const BASE: Opt = Opt::number("base", "hops that the trace's run times stand for")
    .or_else("those of a compact allocation");

/// What tasks took beyond the trace's run times, in nodes times ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Alone where they were, less the trace's run times: below 0 where they ran faster.
    pub distance: i128,
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
    /// What the model finds wrong with the machine.
    fn start(&mut self, start: &Start<'_>) -> Result<i64>;

    /// What all tasks that have ended took beyond the trace, where the model says so.
    fn lost(&self) -> Option<Lost> {
        None
    }

    /// A task has ended.
    fn end(&mut self, _task: u32) {}

    /// Called after all that happens at `now`: `moves(task, end)` gives a running task another end, after
    /// `now`.
    ///
    /// # Errors
    /// What the model finds wrong with the machine.
    fn settle(&mut self, _now: i64, _moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        Ok(())
    }
}

/// Checks that there is a model of the name that `text` begins with.
///
/// # Errors
/// There is none.
pub fn check(text: &str) -> Result<()> {
    MODELS.find(text).map(|_| ())
}

/// Makes the model that `text` asks for, and says whether it stretches run times.
pub(super) fn make<'a>(
    text: &str,
    context: &AllocatorContext<'a>,
    tasks: usize,
) -> Result<(Box<dyn Model + 'a>, bool)> {
    let (entry, params) = MODELS.read(text, context.topology.context().seed)?;
    let model = (entry.build.make)(&params, context, tasks)?;
    params.finish()?;
    Ok((model, entry.build.stretches))
}

/// `routing=`, or the first that suits the machine; refused where it does not.
fn routing(params: &Params, topology: &Topology) -> Result<&'static RoutingEntry> {
    let routing = match params.word("routing")? {
        Some(name) => RoutingEntry::named(&name)?,
        None => suitable(topology)
            .into_iter()
            .next()
            .ok_or_else(|| params.wrong("routing", "a routing"))?,
    };
    routing.check(topology)?;
    Ok(routing)
}

/// `base=`: the hops that the trace's run times stand for, where it is given.
fn base(params: &Params) -> Result<Option<f64>> {
    params.real("base", 0.0, 1e6)
}

/// What d₀ is, in words.
fn reference(base: Option<f64>) -> String {
    base.map_or_else(|| "that of a compact placement".into(), |hops| format!("= {hops} hops"))
}

/// `ticks` times `factor`, to the nearest, at least 1.
fn stretched(ticks: i64, factor: f64) -> i64 {
    ((ticks as f64 * factor).round() as i64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::rank_distances::RankDistances;
    use crate::ordering::NodeOrder;
    use crate::topology::Context;

    #[test]
    fn models_ask_for_what_they_declare() {
        let topology = Topology::inline("torus:4x4", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "snake").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context =
            AllocatorContext { topology: &topology, order: &order, distances: &distances };
        crate::registry::testing::check(&MODELS, |entry, params| {
            (entry.build.make)(params, &context, 8).map(|_| ())
        });
    }
}
