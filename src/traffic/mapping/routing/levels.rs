//! All-to-all traffic, eight roots side by side: which roots have a router at which distance comes from searches from
//! 256 roots at once, not from a search of its own as in [`super::wave`]. The loads are the same, to the last bit.
//!
//! A *level* is a distance with its routers: for every router one byte, in which bit i says that root i has it there.
//! On a ring of four, with roots 0 and 1 (bits 0 and 1), routers 0 to 3 have the bytes
//!
//! ```text
//! distance 0:  01 10 00 00
//! distance 1:  10 01 10 01
//! distance 2:  00 00 01 10
//! ```
//!
//! A neighbour nearer to a root is one whose bit stands one level before: an AND finds it for eight roots at once.

use super::fabric::{Fabric, sum_over_roots};
use nodeorder_base::{Result, RouterId};
use nodeorder_network::RouterGraph;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use multiversion::multiversion;

use super::super::demand::{AllToAllDemand, Demand, End};
use super::wave::{LANES, RootValues, RootsAtDistance, order_roots};
use nodeorder_network::topology::search::{self, BatchSearch, MAX_HOPS, WIDTH};

/// Distances of all routers from up to eight roots, and a number for each router and root.
pub struct Levels<'a> {
    links: &'a RouterGraph,
    search: BatchSearch<'a>,
    /// Roots that `search` began at, by their position in the list of all.
    searched: Range<usize>,
    /// Largest distance found, in hops.
    far: usize,
    /// By distance, then by router: the roots that have it there, one bit each. One distance more on each side,
    /// at which no root has any; the number of routers is rounded up to eight.
    masks: Vec<Vec<u8>>,
    /// Number of each router for each root: what it counts is up to the routing.
    numbers: Vec<RootValues>,
    /// Number of processes on each router: its traffic with a root of one process, at volume 1.
    there: Vec<f64>,
    /// Number of processes on each root.
    here: RootValues,
    /// Volume from each process to each other.
    volume: f64,
}

/// Sums what `add` puts on the links for every eight roots of `demand`, as [`super::wave::sum_over_batches`]; `None`
/// where that suits better: traffic that is not all-to-all or has few roots, weighted links, distances or degrees
/// beyond a byte. Also `None` where `add` returns false. Fails if more memory is needed than allowed. O(routers ·
/// hops · links) / 256 for the distances; a visit to every router at each of its distances for `add`.
pub fn sum_over_levels(
    fabric: &Fabric<'_>,
    demand: &Demand,
    end: End,
    add: impl Fn(&mut Levels<'_>, &mut [f64]) -> bool + Sync,
) -> Result<Option<Vec<f64>>> {
    let links = fabric.links;
    let graph = fabric.topology.graph()?;
    let Some(uniform) = suitable_traffic(fabric, demand, end)? else {
        return Ok(None);
    };
    let at = demand.roots(end);
    let roots = order_roots(links, demand, end);
    let routers: Vec<RouterId> = roots
        .iter()
        .map(|root| RouterId(at[*root as usize]))
        .collect();
    // Numbers, traffic, and a mask for every distance that may occur.
    let each = 8 * LANES as u64 + 8 + u64::from(MAX_HOPS);
    let each = search::buffer_bytes(graph) + each * graph.router_count() as u64;
    fabric.topology.require_memory(
        search::SEARCH_MEMORY,
        rayon::current_num_threads() as u64 * each,
    )?;
    let mut there = vec![0.0; links.router_count()];
    for (router, processes) in at.iter().zip(&uniform.processes) {
        there[*router as usize] = *processes as f64;
    }
    let fine = AtomicBool::new(true);
    let loads = sum_over_roots(
        fabric,
        routers.len().div_ceil(LANES),
        || Levels {
            links,
            search: BatchSearch::new(graph),
            searched: 0..0,
            far: 0,
            masks: Vec::new(),
            numbers: vec![[0.0; LANES]; links.router_count()],
            there: there.clone(),
            here: [0.0; LANES],
            volume: uniform.volume,
        },
        |levels, batch, loads| {
            levels.find_distances(&routers, batch * LANES);
            for (lane, here) in levels.here.iter_mut().enumerate() {
                let root = roots.get(batch * LANES + lane);
                *here = root.map_or(0.0, |root| uniform.processes[*root as usize] as f64);
            }
            if !add(levels, loads) {
                fine.store(false, Relaxed);
            }
            Ok(())
        },
    )?;
    Ok(fine.into_inner().then_some(loads))
}

/// Selects the traffic of `demand`; `None` if levels do not suit it or the machine.
fn suitable_traffic<'a>(
    fabric: &Fabric<'_>,
    demand: &'a Demand,
    end: End,
) -> Result<Option<&'a AllToAllDemand>> {
    let graph = fabric.topology.graph()?;
    let roots = demand.roots(end);
    let routers = fabric.links.router_count();
    let degrees = (0..routers as u32).map(|router| fabric.links.heads_from(router).len());
    let uniform = demand
        .as_all_to_all()
        .filter(|uniform| uniform.volume > 0.0);
    // With few roots most visits are to routers without traffic; neighbours are counted in bytes.
    if graph.is_weighted() || 4 * roots.len() < routers || degrees.max() > Some(255) {
        return Ok(None);
    }
    // No distance is more than twice that from any one router.
    let far = graph.hops_from(RouterId(roots[0])).into_iter().max();
    Ok(uniform.filter(|_| far <= Some(MAX_HOPS / 2)))
}

impl Levels<'_> {
    /// Finds the distances from the roots at `first` and the seven after it.
    fn find_distances(&mut self, roots: &[RouterId], first: usize) {
        if !self.searched.contains(&first) {
            self.searched = first..roots.len().min(first + WIDTH);
            // No distance is too large: see `suitable_traffic`.
            self.far = self
                .search
                .run_batch(&roots[self.searched.clone()])
                .unwrap_or(0) as usize;
        }
        let routers = self.links.router_count();
        self.masks.resize(
            self.masks.len().max(self.far + 3),
            vec![0; routers.next_multiple_of(8)],
        );
        self.masks[self.far + 2].fill(0);
        let lanes = LANES.min(roots.len() - first);
        let eight = (first - self.searched.start) / LANES;
        self.search.fill_levels(
            eight,
            u8::MAX >> (LANES - lanes),
            &mut self.masks[1..self.far + 2],
        );
    }

    /// Visits the routers from the farthest distance on. Calls `visit` with a router and the roots that are at
    /// this distance from it; for each router, the roots that are one hop nearer to it and those one hop farther;
    /// the numbers of all routers; and the traffic of the router with each root.
    #[inline(always)]
    pub fn walk_back(
        &mut self,
        mut visit: impl FnMut(&RootsAtDistance, [&[u8]; 2], &mut [RootValues], RootValues),
    ) {
        for distance in (0..=self.far).rev() {
            let [nearer, own, further] = [0, 1, 2].map(|i| self.masks[distance + i].as_slice());
            for (i, eight) in own.as_chunks::<8>().0.iter().enumerate() {
                let mut left = u64::from_le_bytes(*eight);
                while left != 0 {
                    let byte = left.trailing_zeros() / 8;
                    let roots = (left >> (8 * byte)) as u8;
                    left &= !(255 << (8 * byte));
                    let router = 8 * i as u32 + byte;
                    let there = self.there[router as usize];
                    let mut wanted = self.here;
                    for volume in &mut wanted {
                        *volume = *volume * there * self.volume;
                    }
                    let stop = RootsAtDistance { router, roots };
                    visit(&stop, [nearer, further], &mut self.numbers, wanted);
                }
            }
        }
    }

    /// Counts the shortest paths of every router from each root. Returns whether all numbers are finite.
    pub fn count_paths(&mut self) -> bool {
        // A root is reached from itself by one path, of no link.
        for (numbers, roots) in self.numbers.iter_mut().zip(&self.masks[1]) {
            write_roots(*roots, &[1.0; LANES], numbers);
        }
        let mut finite = true;
        for distance in 1..=self.far {
            finite &= count_level(
                self.links,
                [&self.masks[distance], &self.masks[distance + 1]],
                &mut self.numbers,
            );
        }
        finite
    }
}

/// Adds up the numbers of the neighbours nearer to each root. Returns whether all sums are finite.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn count_level(links: &RouterGraph, [nearer, own]: [&[u8]; 2], numbers: &mut [RootValues]) -> bool {
    let mut largest = [0f64; LANES];
    for router in 0..links.router_count() {
        let roots = own[router];
        if roots == 0 {
            continue;
        }
        let mut paths = [0.0; LANES];
        for v in links.heads_from(router as u32) {
            let there = keep_roots(nearer[*v as usize] & roots, &numbers[*v as usize]);
            for l in 0..LANES {
                paths[l] += there[l];
            }
        }
        for l in 0..LANES {
            largest[l] = if paths[l] > largest[l] {
                paths[l]
            } else {
                largest[l]
            };
        }
        write_roots(roots, &paths, &mut numbers[router]);
    }
    largest.iter().all(|paths| paths.is_finite())
}

/// Masks of 64 bits for the numbers of eight roots, by the byte that names these: all bits for a root that is named.
static ROOT_MASKS: [[u64; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut roots = 0;
    while roots < 256 {
        let mut l = 0;
        while l < LANES {
            table[roots][l] = if roots >> l & 1 == 1 { u64::MAX } else { 0 };
            l += 1;
        }
        roots += 1;
    }
    table
};

/// Keeps `lane` for the roots named, 0 for the others.
#[inline(always)]
pub fn keep_roots(roots: u8, lane: &RootValues) -> RootValues {
    let whole = &ROOT_MASKS[roots as usize];
    // A loop, as what `from_fn` calls is compiled without the target's instructions.
    let mut kept = [0.0; LANES];
    for l in 0..LANES {
        kept[l] = f64::from_bits(lane[l].to_bits() & whole[l]);
    }
    kept
}

/// Writes `lane` for the roots named, and leaves the others as they are.
#[inline(always)]
pub fn write_roots(roots: u8, lane: &RootValues, into: &mut RootValues) {
    let whole = &ROOT_MASKS[roots as usize];
    for l in 0..LANES {
        let bits = lane[l].to_bits() & whole[l] | into[l].to_bits() & !whole[l];
        into[l] = f64::from_bits(bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Guest, ProcessMapping};
    use crate::testing::build;

    #[test]
    fn what_suits_is_taken() {
        for (spec, count, suits) in [
            ("torus:7x5x3", 105, true),
            ("torus:7x5x3", 20, false),
            ("mesh:97", 97, true),
            ("mesh:250", 250, false),
            ("hyperx:300", 300, false),
        ] {
            let topology = build(spec);
            let guest = Guest::make(&format!("all-to-all:n={count}"), topology.context()).unwrap();
            let nodes: Vec<_> = topology.nodes().iter().collect();
            let mapping = ProcessMapping::in_order(&guest, "by id", &nodes).unwrap();
            let demand = Demand::new(&topology, &guest, &mapping).unwrap();
            let found =
                suitable_traffic(&Fabric::new(&topology).unwrap(), &demand, End::Target).unwrap();
            assert_eq!(found.is_some(), suits, "{spec}");
        }
    }
}
