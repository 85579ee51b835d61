//! Search under an objective that is handed in from above: any that can rate an order.
//!
//! Nodes are arranged one by one. Moves exchange two ranks, turn a stretch round or carry it elsewhere; how far apart
//! and how long is drawn by octaves, as job sizes are, so that short moves, which few windows see, are many.

use rayon::prelude::*;

use super::anneal::Stretch;
use super::anneal_rng::{AnnealRng, interpolate_temperature};
use super::options::{SearchOptions, WeightOptions};
use super::search::CHAINS;
use super::starts::{list_labels, make_construction};
use crate::ordering::defaults::list_traders;
use crate::ordering::entry::OrderNodes;
use crate::ordering::node_order::NodeOrder;
use crate::ordering::order_objective::{MakeRater, OrderObjective, OrderRater, RateOrders};
use crate::ordering::search_result::{SearchResult, Status, meets_bound, relative_gap};
use nodeorder_base::observer::NoObserver;
use nodeorder_base::{NodeId, Observer, Params, Result};
use nodeorder_network::Topology;

/// Number of steps where the user names none: some seconds on a few hundred nodes.
const DEFAULT_STEPS: u64 = 20_000;

/// Temperatures at the begin and the end, as shares of the start's objective times the nodes.
const COOLING: [f64; 2] = [0.1, 0.0005];

/// Number of rounds, after each of which progress is reported.
const ROUNDS: usize = 20;

/// Reads the options of a search under the objective that the context has.
///
/// # Errors
/// Bad options; a context without an objective.
pub fn parse_search(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let handed = topology.context().objective;
    let Some(handed) = handed.and_then(|any| any.downcast_ref::<OrderObjective>()) else {
        let expected = "a machine whose `Context` has `objective: Some(slowdown::SLOWDOWN)`, or \
                        objective=distances";
        return Err(params.invalid_value("objective", expected));
    };
    let objective = (handed.read_options)(topology, params)?;
    let sizes = WeightOptions::parse_sizes(topology, params)?;
    let options = SearchOptions::parse_limits(topology, params, sizes)?;
    Ok(options.into_search(move |topology, options, observer| {
        find_least(topology, options, objective.as_ref(), observer)
    }))
}

/// Anneals under `objective` from the best start.
fn find_least(
    topology: &Topology,
    options: &SearchOptions,
    objective: &dyn RateOrders,
    observer: &dyn Observer,
) -> Result<SearchResult> {
    options.check_clock(observer)?;
    topology.require_one_component("a search over all windows")?;
    let sizes = options.weights.sizes.as_ref();
    // That law is the objective's own where it is given no shares.
    let traced = sizes.filter(|sizes| sizes.text != "log-uniform");
    let shares = traced
        .map(|sizes| sizes.read_shares(topology))
        .transpose()?;
    let mut found = None;
    objective.prepare(topology, shares.as_deref(), &mut |make_rater| {
        found = Some(search_orders(topology, options, make_rater, observer)?);
        Ok(())
    })?;
    let mut found = found.expect("an objective searches once");
    found.notes.insert(0, objective.describe());
    if let Some(sizes) = sizes {
        found.notes.insert(1, format!("sizes: {}", sizes.text));
    }
    Ok(found)
}

/// Searches with raters of one objective.
fn search_orders(
    topology: &Topology,
    options: &SearchOptions,
    make_rater: &MakeRater<'_>,
    observer: &dyn Observer,
) -> Result<SearchResult> {
    let mut budget = options.budget();
    if options.time.is_none() {
        budget.steps = Some(options.steps.unwrap_or(DEFAULT_STEPS));
    }
    let stop = || observer.should_stop() || budget.is_over(observer);
    let mut judge = make_rater();
    let (start, value) = choose_start(topology, options, judge.as_mut(), &stop)?;
    let bound = judge.lower_bound();
    observer.report_progress(value, bound);
    let mut chains: Vec<RatedChain<'_>> = (0..CHAINS)
        .map(|c| {
            RatedChain::new(
                start.nodes(),
                value,
                make_rater(),
                AnnealRng::new(budget.seed, c as u64),
            )
        })
        .collect();
    let began = observer.elapsed_seconds().unwrap_or(0.0);
    let stretch = Stretch {
        steps: budget.steps.map(|all| all as f64 / CHAINS as f64),
        time: budget.time.map(|limit| (began, limit - began)),
    };
    for round in 1..=ROUNDS {
        let until = round as f64 / ROUNDS as f64;
        chains.par_iter_mut().try_for_each(|chain| {
            chain.anneal_until(until, &|made| stretch.elapsed_share(made, observer))
        })?;
        let least = chains.iter().map(|chain| chain.least).fold(value, f64::min);
        observer.report_progress(least, bound);
    }
    let mut nodes = start.nodes().to_vec();
    let mut objective = value;
    // What a chain summed up step by step is rated anew as a whole.
    for chain in &chains {
        let exact = make_rater().rate_order(&chain.best)?;
        if exact < objective {
            objective = exact;
            nodes.clone_from(&chain.best);
        }
    }
    let steps = chains.iter().map(|chain| chain.steps).sum();
    let optimal = meets_bound(objective, bound);
    let lower_bound = if optimal { objective } else { bound };
    let status = match options.time {
        _ if optimal => Status::Optimal,
        _ if observer.should_stop() => Status::Stopped,
        Some(_) if options.steps.is_none_or(|all| steps < all) => Status::TimeLimit,
        _ => Status::Steps,
    };
    let mut result = SearchResult {
        nodes,
        objective,
        lower_bound,
        gap: relative_gap(objective, lower_bound),
        optimal,
        solver: "annealing".into(),
        status,
        steps,
        notes: Vec::new(),
    };
    result.add_run_notes(options.seed);
    result.notes.push(format!("start: {}", start.label()));
    Ok(result)
}

/// Chooses the best start of those rated until `stop` says so, one at least; with `start=` that one.
fn choose_start(
    topology: &Topology,
    options: &SearchOptions,
    rater: &mut dyn OrderRater,
    stop: &dyn Fn() -> bool,
) -> Result<(NodeOrder, f64)> {
    if let Some(requested) = &options.start {
        let (order, _) = requested.make_order(topology, &NoObserver)?;
        order.check_complete(topology)?;
        let value = rater.rate_order(order.nodes())?;
        return Ok((order, value));
    }
    let mut labels = list_labels(topology, topology.node_count());
    labels.extend(list_traders(topology).into_iter().flatten());
    labels.push("random".into());
    let plainest = make_construction(topology, "row-major")?;
    let value = rater.rate_order(plainest.nodes())?;
    let mut best = (plainest, value);
    for label in labels {
        if stop() {
            break;
        }
        // A family may not suit this machine: then it is no candidate.
        let Ok(order) = make_construction(topology, &label) else {
            continue;
        };
        let value = rater.rate_order(order.nodes())?;
        if value < best.1 {
            best = (order, value);
        }
    }
    Ok(best)
}

/// One annealing chain.
struct RatedChain<'r> {
    rater: Box<dyn OrderRater + 'r>,
    rng: AnnealRng,
    order: Vec<NodeId>,
    current: f64,
    best: Vec<NodeId>,
    least: f64,
    /// Objective of the start, by which temperatures go.
    scale: f64,
    steps: u64,
}

impl<'r> RatedChain<'r> {
    fn new(start: &[NodeId], value: f64, rater: Box<dyn OrderRater + 'r>, rng: AnnealRng) -> Self {
        RatedChain {
            rater,
            rng,
            order: start.to_vec(),
            current: value,
            best: start.to_vec(),
            least: value,
            scale: value / start.len() as f64,
            steps: 0,
        }
    }

    /// Anneals until `share` (asked with the steps made) reaches `until`; the share sets the temperature.
    fn anneal_until(&mut self, until: f64, share: &dyn Fn(u64) -> f64) -> Result<()> {
        // The first order is rated as a whole.
        self.rater.rate_order(&self.order)?;
        while self.order.len() > 1 {
            let now = share(self.steps);
            if now >= until {
                break;
            }
            let heat = interpolate_temperature(COOLING[0], COOLING[1], now);
            let limit = self.current + self.scale * heat * self.rng.waiting_time();
            self.steps += 1;
            let (from, stretch) = self.draw_move();
            let old = self.order[from..from + stretch.len()].to_vec();
            self.order[from..from + stretch.len()].copy_from_slice(&stretch);
            let value = self.rater.rate_order(&self.order)?;
            if value > limit {
                self.rater.take_back();
                self.order[from..from + old.len()].copy_from_slice(&old);
                continue;
            }
            self.current = value;
            if value < self.least {
                self.least = value;
                self.best.copy_from_slice(&self.order);
            }
        }
        Ok(())
    }

    /// Draws a move: a rank, and the nodes that stand from there on after it.
    fn draw_move(&mut self) -> (usize, Vec<NodeId>) {
        let n = self.order.len();
        let kind = self.rng.random_bits() & 3;
        let length = 1 + self.draw_length(n - 1);
        let from = self.rng.random_below(n + 1 - length);
        let mut stretch = self.order[from..from + length].to_vec();
        match kind {
            0 => stretch.reverse(),
            // The first nodes are carried behind the others, or the last ones before them.
            1 => {
                let carried = self.draw_length(length - 1);
                let back = self.rng.random_bits() & 1 == 0;
                stretch.rotate_left(if back { carried } else { length - carried });
            }
            _ => stretch.swap(0, length - 1),
        }
        (from, stretch)
    }

    /// Draws a length from 1 to `most`, an octave as often as any other.
    fn draw_length(&mut self, most: usize) -> usize {
        let octave = self.rng.random_below(most.ilog2() as usize + 1);
        let least = 1 << octave;
        least + self.rng.random_below((2 * least).min(most + 1) - least)
    }
}
