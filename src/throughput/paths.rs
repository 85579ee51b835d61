//! Best shares of sparse traffic: a set of paths for each pair, found when they are wanted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::network::{Errors, Lengths, Network, exp, set_prices};
use super::{Found, Stop};

/// Traffic from a router to another one, and the paths that share it.
pub(super) struct Pair {
    pub from: u32,
    pub to: u32,
    pub volume: f64,
    /// The links of each path, and the volume that it carries.
    pub paths: Vec<(Vec<u32>, f64)>,
}

/// Sweeps of shifts between two searches for paths.
const SWEEPS: usize = 10;
/// Rounds after which paths that carry nothing are forgotten.
const KEPT: usize = 8;

/// Shifts volume between paths until the gap is small enough.
///
/// In turn: prices of links from their loads; for each pair the shortest path at the mean of these and earlier prices, which
/// swings less than the prices alone, proves a floor and joins the pair's paths; and sweeps over all pairs, in which volume moves from dear paths to the cheapest while prices
/// follow. Volume that moves from path a to path b makes the links of only one of them cheaper or dearer: where both then
/// cost the same is found in closed form, to second order.
pub(super) fn solve(
    network: &Network<'_>,
    pairs: &mut [Pair],
    shortest: bool,
    stop: &Stop<'_>,
) -> Found {
    let links = network.per.len();
    let mut shifts = Shifts {
        network,
        loads: vec![0.0; links],
        prices: network.per.iter().map(|per| f64::from(u8::from(*per > 0.0))).collect(),
        rate: 0.0,
        on: vec![0; links],
    };
    let (mut sharp, mut lengths) = (10.0, network.per.clone());
    let mut best = Found { loads: Vec::new(), worst: f64::INFINITY, floor: 0.0, detoured: None };
    for round in 0.. {
        let worst = network.worst(&shifts.loads);
        if round > 0 {
            set_prices(&mut shifts.prices, &shifts.loads, &network.per, worst, sharp);
        }
        let keep = if round < 2 { 0.0 } else { 0.5 };
        for ((length, price), per) in lengths.iter_mut().zip(&shifts.prices).zip(&network.per) {
            *length = *length * keep + price * per * (1.0 - keep);
        }
        let whole = network.lengths(&lengths, shortest, 60);
        let find = |search: &mut Search, pair: &Pair| search.path(network, &whole, pair);
        let found: Vec<_> =
            pairs.par_iter().map_init(|| Search::new(network.routers()), find).collect();
        let sum = |(length, _): &(u64, _), pair: &Pair| whole.plain(*length) * pair.volume;
        let floor = whole.floor(found.iter().zip(&*pairs).map(|(f, pair)| sum(f, pair)).sum());
        best.floor = best.floor.max(floor);
        if round > 0 {
            if worst < best.worst {
                (best.worst, best.loads) = (worst, shifts.loads.clone());
            }
            if stop.now(round, &best) {
                break;
            }
            sharp =
                Errors::of(network, &shifts.prices, &shifts.loads, worst, floor).sharpened(sharp);
        }
        for (pair, (_, path)) in pairs.iter_mut().zip(found) {
            if !pair.paths.iter().any(|(known, _)| *known == path) {
                pair.paths.push((path, if round == 0 { pair.volume } else { 0.0 }));
            }
        }
        shifts.add_up(pairs);
        for _ in 0..SWEEPS {
            shifts.sweep(pairs, sharp);
        }
        if round % KEPT == 0 {
            pairs.iter_mut().for_each(|pair| pair.paths.retain(|(_, volume)| *volume > 0.0));
        }
        // Shifts leave rounding errors behind.
        shifts.add_up(pairs);
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
            path.iter().for_each(|link| self.loads[*link as usize] += volume);
        }
    }

    fn sweep(&mut self, pairs: &mut [Pair], sharp: f64) {
        let worst = self.network.worst(&self.loads);
        set_prices(&mut self.prices, &self.loads, &self.network.per, worst, sharp);
        self.rate = sharp / worst;
        for pair in pairs.iter_mut().filter(|pair| pair.paths.len() > 1) {
            let cost = |path: &[u32]| -> f64 {
                let length = |l: &u32| self.prices[*l as usize] * self.network.per[*l as usize];
                path.iter().map(length).sum()
            };
            let costs: Vec<f64> = pair.paths.iter().map(|(path, _)| cost(path)).collect();
            let least = (1..costs.len()).fold(0, |i, j| if costs[j] < costs[i] { j } else { i });
            let (mut cheap, mut gained) = (std::mem::take(&mut pair.paths[least].0), 0.0);
            for (i, (path, volume)) in pair.paths.iter_mut().enumerate() {
                if i != least && *volume > 0.0 {
                    let moved = self.shift(path, &cheap, *volume);
                    *volume -= moved;
                    gained += moved;
                }
            }
            std::mem::swap(&mut pair.paths[least].0, &mut cheap);
            pair.paths[least].1 += gained;
        }
    }

    /// Moves volume, at most `most`, from one path to another; returns how much.
    fn shift(&mut self, dear: &[u32], cheap: &[u32], most: f64) -> f64 {
        dear.iter().for_each(|link| self.on[*link as usize] |= 1);
        cheap.iter().for_each(|link| self.on[*link as usize] |= 2);
        // Cost of the links of one path only, and how fast its logarithm changes.
        let own = |path: &[u32], side: u8| {
            let (mut cost, mut slope) = (0.0, 0.0);
            for link in path.iter().map(|link| *link as usize).filter(|l| self.on[*l] == side) {
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
            moved = f64::min(most, 2.0 * (high - low) / (high + low) / (self.rate * (down + up)));
            for (path, side, volume) in [(dear, 1, -moved), (cheap, 2, moved)] {
                for link in path.iter().map(|l| *l as usize).filter(|l| self.on[*l] == side) {
                    self.loads[link] += volume;
                    self.prices[link] *= exp(volume * self.network.per[link] * self.rate);
                }
            }
        }
        dear.iter().chain(cheap).for_each(|link| self.on[*link as usize] = 0);
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
        Side { lengths, by, heap: BinaryHeap::new(), reached: Vec::new() }
    }

    fn begin(&mut self, root: u32) {
        self.reached.drain(..).for_each(|router| self.lengths[router as usize] = u64::MAX);
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

/// Searches for shortest paths from both ends, with buffers that are used again.
struct Search {
    sides: [Side; 2],
}

impl Search {
    fn new(routers: usize) -> Self {
        Search { sides: [Side::new(routers), Side::new(routers)] }
    }

    /// Length and links of a shortest path of `pair`.
    fn path(&mut self, network: &Network<'_>, lengths: &Lengths, pair: &Pair) -> (u64, Vec<u32>) {
        let [front, back] = &mut self.sides;
        front.begin(pair.from);
        back.begin(pair.to);
        let (mut best, mut middle) = (u64::MAX, pair.from);
        while let (Some(Reverse((a, _))), Some(Reverse((b, _)))) =
            (front.heap.peek(), back.heap.peek())
        {
            if a + b >= best {
                break;
            }
            let forward = front.heap.len() <= back.heap.len();
            let (near, far) =
                if forward { (&mut *front, &mut *back) } else { (&mut *back, &mut *front) };
            let Some(Reverse((length, router))) = near.heap.pop() else { break };
            if length > near.lengths[router as usize] {
                continue;
            }
            for out in network.graph.leaving(router) {
                let link = if forward { out as u32 } else { network.back[out] };
                let (next, longer) =
                    (network.graph.head(out), length + lengths.links[link as usize]);
                near.reach(next, longer, link);
                let rest = far.lengths[next as usize];
                if rest != u64::MAX && longer + rest < best {
                    (best, middle) = (longer + rest, next);
                }
            }
        }
        let (mut path, mut at) = (Vec::new(), middle);
        while at != pair.from {
            path.push(front.by[at as usize]);
            at = network.tails[front.by[at as usize] as usize];
        }
        path.reverse();
        at = middle;
        while at != pair.to {
            path.push(back.by[at as usize]);
            at = network.graph.head(back.by[at as usize] as usize);
        }
        (best, path)
    }
}
