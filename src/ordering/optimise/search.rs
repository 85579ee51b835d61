//! Multi-start annealing: chains side by side, in rounds, each result judged by the exact objective.

use rayon::prelude::*;

use super::anneal::{Chain, Cooling, UNIT};
use super::chance::Chance;
use super::objective::evaluate;
use super::sequence::Prices;
use super::small::{self, Small};
use super::starts::Start;
use super::{Budget, Problem, Watch, window};

/// Rounds of a run; after each there is news for the watcher.
const ROUNDS: usize = 10;

/// Chains of a run that is counted in steps: a number of its own, so that threads do not show.
const CHAINS: usize = 2;

/// Longest lag that moves are judged by while the ordering takes shape.
const SHORT: usize = 64;

/// Longest lag that moves are judged by when it is refined.
const LONG: usize = 512;

/// What a search found.
pub(super) struct Found {
    pub order: Vec<u32>,
    pub objective: f64,
    pub steps: u64,
    /// Whether the watcher, not the budget, ended it.
    pub stopped: bool,
    /// Where the best chain started.
    pub start: String,
}

/// Searches from `starts` (the best first) within `budget`.
pub(super) fn search(
    problem: &Problem<'_>,
    starts: &[Start],
    budget: &Budget,
    watch: &dyn Watch,
    bound: f64,
) -> Found {
    let exact = |order: &[u32]| problem.value(order);
    let mut found = starts
        .iter()
        .take(4)
        .map(|s| Found {
            order: s.order.clone(),
            objective: exact(&s.order),
            steps: 0,
            stopped: false,
            start: s.label.clone(),
        })
        .reduce(|a, b| if b.objective < a.objective { b } else { a })
        .unwrap_or_else(|| Found {
            order: Vec::new(),
            objective: 0.0,
            steps: 0,
            stopped: false,
            start: String::new(),
        });
    if found.order.len() < 3 || found.objective <= bound {
        return found;
    }
    watch.progress(found.objective, bound);
    if problem.needs_matrix() {
        return search_small(problem, found, budget, watch);
    }
    let began = watch.seconds().unwrap_or(0.0);
    let window = problem.weights.window();
    let phases: &[(usize, f64, Cooling)] = if window > SHORT {
        &[
            (SHORT, 0.7, Cooling { from: 0.35, to: 0.08 }),
            (LONG, 1.0, Cooling { from: 0.12, to: 0.05 }),
        ]
    } else if problem.weights.lag(1) > (5..=window).map(|k| problem.weights.lag(k)).sum() {
        &[(SHORT, 1.0, Cooling { from: 0.25, to: 0.06 })]
    } else {
        &[(SHORT, 1.0, Cooling { from: 0.45, to: 0.1 })]
    };
    let chains = if budget.steps.is_some() { CHAINS } else { rayon::current_num_threads().max(1) };
    let mut orders: Vec<(Vec<u32>, f64)> = (0..chains)
        .map(|c| {
            let start = if c % 2 == 0 { &found.order } else { &starts[1 % starts.len()].order };
            (start.clone(), f64::INFINITY)
        })
        .collect();
    let (mut share_before, mut steps_before) = (0.0, vec![0u64; chains]);
    for (number, (window, until, cooling)) in phases.iter().enumerate() {
        let lag = problem.element_lags(*window);
        let span = until - share_before;
        let mut runs: Vec<(Chain<'_>, u64)> = orders
            .iter()
            .enumerate()
            .map(|(c, (order, _))| {
                let chance = Chance::new(budget.seed, (c + chains * number) as u64);
                let chain = Chain::new(
                    problem.space,
                    order,
                    &lag,
                    lag.len(),
                    problem.weights.is_ring(),
                    chance,
                );
                (chain, steps_before[c])
            })
            .collect();
        for round in 1..=ROUNDS {
            let goal = round as f64 / ROUNDS as f64;
            runs.par_iter_mut().for_each(|(chain, before)| {
                let share = |steps: u64| {
                    if watch.should_stop() {
                        return f64::INFINITY;
                    }
                    let by_steps = budget
                        .steps
                        .map_or(0.0, |all| (*before + steps) as f64 * chains as f64 / all as f64);
                    let by_time = match (budget.time, watch.seconds()) {
                        (Some(limit), Some(now)) => (now - began) / (limit - began).max(1e-3),
                        _ => 0.0,
                    };
                    (by_steps.max(by_time) - share_before) / span
                };
                chain.run(*cooling, goal, &share);
            });
            let cheap = problem.cost_of_value() < 3e7 || round == ROUNDS;
            if cheap || watch.should_stop() {
                for ((chain, _), (order, value)) in runs.iter().zip(&mut orders) {
                    order.clear();
                    order.extend_from_slice(chain.best());
                    *value = exact(order);
                }
                let best = best(&orders);
                if orders[best].1 < found.objective {
                    found.objective = orders[best].1;
                    found.order.clone_from(&orders[best].0);
                }
                watch.progress(found.objective, bound);
                // Half way, chains that lag behind go on from the leader.
                if round == ROUNDS / 2 || round == ROUNDS {
                    let leader = orders[best].clone();
                    for ((chain, _), own) in runs.iter_mut().zip(&mut orders) {
                        if own.1 > leader.1 {
                            chain.restart(&leader.0);
                            own.clone_from(&leader);
                        }
                    }
                }
            }
            if watch.should_stop() || found.objective <= bound {
                break;
            }
        }
        for (steps, (chain, _)) in steps_before.iter_mut().zip(&runs) {
            *steps += chain.steps;
        }
        share_before = *until;
        if watch.should_stop() || found.objective <= bound {
            break;
        }
    }
    found.steps = steps_before.iter().sum();
    found.stopped = watch.should_stop();
    polish(problem, &mut found, budget, watch);
    found
}

fn best(orders: &[(Vec<u32>, f64)]) -> usize {
    let mut best = 0;
    for (i, (_, value)) in orders.iter().enumerate() {
        if *value < orders[best].1 {
            best = i;
        }
    }
    best
}

/// Elements up to which windows are re-optimised: beyond, the time is better spent on steps.
const POLISHED: usize = 20_000;

/// Puts every stretch of six elements into its best order.
fn polish(problem: &Problem<'_>, found: &mut Found, budget: &Budget, watch: &dyn Watch) {
    if problem.weights.is_ring() || found.order.len() > POLISHED {
        return;
    }
    let lag = problem.element_lags(SHORT);
    let prices = Prices::new(&lag, UNIT, lag.len());
    let late = || match (budget.time, watch.seconds()) {
        (Some(limit), Some(now)) => now > limit * 1.02,
        _ => false,
    };
    let stop = || watch.should_stop() || late();
    let mut order = found.order.clone();
    window::improve(&problem.space.distances, &mut order, &prices, 6, &stop);
    let value = problem.value(&order);
    if value < found.objective {
        found.objective = value;
        found.order = order;
    }
}

fn search_small(
    problem: &Problem<'_>,
    mut found: Found,
    budget: &Budget,
    watch: &dyn Watch,
) -> Found {
    debug_assert!(found.order.len() <= small::LARGEST);
    let n = found.order.len() as u64;
    // About the same work a step as elsewhere.
    let steps = budget.steps.unwrap_or(4_000_000) / CHAINS as u64;
    let steps = (steps * 8 / n.max(8)).max(1);
    let late = || match (budget.time, watch.seconds()) {
        (Some(limit), Some(now)) => now > limit,
        _ => false,
    };
    let stop = || watch.should_stop() || late();
    let weight = |p: usize, q: usize| problem.element_weight(p, q);
    let results: Vec<(Vec<u32>, u64)> = (0..CHAINS)
        .into_par_iter()
        .map(|c| {
            let chance = Chance::new(budget.seed, c as u64);
            Small::new(&problem.space.distances, &found.order, &weight, chance).run(steps, &stop)
        })
        .collect();
    for (order, steps) in results {
        let value = evaluate(&problem.weights, &problem.space.distances, &problem.ranks(&order));
        if value < found.objective {
            found.objective = value;
            found.order = order;
        }
        found.steps += steps;
    }
    found.stopped = watch.should_stop();
    found
}
