//! Best shares of sparse traffic: a set of paths for each pair, found when they are wanted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::network::{Errors, Lengths, Network, exp, set_prices};
use super::solution::{FlowSolution, StopCondition};

/// Traffic from a router to another one, and the paths that share it.
pub(super) struct Pair {
    pub from: u32,
    pub to: u32,
    pub volume: f64,
    /// The links of each path, and the volume that it carries.
    pub paths: Vec<(Vec<u32>, f64)>,
}

/// Sweeps of shifts in a round.
const SWEEPS: usize = 20;
/// Rounds after which paths that carry nothing are forgotten.
const KEPT: usize = 8;
/// Paths of a pair that join at once, and the part by which they may be longer than the shortest: at first, and later.
const FIRST: (usize, f64) = (64, 0.5);
const LATER: (usize, f64) = (8, 0.03);

/// Bytes of the paths of so many pairs: those used are about as many as pairs and links together.
pub(super) fn bytes(pairs: u64, links: usize) -> u64 {
    pairs
        .saturating_mul(3_000)
        .saturating_add(500 * links as u64)
}

/// Shifts volume between paths until the gap is small enough.
///
/// In turn: prices of links from their loads; for each pair the shortest path at the mean of these and earlier prices, which
/// swings less than the prices alone, proves a floor, and joins the pair's paths with others that are almost as short; and
/// meanwhile sweeps over all pairs, in which volume moves from dear paths to cheap ones while prices follow. Volume that
/// moves from path a to path b makes the links of only one of them cheaper or dearer: where both then cost the same is found
/// in closed form, to second order.
pub(super) fn solve(
    network: &Network<'_>,
    pairs: &mut [Pair],
    shortest: bool,
    stop: &StopCondition<'_>,
) -> FlowSolution {
    let mut shifts = Shifts {
        network,
        loads: vec![0.0; network.per.len()],
        prices: network
            .per
            .iter()
            .map(|per| f64::from(u8::from(*per > 0.0)))
            .collect(),
        rate: 0.0,
        on: vec![0; network.per.len()],
    };
    // Of the last sweeps, and of the next.
    let (mut swept, mut sharp) = (10.0, 10.0);
    let mut lengths = network.per.clone();
    let mut best = FlowSolution {
        loads: Vec::new(),
        worst: f64::INFINITY,
        floor: 0.0,
        detoured: None,
    };
    for round in 0.. {
        let (worst, loads) = (network.worst(&shifts.loads), shifts.loads.clone());
        if round > 0 {
            set_prices(&mut shifts.prices, &loads, &network.per, worst, swept);
        }
        let (prices, keep) = (shifts.prices.clone(), if round < 2 { 0.0 } else { 0.5 });
        for ((length, price), per) in lengths.iter_mut().zip(&prices).zip(&network.per) {
            *length = *length * keep + price * per * (1.0 - keep);
        }
        let whole = network.lengths(&lengths, shortest, 60);
        // Many pairs begin with fewer paths.
        let (most, near) = if round == 0 { FIRST } else { LATER };
        let most = most.min((1 << 20) / pairs.len()).max(LATER.0);
        let known = |pair: &Pair| {
            let length = |path: &[u32]| path.iter().map(|l| whole.links[*l as usize]).sum();
            pair.paths
                .iter()
                .map(|(path, _)| length(path))
                .min()
                .unwrap_or(u64::MAX)
        };
        let wanted: Vec<_> = pairs.iter().map(|p| ([p.from, p.to], known(p))).collect();
        let find = |search: &mut Search, (ends, known): &([u32; 2], u64)| {
            search.paths(network, &whole, (*ends, *known), (most, near))
        };
        let new = || Search::new(network.routers());
        let sweeps = if round == 0 { 0 } else { SWEEPS };
        let (found, ()) = rayon::join(
            || wanted.par_iter().map_init(new, find).collect::<Vec<_>>(),
            || (0..sweeps).for_each(|_| shifts.sweep(pairs, sharp)),
        );
        let sum = |(length, _): &(u64, _), pair: &Pair| whole.plain(*length) * pair.volume;
        let floor = whole.floor(
            found
                .iter()
                .zip(&*pairs)
                .map(|(f, pair)| sum(f, pair))
                .sum(),
        );
        best.floor = best.floor.max(floor);
        swept = sharp;
        if round > 0 {
            sharp = Errors::of(network, &prices, &loads, worst, floor).sharpened(sharp);
        }
        for (pair, (_, paths)) in pairs.iter_mut().zip(found) {
            if round % KEPT == 0 {
                pair.paths.retain(|(_, volume)| *volume > 0.0);
            }
            let volume = if round == 0 {
                pair.volume / paths.len() as f64
            } else {
                0.0
            };
            for path in paths {
                if !pair.paths.iter().any(|(known, _)| *known == path) {
                    pair.paths.push((path, volume));
                }
            }
        }
        // Shifts leave rounding errors behind.
        shifts.add_up(pairs);
        let worst = network.worst(&shifts.loads);
        if worst < best.worst {
            (best.worst, best.loads) = (worst, shifts.loads.clone());
        }
        if stop.now(round, &best) {
            break;
        }
    }
    best
}

/// Loads and prices while volume is shifted.
struct Shifts<'a> {
    network: &'a Network<'a>,
    loads: Vec<f64>,
    prices: Vec<f64>,
    /// How fast the logarithm of a price grows with load over capacity.
    rate: f64,
    /// Which of two paths a link is on, one bit each; zero between shifts.
    on: Vec<u8>,
}

impl Shifts<'_> {
    fn add_up(&mut self, pairs: &[Pair]) {
        self.loads.fill(0.0);
        for (path, volume) in pairs.iter().flat_map(|pair| &pair.paths) {
            path.iter()
                .for_each(|link| self.loads[*link as usize] += volume);
        }
    }

    fn sweep(&mut self, pairs: &mut [Pair], sharp: f64) {
        let worst = self.network.worst(&self.loads);
        set_prices(
            &mut self.prices,
            &self.loads,
            &self.network.per,
            worst,
            sharp,
        );
        self.rate = sharp / worst;
        let mut order = Vec::new();
        for pair in pairs.iter_mut().filter(|pair| pair.paths.len() > 1) {
            let cost = |path: &[u32]| -> f64 {
                let length = |l: &u32| self.prices[*l as usize] * self.network.per[*l as usize];
                path.iter().map(length).sum()
            };
            order.clear();
            order.extend(
                pair.paths
                    .iter()
                    .enumerate()
                    .map(|(i, (path, _))| (cost(path), i)),
            );
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let (mut low, mut high) = (0, order.len() - 1);
            while low < high {
                let [cheap, dear] = [order[low].1, order[high].1];
                let most = pair.paths[dear].1;
                high -= 1;
                if most > 0.0 {
                    let moved = self.shift(&pair.paths[dear].0, &pair.paths[cheap].0, most);
                    pair.paths[dear].1 -= moved;
                    pair.paths[cheap].1 += moved;
                    // A path that is still used is as dear as the other now.
                    low += usize::from(moved < most);
                }
            }
        }
    }

    /// Moves volume, at most `most`, from one path to another; returns how much.
    fn shift(&mut self, dear: &[u32], cheap: &[u32], most: f64) -> f64 {
        dear.iter().for_each(|link| self.on[*link as usize] |= 1);
        cheap.iter().for_each(|link| self.on[*link as usize] |= 2);
        // Cost of the links of one path only, and how fast its logarithm changes.
        let own = |path: &[u32], side: u8| {
            let (mut cost, mut slope) = (0.0, 0.0);
            for link in path
                .iter()
                .map(|link| *link as usize)
                .filter(|l| self.on[*l] == side)
            {
                let length = self.prices[link] * self.network.per[link];
                cost += length;
                slope += length * self.network.per[link];
            }
            (cost, if cost > 0.0 { slope / cost } else { 0.0 })
        };
        let ((high, down), (low, up)) = (own(dear, 1), own(cheap, 2));
        let mut moved = 0.0;
        if high > low {
            // 2 (a - b) / (a + b) is close to ln(a / b), and never more.
            moved = f64::min(
                most,
                2.0 * (high - low) / (high + low) / (self.rate * (down + up)),
            );
            for (path, side, volume) in [(dear, 1, -moved), (cheap, 2, moved)] {
                for link in path
                    .iter()
                    .map(|l| *l as usize)
                    .filter(|l| self.on[*l] == side)
                {
                    self.loads[link] += volume;
                    self.prices[link] *= exp(volume * self.network.per[link] * self.rate);
                }
            }
        }
        dear.iter()
            .chain(cheap)
            .for_each(|link| self.on[*link as usize] = 0);
        moved
    }
}

/// One end of a search from both ends.
struct Side {
    lengths: Vec<u64>,
    /// The link by which each router was reached.
    by: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    reached: Vec<u32>,
}

impl Side {
    fn new(routers: usize) -> Self {
        let (lengths, by) = (vec![u64::MAX; routers], vec![0; routers]);
        Side {
            lengths,
            by,
            heap: BinaryHeap::new(),
            reached: Vec::new(),
        }
    }

    fn begin(&mut self, root: u32) {
        self.reached
            .drain(..)
            .for_each(|router| self.lengths[router as usize] = u64::MAX);
        self.heap.clear();
        self.reach(root, 0, 0);
    }

    fn reach(&mut self, router: u32, length: u64, by: u32) {
        let known = &mut self.lengths[router as usize];
        if length < *known {
            if *known == u64::MAX {
                self.reached.push(router);
            }
            *known = length;
            self.by[router as usize] = by;
            self.heap.push(Reverse((length, router)));
        }
    }
}

/// Searches for short paths from both ends, with buffers that are used again.
struct Search {
    sides: [Side; 2],
    /// Links at which both ends met, and the length of the path over each.
    bridges: Vec<(u64, u32)>,
}

impl Search {
    fn new(routers: usize) -> Self {
        Search {
            sides: [Side::new(routers), Side::new(routers)],
            bridges: Vec::new(),
        }
    }

    /// The length of a shortest path, its links, and those of others, at most `most` in all, that are longer by less than
    /// the part `near` of it; a path that is `known` long exists.
    fn paths(
        &mut self,
        network: &Network<'_>,
        lengths: &Lengths,
        ([from, to], known): ([u32; 2], u64),
        (most, near): (usize, f64),
    ) -> (u64, Vec<Vec<u32>>) {
        let limit = |length: u64| length.saturating_add((lengths.plain(length) * near) as u64);
        let [front, back] = &mut self.sides;
        front.begin(from);
        back.begin(to);
        self.bridges.clear();
        let (mut best, mut longest) = (u64::MAX, limit(known));
        while let (Some(Reverse((a, _))), Some(Reverse((b, _)))) =
            (front.heap.peek().copied(), back.heap.peek().copied())
        {
            if a + b > longest {
                break;
            }
            let forward = front.heap.len() <= back.heap.len();
            let (near, far, rest) = if forward {
                (&mut *front, &mut *back, b)
            } else {
                (&mut *back, &mut *front, a)
            };
            let Some(Reverse((length, router))) = near.heap.pop() else {
                break;
            };
            if length > near.lengths[router as usize] {
                continue;
            }
            for out in network.graph.leaving(router) {
                let link = if forward {
                    out as u32
                } else {
                    network.back[out]
                };
                let (next, longer) = (
                    network.graph.head(out),
                    length + lengths.links[link as usize],
                );
                let whole = longer.saturating_add(far.lengths[next as usize]);
                if whole <= longest && whole < u64::MAX {
                    self.bridges.push((whole, link));
                    best = best.min(whole);
                    longest = longest.min(limit(best));
                }
                // What is left is no shorter than what the other end goes on from.
                if longer <= longest.saturating_sub(rest) {
                    near.reach(next, longer, link);
                }
            }
        }
        self.bridges.retain(|(length, _)| *length <= longest);
        self.bridges.sort_unstable();
        self.bridges.dedup();
        let mut paths: Vec<Vec<u32>> = Vec::new();
        for (_, link) in &self.bridges {
            if paths.len() == most {
                break;
            }
            let path = self.path(network, *link, [from, to]);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        (best, paths)
    }

    /// The path over a link at which both ends met.
    fn path(&self, network: &Network<'_>, link: u32, [from, to]: [u32; 2]) -> Vec<u32> {
        let [front, back] = &self.sides;
        let (mut path, mut at) = (vec![link], network.tails[link as usize]);
        while at != from {
            path.push(front.by[at as usize]);
            at = network.tails[front.by[at as usize] as usize];
        }
        path.reverse();
        at = network.graph.head(link as usize);
        while at != to {
            path.push(back.by[at as usize]);
            at = network.graph.head(back.by[at as usize] as usize);
        }
        path
    }
}
