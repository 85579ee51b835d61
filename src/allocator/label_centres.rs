//! The best centre where a distance is the number of labels that differ.

use std::cmp::Ordering;

use super::label_counts::{Around, LabelCounts, MOST, Router};
use super::label_prefixes::LabelPrefixes;
use super::{Allocator, Choice};
use crate::metric::rank_distances::RankDistances;
use crate::ranks::{FreeSet, Ranks, Run};

/// The set that `gen-alg` chooses, found from counts by label: HyperX, the best case of a Cascade.
///
/// A line is all routers that agree with one in every label but one. What is at most one hop from a centre is on its
/// lines, and the sum of distances there has a closed form; what the job needs beyond that is added run by run,
/// until it is proved that another centre is better.
pub struct LabelCentres<'a> {
    distances: &'a RankDistances,
    free: LabelCounts<'a>,
    prefixes: LabelPrefixes,
    centres: Vec<Centre>,
    /// Of what is gathered, by value of each label.
    counts: Vec<u32>,
}

/// A router as a centre, by the lowest of its free ranks.
#[derive(Clone, Copy, Default)]
struct Centre {
    /// What the sum of its set cannot be below.
    floor: u64,
    router: Router,
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
            centres: Vec::new(),
            counts: vec![0; free.values],
            free,
        })
    }

    /// Finds out how far the sets of all centres go, and their floors. `W` is how many labels there are. O(2^labels) for
    /// each.
    fn measure<const W: usize>(&mut self, count: u32) {
        self.centres.clear();
        self.free.for_each_router::<W>(|router, Around { at, squares }| {
            let own = router.own;
            let (mut farthest, mut within) = (0, at[0]);
            while within < count && farthest < W {
                farthest += 1;
                within += at[farthest];
            }
            let mut centre = Centre {
                router,
                farthest: farthest as u32,
                missing: count - (within - at[farthest]),
                ball: own,
                cross: own.into(),
                ..Centre::default()
            };
            if farthest > 1 || farthest == 1 && within == count {
                // All on the lines.
                let (mut least, mut same, ball) = (u32::MAX, 0, at[0] + at[1]);
                for (line, squares) in router.lines.iter().zip(squares).take(W) {
                    let others = line - own;
                    same += squares - u64::from(own).pow(2) + u64::from(ball - others).pow(2);
                    least = least.min(others);
                }
                centre.ball = ball;
                centre.inside = (W as u64 * u64::from(ball).pow(2) - same) / 2;
                // One that is h hops away differs from all but one router's on h lines, and from the line's in the other
                // labels.
                let apart = u64::from(ball.saturating_sub(self.free.fullest));
                let cross = |hops| hops as u64 * apart + (W - hops) as u64 * u64::from(least);
                centre.floor = (2..farthest).map(|hops| u64::from(at[hops]) * cross(hops)).sum();
                centre.cross = (2..=farthest).map(cross).min().unwrap_or(0);
                if farthest > 1 {
                    centre.floor += u64::from(centre.missing) * cross(farthest);
                }
            } else if farthest == 1 {
                centre.floor = u64::from(centre.missing) * centre.cross;
            }
            if farthest > 0 {
                centre.floor += centre.inside + self.distances.floor(count - centre.ball);
            }
            self.centres.push(centre);
        });
    }

    /// The sum of distances in a centre's set; `None` where it is proved first that it is more than that of `best`, or
    /// as much with a centre no lower.
    fn sum(&mut self, centre: &Centre, count: u32, best: (u64, u32)) -> Option<u64> {
        if centre.ball == count || centre.farthest == 0 {
            return Some(centre.inside);
        }
        let own = &centre.router.labels;
        if self.prefixes.loaded && centre.farthest > 1 {
            let (free, router, missing) = (&self.free, &centre.router, centre.missing);
            return Some(match centre.farthest {
                2 => self.prefixes.sum::<true>(free, router, missing, count),
                _ => self.prefixes.sum::<false>(free, router, missing, count),
            });
        }
        let width = self.free.extents.len();
        let radius = u32::from(centre.farthest > 1);
        self.counts.fill(0);
        for (label, x) in own[..width].iter().enumerate() {
            let (offset, places) = (self.free.offsets[label], self.free.places[label]);
            let mut agreeing = centre.ball;
            if radius == 1 {
                let (cells, _) = self.free.line(label, &centre.router);
                self.counts[offset..][..places].copy_from_slice(cells);
                agreeing -= centre.router.lines[label] - centre.router.own;
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
                let spot = &self.free.spots[64 * word + bits.trailing_zeros() as usize];
                let mut taken = spot.count;
                if bits & bits.wrapping_neg() & shell != 0 {
                    taken = taken.min(missing);
                    missing -= taken;
                }
                bits &= bits - 1;
                if missing == 0 {
                    bits &= inner;
                }
                let mut same = 0u64;
                for (offset, x) in self.free.offsets.iter().zip(spot.labels) {
                    let count = &mut self.counts[offset + x as usize];
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
            if (floor, centre.router.rank) >= best {
                return None;
            }
        }
        Some(sum)
    }

    /// The set of the best centre into `chosen`.
    fn best(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) {
        self.free.load(free);
        self.prefixes.load(&self.free);
        match self.free.extents.len() {
            1 => self.measure::<1>(count),
            2 => self.measure::<2>(count),
            3 => self.measure::<3>(count),
            _ => self.measure::<MOST>(count),
        }
        let mut centres = std::mem::take(&mut self.centres);
        // The one of least floor comes first.
        if let Some(first) = (0..centres.len()).min_by_key(|i| centres[*i].floor) {
            centres.swap(0, first);
        }
        let (mut least, mut best) = ((u64::MAX, u32::MAX), None);
        for centre in &centres {
            let rank = centre.router.rank;
            if (centre.floor, rank) < least
                && let Some(sum) = self.sum(centre, count, least)
                && (sum, rank) < least
            {
                (least, best) = ((sum, rank), Some(*centre));
            }
        }
        self.centres = centres;
        let Some(Centre { router, farthest, missing, .. }) = best else { return };
        let (mut left, mut missing) = (count, missing);
        for spot in &self.free.spots {
            let hops = router.labels.iter().zip(spot.labels).filter(|(x, y)| **x != *y).count();
            let taken = match (hops as u32).cmp(&farthest) {
                Ordering::Less => spot.count,
                Ordering::Equal => spot.count.min(missing),
                Ordering::Greater => continue,
            };
            if hops as u32 == farthest {
                missing -= taken;
            }
            if spot.end - spot.first == spot.count {
                chosen.push(Run { first: spot.first, count: taken });
            } else {
                let ranks = (spot.first..spot.end).filter(|rank| free.contains(*rank));
                ranks.take(taken as usize).for_each(|rank| chosen.push_rank(rank));
            }
            left -= taken;
            if left == 0 {
                break;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ordering::NodeOrder;
    use crate::topology::testing::build;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Blocks of 16, 32 and 64 spots, two and three hops, routers in part free: what is summed run by run is chosen.
        #[test]
        fn prefixes_choose_what_runs_do(
            machine in 0usize..4,
            taken in prop::collection::vec((0u32..1 << 20, 1u32..40), 0..200),
            counts in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        ) {
            let machines =
                ["hyperx:9x4x7,per_router=3", "hyperx:5x17x3", "hyperx:24x10x16", "hyperx:24x24x24"];
            let topology = build(machines[machine]);
            let order = NodeOrder::make(&topology, "row-major").unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            let (mut by_prefix, mut by_run) =
                (LabelCentres::new(&distances).unwrap(), LabelCentres::new(&distances).unwrap());
            by_run.free.whole = false;
            let mut free = FreeSet::new(distances.len());
            let lowest = if machine == 3 { 9000 } else { 0 };
            free.take(Run { first: 0, count: lowest });
            for (first, count) in taken {
                let first = first % distances.len();
                for rank in first..distances.len().min(first + count) {
                    if free.contains(rank) {
                        free.take(Run { first: rank, count: 1 });
                    }
                }
            }
            for count in counts.into_iter().filter(|_| !free.is_empty()) {
                let count = 1 + count.index(free.len() as usize) as u32;
                let mut chosen = [Ranks::default(), Ranks::default()];
                let _ = by_prefix.choose(&free, count, &mut chosen[0]);
                let _ = by_run.choose(&free, count, &mut chosen[1]);
                prop_assert_eq!(&chosen[0], &chosen[1]);
                prop_assert_eq!(chosen[0].len(), count);
            }
        }
    }
}
