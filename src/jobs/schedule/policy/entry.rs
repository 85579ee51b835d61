//! The parts of a policy: its entry in the table, what it is built from, and the trait.

use crate::schedule::cluster_state::ClusterState;
use crate::schedule::task::Task;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Fallback, Opt, Params};
use nodeorder_base::registry::Entry;

/// A policy by name: an entry of [`POLICIES`](super::POLICIES). It makes the policy from its parameters.
pub type PolicyEntry = Entry<Build>;

/// Makes a policy from its parameters.
pub type Build = fn(&Params, &PolicyContext<'_>) -> Result<Box<dyn Policy>>;

/// Time between passes of policies that poll.
pub(super) const INTERVAL: Opt = Opt::whole(
    "interval",
    "seconds from one pass to the next; 0: at every event",
)
.or("30");

/// [`INTERVAL`] for policies that have a pass at every event by default.
pub(super) const EVERY_EVENT: Opt = Opt {
    default: Fallback::Value("0"),
    ..INTERVAL
};

/// Tasks, clock and allocator that a policy is built for.
pub struct PolicyContext<'g> {
    /// The tasks in queue order, times in ticks.
    pub(in crate::schedule) tasks: &'g [Task],
    /// Ticks a second.
    pub(in crate::schedule) ticks: i64,
    /// Whether the allocator may refuse free nodes, so that jobs wait for places.
    pub(in crate::schedule) places: bool,
}

impl PolicyContext<'_> {
    /// `interval=`, seconds from one pass to the next; 0 is a pass at every event.
    pub(super) fn passes(&self, params: &Params) -> Result<Passes> {
        const YEAR: i64 = 366 * 86_400;
        Ok(Passes {
            seconds: params.whole("interval", 0, YEAR)?,
            ticks: self.ticks,
        })
    }
}

/// When a policy has its passes.
#[derive(Clone, Copy)]
pub(super) struct Passes {
    seconds: i64,
    /// Ticks a second.
    ticks: i64,
}

impl Passes {
    pub fn interval(&self) -> i64 {
        self.seconds * self.ticks
    }

    pub fn in_words(&self) -> String {
        match self.seconds {
            0 => "a pass at every instant at which something happened".into(),
            s => format!("a pass every {s} seconds from the first submit"),
        }
    }

    /// As [`Passes::in_words`], with the order of events.
    pub fn after_instants(&self) -> String {
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
