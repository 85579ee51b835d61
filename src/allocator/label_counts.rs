//! The free ranks of a machine counted by labels, where a distance is the number of labels that differ.

use crate::metric::rank_distances::RankDistances;
use crate::ranks::{FreeSet, Run};

/// The most labels of a router: there is a counter for every subset of them.
pub const MOST: usize = 4;

/// Words of bits that there are at most.
const WORDS: u64 = 1 << 22;

/// The labels of a router; those beyond are 0.
pub type Labels = [u32; MOST];

/// Free ranks by labels. A line is all routers that agree with one in every label but one.
pub struct LabelCounts<'a> {
    distances: &'a RankDistances,
    /// How many values each label has, and all of them.
    pub extents: Vec<u32>,
    pub values: usize,
    /// Where the values of each label begin among those of all.
    pub offsets: Vec<usize>,
    /// By subset of labels: what a step of each counts among the values of the subset, nothing for those not in it.
    strides: [Labels; 1 << MOST],
    /// Of every rank the first rank after it that is not on its router.
    ends: Vec<u32>,
    /// Free ranks in runs on one router each, ascending, with the labels of that.
    pub runs: Vec<(Run, Labels)>,
    /// The lowest free rank of every router that has one, with its labels.
    pub routers: Vec<(u32, Labels)>,
    /// By subset of labels: the free ranks by their values of these.
    pub agreeing: Vec<Vec<u32>>,
    /// By label: the free ranks of all routers, those of a line next to each other, and the sum of their squares by line.
    pub along: Vec<Vec<u32>>,
    pub squares: Vec<Vec<u64>>,
    /// As `along`: in which 64 runs the router's last one is.
    pub blocks: Vec<Vec<u32>>,
    /// Whether every router has one run.
    pub single: bool,
    /// The most free ranks on a router.
    pub fullest: u32,
    /// Of every value of every label, a bit for each run that has it.
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
        let mut made = LabelCounts {
            distances,
            offsets: Vec::new(),
            strides: [[0; MOST]; 1 << MOST],
            ends,
            runs: Vec::new(),
            agreeing: Vec::new(),
            along: vec![vec![0; cells as usize]; extents.len()],
            squares: Vec::new(),
            blocks: vec![vec![0; cells as usize]; extents.len()],
            single: true,
            fullest: 0,
            having: Vec::new(),
            words: 0,
            routers: Vec::new(),
            values: values as usize,
            extents,
        };
        for subset in 0..1 << made.extents.len() {
            let mut values = 1;
            for label in (0..made.extents.len()).rev().filter(|i| subset >> i & 1 == 1) {
                made.strides[subset][label] = values;
                values *= made.extents[label];
            }
            made.agreeing.push(vec![0; values as usize]);
        }
        for label in 0..made.extents.len() {
            made.squares.push(vec![0; made.agreeing[made.all() ^ 1 << label].len()]);
            let before = made.extents[..label].iter().sum::<u32>();
            made.offsets.push(before as usize);
        }
        Some(made)
    }

    /// The subset of all labels.
    pub fn all(&self) -> usize {
        (1 << self.extents.len()) - 1
    }

    /// Which of the values of a subset of the labels these are.
    #[inline]
    pub fn value(&self, subset: usize, labels: &Labels) -> usize {
        let terms = self.strides[subset].iter().zip(labels).map(|(stride, x)| stride * x);
        terms.sum::<u32>() as usize
    }

    /// Takes over what is free. O(runs·(2^labels + labels)).
    pub fn load(&mut self, free: &FreeSet) {
        let runs = std::mem::take(&mut self.runs);
        runs.iter().for_each(|(_, labels)| self.clear(labels));
        self.runs = runs;
        self.runs.clear();
        self.routers.clear();
        self.fullest = 0;
        self.single = true;
        let Some((_, labels)) = self.distances.differing_labels() else { return };
        free.for_each_run(|run| {
            let mut first = run.first;
            while first < run.end() {
                let end = self.ends[first as usize].min(run.end());
                let mut of = [0; MOST];
                let width = self.extents.len();
                of[..width].copy_from_slice(&labels[first as usize * width..][..width]);
                self.add(Run { first, count: end - first }, of);
                self.runs.push((Run { first, count: end - first }, of));
                first = end;
            }
        });
        self.words = self.runs.len().div_ceil(64);
        self.having.clear();
        self.having.resize(self.values * self.words, 0);
        for (i, (_, labels)) in self.runs.iter().enumerate() {
            for (offset, x) in self.offsets.iter().zip(labels) {
                self.having[(offset + *x as usize) * self.words + i / 64] |= 1 << (i % 64);
            }
        }
    }

    fn clear(&mut self, labels: &Labels) {
        for subset in 0..=self.all() {
            let value = self.value(subset, labels);
            self.agreeing[subset][value] = 0;
        }
        for label in 0..self.extents.len() {
            let line = self.value(self.all() ^ 1 << label, labels);
            self.squares[label][line] = 0;
            let cell = line * self.extents[label] as usize + labels[label] as usize;
            self.along[label][cell] = 0;
            self.blocks[label][cell] = 0;
        }
    }

    fn add(&mut self, run: Run, labels: Labels) {
        let count = run.count;
        let cell = self.value(self.all(), &labels);
        let here = self.agreeing[self.all()][cell];
        self.single &= here == 0;
        if here == 0 {
            self.routers.push((run.first, labels));
        }
        self.fullest = self.fullest.max(here + count);
        for subset in 0..=self.all() {
            let value = self.value(subset, &labels);
            self.agreeing[subset][value] += count;
        }
        for label in 0..self.extents.len() {
            let line = self.value(self.all() ^ 1 << label, &labels);
            self.squares[label][line] += u64::from(count) * u64::from(2 * here + count);
            let cell = line * self.extents[label] as usize + labels[label] as usize;
            self.along[label][cell] += count;
            self.blocks[label][cell] = self.runs.len() as u32 / 64;
        }
    }

    /// Bits of how many labels 64 runs agree in with a centre.
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

    /// Which of 64 runs are `hops` away from the centre that these are the bits of.
    #[inline]
    pub fn away(&self, word: usize, agree: [u64; 3], hops: u32) -> u64 {
        let last = self.runs.len() - 64 * word;
        let mut runs = if last < 64 { (1 << last) - 1 } else { u64::MAX };
        let wanted = self.extents.len() as u64 - u64::from(hops);
        for (i, bit) in agree.iter().enumerate() {
            runs &= if wanted >> i & 1 == 1 { *bit } else { !*bit };
        }
        runs
    }
}
