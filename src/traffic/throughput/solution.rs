//! Results of a search for the best shares, and when it ends.

use nodeorder_base::Observer;

/// Rounds after which a search ends that no clock stops.
pub(super) const ROUNDS: usize = 100_000;

/// Loads of a routing, and how good it is.
#[derive(Clone, Debug)]
pub struct Throughput {
    /// Load of every directed link, before division by capacity, in the order of
    /// [`nodeorder_network::topology::RouterGraph`].
    pub loads: Vec<f64>,
    /// Largest load over capacity.
    pub contention: f64,
    /// Proved floor under the largest load over capacity of any routing with the same freedom.
    pub floor: f64,
    /// Volume on detours over volume between routers; none where routing has no detours.
    pub valiant_share: Option<f64>,
    /// How it was found: `classes`, `exact`, `paths` or `flow`.
    pub method: &'static str,
    /// Whether time ran out before the gap was reached.
    pub stopped: bool,
}

impl Throughput {
    /// Computes the multiple of the traffic that the routing carries.
    pub fn carried_multiple(&self) -> f64 {
        1.0 / self.contention
    }

    /// Computes the multiple that no routing of the same freedom exceeds.
    pub fn carried_at_most(&self) -> f64 {
        1.0 / self.floor
    }

    /// Computes the part by which the routing may stay below the best.
    pub fn relative_gap(&self) -> f64 {
        1.0 - self.floor / self.contention
    }
}

/// Best routing and best floor that a search found so far.
#[derive(Clone)]
pub(super) struct FlowSolution {
    /// Load of every directed link.
    pub(super) loads: Vec<f64>,
    /// Largest load over capacity.
    pub(super) worst: f64,
    /// Proved floor under it.
    pub(super) floor: f64,
    /// Volume on detours; none where the routing has none.
    pub(super) detoured: Option<f64>,
}

impl FlowSolution {
    /// Keeps the better routing of two, and the better floor.
    pub(super) fn keep_better(self, other: Option<FlowSolution>) -> FlowSolution {
        let Some(other) = other else { return self };
        let floor = self.floor.max(other.floor);
        let better = if other.worst < self.worst {
            other
        } else {
            self
        };
        FlowSolution { floor, ..better }
    }
}

/// Conditions under which a search ends.
pub(super) struct SearchLimits<'a> {
    /// Relative gap between load and floor that is small enough.
    pub(super) gap: f64,
    /// Latest time, by the observer's clock; none without a clock.
    pub(super) until: Option<f64>,
    /// Floor that is proved already.
    pub(super) floor: f64,
    /// Rounds after which the search ends whatever the gap.
    pub(super) rounds: usize,
    pub(super) observer: &'a dyn Observer,
}

impl SearchLimits<'_> {
    /// Checks whether to end before the next round, and reports progress.
    pub(super) fn is_reached(&self, round: usize, found: &FlowSolution) -> bool {
        self.observer.report_progress(found.worst, found.floor);
        found.floor >= found.worst * (1.0 - self.gap) || round >= self.rounds || self.is_over()
    }

    /// Computes the seconds that are left, infinite where there is no clock; `None` if time is over.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        if self.is_over() {
            return None;
        }
        let late = self.observer.elapsed_seconds().zip(self.until);
        Some(late.map_or(1e9, |(now, until)| until - now))
    }

    /// Checks whether time is over, or the caller asked to stop.
    pub(super) fn is_over(&self) -> bool {
        let late = self.observer.elapsed_seconds().zip(self.until);
        self.observer.should_stop() || late.is_some_and(|(now, until)| now >= until)
    }
}
