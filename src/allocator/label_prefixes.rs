//! Counts of the first free ranks by two labels at once, for sums over what a cut through a shell leaves.

use multiversion::multiversion;

use super::label_counts::{LabelCounts, MOST, Router};

/// Spots of a block, at least and at most; counters up to which, and spots from which on, prefixes are counted.
const SHORT: usize = 16;
const LONG: usize = 64;
const COUNTERS: usize = 1 << 19;
const FEW: usize = 16;

/// For every beginning of the list of spots that is whole blocks long, and every two values of labels: the free ranks on
/// routers that have both; and for every value those that have it. For three labels and routers whose ranks are one run.
/// They are counted as far as asked for.
#[derive(Default)]
pub struct LabelPrefixes {
    /// Whether there are any.
    pub loaded: bool,
    /// Places of the values of all labels.
    values: usize,
    /// Spots of a block; how many blocks there are, and are counted.
    block: usize,
    blocks: usize,
    counted: usize,
    /// By block and value, and once more for all: the ranks by value.
    table: Vec<u32>,
    /// Ranks by block.
    totals: Vec<u32>,
    /// By hops: how many blocks were whole in the shell that was cut last.
    before: [usize; MOST],
    /// Ranks of a set by value.
    counts: Vec<u32>,
}

impl LabelPrefixes {
    /// Prepares for what is free, with blocks as short as memory allows.
    pub fn load(&mut self, free: &LabelCounts) {
        let spots = free.spots.len();
        self.values = free.values;
        let size = self.size();
        let fits = |block: &usize| size.saturating_mul(spots.div_ceil(*block) + 1) <= COUNTERS;
        let block = [SHORT, 2 * SHORT, LONG].into_iter().find(fits);
        self.loaded = free.whole && free.extents.len() == 3 && spots > FEW && block.is_some();
        if !self.loaded {
            return;
        }
        self.block = block.unwrap_or(LONG);
        self.blocks = spots.div_ceil(self.block);
        self.counted = 0;
        self.before = [0; MOST];
        self.table.clear();
        self.table.resize(size, 0);
        self.totals.clear();
        self.totals.push(0);
        self.counts.resize(self.values, 0);
    }

    /// Counters of a block.
    fn size(&self) -> usize {
        (self.values + 1) * self.values
    }

    /// Counts so many blocks at least. O(spots·labels² + counters) for those that are new.
    #[inline]
    fn count(&mut self, blocks: usize, free: &LabelCounts) {
        while self.counted < blocks {
            self.add(free);
        }
    }

    fn add(&mut self, free: &LabelCounts) {
        let (size, first) = (self.size(), self.block * self.counted);
        self.table.extend_from_within(self.counted * size..);
        self.counted += 1;
        let table = &mut self.table[self.counted * size..];
        let mut total = self.totals[self.counted - 1];
        for spot in &free.spots[first..free.spots.len().min(first + self.block)] {
            let of = || free.offsets.iter().zip(spot.labels).map(|(at, x)| at + x as usize);
            for x in of().chain([self.values]) {
                let row = &mut table[x * self.values..][..self.values];
                of().for_each(|y| row[y] += spot.count);
            }
            total += spot.count;
        }
        self.totals.push(total);
    }

    #[inline]
    fn table(&self, blocks: usize) -> &[u32] {
        let size = self.size();
        &self.table[blocks * size..][..size]
    }

    /// The sum of distances in the set of a centre whose farthest ranks are two hops away, or three (not `SECOND`): all that
    /// is nearer, and the `missing` lowest ranks just so far; `count` in all. O(values + blocks + spots of a block).
    ///
    /// A plane of the centre is all routers that agree with it in a given label, a line those that do in two. Those that
    /// agree in exactly one are its planes, less its lines twice, and itself three times over; those that agree in none
    /// are all, less its planes, and its lines over, less itself. So what the last shell holds in whole blocks is known
    /// without a look at its ranks; the block in which it ends is taken spot by spot.
    ///
    /// Of n ranks `c[v]` have value v of a label: (n² - Σ `c[v]²`)/2 pairs differ in it. Let v be another value than
    /// the centre's. Of the routers that have it, those on just one of the centre's two planes of other labels are two
    /// hops away, and the one on both, on a line, is one hop away and in the set in any block. With two hops,
    /// `c[v]` is what whole blocks have on both planes, less twice the router on the line if it is in
    /// these, and that router once. With three hops, it is all that whole blocks have, and what both planes have after
    /// them, less the router on the line if it is there. The centre's own value belongs to its plane of that label:
    /// with two hops, to the two lines on it and to what is in one plane only; with three, all of it.
    pub fn sum<const SECOND: bool>(
        &mut self,
        free: &LabelCounts,
        router: &Router,
        missing: u32,
        count: u32,
    ) -> u64 {
        let n = self.values;
        let own = &router.labels;
        let offsets = [0, free.offsets[1], free.offsets[2]];
        let [a, b, c] =
            [own[0] as usize, offsets[1] + own[1] as usize, offsets[2] + own[2] as usize];
        if !SECOND {
            self.count(self.blocks, free);
        }
        // Whole blocks that the last shell takes: seldom far from those of the centre before.
        let (hops, at) = (if SECOND { 2 } else { 3 }, [a, b, c]);
        let mut block = self.before[hops];
        let mut cut = self.cut::<SECOND>(block, router, at);
        while cut.shell > missing {
            block -= 1;
            cut = self.cut::<SECOND>(block, router, at);
        }
        while cut.shell < missing {
            self.count(block + 1, free);
            let more = self.cut::<SECOND>(block + 1, router, at);
            if more.shell > missing {
                break;
            }
            (block, cut) = (block + 1, more);
        }
        self.before[hops] = block;
        // What it takes of the next one.
        self.counts.fill(0);
        let (first, mut left) = (block * self.block, missing - cut.shell);
        if left > 0 {
            let (word, bit) = (first / 64, first % 64);
            let mut bits = free.away(word, free.agree(word, own), hops as u32) >> bit;
            bits &= u64::MAX >> (64 - self.block);
            while bits != 0 && left > 0 {
                let spot = &free.spots[first + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                let taken = spot.count.min(left);
                left -= taken;
                let [x, y, z, _] = spot.labels.map(|x| x as usize);
                self.counts[x] += taken;
                self.counts[offsets[1] + y] += taken;
                self.counts[offsets[2] + z] += taken;
            }
        }
        let lines = Lines {
            cells: [free.line(0, router), free.line(1, router), free.line(2, router)],
            offsets,
            end: if block == 0 { 0 } else { free.spots[first.min(free.spots.len()) - 1].end },
        };
        let rows = |table| planes(table, n, at);
        let size = self.size();
        let table = &self.table[block * size..][..size];
        let counts = &mut self.counts[..n];
        let (mut same, planes);
        if SECOND {
            let [x, y, z, u, v, w] = cut.agreeing;
            let [p, q, r, _] = router.lines;
            planes = [
                counts[a] + q + r + x + cut.itself - router.own - v - w,
                counts[b] + p + r + y + cut.itself - router.own - u - w,
                counts[c] + p + q + z + cut.itself - router.own - u - v,
            ];
            same = within(counts, rows(table), &lines);
        } else {
            let all = &self.table[self.blocks * size..][..size];
            planes = [all[a * n + a], all[b * n + b], all[c * n + c]];
            same = beyond(counts, rows(table), rows(all), &table[n * n..], &lines);
        }
        for (at, plane) in at.into_iter().zip(planes) {
            let here = u64::from(counts[at]);
            same = same.wrapping_sub(here.wrapping_mul(here)).wrapping_add(u64::from(plane).pow(2));
        }
        (3 * u64::from(count).pow(2) - same) / 2
    }

    #[inline(always)]
    fn cut<const SECOND: bool>(
        &self,
        blocks: usize,
        router: &Router,
        [a, b, c]: [usize; 3],
    ) -> Cut {
        let (table, n) = (self.table(blocks), self.values);
        let [x, y, z] = [table[a * n + a], table[b * n + b], table[c * n + c]];
        let [u, v, w] = [table[b * n + c], table[c * n + a], table[a * n + b]];
        let itself = if router.spot < blocks * self.block { router.own } else { 0 };
        let (planes, lines) = (x + y + z, u + v + w);
        let shell = match SECOND {
            true => planes + 3 * itself - 2 * lines,
            false => self.totals[blocks] + lines - planes - itself,
        };
        Cut { agreeing: [x, y, z, u, v, w], itself, shell }
    }
}

/// What is free in whole blocks around a centre.
struct Cut {
    /// On its planes; on its lines; on itself.
    agreeing: [u32; 6],
    itself: u32,
    /// In its last shell.
    shell: u32,
}

/// The lines of a centre.
struct Lines<'a> {
    /// Their routers' free ranks, and lowest ranks.
    cells: [(&'a [u32], &'a [u32]); 3],
    offsets: [usize; 3],
    /// The first rank after the blocks that are taken in whole.
    end: u32,
}

/// The rows of a centre's planes.
#[inline(always)]
fn planes(table: &[u32], n: usize, [a, b, c]: [usize; 3]) -> [&[u32]; 3] {
    [&table[a * n..][..n], &table[b * n..][..n], &table[c * n..][..n]]
}

/// Adds what is at most two hops away in whole blocks and all lines, and returns the sum of squares. What the centre's
/// own values get means nothing, here and in the next function: additions are modulo 2³².
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn within(counts: &mut [u32], [a, b, c]: [&[u32]; 3], lines: &Lines) -> u64 {
    for (((count, a), b), c) in counts.iter_mut().zip(a).zip(b).zip(c) {
        *count = count.wrapping_add(a.wrapping_add(*b).wrapping_add(*c));
    }
    on_lines(counts, lines, [u32::MAX, 1])
}

/// As [`within`], with what is three hops away in whole blocks, and all that is less.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn beyond(
    counts: &mut [u32],
    [a, b, c]: [&[u32]; 3],
    [x, y, z]: [&[u32]; 3],
    every: &[u32],
    lines: &Lines,
) -> u64 {
    for (((count, a), b), c) in counts.iter_mut().zip(a).zip(b).zip(c) {
        *count = count.wrapping_sub(a.wrapping_add(*b).wrapping_add(*c));
    }
    for ((((count, x), y), z), every) in counts.iter_mut().zip(x).zip(y).zip(z).zip(every) {
        *count = count.wrapping_add(x.wrapping_add(*y).wrapping_add(z.wrapping_add(*every)));
    }
    on_lines(counts, lines, [0, u32::MAX])
}

/// Adds the lines, so many times where they are in whole blocks and after them.
#[inline(always)]
fn on_lines(counts: &mut [u32], lines: &Lines, [before, after]: [u32; 2]) -> u64 {
    for ((cells, ranks), offset) in lines.cells.iter().zip(lines.offsets) {
        for ((count, cell), rank) in counts[offset..].iter_mut().zip(*cells).zip(*ranks) {
            let times = if *rank < lines.end { before } else { after };
            *count = count.wrapping_add(cell.wrapping_mul(times));
        }
    }
    let squares = counts.iter().map(|count| u64::from(*count) * u64::from(*count));
    squares.fold(0, u64::wrapping_add)
}
