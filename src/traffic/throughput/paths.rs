//! Best shares of sparse traffic: a set of paths for each pair, found when they are wanted.
//!
//! Each pair of routers with traffic keeps a few paths and the volume that each carries. Two steps alternate.
//! A *search* finds for each pair the shortest path at the present prices of links, and others almost as short; they
//! join the pair's paths, and the shortest lengths prove a floor. A *sweep* goes over all pairs and shifts volume
//! from the dearest path to the cheapest until both cost the same, while prices follow the loads. Example: two paths
//! of one link each, loads 3 and 1; the first is dearer, and a volume near 1 moves to the second.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::network::{Lengths, Network, SearchErrors, exp, set_prices};
use super::solution::{FlowSolution, SearchLimits};

/// Traffic from a router to another one, and the paths that share it.
pub struct Pair {
    pub from: u32,
    pub to: u32,
    pub volume: f64,
    /// Links of each path, and the volume that it carries.
    pub paths: Vec<(Vec<u32>, f64)>,
}

/// Number of sweeps over all pairs, in each round, that shift volume between their paths.
const SWEEPS: usize = 20;
/// Number of rounds after which paths that carry nothing are forgotten.
const KEPT: usize = 8;
/// Largest number of bits of the length of a path.
const BITS: u32 = 60;

/// Limits on the paths that are added to a pair in one round.
#[derive(Clone, Copy)]
struct PathLimit {
    /// Largest number of paths that are added.
    most: usize,
    /// Part by which such a path may be longer than the shortest one.
    near: f64,
}

/// Limits of the first round.
const FIRST: PathLimit = PathLimit {
    most: 64,
    near: 0.5,
};
/// Limits of later rounds.
const LATER: PathLimit = PathLimit {
    most: 8,
    near: 0.03,
};

/// Estimates the bytes of the paths of `pairs`: about as many paths are used as there are pairs and links together.
pub fn path_bytes(pairs: u64, links: usize) -> u64 {
    pairs
        .saturating_mul(3_000)
        .saturating_add(500 * links as u64)
}

/// Replaces lengths of links by a mean of the old ones, which weigh `kept`, and those at the present prices.
fn average_lengths(lengths: &mut [f64], prices: &[f64], inverse_capacity: &[f64], kept: f64) {
    for ((length, price), per) in lengths.iter_mut().zip(prices).zip(inverse_capacity) {
        *length = *length * kept + price * per * (1.0 - kept);
    }
}

/// Shifts volume between paths until the gap is small enough.
///
/// Paths are searched for at the mean of present and earlier prices, which swings less than the prices alone, while
/// other threads sweep. Volume that moves from path a to path b makes the links of only one of them cheaper or
/// dearer: where both then cost the same is found in closed form, to second order.
pub fn search_shares(
    network: &Network<'_>,
    pairs: &mut [Pair],
    shortest: bool,
    stop: &SearchLimits<'_>,
) -> FlowSolution {
    let mut shifts = VolumeShifts {
        network,
        loads: vec![0.0; network.inverse_capacity.len()],
        prices: network.equal_prices(),
        rate: 0.0,
        on: vec![0; network.inverse_capacity.len()],
    };
    // Sharpness of the last sweeps, and of the next.
    let mut swept = 10.0;
    let mut sharp = 10.0;
    let mut lengths = network.inverse_capacity.clone();
    let mut best = FlowSolution {
        loads: Vec::new(),
        worst: f64::INFINITY,
        floor: stop.floor,
        detoured: None,
    };
    for round in 0.. {
        let loads = shifts.loads.clone();
        let worst = network.highest_contention(&loads);
        // In round 0 no link has a load yet.
        if round > 0 {
            set_prices(
                &mut shifts.prices,
                &loads,
                &network.inverse_capacity,
                worst,
                swept,
            );
        }
        let prices = shifts.prices.clone();
        let kept = if round < 2 { 0.0 } else { 0.5 };
        average_lengths(&mut lengths, &prices, &network.inverse_capacity, kept);
        let whole = network.whole_lengths(&lengths, shortest, BITS);
        let mut limit = if round == 0 { FIRST } else { LATER };
        // Many pairs begin with fewer paths.
        limit.most = limit.most.min((1 << 20) / pairs.len()).max(LATER.most);
        let wanted: Vec<_> = pairs
            .iter()
            .map(|pair| ([pair.from, pair.to], pair.known_length(&whole)))
            .collect();
        let sweeps = if round == 0 { 0 } else { SWEEPS };
        let (found, ()) = rayon::join(
            || {
                wanted
                    .par_iter()
                    .map_init(
                        || PathSearch::new(network.router_count()),
                        |search, (ends, known)| {
                            search.find_paths(network, &whole, *ends, *known, limit)
                        },
                    )
                    .collect::<Vec<_>>()
            },
            || (0..sweeps).for_each(|_| shifts.sweep_pairs(pairs, sharp)),
        );
        let paid = found
            .iter()
            .zip(&*pairs)
            .map(|((length, _), pair)| whole.strip_steps(*length) * pair.volume);
        let floor = whole.prove_floor(paid.sum());
        best.floor = best.floor.max(floor);
        swept = sharp;
        if round > 0 {
            sharp = SearchErrors::new(network, &prices, &loads, worst, floor).next_sharpness(sharp);
        }
        for (pair, (_, paths)) in pairs.iter_mut().zip(found) {
            pair.join_paths(paths, round);
        }
        // Shifts leave rounding errors behind.
        shifts.sum_loads(pairs);
        let worst = network.highest_contention(&shifts.loads);
        if worst < best.worst {
            best.worst = worst;
            best.loads = shifts.loads.clone();
        }
        if stop.is_reached(round, &best) {
            break;
        }
    }
    best
}

impl Pair {
    /// Finds the length of the shortest known path, or the largest number if there is none.
    fn known_length(&self, lengths: &Lengths) -> u64 {
        let paths = self.paths.iter().map(|(path, _)| {
            let links = path.iter().map(|link| lengths.links[*link as usize]);
            links.sum()
        });
        paths.min().unwrap_or(u64::MAX)
    }

    /// Adds paths that are not known yet; those of round 0 share all volume.
    fn join_paths(&mut self, paths: Vec<Vec<u32>>, round: usize) {
        if round.is_multiple_of(KEPT) {
            self.paths.retain(|(_, volume)| *volume > 0.0);
        }
        let volume = if round == 0 {
            self.volume / paths.len() as f64
        } else {
            0.0
        };
        for path in paths {
            if !self.paths.iter().any(|(known, _)| *known == path) {
                self.paths.push((path, volume));
            }
        }
    }
}

/// Loads and prices while volume is shifted.
struct VolumeShifts<'a> {
    network: &'a Network<'a>,
    loads: Vec<f64>,
    prices: Vec<f64>,
    /// Rate at which the logarithm of a price grows with load over capacity.
    rate: f64,
    /// Which of two paths a link is on, one bit each; zero between shifts.
    on: Vec<u8>,
}

impl VolumeShifts<'_> {
    /// Adds up the loads of all paths.
    fn sum_loads(&mut self, pairs: &[Pair]) {
        self.loads.fill(0.0);
        for (path, volume) in pairs.iter().flat_map(|pair| &pair.paths) {
            for link in path {
                self.loads[*link as usize] += volume;
            }
        }
    }

    /// Shifts volume between the paths of each pair, the dearest to the cheapest first.
    fn sweep_pairs(&mut self, pairs: &mut [Pair], sharp: f64) {
        let inverse_capacity = &self.network.inverse_capacity;
        let worst = self.network.highest_contention(&self.loads);
        set_prices(
            &mut self.prices,
            &self.loads,
            inverse_capacity,
            worst,
            sharp,
        );
        self.rate = sharp / worst;
        let mut order = Vec::new();
        for Pair { paths, .. } in pairs.iter_mut().filter(|pair| pair.paths.len() > 1) {
            order.clear();
            for (i, (path, _)) in paths.iter().enumerate() {
                let links = path.iter().map(|link| *link as usize);
                let cost: f64 = links.map(|l| self.prices[l] * inverse_capacity[l]).sum();
                order.push((cost, i));
            }
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            // From both ends of the order of cost, until they meet.
            let mut cheapest = 0;
            for dearest in (1..order.len()).rev() {
                if cheapest >= dearest {
                    break;
                }
                let cheap = order[cheapest].1;
                let dear = order[dearest].1;
                let most = paths[dear].1;
                if most > 0.0 {
                    let moved = self.shift_volume(&paths[dear].0, &paths[cheap].0, most);
                    paths[dear].1 -= moved;
                    paths[cheap].1 += moved;
                    // A path that is still used is as dear as the cheap one now, which takes no more.
                    cheapest += usize::from(moved < most);
                }
            }
        }
    }

    /// Moves volume, at most `most`, from one path to another. Returns how much.
    fn shift_volume(&mut self, dear: &[u32], cheap: &[u32], most: f64) -> f64 {
        for (path, side) in [(dear, 1), (cheap, 2)] {
            for link in path {
                self.on[*link as usize] |= side;
            }
        }
        let (high, down) = self.price_own_links(dear, 1);
        let (low, up) = self.price_own_links(cheap, 2);
        let mut moved = 0.0;
        if high > low {
            // 2 (a - b) / (a + b) is close to ln(a / b), and never more.
            let equal = 2.0 * (high - low) / (high + low) / (self.rate * (down + up));
            moved = f64::min(most, equal);
            for (path, side, volume) in [(dear, 1, -moved), (cheap, 2, moved)] {
                for link in own_links(&self.on, path, side) {
                    self.loads[link] += volume;
                    self.prices[link] *=
                        exp(volume * self.network.inverse_capacity[link] * self.rate);
                }
            }
        }
        for link in dear.iter().chain(cheap) {
            self.on[*link as usize] = 0;
        }
        moved
    }

    /// Computes the cost of the links of one path only, and how fast its logarithm changes.
    fn price_own_links(&self, path: &[u32], side: u8) -> (f64, f64) {
        let mut cost = 0.0;
        let mut slope = 0.0;
        for link in own_links(&self.on, path, side) {
            let length = self.prices[link] * self.network.inverse_capacity[link];
            cost += length;
            slope += length * self.network.inverse_capacity[link];
        }
        (cost, if cost > 0.0 { slope / cost } else { 0.0 })
    }
}

/// Lists the links of a path that the other path does not use.
fn own_links<'p>(on: &'p [u8], path: &'p [u32], side: u8) -> impl Iterator<Item = usize> + 'p {
    let links = path.iter().map(|link| *link as usize);
    links.filter(move |link| on[*link] == side)
}

/// One end of a search from both ends.
struct SearchEnd {
    /// Length from this end to each router; the largest number for those not reached.
    lengths: Vec<u64>,
    /// Link by which each router was reached.
    by: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// Routers reached, whose lengths are to be cleared.
    reached: Vec<u32>,
}

impl SearchEnd {
    fn new(routers: usize) -> Self {
        SearchEnd {
            lengths: vec![u64::MAX; routers],
            by: vec![0; routers],
            heap: BinaryHeap::new(),
            reached: Vec::new(),
        }
    }

    /// Forgets the last search and starts from `root`.
    fn start_from(&mut self, root: u32) {
        for router in self.reached.drain(..) {
            self.lengths[router as usize] = u64::MAX;
        }
        self.heap.clear();
        self.reach_router(root, 0, 0);
    }

    /// Records a way to a router over the link `by`, if it is shorter than the ways known.
    fn reach_router(&mut self, router: u32, length: u64, by: u32) {
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

    /// Finds the length of the nearest router that waits; `None` if none does.
    fn next_length(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((length, _))| *length)
    }
}

/// Searches for short paths from both ends, with buffers that are used again.
struct PathSearch {
    ends: [SearchEnd; 2],
    /// Links at which both ends met, each after the length of the path over it.
    bridges: Vec<(u64, u32)>,
}

impl PathSearch {
    fn new(routers: usize) -> Self {
        PathSearch {
            ends: [SearchEnd::new(routers), SearchEnd::new(routers)],
            bridges: Vec::new(),
        }
    }

    /// Finds the length of a shortest path, its links, and those of others within `limit`; a path that is `known` long
    /// exists.
    fn find_paths(
        &mut self,
        network: &Network<'_>,
        lengths: &Lengths,
        [from, to]: [u32; 2],
        known: u64,
        limit: PathLimit,
    ) -> (u64, Vec<Vec<u32>>) {
        let stretch =
            |length: u64| length.saturating_add((lengths.strip_steps(length) * limit.near) as u64);
        let [front, back] = &mut self.ends;
        front.start_from(from);
        back.start_from(to);
        self.bridges.clear();
        let mut best = u64::MAX;
        let mut longest = stretch(known);
        while let (Some(a), Some(b)) = (front.next_length(), back.next_length()) {
            if a + b > longest {
                break;
            }
            // The end with fewer routers to go on from: fewer searches in vain.
            let forward = front.heap.len() <= back.heap.len();
            let (near, far, rest) = if forward {
                (&mut *front, &mut *back, b)
            } else {
                (&mut *back, &mut *front, a)
            };
            let Some(Reverse((length, router))) = near.heap.pop() else {
                break;
            };
            // A shorter way to this router was found after it was queued.
            if length > near.lengths[router as usize] {
                continue;
            }
            for out in network.graph.links_from(router) {
                let link = if forward {
                    out as u32
                } else {
                    network.back[out]
                };
                let next = network.graph.link_head(out);
                let longer = length + lengths.links[link as usize];
                let whole = longer.saturating_add(far.lengths[next as usize]);
                if whole <= longest && whole < u64::MAX {
                    self.bridges.push((whole, link));
                    best = best.min(whole);
                    longest = longest.min(stretch(best));
                }
                // What is left is no shorter than what the other end goes on from.
                if longer <= longest.saturating_sub(rest) {
                    near.reach_router(next, longer, link);
                }
            }
        }
        self.bridges.retain(|(length, _)| *length <= longest);
        // Shortest paths first, and ties by link, so that the result is the same in every run.
        self.bridges.sort_unstable();
        self.bridges.dedup();
        let mut paths: Vec<Vec<u32>> = Vec::new();
        for (_, link) in &self.bridges {
            if paths.len() == limit.most {
                break;
            }
            let path = self.path_over(network, *link, [from, to]);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        (best, paths)
    }

    /// Collects the links of the path over a link at which both ends met.
    fn path_over(&self, network: &Network<'_>, link: u32, [from, to]: [u32; 2]) -> Vec<u32> {
        let [front, back] = &self.ends;
        let mut path = vec![link];
        let mut at = network.tails[link as usize];
        while at != from {
            path.push(front.by[at as usize]);
            at = network.tails[front.by[at as usize] as usize];
        }
        path.reverse();
        at = network.graph.link_head(link as usize);
        while at != to {
            path.push(back.by[at as usize]);
            at = network.graph.link_head(back.by[at as usize] as usize);
        }
        path
    }
}
