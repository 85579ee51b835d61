//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

use crate::topology::graph::Linked;

/// How a hop is taken.
pub(super) enum Way {
    /// All that is linked to a row is read.
    All,
    /// Little is left: a row that is complete reads no further neighbour.
    Last,
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
pub(super) fn step(linked: &Linked, way: Way, hop: Hop<'_>) -> usize {
    if hop.all.len() == 2 { hops::<2>(linked, way, hop) } else { hops::<4>(linked, way, hop) }
}

/// Rows with as many neighbours each are read in groups whose length is known here: fewer instructions, so that more
/// reads are under way at once. Where little is left, a group of two nearly always completes a row.
#[inline(always)]
fn hops<const W: usize>(linked: &Linked, way: Way, hop: Hop<'_>) -> usize {
    match (linked, way) {
        (Linked::Even { each, rows }, Way::Last) => pass::<W, 2, true>(even(*each, rows), hop),
        (Linked::Even { each, rows }, Way::All) => match each {
            2 => pass::<W, 2, false>(even(2, rows), hop),
            4 => pass::<W, 4, false>(even(4, rows), hop),
            6 => pass::<W, 6, false>(even(6, rows), hop),
            8 => pass::<W, 8, false>(even(8, rows), hop),
            each => pass::<W, 4, false>(even(*each, rows), hop),
        },
        (Linked::Uneven { starts, rows }, Way::Last) => {
            pass::<W, 1, true>(uneven(starts, rows), hop)
        }
        (Linked::Uneven { starts, rows }, Way::All) => {
            pass::<W, 1, false>(uneven(starts, rows), hop)
        }
    }
}

/// The neighbours of each row in groups of D.
#[inline(always)]
fn even<const D: usize>(each: usize, rows: &[u32]) -> impl Iterator<Item = &[[u32; D]]> {
    rows.as_chunks::<D>().0.chunks_exact(each / D)
}

/// The neighbours of each row, one by one.
#[inline(always)]
fn uneven<'g>(starts: &'g [u32], rows: &'g [u32]) -> impl Iterator<Item = &'g [[u32; 1]]> {
    let row = |ends: &[u32]| rows[ends[0] as usize..ends[1] as usize].as_chunks::<1>().0;
    starts.windows(2).map(row)
}

/// Few branches, and nothing but a count goes from row to row: the reads of many rows are under way at once.
#[inline(always)]
fn pass<'g, const W: usize, const D: usize, const LAST: bool>(
    linked: impl Iterator<Item = &'g [[u32; D]]>,
    hop: Hop<'_>,
) -> usize {
    let (visited, _) = hop.visited.as_chunks::<W>();
    let (next, _) = hop.next.as_chunks_mut::<W>();
    let (plane, _) = hop.plane.as_chunks_mut::<W>();
    let all: [u64; W] = std::array::from_fn(|w| hop.all[w]);
    let fresh = hop.fresh.map(|fresh| std::array::from_fn(|w| fresh[w]));
    let join = |set: [u64; W], u: &u32| {
        let with = &visited[*u as usize];
        std::array::from_fn(|w| set[w] | with[w])
    };
    let mut left = 0;
    let rows = visited.iter().zip(next).zip(plane).zip(hop.sums).zip(linked);
    for ((((before, next), plane), sum), linked) in rows {
        let mut now = *before;
        for group in linked {
            now = group.iter().fold(now, join);
            if LAST && now == all {
                break;
            }
        }
        *next = now;
        if !LAST || now != all || fresh.is_some() {
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
