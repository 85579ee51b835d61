//! The nearest free ranks of every free rank.

use super::near::Near;
use super::{Allocator, AllocatorEntry, Choice};
use crate::metric::sums::Sums;
use crate::ranks::{FreeSet, Ranks};

/// `gen-alg`: for every free rank, the set of it and its n-1 nearest free ranks in network distance, the
/// lower rank of two equally far; of these sets the one with the smallest sum of pairwise distances, that of
/// the lowest rank among several. Sums are exact integers.
///
/// The sum is at most 2 - 2/n times the least possible on any metric.
///
/// # Complexity
/// With U routers that have free ranks: O(U·(links around until n are found)) or O(U²·axes), whichever is
/// less, for the sums of distances from every centre (stars), then O(that + n·axes) for every centre that is
/// tried. Centres are tried by ascending star and left out by two proved bounds: a set's sum is half the sum
/// of what its members are away from the others, which for each is at least its own star, and for all at least
/// the smallest star.
///
/// # References
/// Krumke et al., "Compact location problems", 1997
/// (algorithm Gen-Alg); Bender et al., "Communication-aware processor allocation for supercomputers: finding
/// point sets of small average distance", 2008.
pub(super) const GEN_ALG: AllocatorEntry = AllocatorEntry::plain(
    "gen-alg",
    "the free rank and its nearest ones with the smallest mean pairwise distance",
    |_, context| {
        let near = Near::new(context)?;
        let stars = vec![0; near.locations.count()];
        Ok(Box::new(GenAlg {
            near,
            sums: Sums::new(context.distances),
            stars,
            order: Vec::new(),
            at: Vec::new(),
            members: Vec::new(),
            last: Vec::new(),
            set: Ranks::default(),
        }))
    },
);

struct GenAlg<'a> {
    near: Near<'a>,
    sums: Sums<'a>,
    /// Of every router with free ranks, the distances from it to its n nearest, summed.
    stars: Vec<u64>,
    /// Centres as (star, lowest free rank of the router).
    order: Vec<(u64, u32)>,
    /// Free ranks by hops.
    at: Vec<u32>,
    members: Vec<u32>,
    last: Vec<u32>,
    set: Ranks,
}

impl GenAlg<'_> {
    /// Looks around `centre`; the sum of distances to its n nearest, itself included, and the largest.
    fn star(&mut self, centre: u32, count: u32) -> (u64, u32) {
        self.at.clear();
        self.near.around(centre, u32::MAX, count);
        let locations = &self.near.locations;
        for (hops, router) in self.near.found() {
            let hops = *hops as usize;
            if hops >= self.at.len() {
                self.at.resize(hops + 1, 0);
            }
            self.at[hops] += locations.free(*router);
        }
        let (mut star, mut left) = (0, count);
        for (hops, here) in self.at.iter().enumerate() {
            let taken = left.min(*here);
            star += hops as u64 * u64::from(taken);
            left -= taken;
            if left == 0 {
                return (star, hops as u32);
            }
        }
        (star, self.at.len() as u32)
    }

    /// Puts the n nearest of `centre` into `members`, in no order.
    fn gather(&mut self, free: &FreeSet, centre: u32, count: u32) {
        let (_, farthest) = self.star(centre, count);
        self.members.clear();
        self.last.clear();
        for (hops, router) in self.near.found() {
            let to = match hops.cmp(&farthest) {
                std::cmp::Ordering::Less => &mut self.members,
                std::cmp::Ordering::Equal => &mut self.last,
                std::cmp::Ordering::Greater => continue,
            };
            to.extend(
                self.near.locations.ranks(*router).iter().filter(|rank| free.contains(**rank)),
            );
        }
        let missing = count as usize - self.members.len();
        if missing < self.last.len() {
            self.last.select_nth_unstable(missing);
        }
        self.members.extend_from_slice(&self.last[..missing]);
    }
}

impl Allocator for GenAlg<'_> {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count == 1 || count == free.len() {
            free.lowest(count, chosen);
            return Choice::Placed;
        }
        self.near.locations.load(free);
        self.order.clear();
        // The lowest free rank stands for its router: the others have the same set, or, where one router
        // holds the job, no better one.
        for i in 0..self.near.locations.open().len() {
            let open = self.near.locations.open()[i];
            let (star, _) = self.star(open.rank, count);
            self.stars[open.location as usize] = star;
            self.order.push((star, open.rank));
        }
        self.order.sort_unstable();
        let least = self.order.first().map_or(0, |(star, _)| *star);
        let others = u64::from(count - 1);
        let mut best = (u64::MAX, u32::MAX);
        for i in 0..self.order.len() {
            let (star, centre) = self.order[i];
            let floor = (star + others * least).div_ceil(2);
            if floor > best.0 {
                break;
            }
            if (floor, centre) >= best {
                continue;
            }
            self.gather(free, centre, count);
            let star = |rank: &u32| self.stars[self.near.locations.of(*rank) as usize];
            let floor = self.members.iter().map(star).sum::<u64>().div_ceil(2);
            if (floor, centre) >= best {
                continue;
            }
            self.members.sort_unstable();
            self.set.clear();
            self.members.iter().for_each(|rank| self.set.push_rank(*rank));
            let found = (self.sums.total(&self.set), centre);
            if found < best {
                best = found;
                chosen.clone_from(&self.set);
            }
        }
        Choice::Placed
    }
}
