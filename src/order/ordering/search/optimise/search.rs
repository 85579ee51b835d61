//! Multi-start annealing: chains side by side, in rounds, each result judged by the exact objective.

use rayon::prelude::*;

use super::anneal::{Chain, Cooling, UNIT};
use super::anneal_rng::AnnealRng;
use super::blocks::{self, Pass};
use super::elements::Distances;
use super::options::Budget;
use super::prices::Prices;
use super::problem::SearchProblem;
use super::small::{self, Small};
use super::starts::Start;
use super::window;
use nodeorder_base::observer::Observer;

/// Rounds of a run; after each progress is reported.
const ROUNDS: usize = 10;

/// Chains of a run that is counted in steps: a number of its own, so that threads do not show.
const CHAINS: usize = 2;

/// Longest lag that moves are judged by while the ordering takes shape.
const SHORT: usize = 64;

/// Longest lag that moves are judged by when it is refined: pairs across a joint grow with its square, and where
/// coordinates do not give distances every pair is looked up.
const LONG: usize = 512;
const LONG_LOOKED_UP: usize = 128;

/// Waves of scouts, fewer before a melt, which needs the time, and the share of the budget each may use.
const SCOUTS: usize = 4;
const SCOUTS_OF_A_MELT: usize = 1;
const SCOUT_SHARE: f64 = 0.06;

/// Elements up to which there are scouts: on longer sequences their share of the budget is too short to rank starts.
const SCOUTED: usize = 6000;

/// Steps an element, of one chain, that the temperatures are meant for; without scouts, fewer steps begin and
/// end colder: what is broken up could not be mended.
const STEPS_AN_ELEMENT: f64 = 4000.0;

/// From this share of [`STEPS_AN_ELEMENT`] on, long lags are melted and take shape anew: what starts give them is not the best
/// (15×6×16 torus, harmonic weights: 19,700 from a warm start, 19,420 from a melt), but a melt takes its time.
const MELTED: f64 = 0.2;

/// Passes over the blocks of a long sequence.
const PASSES: usize = 2;

/// Steps from which the number in a given time is estimated.
const PROBE: u64 = 16 * 1024;

/// The best sequence found so far.
#[derive(Default)]
pub(super) struct Found {
    pub order: Vec<u32>,
    pub objective: f64,
    pub steps: u64,
    /// Whether the observer, not the budget, ended it.
    pub stopped: bool,
    /// Where the best chain started.
    pub start: String,
}

impl Found {
    /// Keeps an order that has a smaller objective.
    fn improve(&mut self, order: &[u32], objective: f64) {
        if objective < self.objective {
            self.objective = objective;
            self.order = order.to_vec();
        }
    }
}

/// Searches from `starts` (the best first) within `budget`.
pub(super) fn search(
    problem: &SearchProblem<'_>,
    starts: &[Start],
    budget: &Budget,
    observer: &dyn Observer,
    bound: f64,
) -> Found {
    // Where the exact objective costs much the rough ranking has to do.
    let judged = if problem.cost_of_value() > 1e9 { 1 } else { 4 };
    let found = starts
        .iter()
        .take(judged)
        .map(|s| Found {
            order: s.order.clone(),
            objective: problem.value(&s.order),
            start: s.label.clone(),
            ..Found::default()
        })
        .reduce(|a, b| if b.objective < a.objective { b } else { a })
        .unwrap_or_default();
    if found.order.len() < 3 || found.objective <= bound {
        return found;
    }
    observer.progress(found.objective, bound);
    let chains = if budget.steps.is_some() {
        CHAINS
    } else {
        rayon::current_num_threads().max(1)
    };
    let began = observer.seconds().unwrap_or(0.0);
    let mut run = LegSearch {
        problem,
        budget,
        observer,
        bound,
        chains,
        began,
        legs: 0,
        found,
    };
    if problem.needs_matrix() {
        run.small();
        run.found.stopped = observer.should_stop();
    } else {
        run.all(starts);
        run.found.stopped = observer.should_stop();
        run.polish();
    }
    run.found
}

/// A search in legs: stretches of annealing that each have a share of the budget.
struct LegSearch<'a> {
    problem: &'a SearchProblem<'a>,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    bound: f64,
    chains: usize,
    began: f64,
    /// Legs so far: each draws from streams of its own.
    legs: usize,
    found: Found,
}

/// A sequence and its objective.
type Ranked = (Vec<u32>, f64);

impl LegSearch<'_> {
    /// Scouts from several starts, since outcomes vary; then cools down the best of them; at the end refines on longer
    /// lags where the window is long.
    fn all(&mut self, starts: &[Start]) {
        let window = self.problem.weights.window();
        let tail: f64 = (5..=window.min(SHORT))
            .map(|k| self.problem.weights.lag(k))
            .sum();
        // Where the first lag outweighs lags 5 to 64, large rearrangements matter little, so nothing is melted.
        let light = self.problem.weights.lag(1) > tail;
        let pace = self.pace();
        if self.problem.space.len() >= blocks::LARGE && !self.problem.weights.ring {
            return self.by_blocks(pace, light);
        }
        let (hot, cold, scouts) = match (light, pace >= MELTED) {
            (true, _) => (0.45, 0.06, SCOUTS),
            (false, false) => (0.45, 0.09, SCOUTS),
            (false, true) => (4.0, 0.2, SCOUTS_OF_A_MELT),
        };
        let scouts = if self.problem.space.len() <= SCOUTED {
            scouts
        } else {
            0
        };
        let end = if window > SHORT { 0.8 } else { 1.0 };
        let mut leaders: Vec<Ranked> = Vec::new();
        let chill = if scouts > 0 {
            1.0
        } else {
            pace.sqrt().clamp(0.05, 1.0)
        };
        let (hot, cold) = (chill * hot, chill * cold);
        let middle = if scouts > 0 { 0.6 * hot } else { hot };
        for wave in 0..scouts {
            let from: Vec<Vec<u32>> = (0..self.chains)
                .map(|c| {
                    starts[(wave * self.chains + c) % starts.len().min(4)]
                        .order
                        .clone()
                })
                .collect();
            let share = (wave as f64 * SCOUT_SHARE, (wave + 1) as f64 * SCOUT_SHARE);
            leaders.extend(self.leg(
                from,
                SHORT,
                Cooling {
                    from: hot,
                    to: middle,
                },
                share,
                1,
            ));
        }
        if leaders.is_empty() {
            leaders.push((self.found.order.clone(), self.found.objective));
            leaders.extend(
                starts
                    .iter()
                    .skip(1)
                    .take(1)
                    .map(|s| (s.order.clone(), f64::MAX)),
            );
        }
        leaders.sort_by(|a, b| a.1.total_cmp(&b.1));
        let from = (0..self.chains)
            .map(|c| leaders[c % leaders.len().min(2)].0.clone())
            .collect();
        let share = (scouts as f64 * SCOUT_SHARE, end);
        self.leg(
            from,
            SHORT,
            Cooling {
                from: middle,
                to: cold,
            },
            share,
            ROUNDS,
        );
        if window > SHORT {
            let from = vec![self.found.order.clone(); self.chains];
            let cooling = Cooling {
                from: chill * 0.12,
                to: chill * 0.04,
            };
            let long = match self.problem.space.distances {
                Distances::Lanes { .. } => LONG,
                _ => LONG_LOOKED_UP,
            };
            self.leg(from, long, cooling, (end, 1.0), 3);
        }
    }

    /// Anneals by blocks: from the best start twice, the joints of one pass inside the blocks of the other. Long lags weigh
    /// little where weights are `light`.
    fn by_blocks(&mut self, pace: f64, light: bool) {
        let cold = if light { 0.06 } else { 0.09 };
        let lag = self.problem.element_lags(SHORT);
        // A block that gets the steps of many that are alike may be melted and take shape anew.
        let cooling = |number: usize, weight: f64| {
            let chill = (pace * weight).sqrt().clamp(0.05, 1.0);
            match (light || pace * weight < MELTED, number) {
                (true, _) => Cooling {
                    from: chill * 0.45,
                    to: chill * cold,
                },
                (false, 0) => Cooling {
                    from: 8.0,
                    to: 0.08,
                },
                (false, _) => Cooling { from: 2.0, to: 0.1 },
            }
        };
        let mut order = self.found.order.clone();
        for number in 0..PASSES {
            if self.observer.should_stop() || self.found.objective <= self.bound {
                return;
            }
            let now = self.observer.seconds();
            let time = self
                .budget
                .time
                .zip(now)
                .map(|(limit, now)| (limit - now).max(0.0));
            let end = now
                .zip(time)
                .map(|(now, time)| now + time / (PASSES - number) as f64);
            let pass = Pass {
                space: self.problem.space,
                lag: &lag,
                cooling: &|weight| cooling(number, weight),
                budget: self.budget,
                observer: self.observer,
                number,
                steps: self.budget.steps.map(|steps| steps / PASSES as u64),
                end,
            };
            self.found.steps += pass.run(&mut order);
            self.found.improve(&order, self.problem.value(&order));
            self.observer.progress(self.found.objective, self.bound);
        }
    }

    /// Steps an element, of those that the temperatures are meant for. With a time limit a chain that is thrown
    /// away gives an estimate of how many there will be.
    fn pace(&self) -> f64 {
        let elements = (self.problem.space.len() * self.chains) as f64;
        let steps = match (self.budget.steps, self.budget.time, self.observer.seconds()) {
            // What a step takes differs by kind of distance and machine, so it is measured.
            (None, Some(limit), Some(began)) => {
                let lag = self.problem.element_lags(SHORT);
                let ring = self.problem.weights.ring;
                let rng = AnnealRng::new(self.budget.seed, u64::MAX);
                let order = &self.found.order;
                let mut chain = Chain::new(self.problem.space, order, &lag, lag.len(), ring, rng);
                let cold = Cooling {
                    from: 0.02,
                    to: 0.02,
                };
                chain.run(cold, 1.0, &|steps| steps as f64 / PROBE as f64);
                let now = self.observer.seconds().unwrap_or(began);
                PROBE as f64 * self.chains as f64 * (limit - now).max(0.0) / (now - began).max(1e-9)
            }
            (steps, ..) => steps.map_or(f64::MAX, |steps| steps as f64),
        };
        steps / elements / STEPS_AN_ELEMENT
    }

    /// One chain from each of `from`, side by side, over a share of the budget.
    fn leg(
        &mut self,
        from: Vec<Vec<u32>>,
        window: usize,
        cooling: Cooling,
        share: (f64, f64),
        rounds: usize,
    ) -> Vec<Ranked> {
        let over = |run: &Self| run.observer.should_stop() || run.found.objective <= run.bound;
        if over(self) {
            return Vec::new();
        }
        let lag = self.problem.element_lags(window);
        let ring = self.problem.weights.ring;
        // Chains of later legs must not draw what earlier ones drew.
        let legs = self.legs;
        self.legs += 1;
        let (space, seed, chains) = (self.problem.space, self.budget.seed, self.chains);
        let mut runs: Vec<Chain<'_>> = from
            .iter()
            .enumerate()
            .map(|(c, order)| {
                let rng = AnnealRng::new(seed, (c + chains * legs) as u64);
                Chain::new(space, order, &lag, lag.len(), ring, rng)
            })
            .collect();
        let span = share.1 - share.0;
        let (budget, observer, began) = (self.budget, self.observer, self.began);
        let progress = move |steps: u64| {
            if observer.should_stop() {
                return f64::INFINITY;
            }
            let all = budget.steps.map(|all| all as f64 * span / chains as f64);
            let by_steps = all.map_or(0.0, |all| steps as f64 / all);
            let by_time = match (budget.time, observer.seconds()) {
                (Some(limit), Some(now)) => {
                    ((now - began) / (limit - began).max(1e-3) - share.0) / span
                }
                _ => 0.0,
            };
            // The budget that ends first sets the temperature.
            by_steps.max(by_time)
        };
        let mut ranked: Vec<Ranked> = Vec::new();
        for round in 1..=rounds {
            let goal = round as f64 / rounds as f64;
            runs.par_iter_mut()
                .for_each(|chain| chain.run(cooling, goal, &progress));
            if self.problem.cost_of_value() > 3e7 && round < rounds && !observer.should_stop() {
                continue;
            }
            ranked.clear();
            for chain in &runs {
                let value = self.problem.value(&chain.best);
                ranked.push((chain.best.to_vec(), value));
                self.found.improve(&chain.best, value);
            }
            observer.progress(self.found.objective, self.bound);
            if over(self) {
                break;
            }
            // Half way, chains that lag behind go on from the leader.
            if rounds > 1 && round == rounds / 2 {
                let leader = ranked.iter().min_by(|a, b| a.1.total_cmp(&b.1)).cloned();
                if let Some((order, value)) = leader {
                    let behind = runs
                        .iter_mut()
                        .zip(&ranked)
                        .filter(|(_, own)| own.1 > value);
                    behind.for_each(|(chain, _)| chain.restart(&order));
                }
            }
        }
        self.found.steps += runs.iter().map(|chain| chain.steps).sum::<u64>();
        ranked
    }

    /// Puts every stretch of seven elements into its best order, of six in long sequences.
    fn polish(&mut self) {
        let LegSearch {
            problem,
            budget,
            observer,
            found,
            ..
        } = self;
        if problem.weights.ring || found.order.len() > POLISHED {
            return;
        }
        let lag = problem.element_lags(SHORT);
        let prices = Prices::new(&lag, UNIT, lag.len());
        // Polishing is short and makes nothing worse: it may exceed the time by 2 %.
        let late = Budget {
            time: budget.time.map(|limit| limit * 1.02),
            ..**budget
        };
        let stop = || observer.should_stop() || late.is_over(*observer);
        let mut order = found.order.clone();
        let size = if order.len() <= SCOUTED { 7 } else { 6 };
        window::improve(&problem.space.distances, &mut order, &prices, size, &stop);
        found.improve(&order, problem.value(&order));
    }

    /// Anneals on the matrix of all pairs, in the place of legs.
    fn small(&mut self) {
        let LegSearch {
            problem,
            budget,
            observer,
            found,
            ..
        } = self;
        debug_assert!(found.order.len() <= small::LARGEST);
        let n = found.order.len() as u64;
        // About the same work a step as elsewhere.
        let steps = budget.steps.unwrap_or(4_000_000) / CHAINS as u64;
        let steps = (steps * 8 / n.max(8)).max(1);
        let stop = || observer.should_stop() || budget.is_over(*observer);
        let weight = |p: usize, q: usize| problem.element_weight(p, q);
        let results: Vec<(Vec<u32>, u64)> = (0..CHAINS)
            .into_par_iter()
            .map(|c| {
                let rng = AnnealRng::new(budget.seed, c as u64);
                Small::new(&problem.space.distances, &found.order, &weight, rng).run(steps, &stop)
            })
            .collect();
        for (order, steps) in results {
            found.improve(&order, problem.value(&order));
            found.steps += steps;
        }
    }
}

/// Elements up to which windows are re-optimised: beyond, the time is better spent on steps.
const POLISHED: usize = 20_000;
