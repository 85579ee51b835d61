//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

use crate::topology::graph::Rows;

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
pub(super) fn step(rows: &Rows, way: Way, hop: Hop<'_>) -> usize {
    match (hop.all.len(), way) {
        (2, Way::All) => pass::<2, false>(rows, hop),
        (2, Way::Last) => pass::<2, true>(rows, hop),
        (_, Way::All) => pass::<4, false>(rows, hop),
        (_, Way::Last) => pass::<4, true>(rows, hop),
    }
}

/// Few branches, and nothing but a count goes from row to row: the reads of many rows are under way at once. Where
/// little is left, two neighbours nearly always complete a row: it is asked only then.
#[inline(always)]
fn pass<const W: usize, const LAST: bool>(graph: &Rows, hop: Hop<'_>) -> usize {
    let (visited, _) = hop.visited.as_chunks::<W>();
    let (next, _) = hop.next.as_chunks_mut::<W>();
    let (plane, _) = hop.plane.as_chunks_mut::<W>();
    let rows = visited.len();
    let (next, plane, sums) = (&mut next[..rows], &mut plane[..rows], &mut hop.sums[..rows]);
    let all: [u64; W] = std::array::from_fn(|w| hop.all[w]);
    let fresh = hop.fresh.map(|fresh| std::array::from_fn(|w| fresh[w]));
    let join = |set: [u64; W], u: &u32| {
        let with = &visited[*u as usize];
        std::array::from_fn(|w| set[w] | with[w])
    };
    let mut left = 0;
    for v in 0..rows {
        let linked = graph.linked(v);
        let (some, others) = linked.split_at(if LAST { linked.len().min(2) } else { linked.len() });
        let mut now = some.iter().fold(visited[v], join);
        if LAST {
            for u in others {
                if now == all {
                    break;
                }
                now = join(now, u);
            }
        }
        next[v] = now;
        if !LAST || now != all || fresh.is_some() {
            let missing: [u64; W] = std::array::from_fn(|w| all[w] & !now[w]);
            let count: u32 = missing.iter().map(|word| word.count_ones()).sum();
            let before = fresh.unwrap_or(plane[v]);
            plane[v] = std::array::from_fn(|w| before[w] ^ missing[w]);
            sums[v] = sums[v].wrapping_add(count as u16);
            left += count as usize;
        }
    }
    left
}
