//! Orderings optimised for a weighted sum of distances: `optimise`, and what it shares with `ilp`.
//!
//! The objective is `Σ_{a<b} W(a,b)·d(π_a, π_b)` over ranks a < b ([`weights::Weights`]). Small instances
//! are solved exactly by a dynamic program; others are annealed from the best classic orderings. Every
//! result comes with a proved lower bound and the gap to it ([`SearchResult`]).
//!
//! # References
//! Leung et al., "Processor Allocation on Cplant", SAND2002-1488, section 2.2.

use crate::error::{Error, Result, SourceLocation};
use crate::ids::NodeId;
use crate::ordering::{Method, NodeOrder, OrderingEntry};
use crate::pair_sums;
use crate::params::Params;
use crate::topology::{Metric, Topology};

mod anneal;
mod anneal_rng;
mod assignment;
mod bounds;
pub(super) mod dp;
pub(super) mod elements;
mod objective;
mod relaxation;
mod search;
mod sequence;
mod settings;
mod small;
mod starts;
mod symmetry;
pub mod weights;
mod window;

pub(super) use bounds::Bounds;
use elements::Arrangement;
pub(super) use settings::{Budget, SHARED, Settings};
pub use weights::{WeightKind, Weights};

/// `optimise[:weights=…,window=K,ring=true,time=SECONDS,steps=N,sizes=FILE,split=true,start=ORD,seed=S]`.
///
/// Anneals from the best classic orderings, on two chains or as many as there are threads, then re-orders
/// every six ranks exactly; up to 27 routers and short windows a dynamic program finds the optimum instead
/// and proves it. Nodes of one router stay together unless `split=true`: then nodes are arranged one by
/// one. With `steps=` (or by default) the result depends on the seed alone; with `time=` also on the
/// machine's speed.
///
/// # Complexity
/// A step costs O(K) to O(K²) byte operations, most of them far less. Memory: O(nodes) on grids, routers²
/// bytes where distances are searched.
///
/// # References
/// See [`crate::ordering::optimise`].
pub const OPTIMISE: OrderingEntry = OrderingEntry {
    name: "optimise",
    about: "annealed for a weighted sum of distances, with a proved bound (workload: for job sizes)",
    example: "optimise:weights=harmonic,window=8,steps=20000",
    options: &SHARED,
    build: Method::search(optimise),
};

/// Whoever waits for a search: a clock, a way to stop it, and ears for news. The library has no clock.
pub trait Observer: Sync {
    /// Seconds since some moment before the search; `None` where there is no clock.
    fn seconds(&self) -> Option<f64> {
        None
    }

    /// Whether to stop now with the best so far.
    fn should_stop(&self) -> bool {
        false
    }

    /// The best objective and the proved bound so far.
    fn progress(&self, _objective: f64, _bound: f64) {}
}

/// No clock, no interruption: searches go by steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The optimum, proved.
    Optimal,
    /// All steps were made.
    Steps,
    /// The time was up.
    TimeLimit,
    /// The watcher stopped it.
    Stopped,
}

impl Status {
    /// For people and files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Steps => "all steps made",
            Status::TimeLimit => "time limit",
            Status::Stopped => "stopped",
        }
    }
}

/// What a search found, and how good that is.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The ordering.
    pub nodes: Vec<NodeId>,
    /// Its objective.
    pub objective: f64,
    /// No ordering (that keeps routers together, unless `split=true`) has a smaller objective.
    pub lower_bound: f64,
    /// `(objective - lower_bound) / objective`, as achieved; 0 for an objective of 0.
    pub gap: f64,
    /// Whether the objective is proved to be the least.
    pub optimal: bool,
    /// What found it: `dynamic program`, `annealing`, `microlp`, ….
    pub solver: String,
    /// How the search ended.
    pub status: Status,
    /// Annealing steps made.
    pub steps: u64,
    /// Lines about the run for an ordering file's header.
    pub notes: Vec<String>,
}

impl SearchResult {
    /// Fills in gap and optimality. Bounds are proved up to rounding: what lies within 10⁻⁹ is equal.
    pub(super) fn new(
        problem: &SearchProblem<'_>,
        order: &[u32],
        lower_bound: f64,
        solver: impl Into<String>,
        status: Status,
    ) -> Self {
        let objective = problem.value(order);
        let optimal = status == Status::Optimal || objective - lower_bound <= 1e-9 * objective;
        let lower_bound = if optimal { objective } else { lower_bound.min(objective) };
        let gap = if objective > 0.0 { (objective - lower_bound) / objective } else { 0.0 };
        SearchResult {
            nodes: problem.space.expand(order),
            objective,
            lower_bound,
            gap,
            optimal,
            solver: solver.into(),
            status: if optimal { Status::Optimal } else { status },
            steps: 0,
            notes: Vec::new(),
        }
    }

    pub(super) fn noted(mut self, settings: &Settings) -> Self {
        let w = &settings.weights;
        let ring = if w.is_ring() { ", ring" } else { "" };
        self.notes = vec![
            format!("weights: {}, window {}{ring}", w.kind().name(), w.window()),
            format!(
                "objective: {}, bound: {}, gap: {}",
                self.objective, self.lower_bound, self.gap
            ),
            format!("solver: {}, {}", self.solver, self.status.name()),
            format!("seed: {}, steps: {}", settings.seed, self.steps),
        ];
        if let Some(sizes) = &settings.sizes {
            self.notes.insert(1, format!("sizes: {sizes}"));
        }
        self
    }
}

/// Distances that might be looked up, a node, while a transform finds all sums: measured.
const TRANSFORM: f64 = 800.0;

/// What is to be arranged, and under which weights.
pub(super) struct SearchProblem<'s> {
    pub topology: &'s Topology,
    pub space: &'s Arrangement,
    pub weights: Weights,
    /// Nodes an element stands for (the most, where they differ).
    pub group: usize,
    /// Whether all elements stand for as many.
    pub even: bool,
}

impl<'s> SearchProblem<'s> {
    pub fn new(topology: &'s Topology, space: &'s Arrangement, weights: Weights) -> Self {
        let even = space.multiplicity();
        let group = even.unwrap_or_else(|| space.nodes.iter().map(Vec::len).max().unwrap_or(1));
        SearchProblem { topology, space, weights, group, even: even.is_some() }
    }

    /// The element at every rank of a sequence.
    pub fn ranks(&self, order: &[u32]) -> Vec<u32> {
        let copies = |e: &u32| std::iter::repeat_n(*e, self.space.nodes[*e as usize].len());
        order.iter().flat_map(copies).collect()
    }

    /// The exact objective of a sequence of elements.
    pub fn value(&self, order: &[u32]) -> f64 {
        let (weights, distances) = (&self.weights, &self.space.distances);
        let Some(shares) = weights.window_shares() else {
            return objective::by_lag(weights, distances, &self.ranks(order));
        };
        let nodes = self.space.expand(order);
        let last = nodes.len().saturating_sub(1);
        // Where memory allows no more, pair by pair: the same whole numbers.
        let sums = pair_sums::along(self.topology, &nodes, last, pair_sums::SumMethod::Auto)
            .unwrap_or_else(|_| objective::sums(weights, distances, &self.ranks(order), true));
        objective::by_windows(shares, &sums.window_totals())
    }

    /// About how many looked-up distances [`SearchProblem::value`] costs.
    pub fn cost_of_value(&self) -> f64 {
        let (n, window) = (self.weights.nodes() as f64, self.weights.window() as f64);
        let transform = self.weights.has_edges() && !matches!(self.topology.metric(), Metric::Hops);
        n * if transform { window.min(TRANSFORM) } else { window }
    }

    /// Lag weights between elements, up to `window` elements.
    pub fn element_lags(&self, window: usize) -> Vec<f64> {
        let mut lag = self.weights.between_groups(self.group, window * self.group);
        lag.truncate((window + 1).min(self.space.len()));
        lag
    }

    /// The weight of a pair of element ranks p < q, where elements are even.
    pub fn element_weight(&self, p: usize, q: usize) -> f64 {
        let m = self.group;
        let slots = (0..m).flat_map(|s| (0..m).map(move |t| (m * p + s, m * q + t)));
        slots.map(|(a, b)| self.weights.pair(a, b)).sum()
    }

    /// Whether lag prices would be far from the truth, and the instance is small enough for all pairs.
    pub fn needs_matrix(&self) -> bool {
        let special = self.weights.is_ring() || self.weights.has_edges();
        self.even && special && self.space.len() <= small::LARGEST
    }

    /// Integer lag weights between elements, where the weights are fractions and elements even.
    pub fn integral(&self) -> Option<weights::Integral> {
        let of_nodes = self.weights.integral().filter(|_| self.even)?;
        let (m, n) = (self.group, self.space.len());
        if m == 1 {
            return Some(of_nodes);
        }
        if self.weights.is_ring() {
            return None;
        }
        let at = |k: usize| of_nodes.lag.get(k).copied().unwrap_or(0);
        let last = self.weights.window().div_ceil(m).min(n.saturating_sub(1));
        let weight = |l: usize| {
            let lags = (0..m).flat_map(|s| (0..m).map(move |t| m * l + t - s));
            if l == 0 { 0 } else { lags.map(at).sum() }
        };
        Some(weights::Integral { scale: of_nodes.scale, lag: (0..=last).map(weight).collect() })
    }
}

/// The share of the time that is kept for a better bound where one can be had: few elements are soon searched.
fn for_bound(elements: usize) -> f64 {
    if elements <= 100 { 0.7 } else { 0.3 }
}

/// Runs `optimise` with its parameters under a watcher.
///
/// # Errors
/// Bad options, a time limit where the watcher has no clock, more memory than allowed.
pub fn optimise(
    topology: &Topology,
    params: &Params,
    observer: &dyn Observer,
) -> Result<SearchResult> {
    let settings = Settings::read(topology, params, observer)?;
    params.finish()?;
    let space = Arrangement::new(topology, settings.split)?;
    let problem = SearchProblem::new(topology, &space, settings.weights.clone());
    let starts = candidates(topology, &problem, &settings)?;
    let effort = dp::Effort::within(&settings.budget());
    let quick = dp::attempt(&problem, &starts[0].order, effort, observer);
    if let Some(exact) = quick {
        return Ok(SearchResult::new(&problem, &exact, 0.0, "dynamic program", Status::Optimal)
            .noted(&settings));
    }
    let late = || match (settings.time, observer.seconds()) {
        (Some(limit), Some(now)) => now > limit,
        _ => false,
    };
    let stop = || observer.should_stop() || late();
    let [quick, thorough] = settings.bound_work();
    // Balls have no thorough form: theirs is there before the search.
    let first = if problem.weights.has_edges() { thorough } else { quick };
    let bounds = Bounds::new(&problem);
    let mut bound = bounds.lower(first, &stop);
    let gains = bounds.gains(quick, thorough);
    let mut budget = settings.budget();
    if gains && let (Some(end), Some(now)) = (budget.time, observer.seconds()) {
        budget.time = Some(end - for_bound(space.len()) * (end - now));
    }
    let found = search::search(&problem, &starts, &budget, observer, bound);
    if gains && found.objective > bound {
        bound = bound.max(bounds.lower(thorough, &stop));
        observer.progress(found.objective, bound);
    }
    let status = match (found.stopped, settings.time) {
        (true, _) => Status::Stopped,
        (false, Some(_)) if settings.steps.is_none_or(|s| found.steps < s) => Status::TimeLimit,
        _ => Status::Steps,
    };
    let mut outcome = SearchResult::new(&problem, &found.order, bound, "annealing", status);
    outcome.steps = found.steps;
    let mut outcome = outcome.noted(&settings);
    outcome.notes.push(format!("start: {}", found.start));
    Ok(outcome)
}

/// The classic orderings, best first; with `start=` that one alone.
pub(super) fn candidates(
    topology: &Topology,
    problem: &SearchProblem<'_>,
    settings: &Settings,
) -> Result<Vec<starts::Start>> {
    // Long tails rank the starts no differently and cost N² each.
    let lag = problem.element_lags(problem.weights.window().min(64));
    let rough = problem.weights.of_lags(problem.space.len(), lag);
    let mut all = match &settings.start {
        Some(text) => {
            let order = NodeOrder::make(topology, text)?;
            if order.len() != topology.node_count() {
                let found = format!("an ordering of {} nodes", order.len());
                let expected = format!("all {} schedulable nodes", topology.node_count());
                return Err(Error::input(SourceLocation::option(text), found, expected));
            }
            vec![starts::start(topology, problem.space, &rough, &order)]
        }
        None => starts::ranked(topology, problem.space, &rough)?,
    };
    all.truncate(8);
    Ok(all)
}
