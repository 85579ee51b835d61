//! The exact dynamic program for small arrangements under short windows.
//!
//! Orders are built rank by rank. Two beginnings of an order that hold the same elements, end with the same K of
//! them and, on a ring, begin with the same K, have the same price for every way to go on: they are one state, and
//! only the cheaper beginning is kept. The states with p elements are layer p; [`DynamicProgram`] says how a key holds
//! one.
//!
//! A state is dropped where its cost and a lower bound on the rest ([`CostsToGo`]) cannot beat the best order known.
//! States that a permutation of the elements takes to each other are one state: each is permuted so that its last
//! elements are the first tuple of their class ([`Symmetry`]).
//!
//! # References
//! Held, Karp, "A dynamic programming approach to sequencing problems", 1962,
//! <https://doi.org/10.1137/0110015>.

use rayon::prelude::*;

use super::dp_bounds::CostsToGo;
use super::dp_instance::{DynamicProgram, MAX_ELEMENTS};
use super::options::Budget;
use super::problem::SearchProblem;
use super::symmetry::{Symmetry, invert_permutation};
use nodeorder_base::Observer;

/// Limits of one attempt of the dynamic program: states, operations and time.
#[derive(Clone, Copy, Debug)]
pub(in crate::ordering) struct Effort {
    /// States in all layers together, 24 bytes each.
    pub states: usize,
    /// Number of operations that the relaxation may take.
    pub relaxation: u64,
    /// Moment to give up, in seconds on the observer's clock.
    pub until: f64,
}

/// Effort of some seconds and 300 MB at most.
pub(in crate::ordering) const MODEST: Effort = Effort {
    states: 10_000_000,
    relaxation: 500_000_000,
    until: f64::INFINITY,
};

impl Effort {
    /// Chooses the effort that suits the steps or seconds of a budget.
    pub fn for_budget(budget: &Budget) -> Effort {
        let steps = budget.steps.unwrap_or(u64::MAX);
        Effort {
            states: MODEST.states.min(steps.saturating_mul(2) as usize),
            relaxation: MODEST.relaxation.min(steps.saturating_mul(500)),
            until: budget.time.map_or(f64::INFINITY, |time| time / 2.0),
        }
    }
}

/// Finds an optimal order. `None` if the weights are no fractions, the instance is too large for a key, or the effort
/// was not enough.
pub(in crate::ordering) fn find_optimum(
    problem: &SearchProblem<'_>,
    start: &[u32],
    effort: Effort,
    observer: &dyn Observer,
) -> Option<Vec<u32>> {
    let n = problem.space.len();
    if n > MAX_ELEMENTS || n == 0 {
        return None;
    }
    let mut lag = problem.integer_weights()?.lag;
    if n < 3 {
        return Some(start.to_vec());
    }
    lag.truncate(n);
    let ring = problem.weights.ring;
    let bits = (usize::BITS - (n - 1).leading_zeros()) as usize;
    let window = lag.len() - 1;
    let remembered = if ring { 2 * window } else { window };
    if n + remembered * bits > u64::BITS as usize {
        return None;
    }
    let distance = problem.space.distances.matrix(0..n as u32);
    let program = DynamicProgram {
        n,
        lag,
        ring,
        bits,
        window,
        symmetry: Symmetry::new(n, &distance, window),
        distance,
    };
    let mut best = start.to_vec();
    program.search_locally(&mut best, (effort.states / 250_000).clamp(1, 40));
    program.solve_layers(best, effort, observer)
}

/// One state of a layer.
#[derive(Clone, Copy)]
struct State {
    key: u64,
    /// Price of all pairs placed.
    cost: i64,
    /// Index of the state before, in the layer below.
    parent: u32,
    /// Number of the permutation that was applied when it was made.
    permutation: u16,
}

impl DynamicProgram {
    /// Builds the layers one after the other and returns an optimal order: `best`, unless a state of the last layer
    /// beats it. `None` if the effort was not enough.
    fn solve_layers(
        &self,
        best: Vec<u32>,
        effort: Effort,
        observer: &dyn Observer,
    ) -> Option<Vec<u32>> {
        // The better this order, the fewer states are kept: only those that may beat it.
        let upper = self.objective_of(&best);
        let relaxation = CostsToGo::new(self, effort.relaxation);
        let mut layers = vec![self.first_layer()];
        let mut states = 0;
        for placed in 1..self.n {
            if observer.should_stop()
                || observer
                    .elapsed_seconds()
                    .is_some_and(|now| now > effort.until)
            {
                return None;
            }
            let next = self.next_layer(&layers[placed - 1], placed, &relaxation, upper);
            if next.is_empty() {
                // Nothing can beat the best order known, so it is optimal.
                return Some(best);
            }
            states += next.len();
            if states > effort.states {
                return None;
            }
            layers.push(next);
        }
        self.trace_back(&layers)
    }

    /// Lists the states of one element.
    fn first_layer(&self) -> Vec<State> {
        // An order that starts elsewhere has an equal that starts at one of these; a ring starts anywhere.
        let starts = if self.ring { 1 } else { self.n };
        let firsts = self.symmetry.first_tuples(1).iter().take(starts);
        firsts
            .map(|element| State {
                key: self.extend_key(0, *element as usize, 0),
                cost: 0,
                parent: u32::MAX,
                permutation: 0,
            })
            .collect()
    }

    /// Makes the next layer: the states of `layer`, which have `placed` elements, each extended by one element, where
    /// their bound is below `upper`; of equal states the cheapest.
    fn next_layer(
        &self,
        layer: &[State],
        placed: usize,
        relaxation: &CostsToGo,
        upper: i64,
    ) -> Vec<State> {
        let mut next: Vec<State> = layer
            .par_iter()
            .enumerate()
            .flat_map_iter(|(parent, state)| {
                let free = (0..self.n).filter(move |v| state.key >> v & 1 == 0);
                free.filter_map(move |v| {
                    let cost = state.cost + self.added_cost(state.key, placed, v);
                    let key = self.extend_key(state.key, v, placed);
                    if cost + relaxation.cost_to_go(self, key, placed + 1) >= upper {
                        return None;
                    }
                    let (key, permutation) = self.permute_to_first(key, placed + 1);
                    Some(State {
                        key,
                        cost,
                        parent: parent as u32,
                        permutation,
                    })
                })
            })
            .collect();
        // Of equal costs the first parent, so that the threads' order does not show.
        next.par_sort_unstable_by_key(|s| (s.key, s.cost, s.parent, s.permutation));
        next.dedup_by_key(|s| s.key);
        next.shrink_to_fit();
        next
    }

    /// Traces the order behind the cheapest state of the last layer.
    fn trace_back(&self, layers: &[Vec<State>]) -> Option<Vec<u32>> {
        let last = layers.last()?.iter().enumerate();
        let (mut index, _) = last.min_by_key(|(_, state)| (state.cost, state.key))?;
        let mut steps = Vec::with_capacity(self.n);
        for layer in layers.iter().rev() {
            let state = layer[index];
            let permutation = self.symmetry.permutation(state.permutation);
            // The key holds the permuted elements; the one placed here is its latest as it was before.
            let latest = (state.key >> self.n & self.element_mask()) as usize;
            steps.push((invert_permutation(self.n, permutation)[latest], permutation));
            index = state.parent as usize;
        }
        let mut order: Vec<u32> = Vec::with_capacity(self.n);
        for (element, permutation) in steps.into_iter().rev() {
            order.push(element.into());
            for e in &mut order {
                *e = permutation[*e as usize].into();
            }
        }
        Some(order)
    }
}
