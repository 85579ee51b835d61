//! Tabu search over all swaps of two processes, for guests of some hundred processes.

use super::refine::{FROM, SwapOptions};
use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::params::SEED;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Error, Observer, Opt, Result, SourceLocation};

/// `tabu[:from=bisection|greedy|rank,steps=20000,seed=1]`: the robust tabu search for quadratic assignment. Every
/// step makes the best swap of two processes, even one that costs, but none that puts both back where they were
/// within the last n steps or so (drawn from 0.9 n to 1.1 n), unless that is better than anything so far or both have
/// been elsewhere for long. Never worse than where it started.
///
/// # Complexity
/// O(processes · partners of the two) a step: gains of swaps are updated, not computed anew, and only those rows of
/// them are looked through whose least may be wanted; all of them once swaps can have been forbidden for long, after
/// 10 n² steps. 20 bytes a pair of processes.
///
/// # References
/// Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17, 1991,
/// <https://doi.org/10.1016/S0167-8191(05)80147-4>.
pub const METHOD: MappingMethodEntry = MappingMethodEntry {
    name: "tabu",
    about: "swaps of any two processes from=bisection|greedy|rank on, steps=, seed=; up to 1024 processes",
    example: "tabu:from=greedy,steps=1000",
    options: &[
        FROM,
        Opt::whole("steps", "swaps made").default_value("20000"),
        SEED,
    ],
    parse: |params| Ok(Box::new(Tabu(SwapOptions::parse(params, 10_000_000)?))),
};

/// The method `tabu`.
struct Tabu(SwapOptions);

impl MapProcesses for Tabu {
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult> {
        if problem.len() > MOST_PROCESSES {
            let n = problem.len();
            return Err(Error::unsuited(
                SourceLocation::option("--map tabu"),
                format!("{n} processes, and `tabu` looks at all pairs of them"),
                format!("use refine beyond {MOST_PROCESSES}"),
            ));
        }
        let SwapOptions { from, steps, seed } = &self.0;
        let start = from.map_processes(problem, observer)?.slots;
        let slots = search_swaps(problem, start, *steps as u32, *seed, observer);
        Ok(MappingResult::new("tabu", slots))
    }
}

/// Largest number of processes for which tables of all pairs are kept.
pub const MOST_PROCESSES: usize = 1024;

/// Improves a mapping by `steps` swaps, fewer where `observer` says to stop.
pub fn search_swaps(
    problem: &MappingProblem,
    start: Vec<u32>,
    steps: u32,
    seed: u64,
    observer: &dyn Observer,
) -> Vec<u32> {
    let n = problem.len();
    if n < 3 || problem.partners.is_empty() || observer.should_stop() {
        return start;
    }
    let mut search = TabuSearch::new(problem, start);
    let mut random = seed_generator(seed);
    let mut best = (search.cost, search.slot.clone());
    // Rounding of many gains must not pass for a gain.
    let least = 1e-9 * (search.cost / n as f64).max(f64::MIN_POSITIVE);
    for step in 1..=steps {
        let Some((r, s)) = search.choose_swap(step, best.0 - least) else {
            continue;
        };
        for (process, slot) in [(r, search.slot[r]), (s, search.slot[s])] {
            // A drawn length keeps the search from going in circles.
            let rest = 9 * n as u64 / 10 + random_below(n as u64 / 5 + 1, &mut random);
            search.forbidden_until[process * n + slot as usize] = step.saturating_add(rest as u32);
        }
        search.swap_processes(r, s);
        if search.cost < best.0 - least {
            best = (search.cost, search.slot.clone());
        }
        if step % 64 == 0 && observer.should_stop() {
            break;
        }
    }
    best.1
}

/// A mapping being changed, with the gain of every swap. Tables are n × n, by rows.
struct TabuSearch<'a> {
    problem: &'a MappingProblem,
    /// Number of processes.
    n: usize,
    /// Slot of each process.
    slot: Vec<u32>,
    /// Hop-bytes of the mapping.
    cost: f64,
    /// Hop-bytes of each process's messages.
    own: Vec<f64>,
    /// Hops between two slots.
    hops: Vec<f64>,
    /// Rise in cost when two processes are swapped; the upper triangle, rows of `width`.
    gain: Vec<f64>,
    width: usize,
    /// Lower bound on the gains of each row.
    least: Vec<f64>,
    /// Step up to which a process does not go back to a slot, by process and slot.
    forbidden_until: Vec<u32>,
}

impl<'a> TabuSearch<'a> {
    /// Begins with a mapping, and computes the gain of every swap.
    fn new(problem: &'a MappingProblem, slot: Vec<u32>) -> Self {
        let n = problem.len();
        // Rows a power of two apart would share their places in the cache.
        let width = n + 8;
        let mut search = TabuSearch {
            problem,
            n,
            cost: problem.hop_bytes(&slot),
            slot,
            own: vec![0.0; n],
            hops: (0..n * n)
                .map(|i| problem.hops_between((i / n) as u32, (i % n) as u32))
                .collect(),
            gain: vec![0.0; n * width],
            width,
            least: vec![f64::NEG_INFINITY; n],
            forbidden_until: vec![0; n * n],
        };
        for process in 0..n {
            search.own[process] = search.cost_of(process);
        }
        // Each process with those before it: every pair once.
        for process in 0..n {
            search.gains_with(process, process);
        }
        search
    }

    /// Computes the hop-bytes of a process's messages.
    fn cost_of(&self, process: usize) -> f64 {
        let hops = &self.hops[self.slot[process] as usize * self.n..][..self.n];
        let partners = self.problem.partners_of(process as u32).iter();
        partners
            .map(|(k, volume)| volume * hops[self.slot[*k as usize] as usize])
            .sum()
    }

    /// Computes the rise in cost when `end` is swapped with each of the processes below `most`. O(most · partners).
    fn gains_with(&mut self, end: usize, most: usize) {
        let n = self.n;
        // Hop-bytes of `end` on each slot, and its volume with each process.
        let mut on = vec![0.0; n];
        let mut with = vec![0.0; n];
        for (k, volume) in self.problem.partners_of(end as u32) {
            with[*k as usize] = *volume;
            let from = &self.hops[self.slot[*k as usize] as usize * n..][..n];
            for (on, hops) in on.iter_mut().zip(from) {
                *on += volume * hops;
            }
        }
        let hops = &self.hops[self.slot[end] as usize * n..][..n];
        let slots = self.slot.iter();
        let from_end: Vec<f64> = slots.map(|slot| hops[*slot as usize]).collect();
        for k in (0..most).filter(|k| *k != end) {
            let partners = self.problem.partners_of(k as u32).iter();
            let there: f64 = partners
                .map(|(j, volume)| volume * from_end[*j as usize])
                .sum();
            // The distance between the two does not change.
            let gain = there + on[self.slot[k] as usize] - self.own[k] - self.own[end]
                + 2.0 * with[k] * from_end[k];
            let row = k.min(end);
            self.gain[row * self.width + k.max(end)] = gain;
            self.least[row] = self.least[row].min(gain);
        }
    }

    /// Chooses the swap to make: the best that is allowed. Swaps that have been forbidden for long or lead below
    /// `best` come first. `None` if all swaps are forbidden.
    fn choose_swap(&mut self, step: u32, best: f64) -> Option<(usize, usize)> {
        let n = self.n;
        let long = 10 * (n * n) as u32;
        let mut chosen = None;
        let mut lowest = f64::INFINITY;
        let mut is_urgent = false;
        for a in 0..n {
            // A gain not below the lowest is of use only to a first urgent swap.
            let is_useless = |gain: f64| {
                gain >= lowest && (is_urgent || self.cost + gain >= best && step <= long)
            };
            let gains = &self.gain[a * self.width..][a + 1..n];
            // The usual case: by the bound of the row, or by its smallest gain, no swap of the row is of use.
            if is_useless(self.least[a]) {
                continue;
            }
            self.least[a] = smallest(gains);
            if is_useless(self.least[a]) {
                continue;
            }
            let until = &self.forbidden_until[a * n..][..n];
            let at = self.slot[a] as usize;
            for (b, gain) in (a + 1..).zip(gains.iter().copied()) {
                // Useless: neither lower nor urgent.
                if gain >= lowest && !is_urgent && self.cost + gain >= best && step <= long {
                    continue;
                }
                let until_a = until[self.slot[b] as usize];
                let until_b = self.forbidden_until[b * n + at];
                let old = step > long && until_a + long < step && until_b + long < step;
                let urgent = old || self.cost + gain < best;
                // A swap is forbidden if both would be back where they were.
                let allowed = until_a < step || until_b < step;
                // Any urgent swap goes before all others, whatever it costs.
                let better = if urgent == is_urgent {
                    gain < lowest && (urgent || allowed)
                } else {
                    urgent
                };
                if better {
                    chosen = Some((a, b));
                    lowest = gain;
                    is_urgent = urgent;
                }
            }
        }
        chosen
    }

    /// Swaps two processes, r < s, and updates the gains of all other pairs, O(1) for each that changes: one of
    /// the two exchanges more with r than with s, or less.
    fn swap_processes(&mut self, r: usize, s: usize) {
        let n = self.n;
        let width = self.width;
        self.cost += self.gain[r * width + s];
        self.slot.swap(r, s);
        // What each process exchanges more with r than with s.
        let mut apart = vec![0.0; n];
        for (k, volume) in self.problem.partners_of(r as u32) {
            apart[*k as usize] += volume;
        }
        for (k, volume) in self.problem.partners_of(s as u32) {
            apart[*k as usize] -= volume;
        }
        // Hops by which each process is nearer to r than to s, now that they are swapped.
        let from_r = &self.hops[self.slot[r] as usize * n..][..n];
        let from_s = &self.hops[self.slot[s] as usize * n..][..n];
        let slots = self.slot.iter().map(|slot| *slot as usize);
        let nearer: Vec<f64> = slots.map(|slot| from_s[slot] - from_r[slot]).collect();
        for a in 0..n {
            if apart[a] == 0.0 || a == r || a == s {
                continue;
            }
            let volume = apart[a];
            let hops = nearer[a];
            let row = &mut self.gain[a * width..][..n];
            for b in a + 1..n {
                row[b] += (volume - apart[b]) * (hops - nearer[b]);
            }
            self.least[a] = f64::NEG_INFINITY;
            // Those before it whose own rows are not changed as a whole.
            for b in (0..a).filter(|b| apart[*b] == 0.0) {
                let gain = &mut self.gain[b * width + a];
                *gain += volume * (hops - nearer[b]);
                self.least[b] = self.least[b].min(*gain);
            }
        }
        for process in [r, s] {
            self.own[process] = self.cost_of(process);
            for (k, _) in self.problem.partners_of(process as u32) {
                self.own[*k as usize] = self.cost_of(*k as usize);
            }
        }
        self.gains_with(r, n);
        self.gains_with(s, n);
    }
}

/// Finds the smallest of some numbers, of which none is NaN.
fn smallest(numbers: &[f64]) -> f64 {
    // Eight at a time, by a comparison that vectorises; `f64::min` does not, for the sake of NaN.
    let mut least = [f64::INFINITY; 8];
    let (eights, rest) = numbers.as_chunks::<8>();
    for eight in eights {
        for i in 0..8 {
            least[i] = if eight[i] < least[i] {
                eight[i]
            } else {
                least[i]
            };
        }
    }
    let all = least.iter().chain(rest).copied();
    all.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::method::tests::{guest, problem};
    use crate::testing::build;
    use nodeorder_base::observer::NoObserver;

    #[test]
    fn gains_that_are_kept_are_those_of_the_definition() {
        let guest = guest("random:n=20,degree=4,seed=3");
        let problem = problem(&build("torus:4x3,per_router=2"), &guest, 2);
        let mut search = TabuSearch::new(&problem, (0..20).collect());
        for (r, s) in [(0, 1), (3, 17), (1, 19), (0, 3), (5, 17)] {
            search.swap_processes(r, s);
            assert!((search.cost - problem.hop_bytes(&search.slot)).abs() < 1e-9);
            for a in 0..20 {
                for b in a + 1..20 {
                    let expected = problem.swap_gain(&search.slot, a as u32, b as u32);
                    let kept = search.gain[a * search.width + b];
                    assert!((kept - expected).abs() < 1e-9, "{a} {b}");
                    assert!(search.least[a] <= kept, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn small_guests_reach_the_optimum() {
        for (spec, text) in [
            ("torus:2x4", "ring:n=8"),
            ("mesh:2x3", "random:n=6,degree=3,seed=4"),
            ("torus:7", "random:n=7,degree=3,seed=1"),
        ] {
            let (machine, guest) = (build(spec), guest(text));
            let nodes: Vec<_> = machine.nodes().iter().collect();
            let problem = MappingProblem::new(&machine, &guest, &nodes).unwrap();
            let least = permutations(nodes.len() as u32)
                .into_iter()
                .map(|slot| problem.hop_bytes(&slot));
            let start = (0..nodes.len() as u32).collect();
            let found = search_swaps(&problem, start, 500, 1, &NoObserver);
            assert_eq!(
                problem.hop_bytes(&found),
                least.fold(f64::INFINITY, f64::min),
                "{spec} {text}"
            );
        }
    }

    fn permutations(n: u32) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for next in 0..n {
            let put = |list: &Vec<u32>| -> Vec<Vec<u32>> {
                (0..=list.len())
                    .map(|i| [&list[..i], &[next], &list[i..]].concat())
                    .collect()
            };
            all = all.iter().flat_map(put).collect();
        }
        all
    }
}
