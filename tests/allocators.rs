//! Every allocator against a second, plain implementation: lists, no cleverness, word by word from the
//! definitions; placement by placement on random logs, some of which overflow the machine.

use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_jobs::replay::{self, FigureSet, Replay};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::Log;
use proptest::prelude::*;

/// The plain rules. Every one takes the free ranks in ascending order and returns those of the job.
mod plain {
    pub type Distance<'a> = &'a dyn Fn(u32, u32) -> u64;

    pub fn choose(rule: &str, free: &[u32], size: u32, n: usize, d: Distance<'_>) -> Vec<u32> {
        let mut parts = rule.split(':');
        let name = parts.next().unwrap();
        let rest: Vec<&str> = parts.collect();
        let number = |i: usize| rest.get(i).and_then(|p| p.parse::<u32>().ok());
        match name {
            "fifo" => fifo(free, n, number(0).unwrap_or(0)),
            "first-fit" => first_fit(&mut free.to_vec(), n, &|_| number(0).unwrap_or(1)),
            "varying-fit" => first_fit(&mut free.to_vec(), n, &|m| {
                (2.0 * m as f64).ln().floor() as u32
            }),
            "fifo-fit" => {
                let (k, gap) = (number(0).unwrap(), number(1).unwrap_or(1));
                let mut list = free.to_vec();
                if (n as u32) < k {
                    list.reverse();
                }
                first_fit(&mut list, n, &|_| gap)
            }
            "largest-fit" => largest_fit(free, n, number(0).unwrap_or(1)),
            "closest-fit" => closest_fit(free, n, number(0).unwrap_or(1)),
            "closest-mind" if rest == ["exit=1,whole-hops=true"] => {
                let hops = |w: &[u32]| sum_pairs(w, d) / (n * (n - 1) / 2).max(1) as u64;
                let least = free.windows(n).map(hops).min().unwrap().max(1);
                free.windows(n).find(|w| hops(w) <= least).unwrap().to_vec()
            }
            "closest-mind" => closest_mind(free, n, d),
            "span-first-fit" | "span-best-fit" | "span-sum-of-squares" => {
                let scattered = rest.contains(&"scattered=true");
                span(name, free, size, n, rest.contains(&"linear"), scattered)
            }
            "slurm-best-fit" => slurm(free, n, rest.contains(&"26")),
            other => panic!("no plain rule for {other}"),
        }
    }

    fn fifo(free: &[u32], n: usize, k: u32) -> Vec<u32> {
        if (n as u32) < k {
            free[free.len() - n..].to_vec()
        } else {
            free[..n].to_vec()
        }
    }

    /// Maximal stretches of the list whose neighbours differ by at most `gap`.
    fn stretches(list: &[u32], gap: u32) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = Vec::new();
        for rank in list {
            match all.last_mut() {
                Some(run) if rank.abs_diff(run[run.len() - 1]) <= gap => run.push(*rank),
                _ => all.push(vec![*rank]),
            }
        }
        all
    }

    fn first_fit(list: &mut Vec<u32>, n: usize, gap: &dyn Fn(usize) -> u32) -> Vec<u32> {
        for run in stretches(list, gap(n)) {
            if run.len() >= n {
                list.retain(|r| !run[..n].contains(r));
                return run[..n].to_vec();
            }
        }
        let mut both = first_fit(list, n / 2, gap);
        both.extend(first_fit(list, n - n / 2, gap));
        both
    }

    fn largest_fit(free: &[u32], n: usize, gap: u32) -> Vec<u32> {
        let (mut list, mut taken) = (free.to_vec(), Vec::new());
        while taken.len() < n {
            let remaining = n - taken.len();
            let runs = stretches(&list, gap);
            let piece = match runs.iter().find(|run| run.len() >= remaining) {
                Some(run) => run[..remaining].to_vec(),
                None => {
                    let longest = runs.iter().map(Vec::len).max().unwrap();
                    runs.iter()
                        .find(|run| run.len() == longest)
                        .unwrap()
                        .clone()
                }
            };
            list.retain(|r| !piece.contains(r));
            taken.extend(piece);
        }
        taken
    }

    fn closest_fit(free: &[u32], n: usize, enough: u32) -> Vec<u32> {
        if n == 1 {
            return vec![free[0]];
        }
        let (mut best, mut least) = (&free[..n], u32::MAX);
        for window in free.windows(n) {
            let step = window.windows(2).map(|w| w[1] - w[0]).max().unwrap();
            if step < least {
                (best, least) = (window, step);
            }
            if step <= enough {
                return window.to_vec();
            }
        }
        best.to_vec()
    }

    fn sum_pairs(window: &[u32], d: Distance<'_>) -> u64 {
        let pairs = (0..window.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| d(window[i], window[j])).sum()
    }

    fn closest_mind(free: &[u32], n: usize, d: Distance<'_>) -> Vec<u32> {
        let sum = |window: &[u32]| sum_pairs(window, d);
        let least = free.windows(n).map(sum).min().unwrap();
        free.windows(n).find(|w| sum(w) == least).unwrap().to_vec()
    }

    fn span(
        name: &str,
        free: &[u32],
        size: u32,
        n: usize,
        linear: bool,
        scattered: bool,
    ) -> Vec<u32> {
        let intervals = stretches(free, 1);
        let squares_after = |chosen: &[u32]| -> u64 {
            let left: Vec<u32> = free
                .iter()
                .copied()
                .filter(|r| !chosen[..n].contains(r))
                .collect();
            let lengths: Vec<usize> = stretches(&left, 1).iter().map(Vec::len).collect();
            let of = |i: usize| lengths.iter().filter(|l| **l == i).count() as u64;
            (1..=size as usize).map(|i| of(i) * of(i)).sum()
        };
        let fitting = intervals.iter().filter(|run| run.len() >= n);
        let chosen = match name {
            "span-first-fit" => fitting.min_by_key(|run| run[0]),
            "span-best-fit" => fitting.min_by_key(|run| (run.len() - n, run[0])),
            _ => fitting.min_by_key(|run| (squares_after(run), run[0])),
        };
        if let Some(run) = chosen {
            return run[..n].to_vec();
        }
        let f = free.len();
        let window = |start: usize| -> Vec<u32> { (0..n).map(|i| free[(start + i) % f]).collect() };
        let starts = if linear { 0..f - n + 1 } else { 0..f };
        let measure = |ranks: &[u32]| -> u32 {
            let mut ranks = ranks.to_vec();
            ranks.sort();
            let linear_span = ranks[n - 1] - ranks[0] + 1;
            if linear {
                return linear_span;
            }
            let inner = ranks.windows(2).map(|w| w[1] - w[0] - 1).max().unwrap_or(0);
            size - inner.max(size - linear_span)
        };
        if scattered {
            let begins = |s: &usize| *s == 0 || free[*s] > free[*s - 1] + 1;
            let span = |w: &[u32]| (w[n - 1] + size - w[0]) % size;
            let windows = starts.filter(begins).map(window);
            let key = |w: &Vec<u32>| (squares_after(w), span(w), w[0]);
            return windows.min_by_key(key).unwrap();
        }
        starts
            .map(window)
            .min_by_key(|w| (measure(w), w[0]))
            .unwrap()
    }

    fn slurm(free: &[u32], n: usize, first_for_one: bool) -> Vec<u32> {
        if n == 1 && first_for_one {
            return vec![free[0]];
        }
        let (mut list, mut taken) = (free.to_vec(), Vec::new());
        while taken.len() < n {
            let remaining = n - taken.len();
            let runs = stretches(&list, 1);
            let fits = runs.iter().filter(|run| run.len() >= remaining);
            let piece = match fits.min_by_key(|run| (run.len(), run[0])) {
                Some(run) => run[..remaining].to_vec(),
                None => {
                    let longest = runs.iter().map(Vec::len).max().unwrap();
                    runs.iter()
                        .find(|run| run.len() == longest)
                        .unwrap()
                        .clone()
                }
            };
            list.retain(|r| !piece.contains(r));
            taken.extend(piece);
        }
        taken
    }
}

const ALLOCATORS: &[&str] = &[
    "fifo:0",
    "fifo:5",
    "first-fit",
    "first-fit:0",
    "first-fit:3",
    "first-fit:8",
    "largest-fit",
    "largest-fit:0",
    "largest-fit:4",
    "fifo-fit:6:1",
    "fifo-fit:9:3",
    "varying-fit",
    "closest-fit",
    "closest-fit:0",
    "closest-fit:4",
    "closest-mind",
    "closest-mind:exit=1,whole-hops=true",
    "span-first-fit",
    "span-first-fit:linear",
    "span-best-fit",
    "span-best-fit:linear",
    "span-sum-of-squares",
    "span-sum-of-squares:linear",
    "span-sum-of-squares:scattered=true",
    "span-sum-of-squares:linear:scattered=true",
    "slurm-best-fit",
    "slurm-best-fit:26",
];

const MACHINES: &[&str] = &[
    "torus:5x3x4,per_router=2,exclude=3+17-19",
    "mesh:9x8",
    "cascade:4x3x3,per_router=2,global=single",
    "fat-tree:k=6",
    "random-regular:n=70,d=3,seed=4",
];

/// A log that overfills the machine now and then: `(job, size)` placed, or freed where it lives.
fn log(moves: &[(u8, u32)]) -> String {
    let mut live = std::collections::BTreeSet::new();
    let mut text = String::new();
    for (job, size) in moves {
        if live.remove(job) {
            text += &format!("F j{job}\n");
        } else {
            live.insert(job);
            text += &format!("P j{job} {size}\n");
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_rule_places_as_its_plain_form(
        rule in 0..ALLOCATORS.len(),
        machine in 0..MACHINES.len(),
        moves in prop::collection::vec((0u8..24, prop_oneof![4 => 1u32..12, 1 => 1u32..80]), 1..120),
    ) {
        let rule = ALLOCATORS[rule];
        let topology = Topology::inline(MACHINES[machine], &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, "random:seed=3").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext { topology: &topology, order: &order, distances: &distances };
        let allocator = allocator::make(rule, &context).unwrap();
        let meter = AllocationMeter::new(&topology, &distances).unwrap();
        let size = distances.len();
        let mut replays =
            [Replay::new(allocator, meter, size, FigureSet { ranks: true, ..FigureSet::default() })];
        let mut given: Vec<(u32, Vec<u32>)> = Vec::new();
        let gather = |placed: &[Vec<replay::Placed>]| {
            given.extend(placed[0].iter().map(|p| {
                (p.placement.size, p.figures.ranks.as_ref().unwrap().iter().collect::<Vec<_>>())
            }));
            Ok(())
        };
        let mut text = Log::new("log", log(&moves));
        replay::run::<nodeorder_base::error::Error>(&mut text, &mut replays, None, |_| Ok(()), gather).unwrap();

        let node = |rank: u32| order.nodes()[rank as usize];
        let distance = |a, b| u64::from(topology.distance(node(a), node(b)));
        let mut free: Vec<u32> = (0..size).collect();
        let mut held = std::collections::BTreeMap::new();
        let (mut at, mut skipped, mut never) = (0, 0, 0);
        for line in log(&moves).lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            if fields[0] == "F" {
                free.extend(held.remove(fields[1]).unwrap_or_default());
                free.sort();
                continue;
            }
            let n: usize = fields[2].parse().unwrap();
            if n > free.len() {
                skipped += 1;
                never += u64::from(n > size as usize);
                continue;
            }
            let mut expected = plain::choose(rule, &free, size, n, &distance);
            expected.sort();
            prop_assert_eq!(&given[at], &(n as u32, expected.clone()), "{} on {:?}", rule, free);
            free.retain(|r| !expected.contains(r));
            held.insert(fields[1].to_string(), expected);
            at += 1;
        }
        prop_assert_eq!(at, given.len());
        let counts = replays[0].counts();
        prop_assert_eq!((counts.placed, counts.skipped), (at as u64, skipped));
        prop_assert_eq!(counts.oversized, never);
    }
}

/// `random` gives free ranks, the same for the same seed, others for another, and every rank its turn.
#[test]
fn random_is_fair_and_seeded() {
    let topology = Topology::inline("torus:4x5", &Default::default()).unwrap();
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let distances = RankDistances::new(&topology, &order).unwrap();
    let context = AllocatorContext {
        topology: &topology,
        order: &order,
        distances: &distances,
    };
    let draw = |text: &str| -> Vec<String> {
        let mut allocator = allocator::make(text, &context).unwrap();
        let mut free = nodeorder_base::ranks::FreeSet::new(20);
        free.take_run(nodeorder_base::ranks::Run { first: 4, count: 3 });
        let mut one = || {
            let mut chosen = nodeorder_base::ranks::Ranks::default();
            assert!(allocator.choose_ranks(&free, 6, &mut chosen).is_placed());
            assert!(chosen.len() == 6 && chosen.iter().all(|r| free.is_free(r)));
            chosen.to_string()
        };
        (0..300).map(|_| one()).collect()
    };
    assert_eq!(draw("random"), draw("random:seed=1"));
    assert_ne!(draw("random:seed=1"), draw("random:seed=2"));
    let different: std::collections::BTreeSet<String> = draw("random").into_iter().collect();
    // Of 12,376 sets, 300 draws meet about 296 different ones.
    assert!(different.len() > 280, "{}", different.len());
}

#[test]
fn bad_allocators_are_refused() {
    let topology = Topology::inline("torus:4x5", &Default::default()).unwrap();
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let distances = RankDistances::new(&topology, &order).unwrap();
    let context = AllocatorContext {
        topology: &topology,
        order: &order,
        distances: &distances,
    };
    for (text, says) in [
        ("first-fitt:8", "did you mean `first-fit`"),
        (
            "first-fit:x",
            "found gap = `x`; expected a whole number from 0 to 4294967295",
        ),
        ("first-fit:-1", "found gap = `-1`"),
        ("first-fit:1,2", "found `2`; expected first-fit[:GAP]"),
        (
            "dilation:max=0",
            "found max = `0`; expected a whole number from 1",
        ),
        (
            "dilation:max=1,guest=4d",
            "unknown guest `4d`; did you mean `2d`?",
        ),
        ("bfs:contigous", "did you mean `contiguous`"),
        ("first-fit:1:2", "found `2`; expected first-fit[:GAP]"),
        (
            "fifo-fit",
            "found no `below`; expected below = a whole number",
        ),
        (
            "span-best-fit:circular",
            "unknown span `circular`; expected one of ring, linear",
        ),
        (
            "slurm-best-fit:27",
            "unknown release `27`; did you mean `22`?",
        ),
        ("random:seed=x", "found seed = `x`; expected a whole number"),
        ("random:sed=3", "unknown key for random `sed`"),
        ("", "expected"),
    ] {
        let Err(error) = allocator::make(text, &context) else {
            panic!("{text} was accepted")
        };
        assert!(error.to_string().contains(says), "{text}: {error}");
    }
}
