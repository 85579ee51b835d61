//! Policies: which jobs start when.
//!
//! Each policy is one file with a [`PolicyEntry`]; [`POLICIES`] is the table that names them all. A
//! [`Policy`] keeps the queue; at its passes it starts tasks on the [`ClusterState`].

pub use super::cluster_state::{Attempt, ClusterState, Found};
pub use super::running::Assumed;

use super::Task;
use crate::error::Result;
use crate::params::{Fallback, Opt, Params};
use crate::registry::{Entry, Registry};

mod conservative;
mod conservative_places;
mod easy;
mod easy_places;
mod estimates;
mod fcfs;
mod profile;
mod size_first;
mod steps;
mod window;

/// A policy by name: an entry of [`POLICIES`]. It makes the policy from its parameters.
pub type PolicyEntry = Entry<Build>;

type Build = fn(&Params, &PolicyContext<'_>) -> Result<Box<dyn Policy>>;

/// Every policy.
pub static POLICIES: Registry<Build> = Registry::new(
    "policy",
    "--policy",
    &[
        fcfs::FCFS,
        easy::EASY,
        conservative::CONSERVATIVE,
        size_first::SIZE_FIRST,
        window::EXACT,
        window::GREEDY,
    ],
);

/// Time between passes of policies that poll.
const INTERVAL: Opt =
    Opt::whole("interval", "seconds from one pass to the next; 0: at every event").or("30");

/// The same for policies that have a pass at every event unless asked.
const EVERY_EVENT: Opt = Opt { default: Fallback::Value("0"), ..INTERVAL };

/// What policies are made on.
pub struct PolicyContext<'g> {
    /// The tasks in queue order, times in ticks.
    pub(super) tasks: &'g [Task],
    /// Ticks a second.
    pub(super) ticks: i64,
    /// Whether the allocator may refuse free nodes, so that jobs wait for places.
    pub(super) places: bool,
}

impl PolicyContext<'_> {
    /// `interval=`, seconds from one pass to the next; 0 is a pass at every event.
    fn passes(&self, params: &Params) -> Result<Passes> {
        const YEAR: i64 = 366 * 86_400;
        Ok(Passes { seconds: params.whole("interval", 0, YEAR)?, ticks: self.ticks })
    }
}

/// When a policy has its passes.
#[derive(Clone, Copy)]
struct Passes {
    seconds: i64,
    /// Ticks a second.
    ticks: i64,
}

impl Passes {
    fn interval(&self) -> i64 {
        self.seconds * self.ticks
    }

    fn in_words(&self) -> String {
        match self.seconds {
            0 => "a pass at every instant at which something happened".into(),
            s => format!("a pass every {s} seconds from the first submit"),
        }
    }

    /// As [`Passes::in_words`], with the order of events.
    fn after_instants(&self) -> String {
        match self.seconds {
            0 => "all ends, then all submits of an instant, then one pass".into(),
            _ => self.in_words(),
        }
    }
}

/// Keeps the queue and decides which tasks start when. Tasks are known by their index in queue order: submit, then file
/// order.
pub trait Policy: Send {
    /// The rule, in words, as results quote it.
    fn rule(&self) -> String;

    /// A task joins the queue, after the ends of the same instant.
    fn submitted(&mut self, task: u32, machine: &ClusterState<'_, '_>);

    /// A task has ended; its nodes are free.
    fn ended(&mut self, _task: u32, _machine: &ClusterState<'_, '_>) {}

    /// Starts the tasks that may start now.
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

    /// Whether it asks for [`ClusterState::free_components`].
    fn needs_components(&self) -> bool {
        false
    }

    /// Whether it chooses ranks itself, without the allocator.
    fn chooses_ranks(&self) -> bool {
        false
    }
}

/// Makes the policy that `text` asks for.
pub(super) fn make(text: &str, context: &PolicyContext<'_>, seed: u64) -> Result<Box<dyn Policy>> {
    let (entry, params) = POLICIES.read(text, seed)?;
    let policy = (entry.build)(&params, context)?;
    params.finish()?;
    Ok(policy)
}

/// Checks the spelling of a policy without tasks.
///
/// # Errors
/// An unknown name, bad parameters.
pub fn check(text: &str) -> Result<()> {
    make(text, &PolicyContext { tasks: &[], ticks: 1, places: false }, 1).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_ask_for_what_they_declare() {
        for places in [false, true] {
            let context = PolicyContext { tasks: &[], ticks: 1, places };
            crate::registry::testing::check(&POLICIES, |entry, params| {
                (entry.build)(params, &context).map(|_| ())
            });
        }
    }
}
