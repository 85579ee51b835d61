//! The methods that fit, cheap ones first, until a proof or the clock ends the search.

use rayon::prelude::*;

use super::bisection::{Halves, bisection};
use super::greedy::greedy;
use super::grid::grid;
use super::refine::refine;
use super::tabu::{self, tabu};
use super::{Found, Hops, MappingMethodEntry, MappingProblem};
use nodeorder_base::error::Result;
use nodeorder_base::observer::Observer;
use nodeorder_base::params::{Opt, Params, SEED};

/// `best[:time=2,rounds=R,seed=1]`: tries `rank`, `grid`, `greedy`, `bisection` by rank and by boxes, then improves
/// what they found by rounds of `tabu` (up to 1024 processes) or `refine`, two searches from each of two of the
/// mappings in a round. It ends when hop-bytes are as few as the bound below allows, after `time` seconds, or after
/// `rounds` rounds; with `rounds` alone the result depends on the seed, not on the clock. The mapping of fewest
/// hop-bytes is kept, of equal ones the first, and the method that found it is named.
///
/// Bound: pair each process's volumes, descending, with the k-th smallest distance from any slot, ascending. Where
/// distances are not kept (on more than 8,192 routers), slots neither on one router nor on linked ones count as two hops
/// apart.
///
/// # Complexity
/// The methods' own; O(slots² log slots) for the bound, O(slots) where distances are not kept.
pub const METHOD: MappingMethodEntry = MappingMethodEntry {
    name: "best",
    about: "all methods that fit, cheap ones first, for time= seconds; the mapping of fewest hop-bytes is kept",
    example: "best:time=0.1",
    options: &[
        Opt::number("time", "seconds").or_else("2; without end where rounds= is given"),
        Opt::whole("rounds", "rounds of improvement").or_else("until the time is over"),
        SEED,
    ],
    parse: best,
};

/// Rounds where there is no clock to end them.
const ROUNDS: u64 = 4;

/// Most swaps of a tabu search, and tries of a refinement for each process.
const STEPS: (u32, u64) = (20_000, 4_000);

/// Swaps of a tabu search: fewer where each takes longer, so that more than 64 processes take about a quarter of a
/// second.
fn swaps(problem: &MappingProblem) -> u32 {
    let n = problem.len() as u64;
    let each = problem.partners.len() as u64 + n * n / 64;
    if n <= 64 {
        STEPS.0
    } else {
        (25_000_000 / each).min(STEPS.0.into()) as u32
    }
}

/// Processes from which on a method that looks at all free nodes for each takes too long.
const MANY: usize = 20_000;

fn best(problem: &MappingProblem, params: &Params, observer: &dyn Observer) -> Result<Found> {
    let given = params.real("time", 0.0, 1e9)?;
    let rounds = params.integer("rounds", 0u64, 1_000_000)?;
    let seed = params.seed()?;
    let began = observer.seconds();
    // With `rounds` alone the clock is not asked, so that the result depends on the seed only.
    let time = if rounds.is_some() {
        given
    } else {
        Some(given.unwrap_or(2.0))
    };
    let late = || match (began, observer.seconds(), time) {
        (Some(began), Some(now), Some(time)) => now - began >= time,
        _ => false,
    };
    let stop = || observer.should_stop() || late();
    let floor = floor(problem);
    let mut found = vec![Tried::new(
        problem,
        "rank",
        (0..problem.len() as u32).collect(),
    )];
    let done = |found: &[Tried]| found.iter().any(|c| c.cost <= floor * (1.0 + 1e-12));
    if problem.partners.is_empty() || done(&found) {
        return Ok(least(found));
    }
    found.extend(grid(problem).map(|slots| Tried::new(problem, "grid", slots)));
    if done(&found) || stop() {
        return Ok(least(found));
    }
    let methods: [fn(&MappingProblem) -> Option<Tried>; 3] = [
        |p| (p.len() < MANY).then(|| Tried::new(p, "greedy", greedy(p))),
        |p| {
            Some(Tried::new(
                p,
                "bisection",
                bisection(p, &Halves::by_rank(p)),
            ))
        },
        |p| Some(Tried::new(p, "bisection", bisection(p, &Halves::boxes(p)))),
    ];
    found.par_extend(methods.par_iter().filter_map(|method| method(problem)));
    let last = rounds.unwrap_or(if began.is_some() { u64::MAX } else { ROUNDS });
    for round in 0..last {
        if done(&found) || stop() {
            break;
        }
        // The starts in turn, the best first; from each with a fresh sequence of draws.
        found[..].sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let starts = found.len().min(5) as u64;
        let improved = (0..4u64).into_par_iter().map(|i| {
            let start = &found[((2 * round + i / 2) % starts) as usize];
            let seed = seed.wrapping_add(4 * round + i);
            match problem.len() <= tabu::MOST {
                true => {
                    let slots = tabu(problem, start.slots.clone(), swaps(problem), seed, &stop);
                    Tried::new(problem, "tabu", slots)
                }
                false => {
                    let slots = refine(problem, start.slots.clone(), STEPS.1, seed, &stop);
                    Tried::new(problem, "refine", slots)
                }
            }
        });
        let improved: Vec<Tried> = improved.collect();
        found.extend(improved);
        found[..].sort_by(|a, b| a.cost.total_cmp(&b.cost));
        found.dedup_by(|next, kept| next.slots == kept.slots);
        found.truncate(8);
        observer.progress(found[0].cost, floor);
    }
    Ok(least(found))
}

/// A mapping, its hop-bytes and the method that found it.
struct Tried {
    cost: f64,
    slots: Vec<u32>,
    method: &'static str,
}

impl Tried {
    fn new(problem: &MappingProblem, method: &'static str, slots: Vec<u32>) -> Self {
        Tried {
            cost: problem.cost(&slots),
            slots,
            method,
        }
    }
}

fn least(found: Vec<Tried>) -> Found {
    let best = found
        .into_iter()
        .reduce(|best, next| if next.cost < best.cost { next } else { best });
    // There is always the one in rank order.
    best.map_or(
        Found {
            slots: Vec::new(),
            method: "rank",
        },
        |c| Found {
            slots: c.slots,
            method: c.method,
        },
    )
}

/// Lower bound on the hop-bytes of all mappings.
fn floor(problem: &MappingProblem) -> f64 {
    let n = problem.len() as u32;
    let most = (0..n)
        .map(|p| problem.partners(p).len())
        .max()
        .unwrap_or(0)
        .min(problem.len() - 1);
    let from = |slot: u32| -> Vec<u32> {
        let mut hops: Vec<u32> = (0..n)
            .filter(|s| *s != slot)
            .map(|s| problem.hops(slot, s) as u32)
            .collect();
        hops.sort_unstable();
        hops.truncate(most);
        hops
    };
    let closer = |a: Vec<u32>, b: Vec<u32>| a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect();
    let nearest = match problem.hops {
        Hops::Table(_) => (0..n)
            .into_par_iter()
            .map(from)
            .reduce(|| vec![u32::MAX; most], closer),
        Hops::Closed { .. } => {
            let mut slots = vec![0usize; problem.routers];
            problem
                .router
                .iter()
                .for_each(|router| slots[*router as usize] += 1);
            let here = slots.iter().max().copied().unwrap_or(1) - 1;
            let links = (0..problem.routers).map(|router| problem.linked(router).len());
            let linked = links.max().unwrap_or(0) * (here + 1);
            let hops = [(0, here), (1, linked), (2, most)];
            hops.into_iter()
                .flat_map(|(hop, n)| std::iter::repeat_n(hop, n))
                .take(most)
                .collect()
        }
    };
    let of = |p: u32| -> f64 {
        let mut volumes: Vec<f64> = problem.partners(p).iter().map(|(_, v)| *v).collect();
        volumes.sort_by(|a, b| b.total_cmp(a));
        volumes
            .iter()
            .zip(&nearest)
            .map(|(v, hops)| v * f64::from(*hops))
            .sum()
    };
    (0..n).map(of).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::method::{place, tests};
    use crate::testing::build;
    use nodeorder_network::topology::Metric;
    use nodeorder_order::ordering::{NoObserver, NodeOrder};
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
                let least = floor(&problem);
                prop_assert!(least <= problem.cost(&slots) + 1e-9);
                let (metric, routers) = (Metric::Hops, Vec::new());
                let rough = problem.with_hops(Hops::Closed { metric, routers });
                prop_assert!(floor(&rough) <= least);
            }
        }
    }

    #[test]
    fn the_floor_is_reached_by_a_grid_on_its_own() {
        let problem = problem("torus:5x5", "stencil:5x5", 4);
        let slots = grid(&problem).unwrap();
        assert_eq!(floor(&problem), problem.cost(&slots));
    }

    /// With rounds and no clock the seed alone decides; no other method is better, and the one that found it is named.
    #[test]
    fn rounds_depend_on_the_seed_alone() {
        let machine = build("torus:5x4");
        let nodes: Vec<_> = NodeOrder::make(&machine, "random")
            .unwrap()
            .nodes()
            .to_vec();
        let guest = tests::guest("random:n=20,degree=3,seed=2");
        let run = |text: &str| place(&machine, &guest, &nodes, text, &NoObserver).unwrap();
        let one = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let (found, method) = run("best:rounds=1");
        assert_eq!(
            (&found, method),
            (&one.install(|| run("best:rounds=1")).0, "tabu")
        );
        let problem = MappingProblem::new(&machine, &guest, &nodes).unwrap();
        let cost = |mapping: &crate::mapping::ProcessMapping| {
            let slot = |n| nodes.iter().position(|m| m == n).unwrap() as u32;
            problem.cost(&mapping.nodes().iter().map(slot).collect::<Vec<_>>())
        };
        for other in [
            "rank",
            "greedy",
            "bisection",
            "bisection:halves=boxes",
            "refine",
        ] {
            assert!(cost(&found) <= cost(&run(other).0), "{other}");
        }
        assert_eq!(run("best:rounds=0").1, "greedy");
        let ring = tests::guest("ring:n=20");
        assert_eq!(
            place(&machine, &ring, &nodes, "best", &NoObserver)
                .unwrap()
                .1,
            "grid"
        );
    }
}
