//! Multi-start annealing: chains side by side, in rounds, each result judged by the exact objective.
//!
//! A search is a row of legs. In each, every chain anneals from a temperature to a lower one over a share of the
//! budget:
//!
//! ```text
//! share of the budget   0    6 %   12 %   18 %   24 %                80 %     100 %
//!                       scout | scout | scout | scout |  cool down    | refine |
//! begins at             starts, some for each wave     the best two     the best, on long lags
//! ```
//!
//! Long sequences are annealed by blocks instead ([`super::blocks`]), small ones on a matrix ([`super::small`]).

use rayon::prelude::*;

use super::anneal::{Chain, Cooling, Stretch, UNIT};
use super::anneal_rng::AnnealRng;
use super::blocks::{self, BlockPass};
use super::elements::Distances;
use super::options::Budget;
use super::prices::LagPrices;
use super::problem::SearchProblem;
use super::small::{self, MatrixChain};
use super::starts::Start;
use super::window;
use nodeorder_base::Observer;

/// Number of rounds of the leg that cools down; after each progress is reported.
const ROUNDS: usize = 10;

/// Number of chains of a search that is counted in steps: the same on any machine, so that threads do not show.
pub const CHAINS: usize = 2;

/// Longest lag that moves are judged by while the ordering takes shape.
const SHORT: usize = 64;

/// Longest lag by which moves are judged in the refinement: the number of pairs across a joint grows with its square.
const LONG: usize = 512;

/// Longest lag of refinement where coordinates do not give distances: every pair is looked up.
const LONG_LOOKED_UP: usize = 128;

/// Number of waves of scouts.
const SCOUTS: usize = 4;

/// Number of waves of scouts before a melt, which needs the time.
const SCOUTS_OF_A_MELT: usize = 1;

/// Share of the budget of a wave of scouts.
const SCOUT_SHARE: f64 = 0.06;

/// Largest number of elements with scouts: on longer sequences their share of the budget is too short to rank starts.
const SCOUTED: usize = 6000;

/// Number of steps an element, of one chain, that the temperatures are meant for; without scouts, fewer steps begin
/// and end colder: what is broken up could not be mended.
const STEPS_AN_ELEMENT: f64 = 4000.0;

/// Temperature that scouts cool down to, as a part of the one they begin at.
const SCOUTED_TO: f64 = 0.6;

/// Share of [`STEPS_AN_ELEMENT`] from which long lags are melted and take shape anew: what starts give them is not
/// the best (15×6×16 torus, harmonic weights: 19,700 from a warm start, 19,420 from a melt), but a melt takes its
/// time.
const MELTED: f64 = 0.2;

/// Number of passes over the blocks of a long sequence.
const PASSES: usize = 2;

/// Number of steps that are timed to estimate how many a given time allows.
const PROBE: u64 = 16 * 1024;

/// Best sequence found so far.
#[derive(Default)]
pub struct BestSequence {
    pub order: Vec<u32>,
    pub objective: f64,
    /// Number of steps of all chains.
    pub steps: u64,
    /// Whether the observer, not the budget, ended it.
    pub stopped: bool,
    /// Label of the ordering that it started from.
    pub start: String,
}

impl BestSequence {
    /// Takes over an order if it has a smaller objective.
    fn keep_better(&mut self, order: &[u32], objective: f64) {
        if objective < self.objective {
            self.objective = objective;
            self.order = order.to_vec();
        }
    }
}

/// Searches from `starts` (the best first) within `budget`.
pub fn search_orders(
    problem: &SearchProblem<'_>,
    starts: &[Start],
    budget: &Budget,
    observer: &dyn Observer,
    bound: f64,
) -> BestSequence {
    // Where the exact objective costs much, the starts' rough ranking has to do.
    let judged = if problem.objective_cost() > 1e9 { 1 } else { 4 };
    let found = starts
        .iter()
        .take(judged)
        .map(|s| BestSequence {
            order: s.order.clone(),
            objective: problem.objective(&s.order),
            start: s.label.clone(),
            ..BestSequence::default()
        })
        .reduce(|a, b| if b.objective < a.objective { b } else { a })
        .unwrap_or_default();
    if found.order.len() < 3 || found.objective <= bound {
        return found;
    }
    observer.report_progress(found.objective, bound);
    let chains = if budget.steps.is_some() {
        CHAINS
    } else {
        rayon::current_num_threads().max(1)
    };
    let began = observer.elapsed_seconds().unwrap_or(0.0);
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
    if problem.needs_weight_matrix() {
        run.anneal_on_matrix();
        run.found.stopped = observer.should_stop();
    } else {
        run.run_legs(starts);
        run.found.stopped = observer.should_stop();
        run.polish_windows();
    }
    run.found
}

/// Search in legs: stretches of annealing that each have a share of the budget.
struct LegSearch<'a> {
    problem: &'a SearchProblem<'a>,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    /// Lower bound on the objective; a search that meets it is over.
    bound: f64,
    /// Number of chains side by side.
    chains: usize,
    /// Moment when the search began, on the observer's clock.
    began: f64,
    /// Number of legs so far: each draws from streams of its own.
    legs: usize,
    found: BestSequence,
}

/// Sequence with its objective.
type RankedSequence = (Vec<u32>, f64);

impl LegSearch<'_> {
    /// Scouts from several starts, since outcomes vary; then cools down the best of them; at the end refines on longer
    /// lags where the window is long.
    fn run_legs(&mut self, starts: &[Start]) {
        let window = self.problem.weights.longest_lag();
        let tail: f64 = (5..=window.min(SHORT))
            .map(|k| self.problem.weights.lag_weight(k))
            .sum();
        // Where the first lag outweighs lags 5 to 64, large rearrangements matter little, so nothing is melted.
        let light = self.problem.weights.lag_weight(1) > tail;
        let pace = self.estimate_pace();
        let elements = self.problem.space.len();
        if elements >= blocks::LARGE && !self.problem.weights.ring {
            return self.anneal_by_blocks(pace, light);
        }
        let (mut hot, mut cold, mut scouts) = match (light, pace >= MELTED) {
            (true, _) => (0.45, 0.06, SCOUTS),
            (false, false) => (0.45, 0.09, SCOUTS),
            (false, true) => (4.0, 0.2, SCOUTS_OF_A_MELT),
        };
        let mut chill = 1.0;
        if elements > SCOUTED {
            scouts = 0;
            chill = chill_factor(pace);
            hot *= chill;
            cold *= chill;
        }
        let mut leaders = self.run_scouts(starts, scouts, hot);
        if leaders.is_empty() {
            leaders.push((self.found.order.clone(), self.found.objective));
            // The second start may be a better one to anneal from, whatever its objective.
            leaders.extend(starts.get(1).map(|s| (s.order.clone(), f64::MAX)));
        }
        leaders.sort_by(|a, b| a.1.total_cmp(&b.1));
        let from = (0..self.chains)
            .map(|c| leaders[c % leaders.len().min(2)].0.clone())
            .collect();
        let cooling = Cooling {
            from: if scouts > 0 { SCOUTED_TO * hot } else { hot },
            to: cold,
        };
        let end = if window > SHORT { 0.8 } else { 1.0 };
        let share = (scouts as f64 * SCOUT_SHARE, end);
        self.anneal_leg(from, SHORT, cooling, share, ROUNDS);
        if window > SHORT {
            let from = vec![self.found.order.clone(); self.chains];
            let cooling = Cooling {
                from: chill * 0.12,
                to: chill * 0.04,
            };
            let long = match self.problem.space.distances {
                Distances::ByteCoordinates { .. } => LONG,
                _ => LONG_LOOKED_UP,
            };
            self.anneal_leg(from, long, cooling, (end, 1.0), 3);
        }
    }

    /// Anneals for a short while in waves, whose chains begin at the best four starts in turn; returns the outcomes.
    fn run_scouts(&mut self, starts: &[Start], waves: usize, hot: f64) -> Vec<RankedSequence> {
        let cooling = Cooling {
            from: hot,
            to: SCOUTED_TO * hot,
        };
        let mut leaders = Vec::new();
        for wave in 0..waves {
            let first = wave * self.chains;
            let from = (first..first + self.chains)
                .map(|chain| starts[chain % starts.len().min(4)].order.clone())
                .collect();
            let share = (wave as f64 * SCOUT_SHARE, (wave + 1) as f64 * SCOUT_SHARE);
            leaders.extend(self.anneal_leg(from, SHORT, cooling, share, 1));
        }
        leaders
    }

    /// Anneals by blocks: from the best start twice, the joints of one pass inside the blocks of the other. Long
    /// lags weigh little where weights are `light`.
    fn anneal_by_blocks(&mut self, pace: f64, light: bool) {
        let lag = self.problem.element_lag_weights(SHORT);
        let mut order = self.found.order.clone();
        for number in 0..PASSES {
            if self.is_over() {
                return;
            }
            // The passes left share the time left.
            let clock = self.observer.elapsed_seconds().zip(self.budget.time);
            let end = clock.map(|(now, limit)| {
                let left = (limit - now).max(0.0);
                now + left / (PASSES - number) as f64
            });
            let pass = BlockPass {
                space: self.problem.space,
                lag: &lag,
                cooling: &|weight| block_cooling(pace * weight, light, number),
                budget: self.budget,
                observer: self.observer,
                number,
                steps: self.budget.steps.map(|steps| steps / PASSES as u64),
                end,
            };
            self.found.steps += pass.anneal_blocks(&mut order);
            self.found
                .keep_better(&order, self.problem.objective(&order));
            self.observer
                .report_progress(self.found.objective, self.bound);
        }
    }

    /// Estimates the steps an element that the budget allows, as a multiple of [`STEPS_AN_ELEMENT`]. With a time
    /// limit a chain that is thrown away gives an estimate of how many there will be.
    fn estimate_pace(&self) -> f64 {
        let elements = (self.problem.space.len() * self.chains) as f64;
        let steps = match (
            self.budget.steps,
            self.budget.time,
            self.observer.elapsed_seconds(),
        ) {
            // What a step takes differs by kind of distance and machine, so it is measured.
            (None, Some(limit), Some(began)) => {
                let lag = self.problem.element_lag_weights(SHORT);
                let ring = self.problem.weights.ring;
                let rng = AnnealRng::new(self.budget.seed, u64::MAX);
                let order = &self.found.order;
                let mut chain = Chain::new(self.problem.space, order, &lag, ring, rng);
                let cold = Cooling {
                    from: 0.02,
                    to: 0.02,
                };
                chain.anneal_until(cold, 1.0, &|steps| steps as f64 / PROBE as f64);
                let now = self.observer.elapsed_seconds().unwrap_or(began);
                PROBE as f64 * self.chains as f64 * (limit - now).max(0.0) / (now - began).max(1e-9)
            }
            (steps, ..) => steps.map_or(f64::MAX, |steps| steps as f64),
        };
        steps / elements / STEPS_AN_ELEMENT
    }

    /// Anneals one chain from each of `from`, side by side, over a share of the budget (its begin and end);
    /// returns the outcomes, none if the search is over.
    fn anneal_leg(
        &mut self,
        from: Vec<Vec<u32>>,
        window: usize,
        cooling: Cooling,
        share: (f64, f64),
        rounds: usize,
    ) -> Vec<RankedSequence> {
        if self.is_over() {
            return Vec::new();
        }
        let lag = self.problem.element_lag_weights(window);
        let ring = self.problem.weights.ring;
        let chains = self.chains;
        // Chains of later legs must not draw what earlier ones drew.
        let first_stream = chains * self.legs;
        self.legs += 1;
        let mut runs: Vec<Chain<'_>> = from
            .iter()
            .enumerate()
            .map(|(c, order)| {
                let rng = AnnealRng::new(self.budget.seed, (first_stream + c) as u64);
                Chain::new(self.problem.space, order, &lag, ring, rng)
            })
            .collect();
        let observer = self.observer;
        let span = share.1 - share.0;
        let steps = self.budget.steps;
        let stretch = Stretch {
            steps: steps.map(|all| all as f64 * span / chains as f64),
            time: self.budget.time.map(|limit| {
                let all = (limit - self.began).max(1e-3);
                (self.began + share.0 * all, span * all)
            }),
        };
        let mut ranked: Vec<RankedSequence> = Vec::new();
        for round in 1..=rounds {
            let goal = round as f64 / rounds as f64;
            runs.par_iter_mut().for_each(|chain| {
                chain.anneal_until(cooling, goal, &|made| stretch.elapsed_share(made, observer))
            });
            // Where the exact objective takes a second or so, it is found for the last round alone.
            if self.problem.objective_cost() > 3e7 && round < rounds && !observer.should_stop() {
                continue;
            }
            ranked.clear();
            for chain in &runs {
                let value = self.problem.objective(&chain.best);
                ranked.push((chain.best.to_vec(), value));
                self.found.keep_better(&chain.best, value);
            }
            observer.report_progress(self.found.objective, self.bound);
            if self.is_over() {
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
                    behind.for_each(|(chain, _)| chain.restart_at(&order));
                }
            }
        }
        self.found.steps += runs.iter().map(|chain| chain.steps).sum::<u64>();
        ranked
    }

    /// Checks whether the search is to end: it was stopped, or it met the bound.
    fn is_over(&self) -> bool {
        self.observer.should_stop() || self.found.objective <= self.bound
    }

    /// Puts every stretch of seven elements into its best order, of six in long sequences.
    fn polish_windows(&mut self) {
        let problem = self.problem;
        if problem.weights.ring || self.found.order.len() > POLISHED {
            return;
        }
        let lag = problem.element_lag_weights(SHORT);
        let prices = LagPrices::new(&lag, UNIT, lag.len());
        // Polishing is short and makes nothing worse: it may exceed the time by 2 %.
        let late = Budget {
            time: self.budget.time.map(|limit| limit * 1.02),
            ..*self.budget
        };
        let observer = self.observer;
        let mut order = self.found.order.clone();
        let size = if order.len() <= SCOUTED { 7 } else { 6 };
        window::improve_windows(&problem.space.distances, &mut order, &prices, size, &|| {
            observer.should_stop() || late.is_over(observer)
        });
        self.found.keep_better(&order, problem.objective(&order));
    }

    /// Anneals on the matrix of all pairs, in the place of legs.
    fn anneal_on_matrix(&mut self) {
        let problem = self.problem;
        let budget = self.budget;
        let observer = self.observer;
        let start = &self.found.order;
        debug_assert!(start.len() <= small::LARGEST);
        // About the same work a step as elsewhere.
        let steps = budget.steps.unwrap_or(4_000_000) / CHAINS as u64;
        let steps = (steps * 8 / (start.len() as u64).max(8)).max(1);
        let results: Vec<(Vec<u32>, u64)> = (0..CHAINS)
            .into_par_iter()
            .map(|c| {
                let rng = AnnealRng::new(budget.seed, c as u64);
                let distances = &problem.space.distances;
                let chain =
                    MatrixChain::new(distances, start, &|p, q| problem.element_weight(p, q), rng);
                chain.anneal_steps(steps, &|| {
                    observer.should_stop() || budget.is_over(observer)
                })
            })
            .collect();
        for (order, steps) in results {
            self.found.keep_better(&order, problem.objective(&order));
            self.found.steps += steps;
        }
    }
}

/// Computes the factor by which temperatures fall where the steps are `pace` times those that they are meant for.
fn chill_factor(pace: f64) -> f64 {
    pace.sqrt().clamp(0.05, 1.0)
}

/// Chooses how a block cools that gets `pace` times the steps that temperatures are meant for.
fn block_cooling(pace: f64, light: bool, pass: usize) -> Cooling {
    if light || pace < MELTED {
        let chill = chill_factor(pace);
        let cold = if light { 0.06 } else { 0.09 };
        return Cooling {
            from: chill * 0.45,
            to: chill * cold,
        };
    }
    // With the steps of many blocks that are alike, a block may be melted and take shape anew.
    match pass {
        0 => Cooling {
            from: 8.0,
            to: 0.08,
        },
        _ => Cooling { from: 2.0, to: 0.1 },
    }
}

/// Largest number of elements whose windows are re-optimised: beyond, the time is better spent on steps.
const POLISHED: usize = 20_000;
