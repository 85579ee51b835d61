//! The nearest free ranks of every free rank.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use multiversion::multiversion;
use nodeorder_base::{FreeSet, Ranks, Result, Run};

use super::near::NearbyRouters;
use super::recent::CachedAllocator;
use nodeorder_order::metric::sums::DistanceSums;

/// `gen-alg`: for every free rank, the set of it and its n-1 nearest free ranks in network distance, the
/// lower rank of two equally far; of these sets the one with the smallest sum of pairwise distances, that of
/// the lowest rank among several. Sums are exact integers.
///
/// The sum is at most 2 - 2/n times the least possible on any metric.
///
/// # Complexity
/// With U routers that have free ranks: O(U·(links around until n are found)) or O(U²·axes/8), whichever is
/// less, for the sum of distances from every centre to its n nearest (its star), then O(links or U·axes/8, and n·axes)
/// for every centre that is tried. Centres are tried by ascending star and left out by two proved bounds: a set's sum
/// is half the sum over its members of their distances to the others, and that of a member is at least its own star,
/// and at least the smallest of all stars. The last choices are kept ([`CachedAllocator`]).
///
/// # References
/// Krumke et al., "Compact location problems", 1997
/// (algorithm Gen-Alg); Bender et al., "Communication-aware processor allocation for supercomputers: finding
/// point sets of small average distance", 2008.
pub const GEN_ALG: AllocatorEntry = AllocatorEntry::plain(
    "gen-alg",
    "the free rank and its nearest ones with the smallest mean pairwise distance",
    |_| Ok(Box::new(GenAlgOptions)),
);

struct GenAlgOptions;

impl BuildAllocator for GenAlgOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let near = NearbyRouters::new(context)?;
        Ok(Box::new(CachedAllocator::new(GenAlg {
            open_index: vec![0; near.locations.location_count()],
            near,
            sums: DistanceSums::new(context.distances),
            stars: Vec::new(),
            free: Vec::new(),
            centres: Vec::new(),
            runs: Vec::new(),
            at_hops: Vec::new(),
            members: Vec::new(),
            farthest: Vec::new(),
            set: Vec::new(),
        })))
    }
}

/// Distances around free ranks, and the centres that are tried.
struct GenAlg<'a> {
    near: NearbyRouters<'a>,
    sums: DistanceSums<'a>,
    /// By router with free ranks: its number among the open ones.
    open_index: Vec<u32>,
    /// By open router: the sum of distances from it to its n nearest free ranks.
    stars: Vec<u64>,
    /// By open router: number of free ranks.
    free: Vec<u32>,
    centres: Vec<Centre>,
    /// Free ranks in runs on one router each, with that router's number among the open ones.
    runs: Vec<(Run, u32)>,
    /// By hops from a centre: number of free ranks.
    at_hops: Vec<u32>,
    /// Members of the set that is built, without its farthest ones.
    members: Vec<u32>,
    /// Free ranks at the distance of the set's farthest members, from which the rest of the set is chosen.
    farthest: Vec<u32>,
    /// The set of the centre that was tried last.
    set: Vec<Run>,
}

/// A router to be tried as the centre of a set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Centre {
    /// Sum of distances from the router to its n nearest free ranks.
    star: u64,
    /// Lowest free rank of the router.
    rank: u32,
    /// Hops to the n-th nearest.
    farthest: u32,
}

impl GenAlg<'_> {
    /// Counts the free ranks by router and in runs.
    fn load_free(&mut self, free: &FreeSet) {
        self.near.load_free(free);
        let locations = &self.near.locations;
        for (i, open) in locations.open.iter().enumerate() {
            self.open_index[open.location as usize] = i as u32;
        }
        self.free.clear();
        self.free.extend(
            locations
                .open
                .iter()
                .map(|open| locations.free_count(open.location)),
        );
        self.runs.clear();
        for rank in free.iter() {
            let index = self.open_index[locations.location_of(rank) as usize];
            match self.runs.last_mut() {
                Some((run, last)) if *last == index && run.end() == rank => run.count += 1,
                _ => self.runs.push((Run::of_rank(rank), index)),
            }
        }
    }

    /// Computes the sum of distances from `rank` to its `count` nearest free ranks, itself included, and the largest of
    /// them.
    fn star_sum(&mut self, rank: u32, count: u32) -> (u64, u32) {
        self.at_hops.clear();
        if self.near.walk_around(rank, u32::MAX, count) {
            for (hops, router) in &self.near.found {
                add_at_hops(
                    &mut self.at_hops,
                    *hops,
                    self.near.locations.free_count(*router),
                );
            }
        } else {
            // Hop by hop while those are few.
            for (hops, free) in self.near.measure_hops(rank).iter().zip(&self.free) {
                add_at_hops(&mut self.at_hops, *hops, *free);
            }
        }
        let mut star = 0;
        let mut left = count;
        for (hops, here) in (0..).zip(&self.at_hops) {
            let taken = left.min(*here);
            star += u64::from(hops) * u64::from(taken);
            left -= taken;
            if left == 0 {
                return (star, hops);
            }
        }
        (star, self.at_hops.len() as u32)
    }

    /// Puts the `count` free ranks nearest to a centre into `set` as runs on one router each, and returns the sum of
    /// their distances; `None` where a bound shows first that it is no better than `best` (a sum and its centre).
    fn gather_nearest(
        &mut self,
        free: &FreeSet,
        centre: Centre,
        count: u32,
        best: (u64, u32),
    ) -> Option<u64> {
        if !self.near.walk_around(centre.rank, u32::MAX, count) {
            let row = self.near.measure_hops(centre.rank);
            let farthest = centre.farthest;
            let (inner, held, least) = stars_within(row, &self.free, &self.stars, farthest);
            let mut missing = count - held;
            // Every member is at least its star away from the others, the missing ones at least the least star so far.
            let floor = (inner + u64::from(missing) * least).div_ceil(2);
            if (floor, centre.rank) >= best {
                return None;
            }
            self.set.clear();
            // Runs come by rank, so that the lowest of the farthest ranks are taken.
            for (run, index) in &self.runs {
                let hops = row[*index as usize];
                if hops < farthest {
                    self.set.push(*run);
                } else if hops == farthest && missing > 0 {
                    let taken = run.count.min(missing);
                    missing -= taken;
                    self.set.push(Run {
                        count: taken,
                        ..*run
                    });
                }
            }
            return Some(self.sums.sum_run_distances(&self.set));
        }
        self.members.clear();
        self.farthest.clear();
        for (hops, router) in &self.near.found {
            let to = match hops.cmp(&centre.farthest) {
                std::cmp::Ordering::Less => &mut self.members,
                std::cmp::Ordering::Equal => &mut self.farthest,
                std::cmp::Ordering::Greater => continue,
            };
            let ranks = self.near.locations.ranks_at(*router).iter();
            to.extend(ranks.filter(|rank| free.is_free(**rank)));
        }
        let missing = count as usize - self.members.len();
        // The lowest of the farthest ranks; no order among them is needed.
        if missing < self.farthest.len() {
            self.farthest.select_nth_unstable(missing);
        }
        self.members.extend_from_slice(&self.farthest[..missing]);
        let mut stars = 0;
        for rank in &self.members {
            let router = self.near.locations.location_of(*rank) as usize;
            stars += self.stars[self.open_index[router] as usize];
        }
        // The sum is half the distances of all members, and each of these is at least the member's star.
        if (stars.div_ceil(2), centre.rank) >= best {
            return None;
        }
        self.members.sort_unstable();
        self.set.clear();
        self.set
            .extend(self.members.iter().map(|rank| Run::of_rank(*rank)));
        Some(self.sums.sum_run_distances(&self.set))
    }
}

/// Counts `free` more free ranks at `hops` hops.
fn add_at_hops(at: &mut Vec<u32>, hops: u32, free: u32) {
    if hops as usize >= at.len() {
        at.resize(hops as usize + 1, 0);
    }
    at[hops as usize] += free;
}

/// Computes, over routers less than `farthest` away, the sum of the stars of their free ranks and the number of these
/// ranks; and the least star of a router that is exactly `farthest` away.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn stars_within(row: &[u32], free: &[u32], stars: &[u64], farthest: u32) -> (u64, u32, u64) {
    let mut inner = 0;
    let mut held = 0;
    let mut least = u64::MAX;
    for ((away, free), star) in row.iter().zip(free).zip(stars) {
        let taken = if *away < farthest { *free } else { 0 };
        inner += u64::from(taken) * *star;
        held += taken;
        least = least.min(if *away == farthest { *star } else { u64::MAX });
    }
    (inner, held, least)
}

impl Allocator for GenAlg<'_> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        // There is one set, or all sets are alike.
        if count == 1 || count == free.free_count() {
            free.copy_lowest(count, chosen);
            return Choice::Placed;
        }
        self.load_free(free);
        self.centres.clear();
        self.stars.clear();
        // The lowest free rank stands for its router: the others have the same set, or, where one router
        // holds the job, no better one.
        for i in 0..self.near.locations.open.len() {
            let rank = self.near.locations.open[i].rank;
            let (star, farthest) = self.star_sum(rank, count);
            self.stars.push(star);
            self.centres.push(Centre {
                star,
                rank,
                farthest,
            });
        }
        self.centres.sort_unstable();
        let least = self.centres.first().map_or(0, |centre| centre.star);
        let others = u64::from(count - 1);
        let mut best = (u64::MAX, u32::MAX);
        for i in 0..self.centres.len() {
            let centre = self.centres[i];
            // Stars ascend from here on: once the bound is above the best sum, so are all that follow.
            let floor = (centre.star + others * least).div_ceil(2);
            if floor > best.0 {
                break;
            }
            if (floor, centre.rank) >= best {
                continue;
            }
            let Some(sum) = self.gather_nearest(free, centre, count, best) else {
                continue;
            };
            if (sum, centre.rank) < best {
                best = (sum, centre.rank);
                chosen.clear();
                self.set.iter().for_each(|run| chosen.push(*run));
            }
        }
        Choice::Placed
    }
}
