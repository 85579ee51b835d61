//! What a search for the best shares returns, and when it ends.

use nodeorder_base::observer::Observer;

/// Rounds after which a search ends that no clock stops.
const ROUNDS: usize = 100_000;

/// Loads of a routing, and how good it is.
#[derive(Clone, Debug)]
pub struct Throughput {
    /// The load of every directed link, before division by capacity, in the order of
    /// [`nodeorder_network::topology::RouterGraph`].
    pub loads: Vec<f64>,
    /// The largest load over capacity.
    pub contention: f64,
    /// The least that the largest load over capacity can be, with the same freedom: proved.
    pub floor: f64,
    /// Volume on detours over volume between routers, where routing has detours.
    pub valiant_share: Option<f64>,
    /// How it was found: `classes`, `paths` or `flow`.
    pub method: &'static str,
    /// Whether time ran out before the gap was reached.
    pub stopped: bool,
}

impl Throughput {
    /// The multiple of the traffic that the routing carries.
    pub fn found(&self) -> f64 {
        1.0 / self.contention
    }

    /// The multiple that no routing of the same freedom exceeds.
    pub fn at_most(&self) -> f64 {
        1.0 / self.floor
    }

    /// The part by which the routing may stay below the best.
    pub fn gap(&self) -> f64 {
        1.0 - self.floor / self.contention
    }
}

/// Results of a search so far.
#[derive(Clone)]
pub(super) struct FlowSolution {
    pub(super) loads: Vec<f64>,
    pub(super) worst: f64,
    pub(super) floor: f64,
    /// Volume on detours.
    pub(super) detoured: Option<f64>,
}

impl FlowSolution {
    /// The better routing of two, and the better floor.
    pub(super) fn or(self, other: Option<FlowSolution>) -> FlowSolution {
        let Some(other) = other else { return self };
        let floor = self.floor.max(other.floor);
        FlowSolution {
            floor,
            ..if other.worst < self.worst {
                other
            } else {
                self
            }
        }
    }
}

/// When a search ends.
pub(super) struct StopCondition<'a> {
    pub(super) gap: f64,
    /// By the observer's clock.
    pub(super) until: Option<f64>,
    pub(super) observer: &'a dyn Observer,
}

impl StopCondition<'_> {
    /// Whether to end before the next round.
    pub(super) fn now(&self, round: usize, found: &FlowSolution) -> bool {
        self.observer.progress(found.worst, found.floor);
        found.floor >= found.worst * (1.0 - self.gap) || round >= ROUNDS || self.over()
    }

    /// Whether time is over.
    pub(super) fn over(&self) -> bool {
        let late = |now: f64| self.until.is_some_and(|until| now >= until);
        self.observer.should_stop() || self.observer.seconds().is_some_and(late)
    }
}
