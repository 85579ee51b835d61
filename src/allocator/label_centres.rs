//! The best centre where a distance is the number of labels that differ.

use super::label_counts::{LabelCounts, Labels, MOST};
use super::label_prefixes::LabelPrefixes;
use super::{Allocator, Choice};
use crate::metric::rank_distances::RankDistances;
use crate::ranks::{FreeSet, Ranks, Run};

/// Runs from which on, and counters up to which prefixes of them are counted.
const MANY: usize = 128;
const COUNTERS: usize = 1 << 19;

/// The set that `gen-alg` chooses, found from counts by label: HyperX, the best case of a Cascade.
///
/// A line is all routers that agree with one in every label but one. What is at most one hop from a centre is on its
/// lines, and the sum of distances there has a closed form; what the job needs beyond that is added run by run,
/// until it is proved that another centre is better.
pub struct LabelCentres<'a> {
    distances: &'a RankDistances,
    free: LabelCounts<'a>,
    prefixes: LabelPrefixes,
    /// Whether these are loaded.
    cut: bool,
    /// Ranks on the lines of a centre by block of runs, those of the centre once for each line.
    lines: Vec<u32>,
    centres: Vec<Centre>,
    /// Of what is gathered, by value of each label.
    counts: Vec<u32>,
}

/// A router as a centre, by the lowest of its free ranks.
#[derive(Clone, Copy, Default)]
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
        let free = LabelCounts::new(distances)?;
        Some(LabelCentres {
            distances,
            prefixes: LabelPrefixes::default(),
            cut: false,
            lines: Vec::new(),
            centres: Vec::new(),
            counts: vec![0; free.values],
            free,
        })
    }

    /// Takes over what is free.
    fn load(&mut self, free: &FreeSet) {
        self.free.load(free);
        let counters = LabelPrefixes::counters(self.counts.len(), self.free.runs.len());
        self.cut = self.free.single
            && self.free.extents.len() == 3
            && self.free.runs.len() > MANY
            && counters <= COUNTERS;
        if self.cut {
            let offsets = &self.free.offsets;
            let values =
                |labels: Labels| offsets.iter().zip(labels).map(|(offset, x)| offset + x as usize);
            let runs = self.free.runs.iter().map(|(run, labels)| (*run, values(*labels)));
            self.prefixes.load(self.counts.len(), runs);
        }
    }

    /// Finds out how far a centre's set goes, and its floor. O(2^labels).
    fn measure(&self, centre: &mut Centre, count: u32) {
        let (width, all, labels) = (self.free.extents.len(), self.free.all(), &centre.labels);
        // Ranks that agree in so many labels at least, counted once for each subset that they agree in.
        let mut agree = [0i64; MOST + 1];
        for subset in 0..=all {
            let here = self.free.agreeing[subset][self.free.value(subset, labels)];
            agree[subset.count_ones() as usize] += i64::from(here);
        }
        let own = self.free.agreeing[all][self.free.value(all, labels)];
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
            for (label, away) in lines.iter_mut().enumerate().take(width) {
                let line = self.free.value(all ^ 1 << label, labels);
                let others = self.free.agreeing[all ^ 1 << label][line] - own;
                let agreeing = u64::from(ball - others).pow(2);
                same += self.free.squares[label][line] - u64::from(own).pow(2) + agreeing;
                *away = others.into();
            }
            lines.sort_unstable();
            centre.inside = (width as u64 * u64::from(ball).pow(2) - same) / 2;
            // One that is h hops away differs from all but one router's on h lines, and from the line's in the other labels.
            let apart = u64::from(ball.saturating_sub(self.free.fullest));
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

    /// The sum of distances in a centre's set, from counts of the runs before the block in which its last shell ends: with
    /// three labels, those that agree with the centre in exactly one are its planes less twice its lines and
    /// three times itself, and those that agree in none are all less its planes, and its lines less itself. O(values + blocks).
    fn sum_by_prefixes(&mut self, centre: &Centre, count: u32) -> u64 {
        let (all, own) = (self.free.all(), &centre.labels);
        let mut planes = [0; 3];
        let mut lines = [0; 3];
        let offsets = self.free.offsets.iter().zip(own).zip(&self.free.extents).enumerate();
        self.lines.clear();
        self.lines.resize(self.free.words, 0);
        for (label, ((offset, x), extent)) in offsets {
            planes[label] = offset + *x as usize;
            lines[label] = self.free.value(all ^ 1 << label, own) * *extent as usize;
            let cells = lines[label]..lines[label] + *extent as usize;
            let blocks = &self.free.blocks[label][cells.clone()];
            for (cell, block) in self.free.along[label][cells].iter().zip(blocks) {
                self.lines[*block as usize] += cell;
            }
        }
        let cell = lines[0] + own[0] as usize;
        let (here, at) = (self.free.along[0][cell], self.free.blocks[0][cell] as usize);
        let (prefixes, every) = (&self.prefixes, self.counts.len());
        let second = centre.farthest == 2;
        // Whole blocks that the last shell takes.
        let (mut block, mut left, mut on_lines) = (0, centre.missing, 0);
        while block < self.free.words && left > 0 {
            on_lines += self.lines[block];
            let itself = if at <= block { here } else { 0 };
            let planes = planes.iter().map(|x| prefixes.total(block + 1, *x)).sum::<u32>();
            let shell = match second {
                true => planes + 3 * itself - 2 * on_lines,
                false => prefixes.total(block + 1, every) + on_lines - planes - itself,
            };
            if shell > centre.missing {
                break;
            }
            left = centre.missing - shell;
            block += 1;
        }
        // Arithmetic modulo 2³²: single terms may be below zero.
        let minus = u32::MAX;
        let rows = |blocks: usize| {
            let [a, b, c] = planes.map(|x| prefixes.row(blocks, x));
            a.iter().zip(b).zip(c).map(|((a, b), c)| a + b + c)
        };
        if second {
            self.counts.iter_mut().zip(rows(block)).for_each(|(count, row)| *count = row);
        } else {
            let cut = prefixes.row(block, every).iter().zip(rows(block)).zip(rows(self.free.words));
            for (count, ((every, before), whole)) in self.counts.iter_mut().zip(cut) {
                *count = (every + whole).wrapping_sub(before);
            }
        }
        let times = if second { [1, minus] } else { [minus, 0] };
        let mut on_line = [0u32; 3];
        for label in 0..3 {
            let cells = lines[label]..lines[label] + self.free.extents[label] as usize;
            let blocks = &self.free.blocks[label][cells.clone()];
            let cells = self.free.along[label][cells].iter().zip(blocks);
            for (count, (cell, at)) in self.counts[self.free.offsets[label]..].iter_mut().zip(cells)
            {
                let part = cell.wrapping_mul(times[usize::from((*at as usize) < block)]);
                *count = count.wrapping_add(part);
                on_line[label] = on_line[label].wrapping_add(part);
            }
        }
        let itself = match (second, at < block) {
            (true, false) => minus.wrapping_mul(2 * here),
            (true, true) | (false, false) => here,
            (false, true) => 0,
        };
        let on_lines = on_line.iter().fold(itself, |sum, line| sum.wrapping_add(*line));
        for (plane, line) in planes.iter().zip(on_line) {
            let count = &mut self.counts[*plane];
            *count = count.wrapping_add(on_lines).wrapping_sub(line);
        }
        let mut bits = match left {
            0 => 0,
            _ => self.free.away(block, self.free.agree(block, own), centre.farthest),
        };
        while bits != 0 && left > 0 {
            let (run, labels) = &self.free.runs[64 * block + bits.trailing_zeros() as usize];
            bits &= bits - 1;
            let taken = run.count.min(left);
            left -= taken;
            for (offset, x) in self.free.offsets.iter().zip(labels) {
                self.counts[offset + *x as usize] += taken;
            }
        }
        let same: u64 = self.counts.iter().map(|count| u64::from(*count).pow(2)).sum();
        (3 * u64::from(count).pow(2) - same) / 2
    }

    /// The sum of distances in a centre's set; `None` where it is proved first that it is more than that of `best`, or
    /// as much with a centre no lower.
    fn sum(&mut self, centre: &Centre, count: u32, best: (u64, u32)) -> Option<u64> {
        if centre.farthest == 0 {
            return Some(0);
        }
        if self.cut && centre.farthest > 1 {
            return Some(self.sum_by_prefixes(centre, count));
        }
        let (width, all, own) = (self.free.extents.len(), self.free.all(), &centre.labels);
        let radius = u32::from(centre.farthest > 1);
        self.counts.fill(0);
        for (label, x) in own[..width].iter().enumerate() {
            let (offset, extent) = (self.free.offsets[label], self.free.extents[label] as usize);
            let mut agreeing = centre.ball;
            if radius == 1 {
                let line = self.free.value(all ^ 1 << label, own);
                let cells = &self.free.along[label][line * extent..][..extent];
                self.counts[offset..][..extent].copy_from_slice(cells);
                agreeing -= cells.iter().sum::<u32>() - cells[*x as usize];
            }
            self.counts[offset + *x as usize] = agreeing;
        }
        let (mut sum, mut held, mut missing) = (centre.inside, centre.ball, centre.missing);
        for word in 0..self.free.words {
            let agree = self.free.agree(word, own);
            let inner = (radius + 1..centre.farthest)
                .fold(0, |runs, hops| runs | self.free.away(word, agree, hops));
            let shell = if missing > 0 { self.free.away(word, agree, centre.farthest) } else { 0 };
            let mut bits = inner | shell;
            while bits != 0 {
                let (run, labels) = &self.free.runs[64 * word + bits.trailing_zeros() as usize];
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
                for (offset, x) in self.free.offsets.iter().zip(labels) {
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
            let others = u64::from((held - centre.ball).saturating_sub(self.free.fullest));
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
        centres.clear();
        for (rank, labels) in &self.free.routers {
            let mut centre = Centre { rank: *rank, labels: *labels, ..Centre::default() };
            self.measure(&mut centre, count);
            centres.push(centre);
        }
        // The one of least floor comes first.
        if let Some(first) = (0..centres.len()).min_by_key(|i| centres[*i].floor) {
            centres.swap(0, first);
        }
        let (mut least, mut best) = ((u64::MAX, u32::MAX), None);
        for centre in &centres {
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
        for (run, labels) in &self.free.runs {
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
