//! The parts of a policy: its entry in the table, what it is built from, and the trait.

use crate::schedule::cluster_state::ClusterState;
use crate::schedule::task::Task;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Fallback, Opt, Params};
use nodeorder_base::registry::Entry;

/// A policy by name: an entry of [`POLICIES`](super::POLICIES).
pub type PolicyEntry = Entry<ParsePolicy>;

/// Reads and checks the options of a policy.
pub type ParsePolicy = fn(&Params) -> Result<Box<dyn BuildPolicy>>;

/// The options of a policy.
pub trait BuildPolicy {
    /// Makes the policy for some tasks and an allocator.
    fn build(&self, context: &PolicyContext<'_>) -> Box<dyn Policy>;
}

/// A policy that needs no more than its options is built as it was parsed.
impl<P: Policy + Clone + 'static> BuildPolicy for P {
    fn build(&self, _: &PolicyContext<'_>) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

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

/// Tasks and allocator that a policy is built for.
pub struct PolicyContext<'g> {
    /// The tasks in queue order, times in ticks.
    pub(in crate::schedule) tasks: &'g [Task],
    /// Whether the allocator may refuse free nodes, so that jobs wait for places.
    pub(in crate::schedule) places: bool,
}

/// When a policy has its passes.
#[derive(Clone, Copy)]
pub(super) struct Passes {
    seconds: i64,
}

impl Passes {
    /// Reads `interval=`. Fails if it is no number of seconds in a year.
    pub fn parse(params: &Params) -> Result<Self> {
        const YEAR: i64 = 366 * 86_400;
        Ok(Passes {
            seconds: params.whole("interval", 0, YEAR)?,
        })
    }

    /// Returns the seconds from one pass to the next; 0 is a pass at every event.
    pub fn interval(self) -> i64 {
        self.seconds
    }

    pub fn in_words(self) -> String {
        match self.seconds {
            0 => "a pass at every instant at which something happened".into(),
            s => format!("a pass every {s} seconds from the first submit"),
        }
    }

    /// As [`Passes::in_words`], with the order of events.
    pub fn after_instants(self) -> String {
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

    /// Number of tasks that wait.
    fn waiting(&self) -> usize;

    /// Returns the seconds from one pass to the next, counted from the first submit; 0 for a pass at every event.
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
