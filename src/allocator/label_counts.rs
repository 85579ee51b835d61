//! The free ranks of a machine counted by labels, where a distance is the number of labels that differ.

use crate::metric::rank_distances::RankDistances;
use crate::ranks::{FreeSet, Run};

/// The most labels of a router: there is a counter for every subset of them.
pub const MOST: usize = 4;

/// Counters of the values of a label take whole multiples of so many places.
pub const LANES: usize = 8;

/// Words of bits that there are at most.
const WORDS: u64 = 1 << 22;

/// The labels of a router; those beyond are 0.
pub type Labels = [u32; MOST];

/// Free ranks on one router: all of them where routers are whole, else one run.
#[derive(Clone, Copy)]
pub struct Spot {
    pub labels: Labels,
    /// The lowest, how many, and the first rank after the highest.
    pub first: u32,
    pub count: u32,
    pub end: u32,
}

/// A router with free ranks, and what is free around it.
#[derive(Clone, Copy, Default)]
pub struct Router {
    pub labels: Labels,
    /// Which of the spots holds its lowest free rank, and that.
    pub spot: usize,
    pub rank: u32,
    /// Its free ranks, and by label those on its line.
    pub own: u32,
    pub lines: [u32; MOST],
    /// By label, where its line begins in `along`.
    pub starts: [u32; MOST],
}

/// What stands around a router.
pub struct Around {
    /// Free ranks by hops.
    pub at: [u32; MOST + 1],
    /// By label: the squares of the free ranks of the routers on its line, summed.
    pub squares: [u64; MOST],
}

/// Free ranks by labels. A line is all routers that agree with one in every label but one; a row is a line of the last
/// label.
pub struct LabelCounts<'a> {
    /// How many values each label has, the places that these take, and how many all take.
    pub extents: Vec<u32>,
    pub places: Vec<usize>,
    pub values: usize,
    /// Where the values of each label begin among those of all.
    pub offsets: Vec<usize>,
    /// By subset of labels: what a step of each counts among the values of the subset, nothing for those not in it.
    strides: [Labels; 1 << MOST],
    /// The labels of every rank's router, and the first rank after it that is not on this router.
    labels: &'a [u32],
    ends: Vec<u32>,
    /// Whether the ranks of every router are one run.
    pub whole: bool,
    /// The free ranks, ascending.
    pub spots: Vec<Spot>,
    /// Rows with free ranks, by labels of which the last is 0.
    rows: Vec<Labels>,
    /// By subset of labels, but all: the free ranks by their values of these.
    agreeing: Vec<Vec<u32>>,
    /// By label, all routers, those of a line next to each other: the free ranks, and the router's lowest rank, free or
    /// not; and by line the squares of the free ranks, summed.
    along: Vec<Vec<u32>>,
    ranks: Vec<Vec<u32>>,
    squares: Vec<Vec<u64>>,
    /// As `along` by the last label, where ranks are free: the spot of the lowest.
    lowest: Vec<u32>,
    /// The most free ranks on a router.
    pub fullest: u32,
    /// Of every value of every label, a bit for each spot that has it.
    having: Vec<u64>,
    /// Words of such bits.
    pub words: usize,
}

impl<'a> LabelCounts<'a> {
    /// `None` where distances are another sum, or of too many labels or ranks.
    pub fn new(distances: &'a RankDistances) -> Option<Self> {
        let (extents, labels) = distances.differing_labels()?;
        let cells = extents.iter().try_fold(1u32, |cells, extent| cells.checked_mul(*extent))?;
        let values = extents.iter().map(|extent| u64::from(*extent)).sum::<u64>();
        let words = values.saturating_mul(distances.len().max(cells).div_ceil(64).into());
        if extents.is_empty() || extents.len() > MOST || words > WORDS {
            return None;
        }
        let routers = distances.routers();
        // Labels must tell routers apart.
        let mut of = vec![u32::MAX; cells as usize];
        for (labels, router) in labels.chunks(extents.len()).zip(routers) {
            let cell = labels.iter().zip(&extents).fold(0, |cell, (x, n)| cell * n + x);
            let there = &mut of[cell as usize];
            if *there != u32::MAX && there != router {
                return None;
            }
            *there = *router;
        }
        let mut ends = vec![distances.len(); routers.len()];
        for rank in (1..routers.len()).rev() {
            let same = routers[rank - 1] == routers[rank];
            ends[rank - 1] = if same { ends[rank] } else { rank as u32 };
        }
        let places: Vec<usize> =
            extents.iter().map(|extent| (*extent as usize).next_multiple_of(LANES)).collect();
        let (all, last) = ((1 << extents.len()) - 1, extents.len() - 1);
        let mut strides = [[0; MOST]; 1 << MOST];
        let mut sizes = vec![1; all + 1];
        for (subset, values) in sizes.iter_mut().enumerate() {
            for label in (0..=last).rev().filter(|i| subset >> i & 1 == 1) {
                strides[subset][label] = *values as u32;
                *values *= if label == last { places[label] } else { extents[label] as usize };
            }
        }
        let lines = || (0..=last).map(|label| sizes[all ^ 1 << label]);
        let along: Vec<_> = lines().zip(&places).map(|(n, places)| vec![0; n * places]).collect();
        let mut made = LabelCounts {
            values: places.iter().sum(),
            offsets: (0..=last).map(|label| places[..label].iter().sum()).collect(),
            strides,
            labels,
            ends,
            whole: true,
            spots: Vec::new(),
            rows: Vec::new(),
            agreeing: sizes[..all].iter().map(|values| vec![0; *values]).collect(),
            ranks: along.clone(),
            along,
            squares: lines().map(|lines| vec![0; lines]).collect(),
            lowest: vec![0; sizes[all]],
            fullest: 0,
            having: Vec::new(),
            words: 0,
            extents,
            places,
        };
        let mut seen = vec![false; sizes[all]];
        for rank in 0..distances.len() {
            if rank > 0 && made.ends[rank as usize - 1] != rank {
                continue;
            }
            let labels = made.labels_of(rank);
            made.whole &= !std::mem::replace(&mut seen[made.value(all, &labels)], true);
            for label in 0..=last {
                let cell = made.start(label, &labels) + labels[label] as usize;
                made.ranks[label][cell] = rank;
            }
        }
        Some(made)
    }

    /// The subset of all labels.
    fn all(&self) -> usize {
        (1 << self.extents.len()) - 1
    }

    /// Which of the values of a subset of the labels these are.
    #[inline]
    fn value(&self, subset: usize, labels: &Labels) -> usize {
        let terms = self.strides[subset].iter().zip(labels).map(|(stride, x)| stride * x);
        terms.sum::<u32>() as usize
    }

    /// The routers on a router's line of a label: free ranks, and lowest ranks, free or not.
    #[inline(always)]
    pub fn line(&self, label: usize, router: &Router) -> (&[u32], &[u32]) {
        let (start, places) = (router.starts[label] as usize, self.places[label]);
        (&self.along[label][start..][..places], &self.ranks[label][start..][..places])
    }

    /// Where the line of a label through a router begins in `along`.
    #[inline]
    fn start(&self, label: usize, labels: &Labels) -> usize {
        self.value(self.all() ^ 1 << label, labels) * self.places[label]
    }

    /// The labels of a rank's router.
    #[inline]
    fn labels_of(&self, rank: u32) -> Labels {
        let width = self.extents.len();
        let mut labels = [0; MOST];
        labels[..width].copy_from_slice(&self.labels[rank as usize * width..][..width]);
        labels
    }

    /// Takes over what is free. O(runs + rows·(2^labels + labels)·values of the last label).
    pub fn load(&mut self, free: &FreeSet) {
        self.clear();
        free.for_each_run(|run| {
            let mut first = run.first;
            while first < run.end() {
                let end = self.ends[first as usize].min(run.end());
                self.add(Run { first, count: end - first });
                first = end;
            }
        });
        self.tally();
        self.words = self.spots.len().div_ceil(64);
        self.having.clear();
        self.having.resize(self.values * self.words, 0);
        for (label, offset) in self.offsets.iter().enumerate() {
            let having = &mut self.having[offset * self.words..];
            for (i, spot) in self.spots.iter().enumerate() {
                having[spot.labels[label] as usize * self.words + i / 64] |= 1 << (i % 64);
            }
        }
    }

    /// Takes over a run, all but what is counted row by row.
    #[inline]
    fn add(&mut self, run: Run) {
        let labels = self.labels_of(run.first);
        let (last, all) = (self.extents.len() - 1, self.all());
        let cell = self.value(all, &labels);
        let here = self.along[last][cell] + run.count;
        self.along[last][cell] = here;
        self.fullest = self.fullest.max(here);
        if here == run.count {
            self.lowest[cell] = self.spots.len() as u32;
            let rows = all ^ 1 << last;
            let row = self.value(rows, &labels);
            let held = &mut self.agreeing[rows][row];
            if *held == 0 {
                let mut first = labels;
                first[last] = 0;
                self.rows.push(first);
            }
            *held += run.count;
        } else if self.whole
            && let Some(spot) = self.spots.last_mut()
        {
            (spot.count, spot.end) = (here, run.end());
            return;
        }
        self.spots.push(Spot { labels, first: run.first, count: run.count, end: run.end() });
    }

    /// Counts what agrees, and squares, row by row.
    fn tally(&mut self) {
        let (last, all) = (self.extents.len() - 1, self.all());
        let (rows, places) = (all ^ 1 << last, self.places[last]);
        for i in 0..self.rows.len() {
            let row = self.rows[i];
            let first = self.value(all, &row);
            let total = self.along[last][first..][..places].iter().sum::<u32>();
            self.agreeing[rows][first / places] = total;
            for subset in 0..rows {
                let (line, at) = (subset | 1 << last, self.value(subset, &row));
                self.agreeing[subset][at] += total;
                let at = self.value(line, &row);
                let own = &self.along[last][first..][..places];
                let sums = self.agreeing[line][at..].iter_mut().zip(own);
                sums.for_each(|(sum, own)| *sum += own);
            }
            for label in 0..last {
                let (line, step) = (self.value(all ^ 1 << label, &row), self.places[label]);
                let (before, own) = self.along.split_at_mut(last);
                let own = &own[0][first..][..places];
                let sums = self.squares[label][line..].iter_mut().zip(own);
                sums.for_each(|(sum, own)| *sum += u64::from(*own).pow(2));
                let cells = before[label][line * step + row[label] as usize..].iter_mut();
                cells.step_by(step).zip(own).for_each(|(cell, own)| *cell = *own);
            }
            let own = &self.along[last][first..][..places];
            self.squares[last][first / places] = own.iter().map(|own| u64::from(*own).pow(2)).sum();
        }
    }

    /// Counts nothing any more.
    fn clear(&mut self) {
        let (last, all) = (self.extents.len() - 1, self.all());
        let places = self.places[last];
        for i in 0..self.rows.len() {
            let row = self.rows[i];
            let first = self.value(all, &row);
            self.along[last][first..][..places].fill(0);
            for subset in 0..all {
                let at = self.value(subset, &row);
                let many = if subset >> last & 1 == 1 { places } else { 1 };
                self.agreeing[subset][at..][..many].fill(0);
            }
            for label in 0..last {
                let (line, step) = (self.value(all ^ 1 << label, &row), self.places[label]);
                self.squares[label][line..][..places].fill(0);
                let cells = self.along[label][line * step + row[label] as usize..].iter_mut();
                cells.step_by(step).take(places).for_each(|cell| *cell = 0);
            }
        }
        self.spots.clear();
        self.rows.clear();
        self.fullest = 0;
    }

    /// Visits every router that has free ranks, with what is around it. `W` is how many labels there are.
    /// O(2^labels) for each.
    #[inline]
    pub fn for_each_router<const W: usize>(&self, mut visit: impl FnMut(Router, Around)) {
        let (last, all) = (W - 1, (1 << W) - 1);
        let rows = all ^ 1 << last;
        for row in &self.rows {
            let first = self.start(last, row);
            let cells = || first..first + self.extents[last] as usize;
            // Ranks that agree in so many labels at least, counted once for each subset that they agree in: those that
            // all routers of the row have in common, and those by the last label.
            let mut alike = [0i64; MOST + 1];
            let mut by_last: [&[u32]; 1 << (MOST - 1)] = [&[]; 1 << (MOST - 1)];
            for subset in 0..=rows {
                let common = self.agreeing[subset][self.value(subset, row)];
                alike[subset.count_ones() as usize] += i64::from(common);
                let line = subset | 1 << last;
                by_last[subset] = match line == all {
                    true => &self.along[last][cells()],
                    false => &self.agreeing[line][self.value(line, row)..][..cells().len()],
                };
            }
            let mut lines = [0; MOST];
            let mut starts = [0; MOST];
            let mut squares = [0; MOST];
            let mut squares_by_last: [&[u64]; MOST] = [&[]; MOST];
            lines[last] = self.agreeing[rows][first / self.places[last]];
            starts[last] = first as u32;
            squares[last] = self.squares[last][first / self.places[last]];
            for label in 0..last {
                starts[label] = self.start(label, row) as u32;
                let line = self.value(all ^ 1 << label, row);
                squares_by_last[label] = &self.squares[label][line..][..cells().len()];
            }
            for x in 0..cells().len() {
                let own = by_last[rows][x];
                if own == 0 {
                    continue;
                }
                let mut agree = alike;
                for subset in 0..=rows {
                    agree[subset.count_ones() as usize + 1] += i64::from(by_last[subset][x]);
                }
                // From those, one by one from all labels down, how many agree in just so many.
                for exactly in (0..W).rev() {
                    let mut times = 1;
                    for more in exactly + 1..=W {
                        times = times * more as i64 / (more - exactly) as i64;
                        agree[exactly] -= times * agree[more];
                    }
                }
                let spot = self.lowest[first + x] as usize;
                let rank = self.spots[spot].first;
                let mut router = Router { labels: *row, spot, rank, own, lines, starts };
                router.labels[last] = x as u32;
                let mut around = Around { at: [0; MOST + 1], squares };
                for hops in 0..=W {
                    around.at[hops] = agree[W - hops] as u32;
                }
                for label in 0..last {
                    router.lines[label] = by_last[rows ^ 1 << label][x];
                    router.starts[label] += (x * self.places[label]) as u32;
                    around.squares[label] = squares_by_last[label][x];
                }
                visit(router, around);
            }
        }
    }

    /// Bits of how many labels 64 spots agree in with a centre.
    #[inline]
    pub fn agree(&self, word: usize, own: &Labels) -> [u64; 3] {
        let mut agree = [0u64; 3];
        for (offset, x) in self.offsets.iter().zip(own) {
            let mut carry = self.having[(offset + *x as usize) * self.words + word];
            for bit in &mut agree {
                (*bit, carry) = (*bit ^ carry, *bit & carry);
            }
        }
        agree
    }

    /// Which of 64 spots are `hops` away from the centre that these are the bits of.
    #[inline]
    pub fn away(&self, word: usize, agree: [u64; 3], hops: u32) -> u64 {
        let last = self.spots.len() - 64 * word;
        let mut spots = if last < 64 { (1 << last) - 1 } else { u64::MAX };
        let wanted = self.extents.len() as u64 - u64::from(hops);
        for (i, bit) in agree.iter().enumerate() {
            spots &= if wanted >> i & 1 == 1 { *bit } else { !*bit };
        }
        spots
    }
}
