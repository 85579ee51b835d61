//! Policies: who starts when.
//!
//! Each policy is one file with a [`PolicyEntry`] constant; [`POLICIES`] is the table that names them all. A
//! [`Policy`] keeps the queue; at its passes it starts tasks on the [`ClusterState`].

pub use super::cluster_state::ClusterState;
pub use super::running::Assumed;

use super::Task;
use crate::error::{Error, Result, SourceLocation};
use crate::params::{self, Params};

mod conservative;
mod easy;
mod fcfs;
mod profile;
mod size_first;
mod window;

/// A policy: a line of [`POLICIES`].
pub struct PolicyEntry {
    /// The name, as in `--policy easy`.
    pub name: &'static str,
    /// The key of the bare first parameter, where there is one.
    pub positional: Option<&'static str>,
    /// One line for lists.
    pub about: &'static str,
    /// A use that works.
    pub example: &'static str,
    /// Makes the policy from its parameters.
    build: fn(&Params, &PolicyContext<'_>) -> Result<Box<dyn Policy>>,
}

/// Every policy, in the order of lists.
pub const POLICIES: &[PolicyEntry] = &[
    fcfs::FCFS,
    easy::EASY,
    conservative::CONSERVATIVE,
    size_first::SIZE_FIRST,
    window::EXACT,
    window::GREEDY,
];

/// What policies are made on.
struct PolicyContext<'g> {
    /// The tasks in queue order, times in ticks.
    tasks: &'g [Task],
    /// Ticks a second.
    ticks: i64,
}

impl PolicyContext<'_> {
    /// `interval=`, seconds from one pass to the next; in ticks. 0 is a pass at every event.
    fn interval(&self, params: &Params) -> Result<i64> {
        const YEAR: i64 = 366 * 86_400;
        Ok(params.integer("interval", 0, YEAR)?.unwrap_or(30) * self.ticks)
    }
}

/// Keeps the queue and says who starts when. Tasks are told by their index in queue order: submit, then file
/// order.
pub trait Policy: Send {
    /// The rule, in words, as results quote it.
    fn rule(&self) -> String;

    /// A task joins the queue, after the ends of the same instant.
    fn submitted(&mut self, task: u32, machine: &ClusterState<'_, '_>);

    /// A task has ended; its nodes are free.
    fn ended(&mut self, _task: u32, _machine: &ClusterState<'_, '_>) {}

    /// Starts whom the rule lets start now.
    fn pass(&mut self, machine: &mut ClusterState<'_, '_>);

    /// How many tasks wait.
    fn waiting(&self) -> usize;

    /// Ticks from one pass to the next, counted from the first submit; 0 for a pass whenever something
    /// happened.
    fn interval(&self) -> i64 {
        0
    }

    /// Whether there is a pass after every single event instead of one after all events of an instant.
    fn pass_per_event(&self) -> bool {
        false
    }

    /// Whether it chooses ranks itself, without the allocator.
    fn places(&self) -> bool {
        false
    }
}

/// Makes the policy that `text` asks for, for `tasks` in queue order with times in ticks.
pub(super) fn make(text: &str, tasks: &[Task], ticks: i64, seed: u64) -> Result<Box<dyn Policy>> {
    let head = params::head(text);
    let rule = POLICIES.iter().find(|p| p.name == head).ok_or_else(|| {
        let location = SourceLocation::option(format!("--policy {text}"));
        Error::unknown(location, "policy", head, POLICIES.iter().map(|p| p.name))
    })?;
    let params = Params::inline(text, rule.positional, seed)?;
    let policy = (rule.build)(&params, &PolicyContext { tasks, ticks })?;
    params.finish()?;
    Ok(policy)
}

/// Checks the spelling of a policy without tasks.
///
/// # Errors
/// An unknown name, bad parameters.
pub fn check(text: &str) -> Result<()> {
    make(text, &[], 1, 1).map(|_| ())
}
