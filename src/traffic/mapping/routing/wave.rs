//! Breadth-first searches from eight roots side by side, stopping when all partners have been reached.
//!
//! Eight numbers fill a register, so that adding up over a router's neighbours costs as much for eight roots as for
//! one. A
//! *stop* is a router at one distance with the roots that have it there: on a ring of four with roots 0 and 1, router
//! 2 has two stops, at distance 1 (root 1) and at distance 2 (root 0). Roots that are near each other have most
//! routers at the same distance, and so fewer stops ([`order_roots`]).

use multiversion::multiversion;

use super::super::demand::{AllToAllDemand, Demand, End, Flow};
use super::fabric::{Fabric, sum_over_roots};
use nodeorder_base::Result;
use nodeorder_network::RouterGraph;

/// Number of roots searched from at once.
pub const LANES: usize = 8;

/// One number for each of the roots searched from at once.
pub type RootValues = [f64; LANES];

/// A router at a distance, and the roots that have it there.
#[derive(Clone, Copy, Debug)]
pub struct RootsAtDistance {
    pub router: u32,
    /// Roots that have it there, one bit each.
    pub roots: u8,
}

/// Searches with their buffers, reused from batch to batch: what one batch touched is what the next one
/// clears, so that small jobs on large machines cost little.
///
/// A router `d` hops from a root keeps its number in plane `d mod 3`. Its neighbours are `d - 1`, `d` or `d + 1`
/// hops away: adding up one plane over all of them adds up those of one distance, without a look at it. Where
/// a root has no number, there is a zero.
#[derive(Debug, Default)]
pub struct Waves {
    /// Numbers by distance modulo three, then by router.
    pub planes: [Vec<RootValues>; 3],
    /// Traffic of each router with the roots; zero where there is none.
    pub traffic: Vec<RootValues>,
    /// Every router at every distance at which some root has it, by distance; a buffer that only grows.
    stops: Vec<RootsAtDistance>,
    /// Index in `stops` at which each distance begins, and at last the end.
    first: Vec<usize>,
    /// Roots that have reached each router, one bit each.
    seen: Vec<u8>,
    /// Roots that reach each router with the present step, one bit each.
    fresh: Vec<u8>,
    /// Roots that have traffic with each router, one bit each.
    partner_roots: Vec<u8>,
    /// Routers that have traffic with some root, where these are listed.
    partners: Vec<u32>,
    /// Buffer for a row of the demand.
    row: Vec<Flow>,
}

impl Waves {
    /// Makes room for the searches of a machine.
    pub fn new(routers: usize) -> Self {
        let zeros = vec![[0.0; LANES]; routers];
        Waves {
            planes: [zeros.clone(), zeros.clone(), zeros.clone()],
            traffic: zeros,
            seen: vec![0; routers],
            fresh: vec![0; routers],
            partner_roots: vec![0; routers],
            ..Waves::default()
        }
    }

    /// Searches from some roots of `demand`, at most eight, until the partners of all are reached. Every router's
    /// number is then 1.
    pub fn search_partners(
        &mut self,
        links: &RouterGraph,
        demand: &Demand,
        end: End,
        roots: &[u32],
    ) {
        let mut left = self.start_from(demand, end, roots);
        while left > 0 && self.find_next_level(links) {
            left -= self.mark_reached();
            let level = self.largest_distance();
            let stops = &self.stops[self.first[level]..self.first[level + 1]];
            set_ones(stops, &mut self.planes[level % 3]);
        }
    }

    /// Counts shortest paths, searching as [`Waves::search_partners`] does: every router's number is then that of its
    /// shortest paths from the root. Returns whether all are finite.
    pub fn count_paths(
        &mut self,
        links: &RouterGraph,
        demand: &Demand,
        end: End,
        roots: &[u32],
    ) -> bool {
        let mut left = self.start_from(demand, end, roots);
        while left > 0 && self.find_next_level(links) {
            left -= self.mark_reached();
            let level = self.largest_distance();
            let stops = &self.stops[self.first[level]..self.first[level + 1]];
            let [into, from, _] = neighbouring_planes(&mut self.planes, level);
            if !add_neighbours(links, stops, from, into) {
                return false;
            }
        }
        true
    }

    /// Finds the largest distance reached.
    pub fn largest_distance(&self) -> usize {
        self.first.len() - 2
    }

    /// Visits the routers from the farthest distance on. Calls `visit` with every stop, the planes of its
    /// distance, of one hop less and of one more, and the router's traffic with the roots.
    #[inline(always)]
    pub fn walk_back(
        &mut self,
        mut visit: impl FnMut(&RootsAtDistance, [&mut [RootValues]; 3], RootValues),
    ) {
        for distance in (0..=self.largest_distance()).rev() {
            let [here, nearer, further] = neighbouring_planes(&mut self.planes, distance);
            for stop in &self.stops[self.first[distance]..self.first[distance + 1]] {
                let wanted = self.traffic[stop.router as usize];
                visit(stop, [&mut *here, &mut *nearer, &mut *further], wanted);
            }
        }
    }

    /// Clears what the last batch left and starts from the next one's roots. Returns how many partners
    /// there are to be reached.
    fn start_from(&mut self, demand: &Demand, end: End, roots: &[u32]) -> u32 {
        for (level, bounds) in self.first.windows(2).enumerate() {
            let plane = &mut self.planes[level % 3];
            for stop in &self.stops[bounds[0]..bounds[1]] {
                plane[stop.router as usize] = [0.0; LANES];
                self.seen[stop.router as usize] = 0;
            }
        }
        self.first.clear();
        self.first.extend([0, roots.len()]);
        let at = demand.roots(end);
        for (lane, root) in roots.iter().enumerate() {
            let stop = RootsAtDistance {
                router: at[*root as usize],
                roots: 1 << lane,
            };
            // What the buffer holds beyond the last stop does not matter.
            self.stops.resize(self.stops.len().max(roots.len()), stop);
            self.stops[lane] = stop;
            self.seen[stop.router as usize] = stop.roots;
            self.planes[0][stop.router as usize][lane] = 1.0;
        }
        match demand.as_all_to_all() {
            Some(uniform) => self.note_all_to_all(uniform, at, roots),
            None => self.note_traffic(demand, end, roots),
        }
    }

    /// Notes the traffic of the roots where flows are listed. Returns the number of partners, once for each root.
    fn note_traffic(&mut self, demand: &Demand, end: End, roots: &[u32]) -> u32 {
        for router in self.partners.drain(..) {
            self.traffic[router as usize] = [0.0; LANES];
            self.partner_roots[router as usize] = 0;
        }
        let mut left = 0;
        for (lane, root) in roots.iter().enumerate() {
            let row = demand.flows_at(end, *root as usize, &mut self.row);
            for flow in row.iter().filter(|f| f.volume > 0.0) {
                let router = flow.router as usize;
                if self.partner_roots[router] == 0 {
                    self.partners.push(flow.router);
                }
                self.partner_roots[router] |= 1 << lane;
                self.traffic[router][lane] = flow.volume;
                left += 1;
            }
        }
        left
    }

    /// Notes all-to-all traffic as [`Waves::note_traffic`] does: every root is a partner of every other, so that
    /// all entries are written over and none needs clearing.
    fn note_all_to_all(&mut self, uniform: &AllToAllDemand, at: &[u32], roots: &[u32]) -> u32 {
        let mut here = [0.0; LANES];
        for (lane, root) in roots.iter().enumerate() {
            here[lane] = uniform.processes[*root as usize] as f64;
        }
        // Without volume nobody is a partner.
        let all = if uniform.volume > 0.0 {
            u8::MAX >> (LANES - roots.len())
        } else {
            0
        };
        for (router, there) in at.iter().zip(&uniform.processes) {
            self.traffic[*router as usize] = here.map(|here| here * *there as f64 * uniform.volume);
            self.partner_roots[*router as usize] = all;
        }
        for (lane, root) in roots.iter().enumerate() {
            let router = at[*root as usize] as usize;
            self.traffic[router][lane] = 0.0;
            self.partner_roots[router] &= !(1 << lane);
        }
        all.count_ones() * (at.len() as u32 - 1)
    }

    /// Finds the routers one hop further. Returns whether there are any.
    fn find_next_level(&mut self, links: &RouterGraph) -> bool {
        let level = self.largest_distance();
        let from = self.first[level];
        let to = self.first[level + 1];
        let mut end = to;
        for i in from..to {
            let RootsAtDistance { router, roots } = self.stops[i];
            let heads = links.heads_from(router);
            // Written without a branch: an entry that is not new is overwritten by the next one.
            if self.stops.len() <= end + heads.len() {
                self.stops.resize(
                    2 * (end + heads.len()),
                    RootsAtDistance {
                        router: 0,
                        roots: 0,
                    },
                );
            }
            for v in heads {
                let fresh = &mut self.fresh[*v as usize];
                let new = roots & !self.seen[*v as usize];
                self.stops[end].router = *v;
                end += usize::from(*fresh == 0 && new != 0);
                *fresh |= new;
            }
        }
        self.first.push(end);
        end > to
    }

    /// Marks the routers just found as seen by their roots. Returns how many partners are among them.
    fn mark_reached(&mut self) -> u32 {
        let level = self.largest_distance();
        let mut partners = 0;
        for stop in &mut self.stops[self.first[level]..self.first[level + 1]] {
            let router = stop.router as usize;
            stop.roots = std::mem::take(&mut self.fresh[router]);
            self.seen[router] |= stop.roots;
            partners += (stop.roots & self.partner_roots[router]).count_ones();
        }
        partners
    }
}

/// Sums what `add` puts on the links for each batch of at most eight roots, as [`sum_over_roots`].
pub fn sum_over_batches(
    fabric: &Fabric<'_>,
    demand: &Demand,
    end: End,
    add: impl Fn(&mut Waves, &[u32], &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let roots = order_roots(fabric.links, demand, end);
    let batches: Vec<&[u32]> = roots.chunks(LANES).collect();
    sum_over_roots(
        fabric,
        batches.len(),
        || Waves::new(fabric.links.router_count()),
        |waves, batch, loads| add(waves, batches[batch], loads),
    )
}

/// Orders the roots of `demand` such that every eight in a row are near each other where they can be: the fewer
/// distances they have to one router, the fewer times it is visited. O(roots · a few hundred links).
pub fn order_roots(links: &RouterGraph, demand: &Demand, end: End) -> Vec<u32> {
    /// Number of routers around a root among which its nearest roots are looked for.
    const NEAR: usize = 256;
    let roots = demand.roots(end);
    if roots.len() <= LANES {
        return (0..roots.len() as u32).collect();
    }
    const NONE: u32 = u32::MAX;
    let mut root = vec![NONE; links.router_count()];
    for (i, router) in roots.iter().enumerate() {
        root[*router as usize] = i as u32;
    }
    let mut visited = vec![NONE; links.router_count()];
    let mut order = Vec::with_capacity(roots.len());
    let mut rest = Vec::new();
    let mut queue = Vec::new();
    for first in roots {
        if root[*first as usize] == NONE {
            continue;
        }
        let begin = order.len();
        queue.clear();
        queue.push(*first);
        visited[*first as usize] = *first;
        let mut next = 0;
        while next < queue.len().min(NEAR) && order.len() < begin + LANES {
            let router = queue[next];
            next += 1;
            let here = std::mem::replace(&mut root[router as usize], NONE);
            if here != NONE {
                order.push(here);
            }
            for v in links.heads_from(router) {
                if std::mem::replace(&mut visited[*v as usize], *first) != *first {
                    queue.push(*v);
                }
            }
        }
        // Too few near it: such leftovers share batches at the end, so that all others are full.
        if order.len() < begin + LANES {
            rest.extend(order.drain(begin..));
        }
    }
    order.extend(rest);
    order
}

/// Picks the planes of a distance, of one hop less and of one more.
fn neighbouring_planes(
    planes: &mut [Vec<RootValues>; 3],
    distance: usize,
) -> [&mut [RootValues]; 3] {
    let [a, b, c] = planes.each_mut().map(Vec::as_mut_slice);
    match distance % 3 {
        0 => [a, c, b],
        1 => [b, a, c],
        _ => [c, b, a],
    }
}

/// Picks `a` for the roots named, `b` for the others.
#[inline(always)]
pub fn pick_roots(roots: u8, a: RootValues, b: RootValues) -> RootValues {
    let mut picked = b;
    for l in 0..LANES {
        picked[l] = if roots & 1 << l != 0 { a[l] } else { b[l] };
    }
    picked
}

/// Adds up the lanes of the roots, always added in the same order, so that results do not depend on the processor.
#[inline(always)]
pub fn sum_roots(lane: RootValues) -> f64 {
    let [a, b, c, d, e, f, g, h] = lane;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Sets the number of every stop to 1 for its roots.
#[multiversion(targets("x86_64+avx512bw+avx512dq+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn set_ones(stops: &[RootsAtDistance], into: &mut [RootValues]) {
    for stop in stops {
        let here = &mut into[stop.router as usize];
        *here = pick_roots(stop.roots, [1.0; LANES], *here);
    }
}

/// Adds up the numbers of the neighbours nearer to a root. Returns whether all sums are finite.
#[multiversion(targets("x86_64+avx512bw+avx512dq+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn add_neighbours(
    links: &RouterGraph,
    stops: &[RootsAtDistance],
    from: &[RootValues],
    into: &mut [RootValues],
) -> bool {
    let mut largest = [0f64; LANES];
    for stop in stops {
        let mut paths = [0.0; LANES];
        for v in links.heads_from(stop.router) {
            let there = &from[*v as usize];
            for l in 0..LANES {
                paths[l] += there[l];
            }
        }
        let here = &mut into[stop.router as usize];
        *here = pick_roots(stop.roots, paths, *here);
        for l in 0..LANES {
            largest[l] = if here[l] > largest[l] {
                here[l]
            } else {
                largest[l]
            };
        }
    }
    largest.iter().all(|paths| paths.is_finite())
}
