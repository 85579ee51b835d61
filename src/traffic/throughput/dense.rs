//! Dense traffic over any paths, or over shortest ones: sixteen targets side by side.

use multiversion::multiversion;
use rayon::prelude::*;

use super::network::{Lengths, Network};
use crate::mapping::{Demand, End, Flow};

/// Targets that are searched for at once.
const LANES: usize = 16;
/// Targets of all traffic for each search of a block: from twice as many on there are at most 48 blocks.
const SHARED: usize = 512;
/// Above all lengths of paths.
const FAR: u32 = u32::MAX / 2;
/// Paths are below 2 to this.
const BITS: u32 = 31;

/// All-to-all and other dense traffic.
pub(super) struct Dense<'a> {
    pub network: &'a Network<'a>,
    pub demand: &'a Demand,
    pub shortest: bool,
}

/// Parts in a block, each searched for by one thread.
fn per_block(targets: usize) -> usize {
    (targets / SHARED).max(1)
}

/// Bytes that [`Dense`] takes for so many targets: the loads of all blocks, and of the parts of one.
pub(super) fn bytes(targets: usize, links: usize) -> u64 {
    let parts = per_block(targets);
    links as u64 * (4 * targets.div_ceil(LANES * parts) + 8 * parts) as u64
}

impl Dense<'_> {
    /// Number of blocks.
    pub fn count(&self) -> usize {
        self.parts()
            .div_ceil(per_block(self.demand.roots(End::Target).len()))
    }

    /// Loads of a block, never below what its routing loads, when all its traffic takes ways that are short at `lengths`: those
    /// that are longer than the shortest by less than `width` (of a mean link) share with it.
    pub fn route(&self, block: usize, lengths: &[f64], width: f64) -> Vec<f32> {
        let lengths = self.network.lengths(lengths, self.shortest, BITS);
        let mean = lengths.links.iter().map(|l| lengths.plain(*l)).sum::<f64>();
        let window = (mean / lengths.links.len() as f64 * width) as u32;
        let short: Vec<u32> = lengths.links.iter().map(|length| *length as u32).collect();
        let graph = self.network.graph;
        let degrees = (0..graph.router_count()).map(|router| graph.leaving(router as u32).len());
        let degree = degrees.max().unwrap_or(0) as u32;
        let route = |search: &mut Search, part: usize| {
            let targets = self.targets(part);
            search.measure(self.network, &short, targets.1);
            self.put(targets.0, search);
            let mut loads = vec![0.0; short.len()];
            let hops = search.spread(self.network, &short, window.max(1), &mut loads);
            // Flows are single precision: at every hop a router adds up what came, divides and multiplies.
            let margin = 1.0 + f64::from(hops * (degree + 8)) * f64::from(f32::EPSILON);
            loads.iter_mut().for_each(|load| *load *= margin);
            loads
        };
        let each = per_block(self.demand.roots(End::Target).len());
        let parts = block * each..self.parts().min((block + 1) * each);
        let parts: Vec<Vec<f64>> = parts
            .into_par_iter()
            .map_init(|| Search::new(self.network.routers()), route)
            .collect();
        let sum = |link: usize| rounded_up(parts.iter().map(|part| part[link]).sum());
        (0..lengths.links.len()).map(sum).collect()
    }

    /// A floor under the largest load over capacity of any routing, from `lengths`.
    pub fn floor(&self, lengths: &[f64]) -> f64 {
        let lengths = self.network.lengths(lengths, self.shortest, BITS);
        let short: Vec<u32> = lengths.links.iter().map(|length| *length as u32).collect();
        let sum = |search: &mut Search, part: usize| {
            let targets = self.targets(part);
            search.measure(self.network, &short, targets.1);
            self.paid(targets.0, search, &lengths)
        };
        let parts: Vec<f64> = (0..self.parts())
            .into_par_iter()
            .map_init(|| Search::new(self.network.routers()), sum)
            .collect();
        lengths.floor(parts.iter().sum())
    }

    fn parts(&self) -> usize {
        self.demand.roots(End::Target).len().div_ceil(LANES)
    }

    /// The first target of a part, and all of them.
    fn targets(&self, part: usize) -> (usize, &[u32]) {
        let all = self.demand.roots(End::Target);
        (
            part * LANES,
            &all[part * LANES..all.len().min((part + 1) * LANES)],
        )
    }

    /// Calls `visit` with the lane of each target and the traffic to it.
    fn for_each(&self, first: usize, mut visit: impl FnMut(usize, &Flow)) {
        let mut row = Vec::new();
        let targets = self.demand.roots(End::Target).len();
        for lane in 0..LANES.min(targets - first) {
            for flow in self.demand.row(End::Target, first + lane, &mut row) {
                visit(lane, flow);
            }
        }
    }

    fn put(&self, first: usize, search: &mut Search) {
        let flows = &mut search.flows[0];
        self.for_each(first, |lane, flow| {
            flows[flow.router as usize][lane] = flow.volume as f32
        });
    }

    fn paid(&self, first: usize, search: &Search, lengths: &Lengths) -> f64 {
        let mut sum = 0.0;
        self.for_each(first, |lane, flow| {
            let length = search.lengths[flow.router as usize][lane];
            sum += flow.volume * lengths.plain(length.into());
        });
        sum
    }
}

/// Lengths and flows of all routers to sixteen targets.
struct Search {
    lengths: Vec<[u32; LANES]>,
    /// Volume that each router has to send, and gets to send next.
    flows: [Vec<[f32; LANES]>; 2],
    /// One over the sum of a router's shares.
    norms: Vec<[f32; LANES]>,
    active: Vec<bool>,
}

/// Weight of a link in a router's shares: most on the shortest path, nothing beyond the window.
#[inline(always)]
fn share(here: u32, there: u32, length: u32, window: u32) -> f32 {
    let slack = (there + length).wrapping_sub(here);
    let within = window.saturating_sub(slack) as i32 as f32;
    // Only ever nearer, so that nothing goes in circles.
    if there < here { within } else { 0.0 }
}

impl Search {
    fn new(routers: usize) -> Self {
        let none = vec![[0.0; LANES]; routers];
        Search {
            lengths: vec![[0; LANES]; routers],
            flows: [none.clone(), none.clone()],
            norms: none,
            active: vec![false; routers],
        }
    }

    /// Lengths of the shortest paths to each target.
    fn measure(&mut self, network: &Network<'_>, links: &[u32], targets: &[u32]) {
        self.lengths.fill([FAR; LANES]);
        for (lane, target) in targets.iter().enumerate() {
            self.lengths[*target as usize][lane] = 0;
            self.active[*target as usize] = true;
        }
        while relax(network, links, &mut self.lengths, &mut self.active) {}
    }

    /// Sends all flows on to their targets, and adds up what each link carries. Returns how many hops that took.
    fn spread(
        &mut self,
        network: &Network<'_>,
        links: &[u32],
        window: u32,
        loads: &mut [f64],
    ) -> u32 {
        let Search {
            lengths,
            flows: [now, next],
            norms,
            active,
        } = self;
        set_norms(network, links, window, lengths, norms);
        for hops in 0.. {
            for (active, flow) in active.iter_mut().zip(&*now) {
                *active = flow.iter().any(|flow| *flow > 0.0);
            }
            if !send(
                network,
                links,
                window,
                (lengths, norms),
                (now, next),
                (active, loads),
            ) {
                active.fill(false);
                return hops;
            }
            std::mem::swap(now, next);
        }
        0
    }
}

/// Takes the lengths of routers that changed on to their neighbours; whether there were any.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn relax(
    network: &Network<'_>,
    links: &[u32],
    lengths: &mut [[u32; LANES]],
    active: &mut [bool],
) -> bool {
    let mut any = false;
    for router in 0..lengths.len() {
        if !std::mem::take(&mut active[router]) {
            continue;
        }
        any = true;
        let here = lengths[router];
        for out in network.graph.leaving(router as u32) {
            // Traffic comes the other way.
            let length = links[network.back[out] as usize];
            let next = network.graph.head(out);
            let there = &mut lengths[next as usize];
            let mut better = 0;
            for lane in 0..LANES {
                let longer = here[lane] + length;
                better |= u32::from(longer < there[lane]);
                there[lane] = there[lane].min(longer);
            }
            if better != 0 {
                active[next as usize] = true;
            }
        }
    }
    any
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn set_norms(
    network: &Network<'_>,
    links: &[u32],
    window: u32,
    lengths: &[[u32; LANES]],
    norms: &mut [[f32; LANES]],
) {
    for (router, (here, norm)) in lengths.iter().zip(norms).enumerate() {
        let mut sum = [0.0f32; LANES];
        for out in network.graph.leaving(router as u32) {
            let (there, length) = (&lengths[network.graph.head(out) as usize], links[out]);
            for lane in 0..LANES {
                sum[lane] += share(here[lane], there[lane], length, window);
            }
        }
        for lane in 0..LANES {
            // At a target nothing is sent on.
            norm[lane] = if here[lane] == 0 {
                0.0
            } else {
                1.0 / sum[lane].max(1e-30)
            };
        }
    }
}

/// Sends what active routers have one link on; whether there was any. Lanes are added up in a fixed order.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn send(
    network: &Network<'_>,
    links: &[u32],
    window: u32,
    (lengths, norms): (&[[u32; LANES]], &[[f32; LANES]]),
    (now, next): (&mut [[f32; LANES]], &mut [[f32; LANES]]),
    (active, loads): (&[bool], &mut [f64]),
) -> bool {
    let mut any = false;
    for router in (0..lengths.len()).filter(|router| active[*router]) {
        any = true;
        let here = lengths[router];
        let mut flow = std::mem::take(&mut now[router]);
        for lane in 0..LANES {
            flow[lane] *= norms[router][lane];
        }
        for out in network.graph.leaving(router as u32) {
            let to = network.graph.head(out) as usize;
            let (there, next, length) = (&lengths[to], &mut next[to], links[out]);
            let mut sent = [0.0f32; LANES];
            for lane in 0..LANES {
                sent[lane] = share(here[lane], there[lane], length, window) * flow[lane];
                next[lane] += sent[lane];
            }
            loads[out] += f64::from(sum(sent));
        }
    }
    any
}

/// Sum of all lanes, always in the same order. Loops of fixed lengths become vector
/// instructions; one loop over the lengths did not.
#[inline(always)]
fn sum(mut lanes: [f32; LANES]) -> f32 {
    for lane in 0..8 {
        lanes[lane] += lanes[lane + 8];
    }
    for lane in 0..4 {
        lanes[lane] += lanes[lane + 4];
    }
    lanes[0] + lanes[2] + (lanes[1] + lanes[3])
}

/// The least single-precision number that is not below `x`, or the next; 0 for 0.
pub(super) fn rounded_up(x: f64) -> f32 {
    if x == 0.0 { 0.0 } else { (x as f32).next_up() }
}
