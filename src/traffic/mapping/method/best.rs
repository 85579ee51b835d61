//! The methods that fit, cheap ones first, then rounds of searches from what they found.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::entry::ParseMethod;
use super::problem::SlotHops;
use super::refine::refine_mapping;
use super::tabu::{self, search_swaps};
use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use super::{bisection, greedy, grid, rank, refine};
use nodeorder_base::params::{SEED, text_before_colon};
use nodeorder_base::{Error, Observer, Opt, Registry, Result};

/// `best[:time=2,rounds=R,seed=1]`: runs every other method that fits, each with its own defaults, and `bisection` by
/// boxes. Then it improves what they found by rounds of searches, a `tabu` (up to 1024 processes) and a `refine` from
/// each of two of the mappings in a round. It ends when hop-bytes are as few as the bound below allows, after `time`
/// seconds, or after `rounds` rounds; with `rounds` alone the result depends on the seed, not on the clock. The
/// mapping of fewest hop-bytes is kept, of equal ones the first, and the method that found it is named. So no method
/// that was run to its end found fewer; those that the time did not reach, or ended, are named as well.
///
/// Bound: pair each process's volumes, descending, with the k-th smallest distance from any slot, ascending. Where
/// distances are not kept (on more than 8,192 routers), slots neither on one router nor on linked ones count as two
/// hops apart.
///
/// # Complexity
/// The methods' own; O(slots² log slots) for the bound, O(slots) where distances are not kept.
pub const METHOD: MappingMethodEntry = MappingMethodEntry {
    name: "best",
    about: "all methods that fit, cheap ones first, for time= seconds; the mapping of fewest hop-bytes is kept",
    example: "best:time=0.1",
    options: &[
        Opt::number("time", "seconds").default_in_words("2; without end where rounds= is given"),
        Opt::whole("rounds", "rounds of improvement").default_in_words("until the time is over"),
        SEED,
    ],
    parse: |params| {
        let time = params.optional_real("time", 0.0, 1e9)?;
        let rounds = params.optional_integer("rounds", 0, 1_000_000)?;
        Ok(Box::new(BestOptions {
            // With `rounds` alone the clock is not asked, so that the result depends on the seed only.
            time: time.or(rounds.is_none().then_some(2.0)),
            rounds,
            seed: params.seed()?,
            default_seed: params.default_seed(),
        }))
    },
};

/// Options of `best`.
struct BestOptions {
    /// Seconds after which the search ends; `None` where time does not count.
    time: Option<f64>,
    /// Number of rounds of improvement; `None` for as many as the time allows.
    rounds: Option<u64>,
    /// Seed of the rounds.
    seed: u64,
    /// Seed of the other methods.
    default_seed: u64,
}

/// Methods that `best` tries: all other methods.
static TRIED: Registry<ParseMethod> = Registry::new(
    "mapping method",
    "--map",
    &[
        rank::METHOD,
        bisection::METHOD,
        greedy::METHOD,
        refine::METHOD,
        tabu::METHOD,
        grid::METHOD,
    ],
);

/// Number of processes from which on a method that looks at all free nodes for each process is too slow to be tried.
const MANY: usize = 20_000;

/// Methods with options by stage, each with the numbers of processes for which it is tried; those of one stage side by
/// side. No stage begins once a mapping is known to be the best.
const STAGES: [&[(&str, Range<usize>)]; 5] = [
    &[("rank", 0..usize::MAX)],
    &[("grid", 0..usize::MAX)],
    &[
        ("bisection", 0..usize::MAX),
        ("bisection:halves=boxes", 0..usize::MAX),
        ("greedy", 0..MANY),
    ],
    &[("refine", 0..usize::MAX), ("tabu", 0..usize::MAX)],
    &[("greedy", MANY..usize::MAX)],
];

/// Number of rounds where there is no clock to end them.
const ROUNDS: u64 = 4;

/// Largest number of swaps of a tabu search, and of tries of a refinement for each process.
const STEPS: (u32, u64) = (20_000, 4_000);

/// Largest number of mappings that are kept from one round to the next.
const KEPT: usize = 8;

impl MapProcesses for BestOptions {
    /// Runs all methods that fit, then improves their mappings until the time or the rounds are over or nothing better
    /// is possible.
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult> {
        let began = observer.elapsed_seconds();
        let deadline = Deadline {
            observer,
            ends: began.zip(self.time).map(|(began, time)| began + time),
            stopped: AtomicBool::new(false),
        };
        // A mapping that meets the bound may miss it by rounding.
        let floor = lower_bound(problem) * (1.0 + 1e-12);
        let mut found: Vec<RatedMapping> = Vec::new();
        let mut unfinished: Vec<&'static str> = Vec::new();
        for stage in STAGES {
            if found.iter().any(|tried| tried.cost <= floor) {
                return Ok(choose_mapping(found, Vec::new()));
            }
            let fitting = stage
                .iter()
                .filter(|(_, sizes)| sizes.contains(&problem.len()));
            let trials: Vec<&'static str> = fitting.map(|(text, _)| *text).collect();
            // The mapping in rank order is there in any case.
            if !found.is_empty() && deadline.should_stop() {
                unfinished.extend(trials.into_iter().map(text_before_colon));
                continue;
            }
            let runs: Vec<(Option<RatedMapping>, bool)> = trials
                .par_iter()
                .map(|text| run_trial(text, problem, self.default_seed, &deadline))
                .collect::<Result<_>>()?;
            for (text, (tried, finished)) in trials.into_iter().zip(runs) {
                if !finished {
                    unfinished.push(text_before_colon(text));
                }
                found.extend(tried);
            }
        }
        // `greedy` and `bisection` stand in several trials.
        unfinished.dedup();
        let rounds = if began.is_some() { u64::MAX } else { ROUNDS };
        for round in 0..self.rounds.unwrap_or(rounds) {
            found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            found.dedup_by(|next, kept| next.slots == kept.slots);
            found.truncate(KEPT);
            if found[0].cost <= floor || deadline.should_stop() {
                break;
            }
            observer.report_progress(found[0].cost, floor);
            found.extend(run_searches(problem, &found, round, self.seed, &deadline));
        }
        Ok(choose_mapping(found, unfinished))
    }
}

/// Runs a method with options, and returns its mapping, `None` where it has none for the problem, and whether it came
/// to its end.
fn run_trial(
    text: &str,
    problem: &MappingProblem,
    seed: u64,
    deadline: &Deadline<'_>,
) -> Result<(Option<RatedMapping>, bool)> {
    let (method, params) = TRIED.find_and_read(text, seed)?;
    let deadline = Deadline {
        stopped: AtomicBool::new(false),
        ..*deadline
    };
    let tried = match (method.parse)(&params)?.map_processes(problem, &deadline) {
        Ok(result) => Some(RatedMapping::new(problem, result.method, result.slots)),
        // That one method cannot work on the problem is no failure of `best`.
        Err(Error::Unsuited { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok((tried, !deadline.stopped.load(Ordering::Relaxed)))
}

/// Searches from two of the mappings in turn, the best first, each with a fresh sequence of draws.
fn run_searches(
    problem: &MappingProblem,
    found: &[RatedMapping],
    round: u64,
    seed: u64,
    deadline: &Deadline<'_>,
) -> Vec<RatedMapping> {
    let starts = found.len().min(5) as u64;
    // Always four, whatever the number of threads: the result depends on the seed alone.
    let searches = (0..4u64).into_par_iter().map(|i| {
        let start = found[((2 * round + i / 2) % starts) as usize].slots.clone();
        let seed = seed.wrapping_add(4 * round + i);
        if i % 2 == 0 && problem.len() <= tabu::MOST_PROCESSES {
            let slots = search_swaps(problem, start, count_swaps(problem), seed, deadline);
            RatedMapping::new(problem, "tabu", slots)
        } else {
            let slots = refine_mapping(problem, start, STEPS.1, seed, deadline);
            RatedMapping::new(problem, "refine", slots)
        }
    });
    searches.collect()
}

/// Chooses the number of swaps of a tabu search: fewer where each takes longer, so that more than 64 processes take
/// about a quarter of a second.
fn count_swaps(problem: &MappingProblem) -> u32 {
    let n = problem.len() as u64;
    let each = problem.partners.len() as u64 + n * n / 64;
    if n <= 64 {
        STEPS.0
    } else {
        (25_000_000 / each).min(STEPS.0.into()) as u32
    }
}

/// An observer that stops a method when the time is over, and remembers that it did.
struct Deadline<'a> {
    observer: &'a dyn Observer,
    /// Time at which to stop, in seconds of the observer; `None` where time does not count.
    ends: Option<f64>,
    /// Whether a method was told to stop.
    stopped: AtomicBool,
}

impl Observer for Deadline<'_> {
    fn elapsed_seconds(&self) -> Option<f64> {
        self.observer.elapsed_seconds()
    }

    fn should_stop(&self) -> bool {
        // The clock is asked only where there is an end.
        let now = self.ends.and_then(|_| self.observer.elapsed_seconds());
        let stop = (now.is_some() && now >= self.ends) || self.observer.should_stop();
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
    }
}

/// A mapping, its hop-bytes and the method that found it.
struct RatedMapping {
    /// Hop-bytes of the mapping.
    cost: f64,
    /// Slot of every process.
    slots: Vec<u32>,
    /// Name of the method.
    method: &'static str,
}

impl RatedMapping {
    /// Measures a mapping.
    fn new(problem: &MappingProblem, method: &'static str, slots: Vec<u32>) -> Self {
        RatedMapping {
            cost: problem.hop_bytes(&slots),
            slots,
            method,
        }
    }
}

/// Chooses the mapping of fewest hop-bytes, of equal ones the first.
fn choose_mapping(found: Vec<RatedMapping>, unfinished: Vec<&'static str>) -> MappingResult {
    let best = found
        .into_iter()
        .reduce(|best, next| if next.cost < best.cost { next } else { best });
    let (method, slots) = best.map_or(("rank", Vec::new()), |best| (best.method, best.slots));
    MappingResult {
        unfinished,
        ..MappingResult::new(method, slots)
    }
}

/// Computes a lower bound on the hop-bytes of all mappings.
fn lower_bound(problem: &MappingProblem) -> f64 {
    let nearest = nearest_distances(problem);
    let costs = (0..problem.len() as u32).map(|p| -> f64 {
        let mut volumes: Vec<f64> = problem.partners_of(p).iter().map(|(_, v)| *v).collect();
        volumes.sort_by(|a, b| b.total_cmp(a));
        // The largest volume over the least distance: no other pairing costs less.
        let pairs = volumes.iter().zip(&nearest);
        pairs.map(|(v, hops)| v * f64::from(*hops)).sum()
    });
    // Every message stands at both ends.
    costs.sum::<f64>() / 2.0
}

/// Finds the least distances from any slot to others, k-th smallest by k-th smallest, as many as a process has
/// partners; where distances are not kept, numbers that are not above these.
fn nearest_distances(problem: &MappingProblem) -> Vec<u32> {
    let n = problem.len() as u32;
    let partners = (0..n).map(|p| problem.partners_of(p).len());
    let most = partners.max().unwrap_or(0).min(problem.len() - 1);
    if let SlotHops::Table(_) = problem.hops {
        let rows = (0..n).into_par_iter().map(|slot| {
            let others = (0..n).filter(|s| *s != slot);
            let mut hops: Vec<u32> = others
                .map(|s| problem.hops_between(slot, s) as u32)
                .collect();
            // The least are sorted alone: most distances of a row are never asked for.
            if most < hops.len() {
                hops.select_nth_unstable(most);
                hops.truncate(most);
            }
            hops.sort_unstable();
            hops
        });
        return rows.reduce(
            || vec![u32::MAX; most],
            |a, b| a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect(),
        );
    }
    let mut slots = vec![0; problem.routers];
    for router in &problem.router {
        slots[*router as usize] += 1;
    }
    let here = slots.iter().max().copied().unwrap_or(1) - 1;
    let links = (0..problem.routers).map(|router| problem.linked_routers(router).len());
    let linked = links.max().unwrap_or(0) * (here + 1);
    // None is above two hops, the least between routers that are not linked.
    let mut nearest = vec![2; most];
    nearest[..most.min(here + linked)].fill(1);
    nearest[..most.min(here)].fill(0);
    nearest
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::mapping::Guest;
    use crate::mapping::method::grid::map_grid;
    use crate::mapping::method::{METHODS, place, tests};
    use crate::testing::build;
    use nodeorder_network::{Context, Metric, Topology};
    use nodeorder_order::NodeOrder;
    use nodeorder_order::ordering::NoObserver;
    use proptest::prelude::*;

    fn problem(spec: &str, guest: &str, seed: u64) -> MappingProblem {
        tests::problem(&build(spec), &tests::guest(guest), seed)
    }

    proptest! {
        #[test]
        fn no_mapping_undercuts_the_floor(seed in 0u64..500, swaps in prop::collection::vec((0usize..12, 0usize..12), 40)) {
            let guest = format!("random:n=12,degree=3,seed={seed}");
            for spec in ["torus:4x3", "torus:4x3,per_router=2", "random-regular:n=14,d=3,seed=2"] {
                let problem = problem(spec, &guest, seed);
                let mut slots: Vec<u32> = (0..12).collect();
                swaps.iter().for_each(|(a, b)| slots.swap(*a, *b));
                let least = lower_bound(&problem);
                prop_assert!(least <= problem.hop_bytes(&slots) + 1e-9);
                let (metric, routers) = (Metric::Hops, Vec::new());
                let rough = problem.with_hops(SlotHops::Closed { metric, routers });
                prop_assert!(lower_bound(&rough) <= least);
            }
        }
    }

    #[test]
    fn the_floor_is_reached_by_a_grid_on_its_own() {
        let problem = problem("torus:5x5", "stencil:5x5", 4);
        let slots = map_grid(&problem, &NoObserver).unwrap();
        assert_eq!(lower_bound(&problem), problem.hop_bytes(&slots));
    }

    /// With rounds and no clock the seed alone decides.
    #[test]
    fn rounds_depend_on_the_seed_alone() {
        let machine = build("torus:5x4");
        let nodes: Vec<_> = NodeOrder::make(&machine, "random")
            .unwrap()
            .nodes()
            .to_vec();
        let guest = tests::guest("random:n=20,degree=3,seed=2");
        let run = |guest: &Guest, text: &str| {
            let found = place(&machine, guest, &nodes, text, &NoObserver).unwrap();
            assert!(found.unfinished.is_empty(), "{text}");
            (found.mapping, found.method)
        };
        let one = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let found = run(&guest, "best:rounds=1");
        assert_eq!(found, one.install(|| run(&guest, "best:rounds=1")));
        let ring = tests::guest("ring:n=20");
        assert_eq!(run(&ring, "best").1, "grid");
    }

    #[test]
    fn every_other_method_is_tried() {
        for method in METHODS.names().filter(|name| *name != METHOD.name) {
            let mut trials = STAGES.iter().flat_map(|stage| stage.iter());
            assert!(trials.any(|(text, _)| *text == method), "{method}");
        }
    }

    /// Without a clock every method runs to its end, and none finds fewer hop-bytes.
    #[test]
    fn no_method_that_ran_to_its_end_is_better() {
        let mut cases = vec![
            // `refine` is the best of the other methods, and ended below the rounds of `tabu` alone.
            ("dragonfly:p=2,a=4,h=2", "npb-cg:n=64".to_string(), 2),
            ("fat-tree:k=8", "parallel:tp=4,pp=4,dp=4".to_string(), 2),
        ];
        for (spec, n) in [
            ("dragonfly:p=2,a=3,h=1", 20),
            ("torus:4x3", 12),
            ("fat-tree:k=4", 16),
            ("random-regular:n=14,d=3,seed=2", 14),
        ] {
            for seed in [1, 2] {
                cases.push((spec, format!("random:n={n},degree=3"), seed));
                cases.push((spec, format!("ring:n={n}"), seed));
            }
        }
        for (spec, guest, seed) in cases {
            let context = Context {
                seed,
                ..Context::default()
            };
            let machine = Topology::inline(spec, &context).unwrap();
            let guest = Guest::make(&guest, &context).unwrap();
            let problem = tests::problem(&machine, &guest, seed);
            let cost = |text: &str| {
                let (method, params) = METHODS.find_and_read(text, seed).unwrap();
                let found = (method.parse)(&params)
                    .unwrap()
                    .map_processes(&problem, &NoObserver)
                    .ok()?;
                Some(problem.hop_bytes(&found.slots))
            };
            let least = ["best:rounds=0", "best:rounds=1,seed=9"].map(|text| cost(text).unwrap());
            for method in METHODS.names().filter(|name| *name != METHOD.name) {
                let other = cost(method).unwrap_or(f64::INFINITY);
                assert!(
                    least.iter().all(|least| *least <= other),
                    "{spec} {} {seed}: {least:?}, {method} {other}",
                    guest.label()
                );
            }
        }
    }

    /// A clock that goes on by a second whenever it is read.
    #[derive(Default)]
    struct Ticks(AtomicU32);

    impl Observer for Ticks {
        fn elapsed_seconds(&self) -> Option<f64> {
            Some(f64::from(self.0.fetch_add(1, Ordering::Relaxed)))
        }
    }

    #[test]
    fn methods_that_the_time_did_not_reach_are_named() {
        let machine = build("torus:5x4");
        let nodes: Vec<_> = machine.nodes().iter().collect();
        let guest = tests::guest("random:n=20,degree=3,seed=2");
        let run = |text: &str, observer: &dyn Observer| {
            place(&machine, &guest, &nodes, text, observer).unwrap()
        };
        let found = run("best:time=0", &Ticks::default());
        assert_eq!(found.method, "rank");
        let all = ["grid", "bisection", "greedy", "refine", "tabu"];
        assert_eq!(found.unfinished, all);
        // Every method asks the clock as it goes on.
        let found = run("best:time=4", &Ticks::default());
        assert!(
            found.unfinished.ends_with(&all[2..]),
            "{:?}",
            found.unfinished
        );
        let found = run("best:time=100000000,rounds=0", &Ticks::default());
        assert!(found.unfinished.is_empty(), "{:?}", found.unfinished);
        assert!(
            run("best:rounds=0", &Ticks::default())
                .unfinished
                .is_empty()
        );
    }
}
