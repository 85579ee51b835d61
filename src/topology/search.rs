//! Breadth-first search from up to 512 routers at once, one bit each.
//!
//! A step of the search ORs, for every router, the visited sets of its neighbours: 512 searches for the
//! price of one pass over the links a hop. Distances are kept bit-sliced: plane p holds bit p of the
//! distance of every (router, source) pair. Sets and planes stand in rows, one a router, numbered so that linked
//! routers stand close to each other ([`RouterGraph::rows`]): more of what a step reads is in the cache.
//!
//! # References
//! Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014.

use multiversion::multiversion;

use rayon::prelude::*;

use super::graph::Rows;
use super::{RouterGraph, Topology};
use crate::error::Result;
use crate::ids::RouterId;

/// Sources a batch.
pub const WIDTH: usize = 512;

/// One bit for each source of a batch.
pub type Bits = [u64; WIDTH / 64];

/// Searches that are not over after this many steps are given up: a byte holds every distance.
pub const MAX_HOPS: u32 = 255;

/// Buffers for searches on one graph, reused from batch to batch. Memory: routers · 64 B · (2 + bits of
/// the largest distance).
pub struct Search<'g> {
    graph: &'g RouterGraph,
    rows: &'g Rows,
    visited: Vec<Bits>,
    next: Vec<Bits>,
    planes: Vec<Vec<Bits>>,
    /// Planes in use by the last batch.
    used: usize,
    /// What [`Search::add_up`] found, by row.
    sums: Vec<u64>,
}

impl<'g> Search<'g> {
    /// Buffers for `graph`.
    pub fn new(graph: &'g RouterGraph) -> Self {
        let empty = vec![[0; WIDTH / 64]; graph.router_count()];
        let (visited, next, rows) = (empty.clone(), empty, graph.rows());
        Search { graph, rows, visited, next, planes: Vec::new(), used: 0, sums: Vec::new() }
    }

    /// Searches from `sources` (at most [`WIDTH`], repeats allowed). Returns the largest distance found,
    /// or `None` when it is more than [`MAX_HOPS`], and on graphs whose links have weights: then the planes are of no
    /// use.
    pub fn run(&mut self, sources: &[RouterId]) -> Option<u32> {
        debug_assert!(sources.len() <= WIDTH);
        if self.graph.is_weighted() {
            return None;
        }
        self.visited.fill([0; WIDTH / 64]);
        self.planes.iter_mut().for_each(|plane| plane.fill([0; WIDTH / 64]));
        self.used = 0;
        for (s, source) in sources.iter().enumerate() {
            self.visited[self.rows.of(*source)][s / 64] |= 1 << (s % 64);
        }
        let all = first(sources.len());
        for hop in 1..=MAX_HOPS + 1 {
            let bits = (u32::BITS - hop.leading_zeros()) as usize;
            while self.planes.len() < bits {
                self.planes.push(vec![[0; WIDTH / 64]; self.visited.len()]);
            }
            let step = step(self.rows, hop, &all, &self.visited, &mut self.next, &mut self.planes);
            if !step.reached {
                return Some(self.end(hop - 1));
            }
            if !step.left && hop <= MAX_HOPS {
                return Some(self.end(hop));
            }
            std::mem::swap(&mut self.visited, &mut self.next);
        }
        None
    }

    /// Notes how many planes `far` hops take.
    fn end(&mut self, far: u32) -> u32 {
        self.used = (u32::BITS - far.leading_zeros()) as usize;
        far
    }

    /// The planes of one router, lowest bit first.
    pub fn planes(&self, router: RouterId) -> impl Iterator<Item = &Bits> {
        let row = self.rows.of(router);
        self.planes[..self.used].iter().map(move |plane| &plane[row])
    }

    /// The distance of `router` from the `source`-th of the batch.
    #[inline]
    pub fn hops(&self, router: RouterId, source: usize) -> u32 {
        let bit = |plane: &Bits| (plane[source / 64] >> (source % 64) & 1) as u32;
        self.planes(router).enumerate().map(|(p, plane)| bit(plane) << p).sum()
    }

    /// Σ over the sources in `mask` of their distance to `router`.
    pub fn sum(&self, router: RouterId, mask: &Bits) -> u64 {
        let bits = |plane: &Bits| -> u64 {
            plane.iter().zip(mask).map(|(p, m)| u64::from((p & m).count_ones())).sum()
        };
        self.planes(router).enumerate().map(|(p, plane)| bits(plane) << p).sum()
    }

    /// Finds, for all routers at once, the sum over the sources in `mask` of their distances: see [`Search::added_up`].
    pub fn add_up(&mut self, mask: &Bits) {
        self.sums.clear();
        self.sums.resize(self.visited.len(), 0);
        for (p, plane) in self.planes[..self.used].iter().enumerate() {
            add_plane(plane, mask, p as u32, &mut self.sums);
        }
    }

    /// What [`Search::add_up`] found for `router` after the last run.
    #[inline]
    pub fn added_up(&self, router: RouterId) -> u64 {
        self.sums[self.rows.of(router)]
    }

    /// The largest distance of `router` from a source in `mask`: bit by bit from the top, among the sources
    /// that have all higher bits of it.
    pub fn largest(&self, router: RouterId, mask: &Bits) -> u32 {
        let (mut among, mut largest) = (*mask, 0);
        for p in (0..self.used).rev() {
            let plane = &self.planes[p][self.rows.of(router)];
            let set: Bits = std::array::from_fn(|w| among[w] & plane[w]);
            if set.iter().any(|w| *w != 0) {
                (among, largest) = (set, largest | 1 << p);
            }
        }
        largest
    }

    /// The distance of `router` from every source, in the batch's order.
    pub fn expand(&self, router: RouterId, out: &mut [u8; WIDTH]) {
        let (words, _) = out.as_chunks_mut::<8>();
        let mut packed = [0u64; WIDTH / 8];
        for (p, plane) in self.planes(router).enumerate() {
            for (w, word) in plane.iter().enumerate() {
                for (b, byte) in word.to_le_bytes().iter().enumerate() {
                    packed[8 * w + b] |= SPREAD[*byte as usize] << p;
                }
            }
        }
        for (bytes, word) in words.iter_mut().zip(&packed) {
            *bytes = word.to_le_bytes();
        }
    }
}

/// Runs `work` after the search from each batch of `sources`, batches in parallel; results in the order of the
/// sources. `graph` is that of `topology` or a part of it. Its last argument is the largest distance, `None` where
/// that is more than [`MAX_HOPS`] or links have weights.
///
/// # Errors
/// [`crate::Error::Memory`] when the buffers do not fit.
pub fn each_batch<T: Send>(
    topology: &Topology,
    graph: &RouterGraph,
    sources: &[RouterId],
    work: impl Fn(&Search<'_>, &[RouterId], Option<u32>) -> T + Sync,
) -> Result<Vec<T>> {
    let buffers = rayon::current_num_threads() as u64 * 64 * 10 * graph.router_count() as u64;
    topology.require("searching from 512 routers at once", buffers)?;
    let run = |search: &mut Search<'_>, batch: &[RouterId]| {
        let far = search.run(batch);
        work(search, batch, far)
    };
    Ok(sources.par_chunks(WIDTH).map_init(|| Search::new(graph), run).collect())
}

/// The first `count` sources.
pub fn first(count: usize) -> Bits {
    std::array::from_fn(|w| match count.saturating_sub(64 * w) {
        0 => 0,
        bits @ 1..64 => (1 << bits) - 1,
        _ => u64::MAX,
    })
}

/// Adds the number of bits of each row that are in `mask`, as bit `p` of a distance. Bits are counted by instructions
/// that the plain target does not have.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+popcnt",
    "x86_64+avx2+popcnt",
    "aarch64+neon"
))]
fn add_plane(plane: &[Bits], mask: &Bits, p: u32, sums: &mut [u64]) {
    for (row, sum) in plane.iter().zip(sums) {
        let mut count = 0;
        for w in 0..row.len() {
            count += u64::from((row[w] & mask[w]).count_ones());
        }
        *sum += count << p;
    }
}

/// Byte b of `SPREAD[x]` is bit b of x.
static SPREAD: [u64; 256] = {
    let mut table = [0u64; 256];
    let mut x = 0;
    while x < 256 {
        let mut b = 0;
        while b < 8 {
            table[x] |= ((x as u64 >> b) & 1) << (8 * b);
            b += 1;
        }
        x += 1;
    }
    table
};

/// What a hop did.
struct Step {
    /// A router was reached that was not before.
    reached: bool,
    /// A router has not been reached from every source.
    left: bool,
}

/// One hop for all sources, whose bits are `all`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn step(
    rows: &Rows,
    hop: u32,
    all: &Bits,
    visited: &[Bits],
    next: &mut [Bits],
    planes: &mut [Vec<Bits>],
) -> Step {
    let (mut reached, mut left) = (false, false);
    for v in 0..visited.len() {
        let before = visited[v];
        let mut now = before;
        if before != *all {
            for u in rows.linked(v) {
                let theirs = &visited[*u as usize];
                for w in 0..now.len() {
                    now[w] |= theirs[w];
                }
            }
            let new: Bits = std::array::from_fn(|w| now[w] & !before[w]);
            if new.iter().any(|w| *w != 0) {
                reached = true;
                for (p, plane) in planes.iter_mut().enumerate() {
                    if hop >> p & 1 == 1 {
                        let plane = &mut plane[v];
                        for w in 0..plane.len() {
                            plane[w] |= new[w];
                        }
                    }
                }
            }
        }
        left |= now != *all;
        next[v] = now;
    }
    Step { reached, left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Context, Topology};

    #[test]
    fn every_bit_equals_a_search_of_its_own() {
        for spec in [
            "cascade:4x3x3,global=single",
            "mesh:5x7x3",
            "torus:9x8",
            "mesh:200",
            "random-regular:n=300,d=3",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let graph = topology.graph().unwrap();
            let routers = graph.router_count() as u32;
            let sources: Vec<RouterId> =
                (0..WIDTH as u32).map(|s| RouterId((s * 7 + 3) % routers)).collect();
            let mut search = Search::new(graph);
            let far = search.run(&sources).unwrap();
            let mut bytes = [0; WIDTH];
            for v in (0..routers).map(RouterId) {
                let hops = graph.hops_from(v);
                search.expand(v, &mut bytes);
                for (s, source) in sources.iter().enumerate() {
                    assert_eq!(u32::from(bytes[s]), hops[source.index()], "{spec}");
                    assert!(hops[source.index()] <= far);
                }
                search.add_up(&first(100));
                assert_eq!(search.added_up(v), search.sum(v, &first(100)));
                let some: u64 = sources[..100].iter().map(|s| u64::from(hops[s.index()])).sum();
                assert_eq!(search.sum(v, &first(100)), some);
                let most = sources[..100].iter().map(|s| hops[s.index()]).max();
                assert_eq!(Some(search.largest(v, &first(100))), most);
            }
        }
    }

    #[test]
    fn too_long_a_way_is_reported() {
        let ring = Topology::inline("mesh:300", &Context::default()).unwrap();
        assert_eq!(Search::new(ring.graph().unwrap()).run(&[RouterId(0)]), None);
        assert_eq!(Search::new(ring.graph().unwrap()).run(&[RouterId(150)]), Some(150));
        // The longest way a byte holds, and one more.
        assert_eq!(Search::new(ring.graph().unwrap()).run(&[RouterId(255)]), Some(255));
        assert_eq!(Search::new(ring.graph().unwrap()).run(&[RouterId(256)]), None);
    }
}
