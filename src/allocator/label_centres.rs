//! The best centre where a distance is the number of labels that differ.

use super::{Allocator, Choice};
use crate::metric::rank_distances::RankDistances;
use crate::ranks::{FreeSet, Ranks, Run};

/// The most labels of a router: there is a counter for every subset of them.
const MOST: usize = 4;

/// Words of bits that there are at most.
const WORDS: u64 = 1 << 22;

type Labels = [u32; MOST];

/// The set that `gen-alg` chooses, found from counts by label: HyperX, the best case of a Cascade.
///
/// A line is all routers that agree with one in every label but one. What is at most one hop from a centre is on its
/// lines, and the sum of distances there has a closed form; what the job needs beyond that is added run by run,
/// until it is proved that another centre is better.
pub struct LabelCentres<'a> {
    distances: &'a RankDistances,
    extents: Vec<u32>,
    /// Where the counters of each label begin among those of all.
    offsets: Vec<usize>,
    /// Of every rank the first rank after it that is not on its router.
    ends: Vec<u32>,
    /// Free ranks in runs on one router each, ascending, with the labels of that.
    runs: Vec<(Run, Labels)>,
    /// By subset of labels: the free ranks by their values of these.
    agreeing: Vec<Vec<u32>>,
    /// By label: the free ranks of all routers, those of a line next to each other, and the sum of their squares by line.
    along: Vec<Vec<u32>>,
    squares: Vec<Vec<u64>>,
    /// The most free ranks on a router.
    fullest: u32,
    /// Of every value of every label, a bit for each run that has it.
    having: Vec<u64>,
    words: usize,
    centres: Vec<Centre>,
    /// Of what is gathered, by value of each label.
    counts: Vec<u32>,
}

/// A router as a centre, by the lowest of its free ranks.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Centre {
    /// What the sum of its set cannot be below.
    floor: u64,
    rank: u32,
    labels: Labels,
    /// How far its n-th nearest rank is, and how many are taken there.
    farthest: u32,
    missing: u32,
    /// How many are in the ball that is counted in closed form, the sum of their distances, and what each of the others
    /// adds to it at least.
    ball: u32,
    inside: u64,
    cross: u64,
}

impl<'a> LabelCentres<'a> {
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
        let mut made = LabelCentres {
            distances,
            offsets: Vec::new(),
            ends,
            runs: Vec::new(),
            agreeing: Vec::new(),
            along: vec![vec![0; cells as usize]; extents.len()],
            squares: Vec::new(),
            fullest: 0,
            having: Vec::new(),
            words: 0,
            centres: Vec::new(),
            counts: vec![0; extents.iter().sum::<u32>() as usize],
            extents,
        };
        for subset in 0..1 << made.extents.len() {
            made.agreeing.push(vec![0; made.values(subset)]);
        }
        for label in 0..made.extents.len() {
            made.squares.push(vec![0; made.values(made.all() ^ 1 << label)]);
            let before = made.extents[..label].iter().sum::<u32>();
            made.offsets.push(before as usize);
        }
        Some(made)
    }

    /// The subset of all labels.
    fn all(&self) -> usize {
        (1 << self.extents.len()) - 1
    }

    /// How many values a subset of the labels has.
    fn values(&self, subset: usize) -> usize {
        let within = self.extents.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
        within.map(|(_, extent)| *extent as usize).product()
    }

    /// Which of the values of a subset of the labels these are.
    fn value(&self, subset: usize, labels: &Labels) -> usize {
        let within = self.extents.iter().zip(labels).enumerate();
        within.fold(0, |value, (i, (extent, x))| {
            if subset >> i & 1 == 1 { value * *extent as usize + *x as usize } else { value }
        })
    }

    /// Takes over what is free. O(runs·(2^labels + labels)).
    fn load(&mut self, free: &FreeSet) {
        let runs = std::mem::take(&mut self.runs);
        runs.iter().for_each(|(_, labels)| self.clear(labels));
        self.runs = runs;
        self.runs.clear();
        self.centres.clear();
        self.fullest = 0;
        let Some((_, labels)) = self.distances.differing_labels() else { return };
        free.for_each_run(|run| {
            let mut first = run.first;
            while first < run.end() {
                let end = self.ends[first as usize].min(run.end());
                let mut of = [0; MOST];
                let width = self.extents.len();
                of[..width].copy_from_slice(&labels[first as usize * width..][..width]);
                self.runs.push((Run { first, count: end - first }, of));
                self.add(Run { first, count: end - first }, of);
                first = end;
            }
        });
        self.words = self.runs.len().div_ceil(64);
        self.having.clear();
        self.having.resize(self.counts.len() * self.words, 0);
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
            self.along[label][line * self.extents[label] as usize + labels[label] as usize] = 0;
        }
    }

    fn add(&mut self, run: Run, labels: Labels) {
        let count = run.count;
        let cell = self.value(self.all(), &labels);
        let here = self.agreeing[self.all()][cell];
        if here == 0 {
            self.centres.push(Centre { rank: run.first, labels, ..Centre::default() });
        }
        self.fullest = self.fullest.max(here + count);
        for subset in 0..=self.all() {
            let value = self.value(subset, &labels);
            self.agreeing[subset][value] += count;
        }
        for label in 0..self.extents.len() {
            let line = self.value(self.all() ^ 1 << label, &labels);
            self.squares[label][line] += u64::from(count) * u64::from(2 * here + count);
            self.along[label][line * self.extents[label] as usize + labels[label] as usize] +=
                count;
        }
    }

    /// Finds out how far a centre's set goes, and its floor. O(2^labels).
    fn measure(&self, centre: &mut Centre, count: u32) {
        let (width, all, labels) = (self.extents.len(), self.all(), &centre.labels);
        // Ranks that agree in so many labels at least, counted once for each subset that they agree in.
        let mut agree = [0i64; MOST + 1];
        for subset in 0..=all {
            let here = self.agreeing[subset][self.value(subset, labels)];
            agree[subset.count_ones() as usize] += i64::from(here);
        }
        let own = self.agreeing[all][self.value(all, labels)];
        // From those, one by one from all labels down, how many agree in just so many.
        for exactly in (0..width).rev() {
            let mut times = 1;
            for more in exactly + 1..=width {
                times = times * more as i64 / (more - exactly) as i64;
                agree[exactly] -= times * agree[more];
            }
        }
        let at = |hops: u32| agree[width - hops as usize] as u32;
        let (mut farthest, mut within) = (0, at(0));
        while within < count && (farthest as usize) < width {
            farthest += 1;
            within += at(farthest);
        }
        centre.farthest = farthest;
        centre.missing = count - (within - at(farthest));
        (centre.ball, centre.inside, centre.cross) = (own, 0, own.into());
        if farthest == 0 {
            centre.floor = 0;
            return;
        }
        let mut floor = 0;
        if farthest > 1 {
            // All on the lines.
            let mut lines = [u64::MAX; MOST];
            let mut same = 0;
            let ball = at(0) + at(1);
            for label in 0..width {
                let line = self.value(all ^ 1 << label, labels);
                let others = self.agreeing[all ^ 1 << label][line] - own;
                let agreeing = u64::from(ball - others).pow(2);
                same += self.squares[label][line] - u64::from(own).pow(2) + agreeing;
                lines[label] = others.into();
            }
            lines.sort_unstable();
            centre.inside = (width as u64 * u64::from(ball).pow(2) - same) / 2;
            // One that is h hops away differs from all but one router's on h lines, and from the line's in the other labels.
            let apart = u64::from(ball.saturating_sub(self.fullest));
            let cross = |hops: u32| {
                u64::from(hops) * apart + lines[..width - hops as usize].iter().sum::<u64>()
            };
            let before = (2..farthest).map(|hops| u64::from(at(hops)) * cross(hops)).sum::<u64>();
            floor = before + u64::from(centre.missing) * cross(farthest);
            centre.cross = (2..=farthest).map(cross).min().unwrap_or(0);
            centre.ball = ball;
        } else {
            floor += u64::from(centre.missing) * centre.cross;
        }
        floor += centre.inside + self.distances.floor(count - centre.ball);
        centre.floor = floor;
    }

    /// The sum of distances in a centre's set; `None` where it is proved first that it is more than that of `best`, or
    /// as much with a centre no lower.
    fn sum(&mut self, centre: &Centre, count: u32, best: (u64, u32)) -> Option<u64> {
        if centre.farthest == 0 {
            return Some(0);
        }
        let (width, all, own) = (self.extents.len(), self.all(), &centre.labels);
        let radius = u32::from(centre.farthest > 1);
        self.counts.fill(0);
        for (label, x) in own[..width].iter().enumerate() {
            let (offset, extent) = (self.offsets[label], self.extents[label] as usize);
            let mut agreeing = centre.ball;
            if radius == 1 {
                let line = self.value(all ^ 1 << label, own);
                let cells = &self.along[label][line * extent..][..extent];
                self.counts[offset..][..extent].copy_from_slice(cells);
                agreeing -= cells.iter().sum::<u32>() - cells[*x as usize];
            }
            self.counts[offset + *x as usize] = agreeing;
        }
        let (mut sum, mut held, mut missing) = (centre.inside, centre.ball, centre.missing);
        for word in 0..self.words {
            // Bits of how many labels the runs agree in with the centre.
            let mut agree = [0u64; 3];
            for (offset, x) in self.offsets.iter().zip(own) {
                let mut carry = self.having[(offset + *x as usize) * self.words + word];
                for bit in &mut agree {
                    (*bit, carry) = (*bit ^ carry, *bit & carry);
                }
            }
            let away = |hops: u32| {
                let wanted = width as u64 - u64::from(hops);
                let mut runs = u64::MAX;
                for (i, bit) in agree.iter().enumerate() {
                    runs &= if wanted >> i & 1 == 1 { *bit } else { !*bit };
                }
                runs
            };
            let last = self.runs.len() - 64 * word;
            let there = if last < 64 { (1 << last) - 1 } else { u64::MAX };
            let inner = (radius + 1..centre.farthest).fold(0, |runs, hops| runs | away(hops));
            let shell = if missing > 0 { away(centre.farthest) & there } else { 0 };
            let mut bits = inner & there | shell;
            while bits != 0 {
                let (run, labels) = &self.runs[64 * word + bits.trailing_zeros() as usize];
                let mut taken = run.count;
                if bits & bits.wrapping_neg() & shell != 0 {
                    taken = taken.min(missing);
                    missing -= taken;
                }
                bits &= bits - 1;
                if missing == 0 {
                    bits &= inner;
                }
                let mut same = 0u64;
                for (offset, x) in self.offsets.iter().zip(labels) {
                    let count = &mut self.counts[offset + *x as usize];
                    same += u64::from(*count);
                    *count += taken;
                }
                sum += u64::from(taken) * (width as u64 * u64::from(held) - same);
                held += taken;
            }
            if held == count {
                break;
            }
            // Those to come are away from the ball, from all gathered on other routers, and from one another.
            let left = u64::from(count - held);
            let others = u64::from((held - centre.ball).saturating_sub(self.fullest));
            let floor = sum + left * (centre.cross + others) + self.distances.floor(count - held);
            if (floor, centre.rank) >= best {
                return None;
            }
        }
        Some(sum)
    }

    /// The set of the best centre into `chosen`.
    fn best(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) {
        self.load(free);
        let mut centres = std::mem::take(&mut self.centres);
        centres.iter_mut().for_each(|centre| self.measure(centre, count));
        centres.sort_unstable();
        let (mut least, mut best) = ((u64::MAX, u32::MAX), None);
        for centre in &centres {
            if centre.floor > least.0 {
                break;
            }
            if (centre.floor, centre.rank) >= least {
                continue;
            }
            if let Some(sum) = self.sum(centre, count, least)
                && (sum, centre.rank) < least
            {
                (least, best) = ((sum, centre.rank), Some(*centre));
            }
        }
        self.centres = centres;
        let Some(Centre { labels: own, farthest, mut missing, .. }) = best else { return };
        for (run, labels) in &self.runs {
            let hops = own.iter().zip(labels).filter(|(x, y)| x != y).count() as u32;
            if hops < farthest {
                chosen.push(*run);
            } else if hops == farthest && missing > 0 {
                let taken = run.count.min(missing);
                missing -= taken;
                chosen.push(Run { count: taken, ..*run });
            }
        }
    }
}

impl Allocator for LabelCentres<'_> {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count == 1 || count == free.len() {
            free.lowest(count, chosen);
        } else {
            self.best(free, count, chosen);
        }
        Choice::Placed
    }
}
