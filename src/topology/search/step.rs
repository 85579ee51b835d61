//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

use super::sets::{Bits, join};
use crate::topology::graph::Rows;

/// How many pairs are left before a hop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Many: all that is linked to a row is read.
    Many,
    /// Some: two neighbours nearly always complete a row, which is asked only then.
    Some,
    /// Few: nearly all rows are complete, and read nothing.
    Few,
}

impl Left {
    /// `left` of all `pairs` of sources and rows.
    pub fn of(left: usize, rows: usize, pairs: usize) -> Self {
        if 4 * left < rows {
            Left::Few
        } else if 16 * left < pairs {
            Left::Some
        } else {
            Left::Many
        }
    }
}

/// What a hop reads and writes, by row.
pub(super) struct Hop<'a> {
    /// The bits of all sources.
    pub all: &'a Bits,
    pub visited: &'a [Bits],
    /// What is visited after the hop.
    pub next: &'a mut [Bits],
    /// A plane where the bit of what is still missing is turned over.
    pub plane: &'a mut [Bits],
    /// Whether `next` is kept instead. Then the plane is any set, and stays as it is.
    pub fresh: bool,
    /// What is missing counts one more.
    pub sums: &'a mut [u16],
}

/// Takes a hop. Returns how many pairs are still missing. The neighbours of a row are read in groups whose length is
/// known here: fewer instructions, so that more reads are under way at once.
#[multiversion(targets("x86_64+avx512f+avx512vl+popcnt", "x86_64+avx2+popcnt", "aarch64+neon"))]
pub(super) fn step(rows: &Rows, left: Left, mut hop: Hop<'_>) -> usize {
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

/// All groups of neighbours.
const ALL: usize = usize::MAX;

/// A row that is complete reads none of its groups of D neighbours but the first `SURE`. With all of them there are
/// few branches. Nothing but a count goes from row to row: the reads of many rows are under way at once.
#[inline(always)]
fn pass<const D: usize, const SURE: usize>(graph: &Rows, hop: &mut Hop<'_>) -> usize {
    let (visited, all, fresh) = (hop.visited, *hop.all, hop.fresh);
    let linked = graph.linked.as_chunks::<D>().0.chunks_exact(graph.each / D);
    let next_and_plane = hop.next.iter_mut().zip(&mut *hop.plane);
    let rows = visited.iter().zip(next_and_plane).zip(&mut *hop.sums).zip(linked);
    let mut left = 0;
    for (((before, (next, plane)), sum), linked) in rows {
        let mut now = *before;
        for (g, group) in linked.iter().enumerate() {
            if g >= SURE && now == all {
                break;
            }
            now = group.iter().fold(now, |now, u| join(&now, &visited[*u as usize], |a, b| a | b));
        }
        *next = now;
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

/// Follows the links that stand by themselves, after the pass. Returns how many pairs they reach that it did not.
#[inline(always)]
fn more(links: &[(u32, u32)], hop: &mut Hop<'_>) -> usize {
    let mut reached = 0;
    for (v, u) in links {
        let v = *v as usize;
        let (from, now) = (&hop.visited[*u as usize], &mut hop.next[v]);
        let new = join(from, now, |from, now| from & !now);
        *now = join(now, &new, |now, new| now | new);
        if !hop.fresh {
            hop.plane[v] = join(&hop.plane[v], &new, |plane, new| plane ^ new);
        }
        let count: u32 = new.iter().map(|word| word.count_ones()).sum();
        hop.sums[v] = hop.sums[v].wrapping_sub(count as u16);
        reached += count as usize;
    }
    reached
}
