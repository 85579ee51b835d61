//! Local search on hop-bytes: swaps that bring partners together.

use super::bisection::Bisection;
use super::greedy::Greedy;
use super::rank::RankOrder;
use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::params::SEED;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Observer, Opt, Params, Result};

/// `refine[:from=bisection|greedy|rank,steps=4000,seed=1]`: starts from another method's mapping and
/// swaps processes. A random process is tried near one of its partners, `steps` times for each process;
/// swaps that cost less than a falling threshold are accepted. Plain descent ends it, so that no swap of a
/// process with one near any of its partners helps any more. Never worse than where it started.
///
/// # Complexity
/// O(steps · messages).
///
/// # References
/// Dueck, Scheuer, "Threshold accepting: a general purpose optimization algorithm appearing superior to
/// simulated annealing", J. Computational Physics 90, 1990, <https://doi.org/10.1016/0021-9991(90)90201-B>.
/// It needs no exponential, whose last bit differs between platforms.
pub const METHOD: MappingMethodEntry = MappingMethodEntry {
    name: "refine",
    about: "swaps from=bisection|greedy|rank on, steps= tries for each process, seed=",
    example: "refine:from=greedy,steps=1000",
    options: &[
        FROM,
        Opt::whole("steps", "tries for each process").default_value("4000"),
        SEED,
    ],
    parse: |params| Ok(Box::new(Refine(SwapOptions::parse(params, 1_000_000)?))),
};

/// The method `refine`.
struct Refine(SwapOptions);

impl MapProcesses for Refine {
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult> {
        let SwapOptions { from, steps, seed } = &self.0;
        let start = from.map_processes(problem, observer)?.slots;
        let slots = refine_mapping(problem, start, *steps, *seed, observer);
        Ok(MappingResult::new("refine", slots))
    }
}

/// Options of methods that swap processes of another method's mapping.
pub struct SwapOptions {
    /// The other method.
    pub from: Box<dyn MapProcesses>,
    /// Number of swaps, or of tries for each process.
    pub steps: u64,
    pub seed: u64,
}

impl SwapOptions {
    /// Reads the options, of which `steps` is at most `most`.
    pub fn parse(params: &Params, most: u64) -> Result<Self> {
        Ok(SwapOptions {
            from: match params.required_choice("from")? {
                "greedy" => Box::new(Greedy),
                "rank" => Box::new(RankOrder),
                _ => Box::new(Bisection { boxes: false }),
            },
            steps: params.required_integer("steps", 0, most)?,
            seed: params.seed()?,
        })
    }
}

/// Option `from` of [`SwapOptions`].
pub const FROM: Opt = Opt::one_of(
    "from",
    &["bisection", "greedy", "rank"],
    "method to start from",
);

/// Number of slots tried around a partner.
const NEAR: usize = 12;

/// Improves a mapping by `steps` tries for each process, fewer where `observer` says to stop.
pub fn refine_mapping(
    problem: &MappingProblem,
    start: Vec<u32>,
    steps: u64,
    seed: u64,
    observer: &dyn Observer,
) -> Vec<u32> {
    let mut random = seed_generator(seed);
    let n = problem.len() as u64;
    if n < 3 || problem.partners.is_empty() {
        return start;
    }
    let Some(near) = slots_near_routers(problem, observer) else {
        return start;
    };
    let mut state = SwappedMapping::new(problem, start);
    state.make_helpful_swaps(&near, observer);
    let mut best = (state.cost, state.slot.clone());
    // A swap moves about two processes by a hop or so: the first threshold is what that costs on average.
    let sum: f64 = problem.partners.iter().map(|(_, v)| v).sum();
    let top = sum / n as f64;
    let all = n * steps;
    for step in 0..all {
        let threshold = top * (1.0 - step as f64 / all as f64);
        let a = random_below(n, &mut random) as u32;
        let partners = problem.partners_of(a);
        if partners.is_empty() {
            continue;
        }
        let (partner, _) = partners[random_below(partners.len() as u64, &mut random) as usize];
        let around = &near[problem.router[state.slot[partner as usize] as usize] as usize];
        // Only a slot near a partner can bring the two together.
        let b =
            state.process[around[random_below(around.len() as u64, &mut random) as usize] as usize];
        if a == b {
            continue;
        }
        let gain = problem.swap_gain(&state.slot, a, b);
        if gain < threshold {
            state.swap_processes(a, b, gain);
        }
        // A copy now and then is cheap; the last state is looked at in any case.
        if step % n == 0 {
            if state.cost < best.0 {
                best = (state.cost, state.slot.clone());
            }
            if observer.should_stop() {
                break;
            }
        }
    }
    for slot in [state.slot.clone(), best.1.clone()] {
        let mut last = SwappedMapping::new(problem, slot);
        last.make_helpful_swaps(&near, observer);
        if last.cost < best.0 {
            best = (last.cost, last.slot);
        }
    }
    best.1
}

/// Lists the [`NEAR`] slots nearest to each router of the allocation, its own included; `None` if `observer` says to
/// stop before.
fn slots_near_routers(problem: &MappingProblem, observer: &dyn Observer) -> Option<Vec<Vec<u32>>> {
    let n = problem.len() as u32;
    // A slot of each router: all of them have some.
    let mut on = vec![0; problem.routers];
    for slot in 0..n {
        on[problem.router[slot as usize] as usize] = slot;
    }
    let mut near = Vec::with_capacity(on.len());
    for here in on {
        if observer.should_stop() {
            return None;
        }
        let mut slots: Vec<u32> = (0..n).collect();
        let key = |s: &u32| (problem.hops_between(here, *s) as u32, *s);
        if slots.len() > NEAR {
            slots.select_nth_unstable_by_key(NEAR, key);
            slots.truncate(NEAR);
        }
        slots.sort_by_key(key);
        near.push(slots);
    }
    Some(near)
}

/// A mapping being changed.
struct SwappedMapping<'a> {
    problem: &'a MappingProblem,
    /// Slot of each process.
    slot: Vec<u32>,
    /// Process on each slot.
    process: Vec<u32>,
    /// Hop-bytes of the mapping.
    cost: f64,
}

impl<'a> SwappedMapping<'a> {
    /// Begins with a mapping.
    fn new(problem: &'a MappingProblem, slot: Vec<u32>) -> Self {
        let mut process = vec![0; slot.len()];
        for (p, s) in slot.iter().enumerate() {
            process[*s as usize] = p as u32;
        }
        SwappedMapping {
            problem,
            cost: problem.hop_bytes(&slot),
            slot,
            process,
        }
    }

    /// Swaps two processes, which raises the cost by `gain`.
    fn swap_processes(&mut self, a: u32, b: u32, gain: f64) {
        self.slot.swap(a as usize, b as usize);
        self.process[self.slot[a as usize] as usize] = a;
        self.process[self.slot[b as usize] as usize] = b;
        self.cost += gain;
    }

    /// Makes every swap that helps until there is none, or `observer` says to stop; then computes the cost anew: many
    /// small gains have added up rounding errors.
    fn make_helpful_swaps(&mut self, near: &[Vec<u32>], observer: &dyn Observer) {
        let problem = self.problem;
        // Rounding must not pass for a gain, or two processes are swapped for ever.
        let least = 1e-9 * self.cost / self.slot.len() as f64;
        let mut helped = true;
        while helped {
            helped = false;
            for a in 0..self.slot.len() as u32 {
                if observer.should_stop() {
                    helped = false;
                    break;
                }
                for (partner, _) in problem.partners_of(a) {
                    let around =
                        &near[problem.router[self.slot[*partner as usize] as usize] as usize];
                    for slot in around {
                        let b = self.process[*slot as usize];
                        if b == a {
                            continue;
                        }
                        let gain = problem.swap_gain(&self.slot, a, b);
                        if gain < -least {
                            self.swap_processes(a, b, gain);
                            helped = true;
                        }
                    }
                }
            }
        }
        self.cost = problem.hop_bytes(&self.slot);
    }
}
