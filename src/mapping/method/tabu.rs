//! Tabu search over all swaps of two processes, for guests of some hundred processes.

use super::refine::{FROM, start};
use super::{Found, MappingMethodEntry, MappingProblem};
use crate::error::{Error, SourceLocation};
use crate::params::{Opt, SEED};
use crate::random::{below, generator};

/// `tabu[:from=bisection|greedy|rank,steps=20000,seed=1]`: the robust tabu search for quadratic assignment. Every
/// step makes the best swap of two processes, even one that costs, but none that puts both back where they were
/// within the last n steps or so (drawn from 0.9 n to 1.1 n), unless that is better than anything so far or both have
/// been elsewhere for long. Never worse than where it started.
///
/// # Complexity
/// O(processes²) a step: gains of swaps are updated, not computed anew. 24 bytes a pair of processes.
///
/// # References
/// Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17, 1991,
/// <https://doi.org/10.1016/S0167-8191(05)80147-4>.
pub const METHOD: MappingMethodEntry = MappingMethodEntry {
    name: "tabu",
    about: "swaps of any two processes from=bisection|greedy|rank on, steps=, seed=; up to 1024 processes",
    example: "tabu:from=greedy,steps=1000",
    options: &[FROM, Opt::whole("steps", "swaps made").or("20000"), SEED],
    build: |problem, params, _| {
        let steps = params.whole("steps", 0u32, 10_000_000)?;
        let seed = params.seed()?;
        if problem.len() > MOST {
            let found =
                format!("{} processes, and `tabu` looks at all pairs of them", problem.len());
            let remedy = format!("use refine beyond {MOST}");
            return Err(Error::unsuited(SourceLocation::option("--map tabu"), found, remedy));
        }
        let slots = tabu(problem, start(problem, params)?, steps, seed, &|| false);
        Ok(Found { slots, method: "tabu" })
    },
};

/// Processes that tables of all pairs are kept for.
pub(super) const MOST: usize = 1024;

/// Improves a mapping by `steps` swaps, fewer where `stop` says so.
pub(super) fn tabu(
    problem: &MappingProblem,
    start: Vec<u32>,
    steps: u32,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Vec<u32> {
    let n = problem.len();
    if n < 3 || problem.partners.is_empty() {
        return start;
    }
    let mut search = Search::new(problem, start);
    let mut random = generator(seed);
    let mut best = (search.cost, search.slot.clone());
    // Rounding of many gains must not pass for a gain.
    let least = 1e-9 * (search.cost / n as f64).max(f64::MIN_POSITIVE);
    for step in 1..=steps {
        let Some((r, s)) = search.choose(step, best.0 - least) else { continue };
        for (process, slot) in [(r, search.slot[r]), (s, search.slot[s])] {
            // A drawn length keeps the search from going in circles.
            let rest = 9 * n as u64 / 10 + below(n as u64 / 5 + 1, &mut random);
            search.until[process * n + slot as usize] = step.saturating_add(rest as u32);
        }
        search.swap(r, s);
        if search.cost < best.0 - least {
            best = (search.cost, search.slot.clone());
        }
        if step % 64 == 0 && stop() {
            break;
        }
    }
    best.1
}

/// A mapping being changed, with the gain of every swap. Tables are n × n, by rows.
struct Search {
    n: usize,
    slot: Vec<u32>,
    cost: f64,
    /// Volume between two processes, both directions.
    volume: Vec<f64>,
    /// Hops between two slots.
    hops: Vec<f64>,
    /// Rise in cost when two processes are swapped; the upper triangle.
    gain: Vec<f64>,
    /// The step up to which a process does not go back to a slot.
    until: Vec<u32>,
}

impl Search {
    fn new(problem: &MappingProblem, slot: Vec<u32>) -> Self {
        let n = problem.len();
        let mut search = Search {
            n,
            cost: problem.cost(&slot),
            slot,
            volume: vec![0.0; n * n],
            hops: (0..n * n).map(|i| problem.hops((i / n) as u32, (i % n) as u32)).collect(),
            gain: vec![0.0; n * n],
            until: vec![0; n * n],
        };
        for a in 0..n {
            for (b, volume) in problem.partners(a as u32) {
                search.volume[a * n + *b as usize] = *volume;
            }
        }
        for a in 0..n {
            (a + 1..n).for_each(|b| search.gain[a * n + b] = search.gain_of(a, b));
        }
        search
    }

    /// Rise in cost when two processes are swapped, from its definition.
    fn gain_of(&self, a: usize, b: usize) -> f64 {
        let n = self.n;
        let (to_a, to_b) = (&self.volume[a * n..][..n], &self.volume[b * n..][..n]);
        let from_a = &self.hops[self.slot[a] as usize * n..][..n];
        let from_b = &self.hops[self.slot[b] as usize * n..][..n];
        let mut sum = 0.0;
        for (k, slot) in self.slot.iter().enumerate() {
            let slot = *slot as usize;
            sum += (to_a[k] - to_b[k]) * (from_b[slot] - from_a[slot]);
        }
        // The terms of a and b themselves: their own distance does not change.
        sum + 2.0 * to_a[b] * from_a[self.slot[b] as usize]
    }

    /// The swap to make: the best that is allowed. Swaps that have been forbidden for long or lead below `best` come
    /// first.
    fn choose(&self, step: u32, best: f64) -> Option<(usize, usize)> {
        let n = self.n;
        let long = 10 * (n * n) as u32;
        let (mut chosen, mut least, mut first) = (None, f64::INFINITY, false);
        for a in 0..n {
            let (until, at) = (&self.until[a * n..][..n], self.slot[a] as usize);
            for b in a + 1..n {
                let gain = self.gain[a * n + b];
                // Neither allowed nor wanted: the usual case.
                if gain >= least && !first && self.cost + gain >= best && step <= long {
                    continue;
                }
                let (there, back) = (until[self.slot[b] as usize], self.until[b * n + at]);
                let old = step > long && there + long < step && back + long < step;
                let urgent = old || self.cost + gain < best;
                let allowed = there < step || back < step;
                let better = match (urgent, first) {
                    (true, false) => true,
                    (false, true) => false,
                    (true, true) => gain < least,
                    (false, false) => allowed && gain < least,
                };
                if better {
                    (chosen, least, first) = (Some((a, b)), gain, urgent);
                }
            }
        }
        chosen
    }

    /// Swaps two processes, r < s, and updates the gains of all other pairs, O(1) each.
    fn swap(&mut self, r: usize, s: usize) {
        let n = self.n;
        self.cost += self.gain[r * n + s];
        self.slot.swap(r, s);
        let (to_r, to_s) = (&self.volume[r * n..][..n], &self.volume[s * n..][..n]);
        let apart: Vec<f64> = to_r.iter().zip(to_s).map(|(r, s)| r - s).collect();
        let from_r = &self.hops[self.slot[r] as usize * n..][..n];
        let from_s = &self.hops[self.slot[s] as usize * n..][..n];
        let nearer: Vec<f64> =
            self.slot.iter().map(|p| from_s[*p as usize] - from_r[*p as usize]).collect();
        for a in (0..n).filter(|a| *a != r && *a != s) {
            let (volume, hops) = (apart[a], nearer[a]);
            let row = &mut self.gain[a * n..][..n];
            for b in a + 1..n {
                row[b] += (volume - apart[b]) * (hops - nearer[b]);
            }
        }
        for k in 0..n {
            for end in [r, s] {
                if k != end {
                    let (a, b) = (k.min(end), k.max(end));
                    self.gain[a * n + b] = self.gain_of(a, b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Guest;
    use crate::ordering::NodeOrder;
    use crate::topology::{Context, Topology};

    #[test]
    fn gains_that_are_kept_are_those_of_the_definition() {
        let context = Context::default();
        let machine = Topology::inline("torus:4x3,per_router=2", &context).unwrap();
        let guest = Guest::make("random:n=20,degree=4,seed=3", &context).unwrap();
        let order = NodeOrder::make(&machine, "random:seed=2").unwrap();
        let problem = MappingProblem::new(&machine, &guest, &order.nodes()[..20]).unwrap();
        let mut search = Search::new(&problem, (0..20).collect());
        for (r, s) in [(0, 1), (3, 17), (1, 19), (0, 3), (5, 17)] {
            search.swap(r, s);
            assert!((search.cost - problem.cost(&search.slot)).abs() < 1e-9);
            for a in 0..20 {
                for b in a + 1..20 {
                    let expected = problem.swap_gain(&search.slot, a as u32, b as u32);
                    assert!((search.gain[a * 20 + b] - expected).abs() < 1e-9, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn small_guests_reach_the_optimum() {
        let context = Context::default();
        for (spec, text) in [
            ("torus:2x4", "ring:n=8"),
            ("mesh:2x3", "random:n=6,degree=3,seed=4"),
            ("torus:7", "random:n=7,degree=3,seed=1"),
        ] {
            let machine = Topology::inline(spec, &context).unwrap();
            let guest = Guest::make(text, &context).unwrap();
            let nodes: Vec<_> = machine.nodes().iter().collect();
            let problem = MappingProblem::new(&machine, &guest, &nodes).unwrap();
            let least =
                permutations(nodes.len() as u32).into_iter().map(|slot| problem.cost(&slot));
            let found = tabu(&problem, (0..nodes.len() as u32).collect(), 500, 1, &|| false);
            assert_eq!(problem.cost(&found), least.fold(f64::INFINITY, f64::min), "{spec} {text}");
        }
    }

    fn permutations(n: u32) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for next in 0..n {
            let put = |list: &Vec<u32>| -> Vec<Vec<u32>> {
                (0..=list.len()).map(|i| [&list[..i], &[next], &list[i..]].concat()).collect()
            };
            all = all.iter().flat_map(put).collect();
        }
        all
    }
}
