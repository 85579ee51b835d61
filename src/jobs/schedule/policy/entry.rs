//! The parts of a policy: its entry in the table, the context that it is built for, and the trait.

use crate::schedule::cluster_state::ClusterState;
use crate::schedule::task::Task;
use nodeorder_base::params::Fallback;
use nodeorder_base::{Entry, Opt, Params, Result};

/// Policy by name: an entry of [`POLICIES`](super::POLICIES).
pub type PolicyEntry = Entry<ParsePolicy>;

/// Function that reads and checks the options of a policy.
pub type ParsePolicy = fn(&Params) -> Result<Box<dyn BuildPolicy>>;

/// Checked options of a policy.
pub trait BuildPolicy {
    /// Builds the policy for the tasks and the allocator of a simulation.
    fn build_policy(&self, context: &PolicyContext<'_>) -> Box<dyn Policy>;
}

/// A policy that needs no more than its options is built as it was parsed.
impl<P: Policy + Clone + 'static> BuildPolicy for P {
    fn build_policy(&self, _: &PolicyContext<'_>) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// Option `interval`: seconds between passes, for policies that poll by default.
pub const INTERVAL: Opt = Opt::whole(
    "interval",
    "seconds from one pass to the next; 0: at every event",
)
.default_value("30");

/// Option `interval` for policies that have a pass at every event by default.
pub const EVERY_EVENT: Opt = Opt {
    default: Fallback::Value("0"),
    ..INTERVAL
};

/// Tasks of the simulation and kind of allocator, for which a policy is built.
pub struct PolicyContext<'g> {
    /// Tasks in queue order, times in ticks.
    pub(in crate::schedule) tasks: &'g [Task],
    /// Whether the allocator may refuse free nodes, so that jobs wait for places.
    pub(in crate::schedule) places: bool,
    /// Ticks per second.
    pub(in crate::schedule) ticks: i64,
}

/// Times at which a policy has its passes; by default one at each instant at which something happened.
#[derive(Clone, Copy, Default)]
pub struct Passes {
    /// Seconds from one pass to the next, counted from the first submit; 0 for no fixed times.
    pub seconds: i64,
    /// Whether there is a pass after every single event instead of one after all events of an instant.
    pub per_event: bool,
}

impl Passes {
    /// Reads `interval=`. Fails if it is no number of seconds in a year.
    pub fn parse(params: &Params) -> Result<Self> {
        const YEAR: i64 = 366 * 86_400;
        Ok(Passes {
            seconds: params.required_integer("interval", 0, YEAR)?,
            per_event: false,
        })
    }

    /// Describes the times of passes, as results quote them.
    pub fn describe(self) -> String {
        match self.seconds {
            0 => "a pass of the scheduler whenever something happened".into(),
            s => format!("a pass of the scheduler every {s} seconds from the first submit"),
        }
    }

    /// Describes the times of passes as [`Passes::describe`] does, with the order of events of one instant.
    pub fn describe_order(self) -> String {
        if self.per_event {
            return "a pass of the scheduler after every event, ends first, in the order of starts"
                .into();
        }
        match self.seconds {
            0 => {
                "at each instant all ends, then all submits, then one pass of the scheduler".into()
            }
            _ => self.describe(),
        }
    }
}

/// Times of passes on the clock of a simulation; by default all times.
#[derive(Clone, Copy, Default)]
pub(in crate::schedule) struct PassTimes {
    /// Time of the first submit, from which passes are counted.
    first: i64,
    /// Ticks from one pass to the next; 0 if there may be a pass at any time.
    pub interval: i64,
}

impl PassTimes {
    /// Places the passes of a policy on the clock of its simulation.
    pub fn new(passes: Passes, context: &PolicyContext<'_>) -> Self {
        PassTimes {
            first: context.tasks.first().map_or(0, |task| task.submit),
            interval: passes.seconds * context.ticks,
        }
    }

    /// Computes the first time from `time` on at which there may be a pass: `time` itself without an interval, else the
    /// next whole number of intervals after the first submit.
    pub fn next_pass(self, time: i64) -> i64 {
        if self.interval == 0 {
            return time;
        }
        time + (self.first - time).rem_euclid(self.interval)
    }
}

/// Keeps the queue and decides which tasks start when. Tasks are known by their index in queue order: submit, then
/// file order.
pub trait Policy: Send {
    /// Describes the policy with its options, as results quote it.
    fn describe_rule(&self) -> String;

    /// Adds a task to the queue, after the ends of the same instant.
    fn add_task(&mut self, task: u32, machine: &ClusterState<'_>);

    /// Takes note that a task has ended; its nodes are free.
    fn task_ended(&mut self, _task: u32, _machine: &ClusterState<'_>) {}

    /// Starts the tasks that may start now.
    fn start_tasks(&mut self, machine: &mut ClusterState<'_>);

    /// Finds the next time, after the policy's last pass, at which it starts a task even if nothing happens before.
    /// `None` if it starts tasks only when something happens.
    fn next_start(&self) -> Option<i64> {
        None
    }

    /// Chooses the times of the policy's passes.
    fn passes(&self) -> Passes {
        Passes::default()
    }

    /// Checks whether the policy uses [`ClusterState::find_components`].
    fn needs_components(&self) -> bool {
        false
    }

    /// Checks whether the policy chooses ranks itself, without the allocator.
    fn chooses_ranks(&self) -> bool {
        false
    }
}
