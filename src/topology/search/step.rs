//! One hop of the searches from up to 256 routers at once: a pass over all rows.

use multiversion::multiversion;

use crate::topology::graph::Rows;

/// Sources a batch.
pub const WIDTH: usize = 256;

/// One bit for each source of a batch.
pub type Bits = [u64; WIDTH / 64];

/// One bit for each source, within a line of the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Row(pub Bits);

/// No source.
pub(super) const EMPTY: Row = Row([0; WIDTH / 64]);

/// How a hop is taken.
pub(super) enum Way {
    /// All rows are read.
    All,
    /// Little is left: what is complete is skipped, and a row that becomes so reads no further neighbour.
    Last,
}

/// What a hop reads and writes, by row.
pub(super) struct Hop<'a> {
    /// The bits of all sources.
    pub all: &'a Row,
    pub visited: &'a [Row],
    /// What is visited after the hop.
    pub next: &'a mut [Row],
    /// The plane of the next hop: the bit of what is still missing is turned over.
    pub plane: &'a mut [Row],
    /// Whether the plane holds nothing of this batch yet.
    pub fresh: bool,
    /// What is missing counts one more.
    pub sums: &'a mut [u16],
}

/// Takes a hop. Returns how many pairs are still missing.
#[multiversion(targets("x86_64+avx512f+avx512vl+popcnt", "x86_64+avx2+popcnt", "aarch64+neon"))]
pub(super) fn step(rows: &Rows, way: Way, hop: Hop<'_>) -> usize {
    match way {
        Way::All => all_rows(rows, hop),
        Way::Last => last_rows(rows, hop),
    }
}

/// Few branches, and nothing but a count goes from row to row: the reads of many rows are under way at once.
#[inline(always)]
fn all_rows(graph: &Rows, hop: Hop<'_>) -> usize {
    let (visited, rows) = (hop.visited, hop.visited.len());
    let (next, plane, sums) =
        (&mut hop.next[..rows], &mut hop.plane[..rows], &mut hop.sums[..rows]);
    let mut left = 0;
    for v in 0..rows {
        let linked = graph.linked(v).iter();
        let now = linked.fold(visited[v], |now, u| join(now, &visited[*u as usize]));
        next[v] = now;
        left += miss(hop.all, now, hop.fresh, &mut plane[v], &mut sums[v]);
    }
    left
}

/// The same where nearly all rows are complete afterwards: the others alone change their planes and sums.
#[inline(always)]
fn last_rows(graph: &Rows, hop: Hop<'_>) -> usize {
    let (visited, rows, all) = (hop.visited, hop.visited.len(), *hop.all);
    let (next, plane, sums) =
        (&mut hop.next[..rows], &mut hop.plane[..rows], &mut hop.sums[..rows]);
    let mut left = 0;
    for v in 0..rows {
        let mut now = visited[v];
        if now != all {
            for u in graph.linked(v) {
                now = join(now, &visited[*u as usize]);
                if now == all {
                    break;
                }
            }
        }
        next[v] = now;
        if now != all || hop.fresh {
            left += miss(&all, now, hop.fresh, &mut plane[v], &mut sums[v]);
        }
    }
    left
}

#[inline(always)]
fn join(set: Row, with: &Row) -> Row {
    Row(std::array::from_fn(|w| set.0[w] | with.0[w]))
}

/// Notes what is missing of a row. Returns how much.
#[inline(always)]
fn miss(all: &Row, now: Row, fresh: bool, plane: &mut Row, sum: &mut u16) -> usize {
    let missing: Bits = std::array::from_fn(|w| all.0[w] & !now.0[w]);
    let count: u32 = missing.iter().map(|word| word.count_ones()).sum();
    if fresh {
        plane.0 = missing;
    } else {
        plane.0.iter_mut().zip(missing).for_each(|(bits, missing)| *bits ^= missing);
    }
    *sum = sum.wrapping_add(count as u16);
    count as usize
}
