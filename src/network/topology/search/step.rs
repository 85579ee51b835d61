//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

use super::sets::{SourceSet, combine_sets};
use crate::topology::graph::Rows;

/// Share of the pairs of a source and a row that are missing before a hop, that is, not reached yet. It decides how
/// often a row is checked for being complete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MissingShare {
    /// More than a sixteenth: every row reads all its neighbours, so that there are few branches.
    Many,
    /// At most a sixteenth: two neighbours nearly always complete a row, so that is checked after two.
    Some,
    /// Less than one pair for four rows: nearly all rows are complete and read no neighbour.
    Few,
}

impl MissingShare {
    /// Tells how large `left` is among all `pairs` of a source and a row.
    pub fn new(left: usize, rows: usize, pairs: usize) -> Self {
        if 4 * left < rows {
            MissingShare::Few
        } else if 16 * left < pairs {
            MissingShare::Some
        } else {
            MissingShare::Many
        }
    }
}

/// Input and output of a hop, each a value for every row.
pub struct HopBuffers<'a> {
    /// Set of all sources of the batch.
    pub all: &'a SourceSet,
    /// Sources that reached the row before the hop.
    pub visited: &'a [SourceSet],
    /// Output: sources that have reached the row after the hop.
    pub next: &'a mut [SourceSet],
    /// Output: a part of the plane in which the missing sources change, unless `fresh`.
    pub plane: &'a mut [SourceSet],
    /// Whether `next` becomes a part of the plane instead, so that nothing is written to `plane`.
    pub fresh: bool,
    /// Output: sum of distances of each row; each missing source adds 1.
    pub sums: &'a mut [u16],
}

/// Takes a hop: adds the sources of its neighbours to every row. Returns how many pairs are still missing.
#[multiversion(targets("x86_64+avx512f+avx512vl+popcnt", "x86_64+avx2+popcnt", "aarch64+neon"))]
pub fn take_hop(rows: &Rows, left: MissingShare, mut hop: HopBuffers<'_>) -> usize {
    // The neighbours of a row are read in groups of a length that the compiler knows: fewer instructions, so that the
    // processor has more reads under way at once.
    let left = match (left, rows.row_width) {
        (MissingShare::Few, _) => read_rows::<2, 0>(rows, &mut hop),
        (MissingShare::Some, _) => read_rows::<2, 1>(rows, &mut hop),
        (MissingShare::Many, 2) => read_rows::<2, ALL_GROUPS>(rows, &mut hop),
        (MissingShare::Many, 6) => read_rows::<6, ALL_GROUPS>(rows, &mut hop),
        (MissingShare::Many, 8) => read_rows::<8, ALL_GROUPS>(rows, &mut hop),
        (MissingShare::Many, _) => read_rows::<4, ALL_GROUPS>(rows, &mut hop),
    };
    left - follow_overflow(&rows.overflow, &mut hop)
}

/// Value of `SURE` with which every row reads all groups of its neighbours.
const ALL_GROUPS: usize = usize::MAX;

/// Reads the neighbours of every row in groups of D. Once a row is complete, skips its groups after the first `SURE`.
/// Returns how many pairs are missing after it.
#[inline(always)]
fn read_rows<const D: usize, const SURE: usize>(graph: &Rows, hop: &mut HopBuffers<'_>) -> usize {
    // Copies, so that the compiler sees that the outputs do not change them.
    let visited = hop.visited;
    let all = *hop.all;
    let fresh = hop.fresh;
    let linked = graph
        .neighbours
        .as_chunks::<D>()
        .0
        .chunks_exact(graph.row_width / D);
    let next_and_plane = hop.next.iter_mut().zip(&mut *hop.plane);
    let rows = visited
        .iter()
        .zip(next_and_plane)
        .zip(&mut *hop.sums)
        .zip(linked);
    // Rows depend on each other in nothing but this count, so the reads of many rows overlap.
    let mut left = 0;
    for (((before, (next, plane)), sum), linked) in rows {
        let mut now = *before;
        for (g, group) in linked.iter().enumerate() {
            if g >= SURE && now == all {
                break;
            }
            now = group.iter().fold(now, |now, u| {
                combine_sets(&now, &visited[*u as usize], |a, b| a | b)
            });
        }
        *next = now;
        // Where most rows miss something, counting is cheaper than a branch.
        if SURE == ALL_GROUPS || now != all {
            let missing = combine_sets(&all, &now, |all, now| all & !now);
            let count: u32 = missing.iter().map(|word| word.count_ones()).sum();
            if !fresh {
                *plane = combine_sets(plane, &missing, |plane, missing| plane ^ missing);
            }
            *sum = sum.wrapping_add(count as u16);
            left += count as usize;
        }
    }
    left
}

/// Follows the links beyond those that every row has room for, after the pass. Returns how many pairs they reach that
/// the pass did not.
#[inline(always)]
fn follow_overflow(links: &[(u32, u32)], hop: &mut HopBuffers<'_>) -> usize {
    let mut reached = 0;
    for (v, u) in links {
        let v = *v as usize;
        let now = &mut hop.next[v];
        let new = combine_sets(&hop.visited[*u as usize], now, |from, now| from & !now);
        *now = combine_sets(now, &new, |now, new| now | new);
        if !hop.fresh {
            hop.plane[v] = combine_sets(&hop.plane[v], &new, |plane, new| plane ^ new);
        }
        let count: u32 = new.iter().map(|word| word.count_ones()).sum();
        // The pass has counted these as missing.
        hop.sums[v] = hop.sums[v].wrapping_sub(count as u16);
        reached += count as usize;
    }
    reached
}
