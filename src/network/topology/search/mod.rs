//! Breadth-first search from up to 256 routers at once, one bit each.
//!
//! Every router has a set of the sources that have reached it. One hop takes the union of each router's set with the
//! sets of its neighbours: 256 searches for the price of one pass over the links.
//!
//! Distances are kept as bit planes: plane p holds, for every router and source, bit p of the distance in Gray code.
//! From one distance to the next a single bit of Gray code changes:
//!
//! | distance | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
//! |---|---|---|---|---|---|---|---|---|---|
//! | Gray code | 0000 | 0001 | 0011 | 0010 | 0110 | 0111 | 0101 | 0100 | 1100 |
//! | plane that changes after it | 0 | 1 | 0 | 2 | 0 | 1 | 0 | 3 | 0 |
//!
//! After hop h, the pairs that are still missing are farther than h: their bit changes in the plane of that column. So
//! a plane is the XOR of the missing sets after its hops, and these are the complements of the visited sets, which the
//! search makes anyway. The first hops therefore write nothing but visited sets; only later ones change a plane.
//!
//! Rows: routers are renumbered so that linked routers stand close to each other ([`RouterGraph::rows_for_search`]),
//! and more of what a hop reads is in the cache. Sets of 512 bits are no faster on 16,384 routers and slower on
//! 131,072, where they outgrow the cache; sets of 128 bits are no faster on either.
//!
//! # References
//! Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014.

use rayon::prelude::*;

pub use sets::SPREAD_BITS;
use sets::{EMPTY, combine_sets};
pub use sets::{SourceSet, WIDTH, first_sources};
use step::{HopBuffers, MissingShare, take_hop};

use super::graph::Rows;
use crate::topology::graph::RouterGraph;
use crate::topology::machine::Topology;
use nodeorder_base::observer::unwind_if_stopped;
use nodeorder_base::{Result, RouterId};

mod read;
mod sets;
mod step;

/// Largest distance that a search finds, in hops; longer searches are given up, so that a byte holds every distance.
pub const MAX_HOPS: u32 = 255;

/// Purpose of the memory that [`buffer_bytes`] counts, for messages.
pub const SEARCH_MEMORY: &str = "searching from 256 routers at once";

/// Number of planes, one for each bit of a distance.
pub const PLANES: usize = 8;

/// Number of hops whose visited sets are kept as a part of a plane. Keeping a set is cheap, but reading a distance
/// reads all kept sets; later hops change an existing set, unless their plane has none yet.
const KEPT_HOPS: usize = 6;

/// A set of sources for every row.
type RowSets = Vec<SourceSet>;

/// Breadth-first searches on one graph from up to [`WIDTH`] routers at once, with the distances of the last batch. Its
/// buffers are reused from batch to batch. Memory: [`buffer_bytes`] at most.
pub struct BatchSearch<'g> {
    graph: &'g RouterGraph,
    rows: &'g Rows,
    /// Sources that have reached each row.
    visited: RowSets,
    /// Sources that reach each row within one more hop.
    next: RowSets,
    /// Parts of each plane: the plane is the XOR of them and of `flipped` in every row.
    planes: [Vec<RowSets>; PLANES],
    /// Sources whose bit is flipped in every row, for each plane.
    flipped: [SourceSet; PLANES],
    /// Buffers for further parts, of any content.
    spare_parts: Vec<RowSets>,
    /// Number of planes that the distances of the last batch need.
    pub used_planes: usize,
    /// Sum of the distances from all sources to each row, less `common_hops`. Sums are at most 256 · 255; those of a
    /// search that is given up may wrap around.
    sums: Vec<u16>,
    /// Part of the sum that all rows have in common, as if every pair were as far apart as the first pass over
    /// all rows.
    common_hops: u16,
    /// Rows and the sources that reached them in the first hops, the nearest first.
    first_reached: Vec<(u32, u8)>,
}

/// Computes the bytes that the buffers for `graph` take at most.
pub fn buffer_bytes(graph: &RouterGraph) -> u64 {
    // Visited, next and a spare; a part for each hop that is kept, and one for each plane that these do not touch (six
    // hops in a row change at least three). The 16 bytes are the sum and the pairs of the first hops.
    let parts = (3 + KEPT_HOPS + PLANES - 3) as u64;
    (WIDTH as u64 / 8 * parts + 16) * graph.router_count() as u64
}

impl<'g> BatchSearch<'g> {
    /// Creates buffers for `graph`.
    pub fn new(graph: &'g RouterGraph) -> Self {
        let empty = || vec![EMPTY; graph.router_count()];
        BatchSearch {
            graph,
            rows: graph.rows_for_search(),
            visited: empty(),
            next: empty(),
            planes: Default::default(),
            flipped: [EMPTY; PLANES],
            spare_parts: Vec::new(),
            used_planes: 0,
            sums: vec![0; graph.router_count()],
            common_hops: 0,
            first_reached: Vec::new(),
        }
    }

    /// Searches from `sources` (at most [`WIDTH`], repeats allowed). Returns the largest distance found, or
    /// `None` when it is more than [`MAX_HOPS`] or links have weights: then no distance may be read.
    pub fn run_batch(&mut self, sources: &[RouterId]) -> Option<u32> {
        unwind_if_stopped();
        debug_assert!(sources.len() <= WIDTH);
        if self.graph.is_weighted() {
            return None;
        }
        self.spare_parts
            .extend(self.planes.iter_mut().flat_map(|sets| sets.drain(..)));
        let starts = self.take_first_hops(sources);
        // Sums and planes begin as if every pair were `next` hops apart; `correct_first_hops` corrects the
        // nearer ones at the end.
        let next = starts.len() as u32;
        self.common_hops = (next as usize * sources.len()) as u16;
        self.sums.fill(0);
        let all = first_sources(sources.len());
        self.flipped = std::array::from_fn(|bit| match gray_code(next - 1) >> bit & 1 {
            0 => EMPTY,
            _ => all,
        });
        let pairs = self.sums.len() * sources.len();
        let mut left = pairs - self.first_reached.len();
        // Sets kept so far, and the plane that the visited sets become a part of once the next hop has read them.
        let mut count = 1;
        let mut kept = Some(changing_plane(next - 1));
        for hop in next..=MAX_HOPS + 1 {
            let bit = changing_plane(hop);
            let fresh = count < KEPT_HOPS || self.planes[bit].is_empty();
            let share = MissingShare::new(left, self.sums.len(), pairs);
            let mut spare = self.take_buffer();
            let pass = HopBuffers {
                all: &all,
                visited: &self.visited,
                next: &mut self.next,
                plane: if fresh {
                    &mut spare
                } else {
                    &mut self.planes[bit][0]
                },
                fresh,
                sums: &mut self.sums,
            };
            let now = take_hop(self.rows, share, pass);
            std::mem::swap(&mut self.visited, &mut self.next);
            if let Some(bit) = kept.take() {
                self.planes[bit].push(std::mem::replace(&mut self.next, spare));
                self.flipped[bit] = combine_sets(&self.flipped[bit], &all, |a, b| a ^ b);
            } else {
                self.spare_parts.push(spare);
            }
            let reached = now < left;
            left = now;
            // Over once no pair is missing, or once a hop reaches nothing: then no path joins the rest.
            if hop <= MAX_HOPS && left == 0 || !reached {
                let far = if reached { hop } else { hop - 1 };
                self.used_planes = (u32::BITS - far.leading_zeros()) as usize;
                self.correct_first_hops(&starts);
                if left > 0 {
                    self.zero_unreached(&all, hop + 1);
                }
                return Some(far);
            }
            if fresh {
                count += 1;
                kept = Some(bit);
            }
        }
        None
    }

    /// Takes the first hops source by source, as long as few routers are reached: a pass reads all rows, however few
    /// sets are not empty. Returns the index in `first_reached` at which each hop begins.
    fn take_first_hops(&mut self, sources: &[RouterId]) -> Vec<usize> {
        let BatchSearch {
            rows,
            visited,
            first_reached: found,
            ..
        } = self;
        visited.fill(EMPTY);
        found.clear();
        for (s, source) in (0..).zip(sources) {
            let row = rows.row_of(*source);
            visited[row][s / 64] |= 1 << (s % 64);
            found.push((row as u32, s as u8));
        }
        let mut starts = vec![0];
        loop {
            let last = starts[starts.len() - 1]..found.len();
            let links = found[last.clone()]
                .iter()
                .map(|(row, _)| rows.linked_count(*row));
            // A pass over all rows costs about as much as following half as many links as there are rows.
            if last.is_empty() || starts.len() > 7 || 2 * links.sum::<usize>() > visited.len() {
                break;
            }
            starts.push(last.end);
            for i in last {
                let (row, s) = found[i];
                let word = usize::from(s / 64);
                let bit = 1 << (s % 64);
                for v in rows.linked_to(row) {
                    let set = &mut visited[v as usize][word];
                    if *set & bit == 0 {
                        *set |= bit;
                        found.push((v, s));
                    }
                }
            }
        }
        if starts.len() > 1 && starts[starts.len() - 1] == found.len() {
            // The last hop reached no router.
            starts.pop();
        }
        starts
    }

    /// Corrects sums and planes for the pairs of the first hops, which begin at `starts` in `first_reached`: sums
    /// have all of them at `next` hops, planes at the last of the first hops.
    fn correct_first_hops(&mut self, starts: &[usize]) {
        let next = starts.len() as u32;
        for (hops, start) in (0..next).zip(starts) {
            let end = starts
                .get(hops as usize + 1)
                .copied()
                .unwrap_or(self.first_reached.len());
            for (row, _) in &self.first_reached[*start..end] {
                let sum = &mut self.sums[*row as usize];
                *sum = sum.wrapping_sub((next - hops) as u16);
            }
            let wrong = gray_code(hops) ^ gray_code(next - 1);
            for bit in (0..PLANES).filter(|bit| wrong >> bit & 1 == 1) {
                // No hop of the passes changed this plane.
                if self.planes[bit].is_empty() {
                    let mut part = self.take_buffer();
                    part.fill(EMPTY);
                    self.planes[bit].push(part);
                }
                let plane = &mut self.planes[bit][0];
                for (row, s) in &self.first_reached[*start..end] {
                    plane[*row as usize][usize::from(s / 64)] ^= 1 << (s % 64);
                }
            }
        }
    }

    /// Takes a spare buffer, of any content, or creates one.
    fn take_buffer(&mut self) -> RowSets {
        self.spare_parts
            .pop()
            .unwrap_or_else(|| vec![EMPTY; self.visited.len()])
    }

    /// Sets the distance of pairs that no path joins to 0; sums have counted each of them `counted` times.
    fn zero_unreached(&mut self, all: &SourceSet, counted: u32) {
        for v in 0..self.visited.len() {
            let missing = combine_sets(all, &self.visited[v], |all, visited| all & !visited);
            if missing == EMPTY {
                continue;
            }
            for bit in 0..self.used_planes {
                let wrong = combine_sets(&self.gray_bits(bit, v), &missing, |bits, missing| {
                    bits & missing
                });
                if let Some(plane) = self.planes[bit].first_mut() {
                    plane[v] = combine_sets(&plane[v], &wrong, |plane, wrong| plane ^ wrong);
                }
            }
            let times = missing.iter().map(|word| word.count_ones()).sum::<u32>() * counted;
            self.sums[v] = self.sums[v].wrapping_sub(times as u16);
        }
    }
}

/// Computes the Gray code of a distance.
fn gray_code(hops: u32) -> u32 {
    hops ^ hops >> 1
}

/// Finds the plane that changes from `hops` to one hop more. After hop 255 there would be a ninth plane, which no
/// distance needs: [`BatchSearch::run_batch`] gives up then, so any plane may take the change.
fn changing_plane(hops: u32) -> usize {
    ((hops + 1).trailing_zeros() as usize).min(PLANES - 1)
}

/// Searches from all `sources`, batches in parallel, and runs `work` after each batch; results in the order of the
/// sources. `graph` is that of `topology` or a part of it. `work` gets the search, the sources of the batch and the
/// result of [`BatchSearch::run_batch`].
///
/// # Errors
/// [`nodeorder_base::error::Error::Memory`] when the buffers do not fit.
pub fn each_batch<T: Send>(
    topology: &Topology,
    graph: &RouterGraph,
    sources: &[RouterId],
    work: impl Fn(&BatchSearch<'_>, &[RouterId], Option<u32>) -> T + Sync,
) -> Result<Vec<T>> {
    // Every thread has buffers of its own.
    let buffers = rayon::current_num_threads() as u64 * buffer_bytes(graph);
    topology.require_memory(SEARCH_MEMORY, buffers)?;
    Ok(sources
        .par_chunks(WIDTH)
        .map_init(
            || BatchSearch::new(graph),
            |search, batch| {
                let far = search.run_batch(batch);
                work(search, batch, far)
            },
        )
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::graph::UNREACHED;
    use crate::topology::{Context, Topology};

    /// Full batches and small ones, so that hops are taken in every way: source by source, while few rows are reached,
    /// over all rows and where little is left. Small batches have sources twice; the first batch of a search
    /// leaves the second its planes.
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
            ("random-regular:n=70001,d=4", [WIDTH, 3]),
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let graph = topology.graph().unwrap();
            let routers = graph.router_count() as u32;
            let mut search = BatchSearch::new(graph);
            for count in batches {
                let source =
                    |s| RouterId((s * 7 + 3) % if count < WIDTH { routers / 2 } else { routers });
                let mut sources: Vec<RouterId> = (0..count as u32).map(source).collect();
                sources[count / 3] = sources[0];
                let far = search.run_batch(&sources).unwrap();
                let last = count - 1;
                let mut bytes = [0; WIDTH];
                let mut levels = vec![vec![9; routers as usize]; far as usize + 1];
                search.fill_levels(last / 8, 1 << (last % 8), &mut levels);
                let (mut farthest, some) = (0, count.div_ceil(2));
                for v in (0..routers)
                    .step_by(1 + routers as usize / 400)
                    .map(RouterId)
                {
                    let hops = graph.hops_from(v);
                    let hops: Vec<u32> =
                        sources.iter().map(|source| hops[source.index()]).collect();
                    search.expand_hops(v, &mut bytes);
                    let found: Vec<u32> =
                        bytes[..count].iter().map(|byte| (*byte).into()).collect();
                    assert_eq!(found, hops, "{spec}, {count} sources, router {v:?}");
                    let each: Vec<u32> = (0..count).map(|s| search.hops_between(v, s)).collect();
                    assert_eq!(each, hops);
                    farthest = farthest.max(hops.iter().copied().max().unwrap());
                    let sum = |hops: &[u32]| hops.iter().map(|hops| u64::from(*hops)).sum::<u64>();
                    assert_eq!(search.total_hops(v), sum(&hops));
                    assert_eq!(search.sum_hops(v, &first_sources(count)), sum(&hops));
                    assert_eq!(search.sum_hops(v, &first_sources(some)), sum(&hops[..some]));
                    assert_eq!(
                        Some(search.largest_hops(v, &first_sources(some))),
                        hops[..some].iter().max().copied()
                    );
                    for (at, level) in (0..).zip(&levels) {
                        assert_eq!(level[v.index()] != 0, hops[last] == at);
                    }
                }
                assert!(
                    farthest <= far && far <= farthest + u32::from(routers > 400),
                    "{spec}"
                );
            }
        }
    }

    #[test]
    fn too_long_a_way_is_reported() {
        let ring = Topology::inline("mesh:300", &Context::default()).unwrap();
        let mut search = BatchSearch::new(ring.graph().unwrap());
        let mut far = |source| search.run_batch(&[RouterId(source)]);
        assert_eq!((far(0), far(150)), (None, Some(150)));
        // The longest way a byte holds, and one more.
        assert_eq!((far(255), far(256)), (Some(255), None));
        // What was given up leaves nothing behind, and the sums reach the most there is.
        assert_eq!(search.run_batch(&[RouterId(255); WIDTH]), Some(255));
        for (v, hops) in [(0, 255), (1, 254), (255, 0), (299, 44)] {
            assert_eq!(search.total_hops(RouterId(v)), 256 * hops);
            assert_eq!(search.hops_between(RouterId(v), 99), hops as u32);
        }
    }

    #[test]
    fn what_no_path_joins_is_no_hop_away() {
        // A path of 300 routers and one of 3: the search is over in one long before it is in the other.
        let arcs = (0..302u32).filter(|u| *u != 199 && *u != 299);
        let arcs = arcs
            .flat_map(|u| [(u, u + 1, 1.0), (u + 1, u, 1.0)])
            .collect();
        let graph = RouterGraph::from_arcs(303, arcs);
        let mut search = BatchSearch::new(&graph);
        let here_and_there = (0..WIDTH as u32).map(|s| if s < 128 { 300 + s % 3 } else { s });
        let batches = [
            (0..256).step_by(3).collect(),
            vec![300, 301],
            here_and_there.collect(),
            vec![302, 120, 120],
        ];
        for sources in batches {
            let sources: Vec<RouterId> = sources.into_iter().map(RouterId).collect();
            let far = search.run_batch(&sources).unwrap();
            let from: Vec<Vec<u32>> = sources.iter().map(|s| graph.hops_from(*s)).collect();
            let found = |v: RouterId| from.iter().map(move |hops| hops[v.index()]);
            let routers = || (0..303).map(RouterId);
            let reached = routers().flat_map(found).filter(|hops| *hops != UNREACHED);
            assert_eq!(Some(far), reached.max());
            for v in routers() {
                let hops: Vec<u32> = found(v)
                    .map(|hops| if hops == UNREACHED { 0 } else { hops })
                    .collect();
                assert_eq!(
                    hops,
                    (0..hops.len())
                        .map(|s| search.hops_between(v, s))
                        .collect::<Vec<_>>()
                );
                assert_eq!(
                    search.total_hops(v),
                    hops.iter().map(|h| u64::from(*h)).sum::<u64>()
                );
            }
        }
    }
}
