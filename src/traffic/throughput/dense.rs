//! Routes dense traffic over any paths, or over shortest ones, for sixteen targets side by side.
//!
//! At given lengths of links, the traffic to one target flows downhill: every router knows its distance to the target
//! and sends what it has over the links that lead nearer. A link's share falls from most on the shortest path to
//! nothing where the way is longer by a *window*. Example: a router 10 from the target, with links to routers 6 and 7
//! away of length 4 each and a window of 3: the ways have slack 0 and 1, hence weights 3 and 2, shares 3/5 and 2/5.
//!
//! One *part* is sixteen targets, one *lane* each: all lanes have the same links, so that every step of both passes
//! (distances from the targets, flows to them) is vector code. A *block* is some parts, routed in parallel; the search
//! ([`super::descent`]) moves one block's traffic at a time.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::network::{Lengths, Network, add_values};
use crate::mapping::{Demand, End, Flow};

/// Targets that are searched for at once. The inner loops over them count by hand: without all optimisations, as in
/// tests, ranges take two thirds of the time.
const LANES: usize = 16;
/// Number of targets of all traffic for which a block gets one part more; it has at least one. From 1,024 targets on
/// there are at most 48 blocks.
const SHARED: usize = 512;
/// Length above all lengths of paths.
const FAR: u32 = u32::MAX / 2;
/// Bits that the length of a path takes at most.
const BITS: u32 = 31;

/// Search for a routing of all-to-all and other dense traffic.
pub struct DenseTraffic<'a> {
    pub network: &'a Network<'a>,
    pub demand: &'a Demand,
    /// Whether only shortest paths may be used.
    pub shortest: bool,
}

/// Counts the parts of a block, each searched for by one thread.
fn parts_per_block(targets: usize) -> usize {
    (targets / SHARED).max(1)
}

/// Computes the bytes that [`DenseTraffic`] takes for a number of targets: the loads of all blocks, and of the parts of
/// one.
pub fn dense_bytes(targets: usize, links: usize) -> u64 {
    let parts = parts_per_block(targets);
    links as u64 * (4 * targets.div_ceil(LANES * parts) + 8 * parts) as u64
}

impl DenseTraffic<'_> {
    /// Counts the blocks.
    pub fn block_count(&self) -> usize {
        self.part_count()
            .div_ceil(parts_per_block(self.all_targets().len()))
    }

    /// Routes the traffic of a block over ways that are short at `lengths`, and returns the loads, never below
    /// what the routing loads. Ways that are longer than the shortest by less than `width` (of a mean link) share
    /// with it.
    pub fn route_block(&self, block: usize, lengths: &[f64], width: f64) -> Vec<f32> {
        let (lengths, links) = self.whole_lengths(lengths);
        let mean = lengths
            .links
            .iter()
            .map(|l| lengths.strip_steps(*l))
            .sum::<f64>();
        let window = ((mean / links.len() as f64 * width) as u32).max(1);
        let graph = self.network.graph;
        let degrees = (0..graph.router_count()).map(|router| graph.links_from(router as u32).len());
        let degree = degrees.max().unwrap_or(0) as u32;
        let each = parts_per_block(self.all_targets().len());
        let parts = block * each..self.part_count().min((block + 1) * each);
        let parts = self.search_parts(parts, &links, |search, part| {
            self.for_each_flow(part, |lane, flow| {
                search.flows[0][flow.router as usize][lane] = flow.volume as f32;
            });
            let mut loads = vec![0.0; links.len()];
            let hops = search.send_all(self.network, &links, window, &mut loads);
            // Flows are single precision: at every hop a router adds up what came, divides and multiplies.
            let margin = 1.0 + f64::from(hops * (degree + 8)) * f64::from(f32::EPSILON);
            loads.iter_mut().for_each(|load| *load *= margin);
            loads
        });
        let mut sums = vec![0.0; links.len()];
        parts.iter().for_each(|part| add_values(&mut sums, part));
        sums.into_iter().map(round_up).collect()
    }

    /// Proves a floor under the largest load over capacity of any routing, from `lengths`.
    pub fn prove_floor(&self, lengths: &[f64]) -> f64 {
        let (lengths, links) = self.whole_lengths(lengths);
        let parts = self.search_parts(0..self.part_count(), &links, |search, part| {
            let mut sum = 0.0;
            self.for_each_flow(part, |lane, flow| {
                let length = search.lengths[flow.router as usize][lane];
                sum += flow.volume * lengths.strip_steps(length.into());
            });
            sum
        });
        lengths.prove_floor(parts.iter().sum())
    }

    /// Finds the distances to the targets of parts, side by side, and collects what `visit` makes of each, in
    /// their order.
    fn search_parts<T: Send>(
        &self,
        parts: Range<usize>,
        links: &[u32],
        visit: impl Fn(&mut LaneSearch, usize) -> T + Sync,
    ) -> Vec<T> {
        parts
            .into_par_iter()
            .map_init(
                || LaneSearch::new(self.network.router_count()),
                |search, part| {
                    search.find_distances(self.network, links, self.part_targets(part));
                    visit(search, part)
                },
            )
            .collect()
    }

    /// Scales lengths to whole numbers, as they are and in 32 bits.
    fn whole_lengths(&self, lengths: &[f64]) -> (Lengths, Vec<u32>) {
        let lengths = self.network.whole_lengths(lengths, self.shortest, BITS);
        let links = lengths.links.iter().map(|length| *length as u32).collect();
        (lengths, links)
    }

    fn all_targets(&self) -> &[u32] {
        self.demand.roots(End::Target)
    }

    fn part_count(&self) -> usize {
        self.all_targets().len().div_ceil(LANES)
    }

    /// Lists the targets of a part.
    fn part_targets(&self, part: usize) -> &[u32] {
        let all = self.all_targets();
        &all[part * LANES..all.len().min((part + 1) * LANES)]
    }

    /// Calls `visit` with the lane of each target of a part and the traffic to it.
    fn for_each_flow(&self, part: usize, mut visit: impl FnMut(usize, &Flow)) {
        let mut row = Vec::new();
        for lane in 0..self.part_targets(part).len() {
            for flow in self
                .demand
                .flows_at(End::Target, part * LANES + lane, &mut row)
            {
                visit(lane, flow);
            }
        }
    }
}

/// Distances and flows of all routers to sixteen targets.
struct LaneSearch {
    /// Length of the shortest path from each router.
    lengths: Vec<[u32; LANES]>,
    /// Volume that each router sends on in the present hop, and volume that it has received for the next one.
    flows: [Vec<[f32; LANES]>; 2],
    /// By router: one over the sum of the weights of its ways, which makes their shares add up to 1.
    norms: Vec<[f32; LANES]>,
    /// By router: whether its length fell since its neighbours were last updated.
    active: Vec<bool>,
}

/// Computes the weight of a link in a router's shares: most on the shortest path, nothing beyond the window.
#[inline(always)]
fn link_share(here: u32, there: u32, length: u32, window: u32) -> f32 {
    let slack = (there + length).wrapping_sub(here);
    let within = window.saturating_sub(slack);
    // Only ever nearer, so that nothing goes in circles.
    if there < here {
        within as i32 as f32
    } else {
        0.0
    }
}

impl LaneSearch {
    fn new(routers: usize) -> Self {
        let none = vec![[0.0; LANES]; routers];
        LaneSearch {
            lengths: vec![[0; LANES]; routers],
            flows: [none.clone(), none.clone()],
            norms: none,
            active: vec![false; routers],
        }
    }

    /// Finds the lengths of the shortest paths to each target.
    fn find_distances(&mut self, network: &Network<'_>, links: &[u32], targets: &[u32]) {
        self.lengths.fill([FAR; LANES]);
        for (lane, target) in targets.iter().enumerate() {
            self.lengths[*target as usize][lane] = 0;
            self.active[*target as usize] = true;
        }
        while relax_links(network, links, &mut self.lengths, &mut self.active) {}
    }

    /// Sends all flows on to their targets, and adds up what each link carries. Returns the number of hops.
    fn send_all(
        &mut self,
        network: &Network<'_>,
        links: &[u32],
        window: u32,
        loads: &mut [f64],
    ) -> u32 {
        set_norms(network, links, window, &self.lengths, &mut self.norms);
        let mut hops = 0;
        while send_one_hop(network, links, window, self, loads) {
            self.flows.swap(0, 1);
            hops += 1;
        }
        hops
    }
}

/// Takes the lengths of routers that changed on to their neighbours. Returns whether there were any.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn relax_links(
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
        for out in network.graph.links_from(router as u32) {
            // Traffic comes the other way.
            let length = links[network.back[out] as usize];
            let next = network.graph.link_head(out);
            let there = &mut lengths[next as usize];
            let mut better = 0;
            let mut lane = 0;
            while lane < LANES {
                let longer = here[lane] + length;
                let shorter = longer < there[lane];
                better |= u32::from(shorter);
                there[lane] = if shorter { longer } else { there[lane] };
                lane += 1;
            }
            if better != 0 {
                active[next as usize] = true;
            }
        }
    }
    any
}

/// Sets the norm of each router: one over the sum of the weights of its ways.
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
        for out in network.graph.links_from(router as u32) {
            let there = &lengths[network.graph.link_head(out) as usize];
            let length = links[out];
            let mut lane = 0;
            while lane < LANES {
                sum[lane] += link_share(here[lane], there[lane], length, window);
                lane += 1;
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

/// Sends the volume that routers hold one link on. Returns whether there was any. Lanes are added up in a fixed order.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn send_one_hop(
    network: &Network<'_>,
    links: &[u32],
    window: u32,
    search: &mut LaneSearch,
    loads: &mut [f64],
) -> bool {
    let lengths = &search.lengths[..];
    let norms = &search.norms[..];
    let [now, next] = &mut search.flows;
    let next = &mut next[..];
    let mut any = false;
    for (router, flow) in now.iter_mut().enumerate() {
        let mut flow = std::mem::take(flow);
        if flow.iter().all(|flow| *flow <= 0.0) {
            continue;
        }
        any = true;
        let here = lengths[router];
        for lane in 0..LANES {
            flow[lane] *= norms[router][lane];
        }
        for out in network.graph.links_from(router as u32) {
            let to = network.graph.link_head(out) as usize;
            let there = &lengths[to];
            let next = &mut next[to];
            let length = links[out];
            let mut sent = [0.0f32; LANES];
            let mut lane = 0;
            while lane < LANES {
                sent[lane] = link_share(here[lane], there[lane], length, window) * flow[lane];
                next[lane] += sent[lane];
                lane += 1;
            }
            loads[out] += f64::from(sum_lanes(sent));
        }
    }
    any
}

/// Adds up all lanes, always in the same order. Loops of fixed lengths become vector
/// instructions; one loop over the lengths did not.
#[inline(always)]
fn sum_lanes(mut lanes: [f32; LANES]) -> f32 {
    let mut lane = 0;
    while lane < 8 {
        lanes[lane] += lanes[lane + 8];
        lane += 1;
    }
    lane = 0;
    while lane < 4 {
        lanes[lane] += lanes[lane + 4];
        lane += 1;
    }
    lanes[0] + lanes[2] + (lanes[1] + lanes[3])
}

/// Rounds up to the least single-precision number that is not below `x`, or the next; 0 for 0.
pub fn round_up(x: f64) -> f32 {
    if x == 0.0 { 0.0 } else { (x as f32).next_up() }
}
