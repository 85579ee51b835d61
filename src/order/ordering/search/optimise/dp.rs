//! The exact dynamic program for small arrangements under short windows.
//!
//! A state is the set of elements placed and the last K of them in order (on a ring also the first K):
//! nothing else matters for what comes. States are built rank by rank; one is dropped when its cost so
//! far plus a lower bound on the rest cannot beat the best order known. The lower bound comes from the same
//! recursion with the set forgotten but for the last M ≤ K elements (a state-space relaxation); lags
//! beyond M count the nearest elements not among those M. States that a permutation of the elements takes to
//! each other are one state: each is turned so that its last elements look as they do first of all
//! ([`Symmetry`]), and so are the tuples of the relaxation.
//!
//! # References
//! Held, Karp, "A dynamic programming approach to sequencing problems", 1962,
//! <https://doi.org/10.1137/0110015>; Christofides, Mingozzi, Toth, "State-space relaxation procedures for
//! the computation of bounds to routing problems", 1981, <https://doi.org/10.1002/net.3230110207>.

use rayon::prelude::*;

use super::options::Budget;
use super::problem::SearchProblem;
use super::symmetry::{Symmetry, inverse};
use nodeorder_base::observer::Observer;

/// How much an attempt may take.
#[derive(Clone, Copy, Debug)]
pub(in crate::ordering) struct Effort {
    /// States in all layers together, 24 bytes each.
    pub states: usize,
    /// Operations for the relaxation.
    pub relaxation: u64,
    /// When to give up, in seconds on the observer's clock.
    pub until: f64,
}

/// Some seconds and 300 MB at most.
pub(in crate::ordering) const MODEST: Effort = Effort {
    states: 10_000_000,
    relaxation: 500_000_000,
    until: f64::INFINITY,
};

impl Effort {
    /// Effort that suits the steps or seconds of a budget.
    pub fn within(budget: &Budget) -> Effort {
        let steps = budget.steps.unwrap_or(u64::MAX);
        Effort {
            states: MODEST.states.min(steps.saturating_mul(2) as usize),
            relaxation: MODEST.relaxation.min(steps.saturating_mul(500)),
            until: budget.time.map_or(f64::INFINITY, |time| time / 2.0),
        }
    }
}

/// Most elements: the set is a word's lower part.
const MOST: usize = 32;

/// An optimal order, where the attempt succeeds; `None` where weights are no fractions, the instance is
/// too large, or the effort was not enough.
pub(in crate::ordering) fn attempt(
    problem: &SearchProblem<'_>,
    start: &[u32],
    effort: Effort,
    observer: &dyn Observer,
) -> Option<Vec<u32>> {
    let n = problem.space.len();
    if n > MOST || n == 0 {
        return None;
    }
    let weights = problem.integral()?;
    let mut lag = weights.lag;
    lag.truncate(n);
    let ring = problem.weights.ring;
    let bits = (usize::BITS - (n - 1).leading_zeros()).max(1) as usize;
    let window = lag.len() - 1;
    let kept = if ring { 2 * window } else { window };
    if n + kept * bits > 64 || n < 3 {
        return (n < 3).then(|| start.to_vec());
    }
    let mut distance = vec![0i64; n * n];
    for a in 0..n {
        for b in 0..n {
            distance[a * n + b] = i64::from(problem.space.distances.between(a as u32, b as u32));
        }
    }
    let program = Program {
        n,
        lag,
        ring,
        bits,
        window,
        distance,
    };
    let mut best = start.to_vec();
    program.descend(&mut best, (effort.states / 250_000).clamp(1, 40));
    program.solve(best, effort, observer)
}

struct Program {
    n: usize,
    lag: Vec<i64>,
    ring: bool,
    bits: usize,
    window: usize,
    distance: Vec<i64>,
}

/// One state of a layer. The key holds the set, then the last elements, the latest lowest, then on a ring
/// the first ones.
#[derive(Clone, Copy)]
struct State {
    key: u64,
    cost: i64,
    parent: u32,
    /// Number of the permutation that was applied when it was made.
    turn: u16,
}

impl Program {
    fn d(&self, a: usize, b: usize) -> i64 {
        self.distance[a * self.n + b]
    }

    /// The weight of two ranks.
    fn weight(&self, a: usize, b: usize) -> i64 {
        let apart = a.abs_diff(b);
        let k = if self.ring {
            apart.min(self.n - apart)
        } else {
            apart
        };
        self.lag.get(k).copied().unwrap_or(0)
    }

    fn value(&self, order: &[u32]) -> i64 {
        let mut sum = 0;
        for b in 0..order.len() {
            for a in 0..b {
                sum += self.weight(a, b) * self.d(order[a] as usize, order[b] as usize);
            }
        }
        sum
    }

    /// Exchanges, insertions and reversals as long as they gain, from the start and from shuffles of it: a
    /// good upper bound saves most states.
    fn descend(&self, best: &mut Vec<u32>, rounds: usize) {
        let mut rng = super::anneal_rng::AnnealRng::new(1, 77);
        let mut least = self.value(best);
        let mut order = best.clone();
        for _ in 0..rounds {
            let mut value = self.value(&order);
            let mut gained = true;
            while gained {
                gained = false;
                for a in 0..self.n {
                    for b in a + 1..self.n {
                        let undo = order.clone();
                        for kind in 0..4 {
                            match kind {
                                0 => order.swap(a, b),
                                1 => order[a..=b].reverse(),
                                2 => order[a..=b].rotate_left(1),
                                _ => order[a..=b].rotate_right(1),
                            }
                            let now = self.value(&order);
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
            if value < least {
                least = value;
                best.clone_from(&order);
            }
            order.clone_from(best);
            for _ in 0..4 {
                let (a, b) = (rng.below(self.n), rng.below(self.n));
                order[a.min(b)..=a.max(b)].reverse();
            }
        }
    }

    fn solve(&self, best: Vec<u32>, effort: Effort, observer: &dyn Observer) -> Option<Vec<u32>> {
        let n = self.n;
        // The better this order, the fewer states are kept: only those that may beat it.
        let upper = self.value(&best);
        let symmetry = Symmetry::new(n, &self.distance, self.window);
        let rest = Relaxation::new(self, &symmetry, effort.relaxation);
        // An order that starts elsewhere has an equal that starts at one of these; a ring starts anywhere.
        let starts = symmetry
            .firsts(1)
            .iter()
            .take(if self.ring { 1 } else { n });
        let start = |v: &u32| State {
            key: self.key(0, *v as usize, 0, 0),
            cost: 0,
            parent: u32::MAX,
            turn: 0,
        };
        let mut layers: Vec<Vec<State>> = vec![starts.map(start).collect()];
        let mut states = 0;
        for placed in 1..n {
            if observer.should_stop() || observer.seconds().is_some_and(|now| now > effort.until) {
                return None;
            }
            let layer = &layers[placed - 1];
            let mut next: Vec<State> = layer
                .par_iter()
                .enumerate()
                .flat_map_iter(|(i, state)| {
                    let (rest, symmetry) = (&rest, &symmetry);
                    (0..n)
                        .filter(move |v| state.key >> v & 1 == 0)
                        .filter_map(move |v| {
                            let cost = state.cost + self.added(state.key, placed, v);
                            let key = self.key(state.key, v, placed, self.recent(state.key));
                            let bound = cost + rest.at(self, symmetry, key, placed + 1);
                            (bound < upper).then(|| {
                                let (key, turn) = self.turned(symmetry, key, placed + 1);
                                State {
                                    key,
                                    cost,
                                    parent: i as u32,
                                    turn,
                                }
                            })
                        })
                })
                .collect();
            // Of equal states the cheapest; of equal costs the first parent, whatever the threads did.
            next.par_sort_unstable_by_key(|s| (s.key, s.cost, s.parent, s.turn));
            next.dedup_by_key(|s| s.key);
            next.shrink_to_fit();
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
        let last = layers[n - 1]
            .iter()
            .enumerate()
            .min_by_key(|(_, s)| (s.cost, s.key))?;
        let (mut steps, mut at) = (Vec::with_capacity(n), last.0);
        for layer in layers.iter().rev() {
            let state = layer[at];
            let turn = symmetry.permutation(state.turn);
            let placed = inverse(n, turn)[(state.key >> n & self.mask()) as usize];
            steps.push((placed, turn));
            at = state.parent as usize;
        }
        let mut order: Vec<u32> = Vec::with_capacity(n);
        for (placed, turn) in steps.into_iter().rev() {
            order.push(placed.into());
            order.iter_mut().for_each(|e| *e = turn[*e as usize].into());
        }
        Some(order)
    }

    /// The code of the `count` latest elements of a state, the latest lowest.
    fn code(&self, key: u64, count: usize) -> usize {
        let (mut recent, mut code, mut digit) = (key >> self.n, 0, 1);
        for _ in 0..count {
            code += (recent & self.mask()) as usize * digit;
            digit *= self.n;
            recent >>= self.bits;
        }
        code
    }

    /// The state with its latest elements turned to the first of their class, and the turn's number.
    fn turned(&self, symmetry: &Symmetry, key: u64, placed: usize) -> (u64, u16) {
        let known = placed.min(self.window);
        let length = known.min(symmetry.longest());
        let number = symmetry.to_first(length, self.code(key, length));
        if number == 0 {
            return (key, 0);
        }
        let turn = symmetry.permutation(number);
        let (mut set, mut turned) = (key & ((1 << self.n) - 1), 0);
        while set != 0 {
            turned |= 1u64 << turn[set.trailing_zeros() as usize];
            set &= set - 1;
        }
        let mut turn_digits = |shift: usize| {
            for digit in (0..known).map(|i| shift + i * self.bits) {
                let element = (key >> digit & self.mask()) as usize;
                turned |= u64::from(turn[element]) << digit;
            }
        };
        turn_digits(self.n);
        if self.ring {
            turn_digits(self.n + self.window * self.bits);
        }
        (turned, number)
    }

    fn mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The last elements of a state, the latest lowest.
    fn recent(&self, key: u64) -> u64 {
        key >> self.n & ((1u64 << (self.window * self.bits)) - 1)
    }

    /// The state after `v` is placed at rank `placed`.
    fn key(&self, before: u64, v: usize, placed: usize, recent: u64) -> u64 {
        let width = self.window * self.bits;
        let set = before & ((1 << self.n) - 1) | 1 << v;
        let recent = (recent << self.bits | v as u64) & ((1 << width) - 1);
        let mut key = set | recent << self.n;
        if self.ring {
            let mut firsts = before >> (self.n + width);
            if placed < self.window {
                firsts |= (v as u64) << (placed * self.bits);
            }
            key |= firsts << (self.n + width);
        }
        key
    }

    /// The cost of placing `v` at rank `placed`.
    fn added(&self, key: u64, placed: usize, v: usize) -> i64 {
        let mut recent = key >> self.n;
        let mut sum = 0;
        for k in 1..=self.window.min(placed) {
            sum += self.weight(0, k) * self.d(v, (recent & self.mask()) as usize);
            recent >>= self.bits;
        }
        if self.ring {
            let mut firsts = key >> (self.n + self.window * self.bits);
            for rank in 0..self.window.min(placed) {
                // Those within the window backwards are counted already.
                if placed - rank > self.window {
                    sum += self.weight(rank, placed) * self.d(v, (firsts & self.mask()) as usize);
                }
                firsts >>= self.bits;
            }
        }
        sum
    }
}

/// Lower bounds on the cost of what is still to be placed, by the number placed and the last M elements.
struct Relaxation {
    memory: usize,
    /// One table a layer, by class of the last elements; empty where nothing is known.
    layers: Vec<Vec<i64>>,
}

/// More than any cost.
const NEVER: i64 = i64::MAX / 4;

impl Relaxation {
    fn new(program: &Program, symmetry: &Symmetry, work: u64) -> Self {
        let n = program.n;
        // On a ring shorter than two windows, lags are not what they seem.
        if program.ring && 2 * program.window >= n {
            return Relaxation {
                memory: 0,
                layers: Vec::new(),
            };
        }
        let cost = |m: usize| symmetry.firsts(m).len() as u64 * (n * n) as u64;
        let longest = program.window.min(symmetry.longest());
        let memory = (1..=longest).rev().find(|m| cost(*m) <= work).unwrap_or(0);
        if memory == 0 {
            return Relaxation {
                memory: 0,
                layers: Vec::new(),
            };
        }
        let firsts = symmetry.firsts(memory);
        let mut layers = vec![Vec::new(); n + 1];
        layers[n] = vec![0; firsts.len()];
        for placed in (memory..n).rev() {
            let after: &[i64] = &layers[placed + 1];
            let least = |code: &u32| {
                Relaxation::least(program, symmetry, memory, placed, *code as usize, after)
            };
            layers[placed] = firsts.par_iter().map(least).collect();
        }
        Relaxation { memory, layers }
    }

    /// The least cost to go over all next elements. The code's lowest digit is the latest element.
    fn least(
        program: &Program,
        symmetry: &Symmetry,
        memory: usize,
        placed: usize,
        code: usize,
        after: &[i64],
    ) -> i64 {
        let n = program.n;
        let mut recent = [0usize; 64];
        let mut rest = code;
        for slot in recent.iter_mut().take(memory) {
            *slot = rest % n;
            rest /= n;
        }
        let recent = &recent[..memory];
        let older = n.pow(memory as u32 - 1);
        let mut least = NEVER;
        for v in (0..n).filter(|v| !recent.contains(v)) {
            let next = after[symmetry.class(memory, (code % older) * n + v)];
            let mut cost = 0;
            for (k, u) in recent.iter().enumerate() {
                cost += program.lag[k + 1] * program.d(v, *u);
            }
            cost += Relaxation::beyond(program, recent, placed, v);
            least = least.min(cost + next);
        }
        least.min(NEVER)
    }

    /// Lags beyond the memory, at least: the nearest elements not remembered, the heaviest lag first.
    fn beyond(program: &Program, recent: &[usize], placed: usize, v: usize) -> i64 {
        let lags = recent.len() + 1..=program.window.min(placed);
        if lags.is_empty() {
            return 0;
        }
        let others = (0..program.n).filter(|u| *u != v && !recent.contains(u));
        let mut distances: Vec<i64> = others.map(|u| program.d(v, u)).collect();
        distances.sort_unstable();
        lags.zip(distances).map(|(k, d)| program.lag[k] * d).sum()
    }

    fn at(&self, program: &Program, symmetry: &Symmetry, key: u64, placed: usize) -> i64 {
        let Some(layer) = self.layers.get(placed).filter(|l| !l.is_empty()) else {
            return 0;
        };
        layer[symmetry.class(self.memory, program.code(key, self.memory))]
    }
}
