//! Runtime models: for how long a task runs where it was placed.
//!
//! Each model is one file with a [`ModelEntry`] constant; [`MODELS`] is the table that names them all.

use super::Start;
use crate::allocator::AllocatorContext;
use crate::error::{Error, Result, SourceLocation};
use crate::params::{self, Params};

mod apps;
mod compact;
mod contention;
mod contiguity;
mod distance;
mod fixed;

pub use apps::{APPLICATIONS, Application};

/// A model: a line of [`MODELS`].
pub struct ModelEntry {
    /// The name, as in `--model fixed`.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// A use that works.
    pub example: &'static str,
    /// Whether durations may differ from the trace's run times.
    stretches: bool,
    /// Makes the model of so many tasks from its parameters.
    build: for<'a> fn(&Params, &AllocatorContext<'a>, usize) -> Result<Box<dyn Model + 'a>>,
}

/// Every model, in the order of lists.
pub const MODELS: &[ModelEntry] =
    &[fixed::FIXED, contiguity::CONTIGUITY, distance::DISTANCE, contention::CONTENTION];

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
    named(text).map(|_| ())
}

fn named(text: &str) -> Result<&'static ModelEntry> {
    let head = params::head(text);
    MODELS.iter().find(|m| m.name == head).ok_or_else(|| {
        let location = SourceLocation::option(format!("--model {text}"));
        Error::unknown(location, "model", head, MODELS.iter().map(|m| m.name))
    })
}

/// Makes the model that `text` asks for, and says whether it stretches run times.
pub(super) fn make<'a>(
    text: &str,
    context: &AllocatorContext<'a>,
    tasks: usize,
) -> Result<(Box<dyn Model + 'a>, bool)> {
    let rule = named(text)?;
    let params = Params::inline(text, None, context.topology.context().seed)?;
    let model = (rule.build)(&params, context, tasks)?;
    params.finish()?;
    Ok((model, rule.stretches))
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
