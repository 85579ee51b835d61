//! Breadth-first search from up to 256 routers at once, one bit each.
//!
//! A step of the search ORs, for every router, the visited sets of its neighbours: 256 searches for the
//! price of one pass over the links a hop. Distances are kept bit-sliced and in Gray code, which takes one plane a hop:
//! a search not over after hops h = 2^p - 1, 3·2^p - 1, 5·2^p - 1, … turns its bit of plane p over. Sets and planes
//! stand in rows, one a router, numbered so that linked routers stand close to each other ([`RouterGraph::rows`]): more
//! of what a step reads is in the cache. Rows of 512 bits are no faster on 16,384 routers and slower on 131,072, where
//! they outgrow the cache; rows of 128 bits are no faster on either.
//!
//! # References
//! Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014.

use multiversion::multiversion;
use rayon::prelude::*;

pub use step::{Bits, WIDTH};
use step::{EMPTY, Hop, Row, Way, step};

use super::graph::Rows;
use super::{RouterGraph, Topology};
use crate::error::Result;
use crate::ids::RouterId;

mod step;

/// Searches that are not over after this many steps are given up: a byte holds every distance.
pub const MAX_HOPS: u32 = 255;

/// What takes the memory of [`bytes`], in words.
pub const SEARCHING: &str = "searching from 256 routers at once";

/// Buffers for searches on one graph, reused from batch to batch. Memory: [`bytes`] at most.
pub struct Search<'g> {
    graph: &'g RouterGraph,
    rows: &'g Rows,
    visited: Vec<Row>,
    next: Vec<Row>,
    planes: Vec<Vec<Row>>,
    /// Planes in use by the last batch.
    used: usize,
    /// Sums over all sources, by row. They are at most 256 · 255; what is given up may wrap around.
    sums: Vec<u16>,
    /// What was found source by source: a row and the source that reached it, the nearest first.
    found: Vec<(u32, u8)>,
}

/// The most that the buffers for `graph` take: two sets, eight planes, a sum and what is found source by source.
pub fn bytes(graph: &RouterGraph) -> u64 {
    (WIDTH as u64 / 8 * 10 + 16) * graph.router_count() as u64
}

impl<'g> Search<'g> {
    /// Buffers for `graph`.
    pub fn new(graph: &'g RouterGraph) -> Self {
        let empty = || vec![EMPTY; graph.router_count()];
        Search {
            graph,
            rows: graph.rows(),
            visited: empty(),
            next: empty(),
            planes: Vec::new(),
            used: 0,
            sums: vec![0; graph.router_count()],
            found: Vec::new(),
        }
    }

    /// Searches from `sources` (at most [`WIDTH`], repeats allowed). Returns the largest distance found,
    /// or `None` when it is more than [`MAX_HOPS`], and on graphs whose links have weights: then the planes are of no
    /// use.
    pub fn run(&mut self, sources: &[RouterId]) -> Option<u32> {
        debug_assert!(sources.len() <= WIDTH);
        if self.graph.is_weighted() {
            return None;
        }
        let begin = self.begin(sources);
        let all = Row(first(sources.len()));
        let pairs = self.visited.len() * sources.len();
        let mut left = pairs - self.found.len();
        for hop in begin + 1..=MAX_HOPS + 1 {
            // What has still not been reached after the last hop has no distance: any plane may take it.
            let own = ((hop + 1).trailing_zeros() as usize).min(7);
            self.grow(own + 1);
            let way = if 16 * left < pairs { Way::Last } else { Way::All };
            let pass = Hop {
                fresh: hop + 1 == 1 << own,
                all: &all,
                visited: &self.visited,
                next: &mut self.next,
                plane: &mut self.planes[own],
                sums: &mut self.sums,
            };
            let now = step(self.rows, way, pass);
            std::mem::swap(&mut self.visited, &mut self.next);
            let reached = now < left;
            left = now;
            if hop <= MAX_HOPS && left == 0 || !reached {
                let far = if reached { hop } else { hop - 1 };
                self.used = planes_of(far);
                if left > 0 {
                    self.mask(&all, hop + 1);
                }
                return Some(far);
            }
        }
        None
    }

    /// Takes the first hops source by source, as long as few routers are reached: a step looks at all of them. Returns
    /// how many hops. What is found farther is one hop farther at first.
    fn begin(&mut self, sources: &[RouterId]) -> u32 {
        let Search { rows, visited, found, .. } = self;
        visited.fill(EMPTY);
        found.clear();
        for (s, source) in (0..).zip(sources) {
            let row = rows.of(*source);
            visited[row].0[s / 64] |= 1 << (s % 64);
            found.push((row as u32, s as u8));
        }
        // Where each hop begins.
        let mut starts = vec![0];
        loop {
            let last = starts[starts.len() - 1]..found.len();
            let links = found[last.clone()].iter().map(|(row, _)| rows.linked(*row as usize).len());
            if last.is_empty() || starts.len() > 7 || 2 * links.sum::<usize>() > visited.len() {
                break;
            }
            starts.push(last.end);
            for i in last {
                let (row, s) = found[i];
                let (word, bit) = (usize::from(s / 64), 1 << (s % 64));
                for v in rows.linked(row as usize) {
                    let set = &mut visited[*v as usize].0[word];
                    if *set & bit == 0 {
                        *set |= bit;
                        found.push((*v, s));
                    }
                }
            }
        }
        if starts.len() > 1 && starts[starts.len() - 1] == found.len() {
            // Nothing was that far.
            starts.pop();
        }
        let hops = starts.len() as u32 - 1;
        self.note(&starts, hops + 1, &first(sources.len()));
        hops
    }

    /// Writes the distances of what was found source by source, whose hops begin at `starts`, and `next` for all that
    /// was not.
    fn note(&mut self, starts: &[usize], next: u32, all: &Bits) {
        let gray = |hops: u32| hops ^ hops >> 1;
        self.grow(planes_of(next));
        for (p, plane) in self.planes[..planes_of(next)].iter_mut().enumerate() {
            plane.fill(if gray(next) >> p & 1 == 1 { Row(*all) } else { EMPTY });
        }
        let sources: u32 = all.iter().map(|word| word.count_ones()).sum();
        self.sums.fill((next * sources) as u16);
        for hops in 0..next {
            let end = starts.get(hops as usize + 1).copied().unwrap_or(self.found.len());
            let found = &self.found[starts[hops as usize]..end];
            found.iter().for_each(|(row, _)| self.sums[*row as usize] -= (next - hops) as u16);
            let turned = gray(hops) ^ gray(next);
            for p in (0..planes_of(turned)).filter(|p| turned >> p & 1 == 1) {
                let plane = &mut self.planes[p];
                for (row, s) in found {
                    plane[*row as usize].0[usize::from(s / 64)] ^= 1 << (s % 64);
                }
            }
        }
    }

    /// Sees to it that there are `count` planes.
    fn grow(&mut self, count: usize) {
        while self.planes.len() < count {
            self.planes.push(vec![EMPTY; self.visited.len()]);
        }
    }

    /// What has not been reached is no hop away: it has been counted `counted` times.
    fn mask(&mut self, all: &Row, counted: u32) {
        for (v, visited) in self.visited.iter().enumerate().filter(|(_, set)| *set != all) {
            for plane in &mut self.planes[..self.used] {
                plane[v].0.iter_mut().zip(visited.0).for_each(|(bits, reached)| *bits &= reached);
            }
            let left = (0..all.0.len()).map(|w| (all.0[w] & !visited.0[w]).count_ones());
            let times = left.sum::<u32>() * counted;
            self.sums[v] = self.sums[v].wrapping_sub(times as u16);
        }
    }

    /// How many bits the distances found have.
    pub(crate) fn plane_count(&self) -> usize {
        self.used
    }

    /// Calls `visit` with the bits of the distances of the router of one row, the highest first, and which bit it is.
    #[inline(always)]
    pub(crate) fn decode(&self, row: u32, mut visit: impl FnMut(usize, &Bits)) {
        let mut bits = [0; WIDTH / 64];
        for p in (0..self.used).rev() {
            let plane = &self.planes[p][row as usize].0;
            for w in 0..bits.len() {
                bits[w] ^= plane[w];
            }
            visit(p, &bits);
        }
    }

    /// The distance of `router` from the `source`-th of the batch.
    #[inline]
    pub fn hops(&self, router: RouterId, source: usize) -> u32 {
        let row = self.rows.of(router);
        let bit = |plane: &Vec<Row>| (plane[row].0[source / 64] >> (source % 64) & 1) as u32;
        let bits = self.planes[..self.used].iter().rev().scan(0, |above, plane| {
            *above ^= bit(plane);
            Some(*above)
        });
        bits.fold(0, |hops, bit| 2 * hops + bit)
    }

    /// Σ over the sources in `mask` of their distance to `router`.
    pub fn sum(&self, router: RouterId, mask: &Bits) -> u64 {
        let mut sum = 0;
        self.decode(self.rows.of(router) as u32, |p, bits| {
            let in_mask = bits.iter().zip(mask).map(|(b, m)| (b & m).count_ones());
            sum += u64::from(in_mask.sum::<u32>()) << p;
        });
        sum
    }

    /// Σ over all sources of their distance to `router`, without a look at the planes.
    #[inline]
    pub fn total(&self, router: RouterId) -> u64 {
        self.total_of(self.rows.of(router) as u32)
    }

    /// The same for the router of one row.
    #[inline]
    pub(crate) fn total_of(&self, row: u32) -> u64 {
        self.sums[row as usize].into()
    }

    /// The largest distance of `router` from a source in `mask`: bit by bit from the top, among the sources
    /// that have all higher bits of it.
    pub fn largest(&self, router: RouterId, mask: &Bits) -> u32 {
        let (mut among, mut largest) = (*mask, 0);
        self.decode(self.rows.of(router) as u32, |p, bits| {
            let set: Bits = std::array::from_fn(|w| among[w] & bits[w]);
            if set.iter().any(|w| *w != 0) {
                (among, largest) = (set, largest | 1 << p);
            }
        });
        largest
    }

    /// The distance of `router` from every source, in the batch's order.
    pub fn expand(&self, router: RouterId, out: &mut [u8; WIDTH]) {
        let row = self.rows.of(router);
        let mut packed = [0u64; WIDTH / 8];
        for (p, plane) in self.planes[..self.used].iter().enumerate() {
            // A bit of Gray code turns over its own place and all below.
            let turned = (2 << p) - 1;
            for (w, word) in plane[row].0.iter().enumerate() {
                for (b, byte) in word.to_le_bytes().iter().enumerate() {
                    packed[8 * w + b] ^= SPREAD[*byte as usize] * turned;
                }
            }
        }
        let (words, _) = out.as_chunks_mut::<8>();
        for (bytes, word) in words.iter_mut().zip(&packed) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Writes to `at[d][router]` which of sources 8·`eight` to 8·`eight` + 7 are d hops away, one bit each, among those
    /// of `sources`.
    pub(crate) fn levels(&self, eight: usize, sources: u8, at: &mut [Vec<u8>]) {
        let routers = self.visited.len();
        let mut bits = vec![vec![0u8; routers]; self.used + 1];
        for p in (0..self.used).rev() {
            let (bits, above) = bits[p..].split_at_mut(1);
            for (router, (bits, above)) in bits[0].iter_mut().zip(&above[0]).enumerate() {
                let row = &self.planes[p][self.rows.of(RouterId(router as u32))].0;
                *bits = above ^ (row[eight / 8] >> (eight % 8 * 8)) as u8;
            }
        }
        for (hops, at) in at.iter_mut().enumerate() {
            at[..routers].fill(sources);
            for (p, bits) in bits[..self.used].iter().enumerate() {
                meet(&mut at[..routers], bits, if hops >> p & 1 == 1 { 0 } else { u8::MAX });
            }
        }
    }
}

/// How many bits distances up to `far` have.
fn planes_of(far: u32) -> usize {
    (u32::BITS - far.leading_zeros()) as usize
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
    let buffers = rayon::current_num_threads() as u64 * bytes(graph);
    topology.require(SEARCHING, buffers)?;
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

/// Byte b of `SPREAD[x]` is bit b of x.
pub(crate) static SPREAD: [u64; 256] = {
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

/// Leaves of `set` what is in `with`, turned over where `turned` says so.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn meet(set: &mut [u8], with: &[u8], turned: u8) {
    for (set, with) in set.iter_mut().zip(with) {
        *set &= with ^ turned;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::graph::UNREACHED;
    use crate::topology::{Context, Topology};

    /// Full batches and small ones, so that hops are taken in every way: source by source, while few rows are reached,
    /// over all rows and where little is left. Small batches have sources twice; the first batch of a search leaves the
    /// second its planes.
    #[test]
    fn every_bit_equals_a_search_of_its_own() {
        for (spec, batches) in [
            ("cascade:4x3x3,global=single", [WIDTH, 3]),
            ("mesh:5x7x3", [WIDTH, 1]),
            ("torus:9x8", [65, WIDTH]),
            ("mesh:200", [7, WIDTH]),
            ("random-regular:n=300,d=3", [WIDTH, 2]),
            ("random-regular:n=300,d=3", [1, 64]),
            ("random-regular:n=5000,d=5", [WIDTH, 9]),
            ("watts-strogatz:n=3000,k=4,p=0.05", [200, WIDTH]),
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let graph = topology.graph().unwrap();
            let routers = graph.router_count() as u32;
            let mut search = Search::new(graph);
            for count in batches {
                let source =
                    |s| RouterId((s * 7 + 3) % if count < WIDTH { routers / 2 } else { routers });
                let mut sources: Vec<RouterId> = (0..count as u32).map(source).collect();
                sources[count / 3] = sources[0];
                let far = search.run(&sources).unwrap();
                let last = count - 1;
                let mut bytes = [0; WIDTH];
                let mut levels = vec![vec![9; routers as usize]; far as usize + 1];
                search.levels(last / 8, 1 << (last % 8), &mut levels);
                let (mut farthest, some) = (0, count.div_ceil(2));
                for v in (0..routers).step_by(1 + routers as usize / 400).map(RouterId) {
                    let hops = graph.hops_from(v);
                    let hops: Vec<u32> =
                        sources.iter().map(|source| hops[source.index()]).collect();
                    search.expand(v, &mut bytes);
                    let found: Vec<u32> =
                        bytes[..count].iter().map(|byte| (*byte).into()).collect();
                    assert_eq!(found, hops, "{spec}, {count} sources, router {v:?}");
                    let each: Vec<u32> = (0..count).map(|s| search.hops(v, s)).collect();
                    assert_eq!(each, hops);
                    farthest = farthest.max(hops.iter().copied().max().unwrap());
                    let sum = |hops: &[u32]| hops.iter().map(|hops| u64::from(*hops)).sum::<u64>();
                    assert_eq!(search.total(v), sum(&hops));
                    assert_eq!(search.sum(v, &first(count)), sum(&hops));
                    assert_eq!(search.sum(v, &first(some)), sum(&hops[..some]));
                    assert_eq!(
                        Some(search.largest(v, &first(some))),
                        hops[..some].iter().max().copied()
                    );
                    for (at, level) in (0..).zip(&levels) {
                        assert_eq!(level[v.index()] != 0, hops[last] == at);
                    }
                }
                assert!(farthest <= far && far <= farthest + u32::from(routers > 400), "{spec}");
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
        let mut search = Search::new(ring.graph().unwrap());
        assert_eq!(search.run(&[RouterId(256)]), None);
        // What was given up leaves nothing behind, and the sums reach the most there is.
        assert_eq!(search.run(&[RouterId(255); WIDTH]), Some(255));
        for (v, hops) in [(0, 255), (1, 254), (255, 0), (299, 44)] {
            assert_eq!(search.total(RouterId(v)), 256 * hops);
            assert_eq!(search.hops(RouterId(v), 99), hops as u32);
        }
    }

    #[test]
    fn what_no_path_joins_is_no_hop_away() {
        // A path of 300 routers and one of 3: the search is over in one long before it is in the other.
        let arcs = (0..302u32).filter(|u| *u != 199 && *u != 299);
        let arcs = arcs.flat_map(|u| [(u, u + 1, 1.0), (u + 1, u, 1.0)]).collect();
        let graph = RouterGraph::from_arcs(303, arcs);
        for sources in [vec![300, 301], vec![302, 120, 120], (0..256).step_by(3).collect()] {
            let sources: Vec<RouterId> = sources.into_iter().map(RouterId).collect();
            let mut search = Search::new(&graph);
            let far = search.run(&sources).unwrap();
            let from: Vec<Vec<u32>> = sources.iter().map(|s| graph.hops_from(*s)).collect();
            let found = |v: RouterId| from.iter().map(move |hops| hops[v.index()]);
            let routers = || (0..303).map(RouterId);
            let reached = routers().flat_map(found).filter(|hops| *hops != UNREACHED);
            assert_eq!(Some(far), reached.max());
            for v in routers() {
                let hops: Vec<u32> =
                    found(v).map(|hops| if hops == UNREACHED { 0 } else { hops }).collect();
                assert_eq!(hops, (0..hops.len()).map(|s| search.hops(v, s)).collect::<Vec<_>>());
                assert_eq!(search.total(v), hops.iter().map(|h| u64::from(*h)).sum::<u64>());
            }
        }
    }
}
