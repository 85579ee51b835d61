//! The exact dynamic program for small arrangements under short windows.
//!
//! A state is the set of elements placed and the last K of them in order (on a ring also the first K):
//! nothing else matters for what comes. States are built rank by rank; one is dropped when its cost so
//! far plus a lower bound on the rest cannot beat the best order known. The lower bound comes from the same
//! recursion with the set forgotten but for the last M ≤ K elements (a state-space relaxation); lags
//! beyond M count the nearest elements not among those M.
//!
//! # References
//! Held, Karp, "A dynamic programming approach to sequencing problems", 1962,
//! <https://doi.org/10.1137/0110015>; Christofides, Mingozzi, Toth, "State-space relaxation procedures for
//! the computation of bounds to routing problems", 1981, <https://doi.org/10.1002/net.3230110207>.

use rayon::prelude::*;

use super::{Problem, Watch};

/// How much an attempt may take.
#[derive(Clone, Copy, Debug)]
pub(in crate::ordering) struct Effort {
    /// States of one layer.
    pub states: usize,
    /// Operations for the relaxation.
    pub relaxation: u64,
}

/// About ten seconds and a gigabyte or two at most.
pub(in crate::ordering) const MODEST: Effort =
    Effort { states: 1_000_000, relaxation: 500_000_000 };

/// Most elements: the set is a word's lower part.
const MOST: usize = 32;

/// An optimal order, where the attempt succeeds; `None` where weights are no fractions, the instance is
/// too large, or the effort was not enough.
pub(in crate::ordering) fn attempt(
    problem: &Problem<'_>,
    start: &[u32],
    effort: Effort,
    watch: &dyn Watch,
) -> Option<Vec<u32>> {
    let n = problem.space.len();
    if n > MOST || n == 0 {
        return None;
    }
    let weights = problem.integral()?;
    let mut lag = weights.lag;
    lag.truncate(n);
    let ring = problem.weights.is_ring();
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
    let program = Program { n, lag, ring, bits, window, distance };
    let mut best = start.to_vec();
    program.descend(&mut best);
    program.solve(best, effort, watch)
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
}

impl Program {
    fn d(&self, a: usize, b: usize) -> i64 {
        self.distance[a * self.n + b]
    }

    /// The weight of two ranks.
    fn weight(&self, a: usize, b: usize) -> i64 {
        let apart = a.abs_diff(b);
        let k = if self.ring { apart.min(self.n - apart) } else { apart };
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
    fn descend(&self, best: &mut Vec<u32>) {
        let mut chance = super::chance::Chance::new(1, 77);
        let mut least = self.value(best);
        let mut order = best.clone();
        for _ in 0..40 {
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
                let (a, b) = (chance.below(self.n), chance.below(self.n));
                order[a.min(b)..=a.max(b)].reverse();
            }
        }
    }

    fn solve(&self, best: Vec<u32>, effort: Effort, watch: &dyn Watch) -> Option<Vec<u32>> {
        let n = self.n;
        let upper = self.value(&best);
        let rest = Relaxation::new(self, effort.relaxation);
        let starts = if self.ring { vec![0] } else { self.starts() };
        let first = starts.into_iter().map(|v| State {
            key: self.key(0, v, 0, 0),
            cost: 0,
            parent: u32::MAX,
        });
        let mut layers: Vec<Vec<State>> = vec![first.collect()];
        for placed in 1..n {
            if watch.should_stop() {
                return None;
            }
            let layer = &layers[placed - 1];
            let mut next: Vec<State> = layer
                .par_iter()
                .enumerate()
                .flat_map_iter(|(i, state)| {
                    let rest = &rest;
                    (0..n).filter(move |v| state.key >> v & 1 == 0).filter_map(move |v| {
                        let cost = state.cost + self.added(state.key, placed, v);
                        let key = self.key(state.key, v, placed, self.recent(state.key));
                        let bound = cost + rest.at(self, key, placed + 1);
                        (bound < upper).then_some(State { key, cost, parent: i as u32 })
                    })
                })
                .collect();
            // Of equal states the cheapest; of equal costs the first parent, whatever the threads did.
            next.par_sort_unstable_by_key(|s| (s.key, s.cost, s.parent));
            next.dedup_by_key(|s| s.key);
            if next.is_empty() {
                return Some(best);
            }
            if next.len() > effort.states {
                return None;
            }
            layers.push(next);
        }
        let last = layers[n - 1].iter().enumerate().min_by_key(|(_, s)| (s.cost, s.key))?;
        let (mut order, mut at) = (Vec::with_capacity(n), last.0);
        for layer in layers.iter().rev() {
            let state = layer[at];
            order.push((state.key >> n & self.mask()) as u32);
            at = state.parent as usize;
        }
        order.reverse();
        Some(order)
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

    /// One element of every orbit that could be told: an order that starts elsewhere has an equal that
    /// starts here.
    fn starts(&self) -> Vec<usize> {
        let mut starts: Vec<usize> = Vec::new();
        for v in 0..self.n {
            if !starts.iter().any(|u| self.alike(*u, v)) {
                starts.push(v);
            }
        }
        starts
    }

    /// Whether some permutation that keeps all distances takes `u` to `v`; false also when the search for
    /// one takes too long.
    fn alike(&self, u: usize, v: usize) -> bool {
        let sorted = |x: usize| {
            let mut row = self.distance[x * self.n..(x + 1) * self.n].to_vec();
            row.sort_unstable();
            row
        };
        if sorted(u) != sorted(v) {
            return false;
        }
        let mut order: Vec<usize> = (0..self.n).collect();
        order.sort_by_key(|x| (self.d(u, *x), *x != u, *x));
        let mut image = vec![v];
        let mut patience = 100_000;
        self.extend(&order, &mut image, &mut patience)
    }

    fn extend(&self, order: &[usize], image: &mut Vec<usize>, patience: &mut u32) -> bool {
        let at = image.len();
        if at == self.n {
            return true;
        }
        for candidate in 0..self.n {
            if *patience == 0 {
                return false;
            }
            *patience -= 1;
            let fits = !image.contains(&candidate)
                && (0..at).all(|i| self.d(order[i], order[at]) == self.d(image[i], candidate));
            if fits {
                image.push(candidate);
                if self.extend(order, image, patience) {
                    return true;
                }
                image.pop();
            }
        }
        false
    }
}

/// Lower bounds on the cost of what is still to be placed, by the number placed and the last M elements.
struct Relaxation {
    memory: usize,
    /// One table a layer; empty where nothing is known.
    layers: Vec<Vec<u32>>,
}

impl Relaxation {
    fn new(program: &Program, work: u64) -> Self {
        let n = program.n;
        // On a ring shorter than two windows, lags are not what they seem.
        if program.ring && 2 * program.window >= n {
            return Relaxation { memory: 0, layers: Vec::new() };
        }
        let cost = |m: usize| (n as u64).checked_pow(m as u32 + 2).unwrap_or(u64::MAX);
        let memory = (1..=program.window).rev().find(|m| cost(*m) <= work).unwrap_or(0);
        if memory == 0 {
            return Relaxation { memory: 0, layers: Vec::new() };
        }
        let size = n.pow(memory as u32);
        let mut layers = vec![Vec::new(); n + 1];
        layers[n] = vec![0u32; size];
        for placed in (memory..n).rev() {
            let after = &layers[placed + 1];
            let layer: Vec<u32> = (0..size)
                .into_par_iter()
                .map(|code| Relaxation::least(program, memory, placed, code, after))
                .collect();
            layers[placed] = layer;
        }
        Relaxation { memory, layers }
    }

    /// The least cost to go over all next elements. The code's lowest digit is the latest element.
    fn least(program: &Program, memory: usize, placed: usize, code: usize, after: &[u32]) -> u32 {
        let n = program.n;
        let mut recent = [0usize; 64];
        let mut rest = code;
        for slot in recent.iter_mut().take(memory) {
            *slot = rest % n;
            rest /= n;
        }
        let recent = &recent[..memory];
        // Repeated elements: no state, and no bound asked for.
        if recent.iter().enumerate().any(|(i, a)| recent[..i].contains(a)) {
            return u32::MAX;
        }
        let older = n.pow(memory as u32 - 1);
        let mut least = u64::from(u32::MAX);
        for v in (0..n).filter(|v| !recent.contains(v)) {
            let next = after[(code % older) * n + v];
            if next == u32::MAX {
                continue;
            }
            let mut cost = 0;
            for (k, u) in recent.iter().enumerate() {
                cost += program.lag[k + 1] * program.d(v, *u);
            }
            cost += Relaxation::beyond(program, recent, placed, v);
            least = least.min(cost as u64 + u64::from(next));
        }
        least.min(u64::from(u32::MAX)) as u32
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

    fn at(&self, program: &Program, key: u64, placed: usize) -> i64 {
        let Some(layer) = self.layers.get(placed).filter(|l| !l.is_empty()) else { return 0 };
        let mut recent = program.recent(key);
        let (mut code, mut digit) = (0, 1);
        for _ in 0..self.memory {
            code += (recent & program.mask()) as usize * digit;
            digit *= program.n;
            recent >>= program.bits;
        }
        i64::from(layer[code])
    }
}
