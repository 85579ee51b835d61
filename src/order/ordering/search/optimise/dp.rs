//! The exact dynamic program for small arrangements under short windows.
//!
//! Orders are built rank by rank. Two beginnings of an order that hold the same elements, end with the same K of
//! them and, on a ring, begin with the same K, have the same price for every way to go on: they are one state, and
//! only the cheaper beginning is kept. The states with p elements are layer p. In a word, a state's key is
//!
//! ```text
//! | first K elements (on rings), the first lowest | last K elements, the latest lowest | set of elements |
//! ```
//!
//! A state is dropped where its cost and a lower bound on the rest cannot beat the best order known. The bound comes
//! from the same recursion with the set forgotten but for the last M ≤ K elements (a state-space relaxation); lags
//! beyond M count the nearest elements not among those M. States that a permutation of the elements takes to each
//! other are one state: each is permuted so that its last elements are the first tuple of their class ([`Symmetry`]),
//! and so are the tuples of the relaxation.
//!
//! # References
//! Held, Karp, "A dynamic programming approach to sequencing problems", 1962,
//! <https://doi.org/10.1137/0110015>; Christofides, Mingozzi, Toth, "State-space relaxation procedures for
//! the computation of bounds to routing problems", 1981, <https://doi.org/10.1002/net.3230110207>.

use rayon::prelude::*;

use super::anneal_rng::AnnealRng;
use super::options::Budget;
use super::problem::SearchProblem;
use super::symmetry::{Permutation, Symmetry, decode_digits, invert_permutation};
use nodeorder_base::observer::Observer;

/// Limits of one attempt of the dynamic program: states, operations and time.
#[derive(Clone, Copy, Debug)]
pub(in crate::ordering) struct Effort {
    /// States in all layers together, 24 bytes each.
    pub states: usize,
    /// Operations for the relaxation.
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

/// Largest number of elements: their set has to leave half of a key to the last elements.
const MAX_ELEMENTS: usize = 32;

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

/// An instance of the dynamic program.
struct DynamicProgram {
    n: usize,
    /// Weight of each lag up to K, from lag 0, which has none.
    lag: Vec<i64>,
    ring: bool,
    /// Bits of an element's number in a key.
    bits: usize,
    /// Longest lag that has a weight, K.
    window: usize,
    symmetry: Symmetry,
    /// Distances of all pairs, row by row.
    distance: Vec<i64>,
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
    /// Looks up the distance between two elements.
    fn distance_between(&self, a: usize, b: usize) -> i64 {
        self.distance[a * self.n + b]
    }

    /// Looks up the weight of a pair of ranks.
    fn weight_between(&self, a: usize, b: usize) -> i64 {
        let apart = a.abs_diff(b);
        let lag = if self.ring {
            apart.min(self.n - apart)
        } else {
            apart
        };
        self.lag.get(lag).copied().unwrap_or(0)
    }

    /// Computes the objective of a whole order.
    fn objective_of(&self, order: &[u32]) -> i64 {
        let mut sum = 0;
        for b in 0..order.len() {
            for a in 0..b {
                sum += self.weight_between(a, b)
                    * self.distance_between(order[a] as usize, order[b] as usize);
            }
        }
        sum
    }

    /// Improves `best` by exchanges, insertions and reversals as long as they gain, in `rounds` descents; all but the
    /// first begin at a shuffle of the best order.
    fn search_locally(&self, best: &mut Vec<u32>, rounds: usize) {
        let mut rng = AnnealRng::new(1, 77);
        let mut least = self.objective_of(best);
        let mut order = best.clone();
        for _ in 0..rounds {
            let value = self.descend_locally(&mut order);
            if value < least {
                least = value;
                best.clone_from(&order);
            }
            order.clone_from(best);
            // A few long reversals leave the basin of the last descent, and keep most neighbours together.
            for _ in 0..4 {
                let a = rng.random_below(self.n);
                let b = rng.random_below(self.n);
                order[a.min(b)..=a.max(b)].reverse();
            }
        }
    }

    /// Makes moves that gain until there is none, and returns the objective reached.
    fn descend_locally(&self, order: &mut [u32]) -> i64 {
        let mut value = self.objective_of(order);
        let mut gained = true;
        while gained {
            gained = false;
            for a in 0..self.n {
                for b in a + 1..self.n {
                    let undo = order.to_vec();
                    for kind in 0..4 {
                        match kind {
                            0 => order.swap(a, b),
                            1 => order[a..=b].reverse(),
                            2 => order[a..=b].rotate_left(1),
                            _ => order[a..=b].rotate_right(1),
                        }
                        let now = self.objective_of(order);
                        if now < value {
                            value = now;
                            gained = true;
                            break;
                        }
                        order.copy_from_slice(&undo);
                    }
                }
            }
        }
        value
    }

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
        let relaxation = Relaxation::new(self, effort.relaxation);
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

    /// Makes the states that one more element makes of those with `placed` elements, where their bound is below
    /// `upper`; of equal ones the cheapest.
    fn next_layer(
        &self,
        layer: &[State],
        placed: usize,
        relaxation: &Relaxation,
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

    /// Computes the code of the `count` latest elements of a state, the latest lowest, in base n.
    fn code_of_latest(&self, key: u64, count: usize) -> usize {
        let mut latest = key >> self.n;
        let mut code = 0;
        let mut digit = 1;
        for _ in 0..count {
            code += (latest & self.element_mask()) as usize * digit;
            digit *= self.n;
            latest >>= self.bits;
        }
        code
    }

    /// Permutes a state so that its latest elements are the first tuple of their class; returns the new key and the
    /// permutation's number.
    fn permute_to_first(&self, key: u64, placed: usize) -> (u64, u16) {
        let known = placed.min(self.window);
        let length = known.min(self.symmetry.longest_tuple_length());
        let code = self.code_of_latest(key, length);
        let number = self.symmetry.permutation_to_first(length, code);
        if number == 0 {
            return (key, 0);
        }
        let permutation = self.symmetry.permutation(number);
        let mut set = key & ((1 << self.n) - 1);
        let mut permuted = 0;
        while set != 0 {
            permuted |= 1u64 << permutation[set.trailing_zeros() as usize];
            set &= set - 1;
        }
        permuted |= self.permute_digits(key, self.n, known, permutation);
        if self.ring {
            let firsts = self.n + self.window * self.bits;
            permuted |= self.permute_digits(key, firsts, known, permutation);
        }
        (permuted, number)
    }

    /// Permutes `count` elements of a key, the lowest at bit `begin`, where they stand.
    #[inline]
    fn permute_digits(
        &self,
        key: u64,
        begin: usize,
        count: usize,
        permutation: &Permutation,
    ) -> u64 {
        let mut permuted = 0;
        let mut shift = begin;
        for _ in 0..count {
            let element = (key >> shift & self.element_mask()) as usize;
            permuted |= u64::from(permutation[element]) << shift;
            shift += self.bits;
        }
        permuted
    }

    /// Makes a mask of the bits that an element's number takes at the low end of a word.
    fn element_mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Computes the key after `v` is placed at rank `placed`.
    fn extend_key(&self, before: u64, v: usize, placed: usize) -> u64 {
        let width = self.window * self.bits;
        let set = before & ((1 << self.n) - 1) | 1 << v;
        let latest = (before >> self.n << self.bits | v as u64) & ((1 << width) - 1);
        let mut key = set | latest << self.n;
        if self.ring {
            let mut firsts = before >> (self.n + width);
            if placed < self.window {
                firsts |= (v as u64) << (placed * self.bits);
            }
            key |= firsts << (self.n + width);
        }
        key
    }

    /// Computes the price of the pairs that `v` at rank `placed` makes with the elements before it.
    fn added_cost(&self, key: u64, placed: usize, v: usize) -> i64 {
        let mut latest = key >> self.n;
        let mut sum = 0;
        for lag in 1..=self.window.min(placed) {
            let element = (latest & self.element_mask()) as usize;
            sum += self.weight_between(0, lag) * self.distance_between(v, element);
            latest >>= self.bits;
        }
        if self.ring {
            let mut firsts = key >> (self.n + self.window * self.bits);
            for rank in 0..self.window.min(placed) {
                // Those within the window backwards are counted already.
                if placed - rank > self.window {
                    let element = (firsts & self.element_mask()) as usize;
                    sum += self.weight_between(rank, placed) * self.distance_between(v, element);
                }
                firsts >>= self.bits;
            }
        }
        sum
    }
}

/// Lower bounds on the cost of what is still to be placed, by the number placed and the last M elements; 0 by default.
#[derive(Default)]
struct Relaxation {
    /// Number of elements remembered, M.
    memory: usize,
    /// One table for each number placed, by class of the last elements; empty where nothing is known.
    layers: Vec<Vec<i64>>,
}

/// A cost above any that occurs, far enough from overflow.
const NEVER: i64 = i64::MAX / 4;

impl Relaxation {
    /// Computes the bounds from the last layer back, with as long a memory as `work` operations allow.
    fn new(program: &DynamicProgram, work: u64) -> Self {
        let n = program.n;
        let symmetry = &program.symmetry;
        // On a ring shorter than two windows, the lag of a pair may be its way round the other side.
        if program.ring && 2 * program.window >= n {
            return Relaxation::default();
        }
        let longest = program.window.min(symmetry.longest_tuple_length());
        let affordable =
            |memory: &usize| symmetry.first_tuples(*memory).len() as u64 * (n * n) as u64 <= work;
        let Some(memory) = (1..=longest).rev().find(affordable) else {
            return Relaxation::default();
        };
        let firsts = symmetry.first_tuples(memory);
        let mut layers = vec![Vec::new(); n + 1];
        layers[n] = vec![0; firsts.len()];
        for placed in (memory..n).rev() {
            let after: &[i64] = &layers[placed + 1];
            layers[placed] = firsts
                .par_iter()
                .map(|code| cheapest_rest(program, memory, placed, *code as usize, after))
                .collect();
        }
        Relaxation { memory, layers }
    }

    /// Looks up the bound on what a state still costs.
    fn cost_to_go(&self, program: &DynamicProgram, key: u64, placed: usize) -> i64 {
        let Some(layer) = self.layers.get(placed).filter(|layer| !layer.is_empty()) else {
            return 0;
        };
        let code = program.code_of_latest(key, self.memory);
        layer[program.symmetry.class_of(self.memory, code)]
    }
}

/// Finds the least cost to go over all next elements, from a tuple of latest elements and the bounds of the layer
/// after.
fn cheapest_rest(
    program: &DynamicProgram,
    memory: usize,
    placed: usize,
    code: usize,
    after: &[i64],
) -> i64 {
    let n = program.n;
    let latest = &decode_digits::<MAX_ELEMENTS>(code, n, memory)[..memory];
    let oldest = n.pow(memory as u32 - 1);
    let mut least = NEVER;
    for v in (0..n).filter(|v| !latest.contains(v)) {
        let mut cost = far_lags_cost(program, latest, placed, v);
        for (k, u) in latest.iter().enumerate() {
            cost += program.lag[k + 1] * program.distance_between(v, *u);
        }
        // The new tuple: v lowest, the oldest element forgotten.
        let class = program.symmetry.class_of(memory, code % oldest * n + v);
        least = least.min(cost + after[class]);
    }
    least
}

/// Computes a lower bound on the cost of the lags beyond the memory: the nearest elements not remembered, at the
/// heaviest lags.
fn far_lags_cost(program: &DynamicProgram, latest: &[usize], placed: usize, v: usize) -> i64 {
    let lags = latest.len() + 1..=program.window.min(placed);
    if lags.is_empty() {
        return 0;
    }
    let others = (0..program.n).filter(|u| *u != v && !latest.contains(u));
    let mut distances: Vec<i64> = others.map(|u| program.distance_between(v, u)).collect();
    distances.sort_unstable();
    // Weights fall with the lag, so pairing them in order gives the least sum.
    lags.zip(distances).map(|(k, d)| program.lag[k] * d).sum()
}
