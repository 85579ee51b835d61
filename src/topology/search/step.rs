//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

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

/// What a hop reads and writes: words by row, as many a row as `all` has, 2 or 4.
pub(super) struct Hop<'a> {
    /// The bits of all sources.
    pub all: &'a [u64],
    pub visited: &'a [u64],
    /// What is visited after the hop.
    pub next: &'a mut [u64],
    /// The plane of the next hop: the bit of what is still missing is turned over.
    pub plane: &'a mut [u64],
    /// What every row of the plane stands for as long as it holds nothing of these searches.
    pub fresh: Option<&'a [u64]>,
    /// What is missing counts one more.
    pub sums: &'a mut [u16],
}

/// Takes a hop. Returns how many pairs are still missing.
#[multiversion(targets("x86_64+avx512f+avx512vl+popcnt", "x86_64+avx2+popcnt", "aarch64+neon"))]
pub(super) fn step(rows: &Rows, left: Left, hop: Hop<'_>) -> usize {
    if hop.all.len() == 2 { hops::<2>(rows, left, hop) } else { hops::<4>(rows, left, hop) }
}

/// The neighbours of a row are read in groups whose length is known here: fewer instructions, so that more reads are
/// under way at once.
#[inline(always)]
fn hops<const W: usize>(rows: &Rows, left: Left, mut hop: Hop<'_>) -> usize {
    let left = match (left, rows.each) {
        (Left::Few, _) => pass::<W, 2, 0>(rows, &mut hop),
        (Left::Some, _) => pass::<W, 2, 1>(rows, &mut hop),
        (Left::Many, 2) => pass::<W, 2, ALL>(rows, &mut hop),
        (Left::Many, 6) => pass::<W, 6, ALL>(rows, &mut hop),
        (Left::Many, 8) => pass::<W, 8, ALL>(rows, &mut hop),
        (Left::Many, _) => pass::<W, 4, ALL>(rows, &mut hop),
    };
    left - more::<W>(&rows.more, &mut hop)
}

/// All groups of neighbours.
const ALL: usize = usize::MAX;

/// A row that is complete reads none of its groups of D neighbours but the first `SURE`. With all of them there are
/// few branches. Nothing but a count goes from row to row: the reads of many rows are under way at once.
#[inline(always)]
fn pass<const W: usize, const D: usize, const SURE: usize>(
    graph: &Rows,
    hop: &mut Hop<'_>,
) -> usize {
    let (visited, _) = hop.visited.as_chunks::<W>();
    let linked = graph.linked.as_chunks::<D>().0.chunks_exact(graph.each / D);
    let (next, _) = hop.next.as_chunks_mut::<W>();
    let (plane, _) = hop.plane.as_chunks_mut::<W>();
    let all: [u64; W] = std::array::from_fn(|w| hop.all[w]);
    let fresh = hop.fresh.map(|fresh| std::array::from_fn(|w| fresh[w]));
    let join = |set: [u64; W], u: &u32| {
        let with = &visited[*u as usize];
        std::array::from_fn(|w| set[w] | with[w])
    };
    let mut left = 0;
    let rows = visited.iter().zip(next).zip(plane).zip(&mut *hop.sums).zip(linked);
    for ((((before, next), plane), sum), linked) in rows {
        let mut now = *before;
        for (g, group) in linked.iter().enumerate() {
            if g >= SURE && now == all {
                break;
            }
            now = group.iter().fold(now, join);
        }
        *next = now;
        if SURE == ALL || now != all || fresh.is_some() {
            let missing: [u64; W] = std::array::from_fn(|w| all[w] & !now[w]);
            let count: u32 = missing.iter().map(|word| word.count_ones()).sum();
            let before = fresh.unwrap_or(*plane);
            *plane = std::array::from_fn(|w| before[w] ^ missing[w]);
            *sum = sum.wrapping_add(count as u16);
            left += count as usize;
        }
    }
    left
}

/// Follows the links that stand by themselves, after the pass. Returns how many pairs they reach that it did not.
#[inline(always)]
fn more<const W: usize>(links: &[(u32, u32)], hop: &mut Hop<'_>) -> usize {
    let (visited, _) = hop.visited.as_chunks::<W>();
    let (next, _) = hop.next.as_chunks_mut::<W>();
    let (plane, _) = hop.plane.as_chunks_mut::<W>();
    let mut reached = 0;
    for (v, u) in links {
        let v = *v as usize;
        let (from, now, plane) = (&visited[*u as usize], &mut next[v], &mut plane[v]);
        let mut count = 0;
        for w in 0..W {
            let new = from[w] & !now[w];
            now[w] |= new;
            plane[w] ^= new;
            count += new.count_ones();
        }
        hop.sums[v] = hop.sums[v].wrapping_sub(count as u16);
        reached += count as usize;
    }
    reached
}
