//! Policies: which jobs start when.
//!
//! Each policy is one file with a [`PolicyEntry`]; [`POLICIES`] is the table that names them all. A
//! [`Policy`] keeps the queue; at its passes it starts tasks on the [`ClusterState`].

pub use super::cluster_state::ClusterState;
pub use super::running::Assumed;

use super::Task;
use crate::error::Result;
use crate::params::{Opt, Params};
use crate::registry::{Entry, Registry};

mod conservative;
mod easy;
mod fcfs;
mod profile;
mod size_first;
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

/// What policies are made on.
pub struct PolicyContext<'g> {
    /// The tasks in queue order, times in ticks.
    tasks: &'g [Task],
    /// Ticks a second.
    ticks: i64,
}

impl PolicyContext<'_> {
    /// `interval=`, seconds from one pass to the next; 0 is a pass at every event.
    fn passes(&self, params: &Params) -> Result<Passes> {
        const YEAR: i64 = 366 * 86_400;
        Ok(Passes { seconds: params.whole("interval", 0, YEAR)?, ticks: self.ticks })
    }
}

/// When a policy that polls has its passes.
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

    /// Whether it chooses ranks itself, without the allocator.
    fn chooses_ranks(&self) -> bool {
        false
    }
}

/// Makes the policy that `text` asks for, for `tasks` in queue order with times in ticks.
pub(super) fn make(text: &str, tasks: &[Task], ticks: i64, seed: u64) -> Result<Box<dyn Policy>> {
    let (entry, params) = POLICIES.read(text, seed)?;
    let policy = (entry.build)(&params, &PolicyContext { tasks, ticks })?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_ask_for_what_they_declare() {
        let context = PolicyContext { tasks: &[], ticks: 1 };
        crate::registry::testing::check(&POLICIES, |entry, params| {
            (entry.build)(params, &context).map(|_| ())
        });
    }
}
