//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

use super::sets::{Bits, join};
use crate::topology::graph::Rows;

/// Share of the pairs of a source and a row that are missing before a hop, that is, not reached yet. It decides how often
/// a row is checked for being complete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// More than a sixteenth: every row reads all its neighbours, so that there are few branches.
    Many,
    /// At most a sixteenth: two neighbours nearly always complete a row, so that is checked after two.
    Some,
    /// Less than one pair for four rows: nearly all rows are complete and read no neighbour.
    Few,
}

impl Left {
    /// Returns the share of `left` among all `pairs` of a source and a row.
    pub fn new(left: usize, rows: usize, pairs: usize) -> Self {
        if 4 * left < rows {
            Left::Few
        } else if 16 * left < pairs {
            Left::Some
        } else {
            Left::Many
        }
    }
}

/// Input and output of a hop, each a value for every row.
pub(super) struct Hop<'a> {
    /// Set of all sources of the batch.
    pub all: &'a Bits,
    /// Sources that reached the row before the hop.
    pub visited: &'a [Bits],
    /// Output: sources that have reached the row after it.
    pub next: &'a mut [Bits],
    /// Output: a part of the plane in which the missing sources change, unless `fresh`.
    pub plane: &'a mut [Bits],
    /// Whether `next` becomes a part of the plane instead, so that nothing is written to `plane`.
    pub fresh: bool,
    /// Output: sum of distances of each row; each missing source adds 1.
    pub sums: &'a mut [u16],
}

/// Takes a hop: adds the sources of its neighbours to every row. Returns how many pairs are still missing.
#[multiversion(targets("x86_64+avx512f+avx512vl+popcnt", "x86_64+avx2+popcnt", "aarch64+neon"))]
pub(super) fn step(rows: &Rows, left: Left, mut hop: Hop<'_>) -> usize {
    // The neighbours of a row are read in groups of a length that the compiler knows: fewer instructions, so that the
    // processor has more reads under way at once.
    let left = match (left, rows.each) {
        (Left::Few, _) => pass::<2, 0>(rows, &mut hop),
        (Left::Some, _) => pass::<2, 1>(rows, &mut hop),
        (Left::Many, 2) => pass::<2, ALL>(rows, &mut hop),
        (Left::Many, 6) => pass::<6, ALL>(rows, &mut hop),
        (Left::Many, 8) => pass::<8, ALL>(rows, &mut hop),
        (Left::Many, _) => pass::<4, ALL>(rows, &mut hop),
    };
    left - more(&rows.more, &mut hop)
}

/// Number of groups that every row reads surely, as `SURE`: all of them.
const ALL: usize = usize::MAX;

/// Reads the neighbours of every row in groups of D. Once a row is complete, skips its groups after the first `SURE`.
/// Returns how many pairs are missing after it.
#[inline(always)]
fn pass<const D: usize, const SURE: usize>(graph: &Rows, hop: &mut Hop<'_>) -> usize {
    // Copies, so that the compiler sees that the outputs do not change them.
    let visited = hop.visited;
    let all = *hop.all;
    let fresh = hop.fresh;
    let linked = graph.linked.as_chunks::<D>().0.chunks_exact(graph.each / D);
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
                join(&now, &visited[*u as usize], |a, b| a | b)
            });
        }
        *next = now;
        // Where most rows miss something, counting is cheaper than a branch.
        if SURE == ALL || now != all {
            let missing = join(&all, &now, |all, now| all & !now);
            let count: u32 = missing.iter().map(|word| word.count_ones()).sum();
            if !fresh {
                *plane = join(plane, &missing, |plane, missing| plane ^ missing);
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
fn more(links: &[(u32, u32)], hop: &mut Hop<'_>) -> usize {
    let mut reached = 0;
    for (v, u) in links {
        let v = *v as usize;
        let now = &mut hop.next[v];
        let new = join(&hop.visited[*u as usize], now, |from, now| from & !now);
        *now = join(now, &new, |now, new| now | new);
        if !hop.fresh {
            hop.plane[v] = join(&hop.plane[v], &new, |plane, new| plane ^ new);
        }
        let count: u32 = new.iter().map(|word| word.count_ones()).sum();
        // The pass has counted these as missing.
        hop.sums[v] = hop.sums[v].wrapping_sub(count as u16);
        reached += count as usize;
    }
    reached
}
