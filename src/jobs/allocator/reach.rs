//! The free ranks within reach of others, for a search that takes ranks and gives them back.

use super::entry::AllocatorContext;
use super::near_rows::{LANES, MOST_LANES, NearRows, RankBits};
use nodeorder_base::{FreeSet, Result};
use nodeorder_order::metric::rank_distances::RankDistances;

/// Finds the free ranks that can be reached from a router by steps of a number of hops; used for rising numbers of
/// hops.
pub struct ReachableRanks<'a> {
    distances: &'a RankDistances,
    rows: NearRows<'a>,
    /// The present number of hops.
    hops: u32,
    /// The free ranks that are not taken.
    avail: RankBits,
    /// Lane before which no rank is left.
    low: usize,
    /// By router: whether enough ranks can be reached from it.
    scope: Vec<RouterScope>,
    /// Routers whose scope is known.
    scoped: Vec<u32>,
    /// Ranks met by a walk, a bit each; none is set between walks.
    met: Vec<u64>,
    /// Ranks met by the walk, in order.
    queue: Vec<u32>,
    /// Words with ranks that are near the one that a walk stands on.
    near: Vec<(u32, u64)>,
}

/// Whether enough free ranks can be reached from a router by steps of the current number of hops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RouterScope {
    Unknown,
    Enough,
    Small,
}

impl<'a> ReachableRanks<'a> {
    /// Prepares the walks over free ranks on a machine. Fails if the router graph or the rows of near ranks do not fit
    /// into memory.
    pub fn new(context: &AllocatorContext<'a>) -> Result<Self> {
        Self::with_rows(context, MOST_LANES)
    }

    /// Prepares the walks as [`ReachableRanks::new`], with at most `kept` lanes of rows.
    fn with_rows(context: &AllocatorContext<'a>, kept: usize) -> Result<Self> {
        let lanes = (context.distances.len() as usize).div_ceil(64 * LANES);
        let routers = context.topology.network().routers() as usize;
        Ok(ReachableRanks {
            distances: context.distances,
            rows: NearRows::new(context, kept)?,
            hops: 0,
            avail: vec![[0; LANES]; lanes],
            low: 0,
            scope: vec![RouterScope::Unknown; routers],
            scoped: Vec::new(),
            met: vec![0; lanes * LANES],
            queue: Vec::new(),
            near: Vec::new(),
        })
    }

    /// Takes over the free ranks, of which none is taken yet.
    pub fn load_free(&mut self, free: &FreeSet) {
        self.avail.as_flattened_mut()[..free.free_words().len()].copy_from_slice(free.free_words());
        self.low = 0;
    }

    /// Begins anew with another number of hops; no rank is taken yet.
    pub fn set_hops(&mut self, hops: u32) {
        self.hops = hops;
        for router in self.scoped.drain(..) {
            self.scope[router as usize] = RouterScope::Unknown;
        }
    }

    /// Takes a rank: it is no longer found.
    pub fn take_rank(&mut self, rank: u32) {
        self.avail.as_flattened_mut()[rank as usize / 64] &= !(1 << (rank % 64));
    }

    /// Gives back a rank that was taken.
    pub fn give_rank(&mut self, rank: u32) {
        let word = rank as usize / 64;
        self.avail.as_flattened_mut()[word] |= 1 << (rank % 64);
        self.low = self.low.min(word / LANES);
    }

    /// Finds the next rank after `rank` that is not taken, if it is on the same router.
    pub fn next_on_router(&self, rank: u32) -> Option<u32> {
        let words = self.avail.as_flattened();
        let mut at = (rank + 1) as usize / 64;
        let mut bits = words.get(at)? & (u64::MAX << ((rank + 1) % 64));
        while bits == 0 {
            at += 1;
            bits = *words.get(at)?;
        }
        let next = 64 * at as u32 + bits.trailing_zeros();
        let routers = self.distances.routers_by_rank();
        (routers[next as usize] == routers[rank as usize]).then_some(next)
    }

    /// Finds the first free rank from `from` on that is not taken and within reach of all of `ranks`.
    pub fn first_in_reach(&mut self, ranks: &[u32], from: u32) -> Option<u32> {
        while self
            .avail
            .get(self.low)
            .is_some_and(|lane| *lane == [0; LANES])
        {
            self.low += 1;
        }
        let from = from.max((64 * LANES * self.low) as u32);
        let mut found = None;
        self.rows
            .visit_common((ranks, self.hops), &self.avail, from, |word, bits| {
                found = Some(64 * word + bits.trailing_zeros());
                true
            });
        found
    }

    /// Counts the free ranks from `from` on that are not taken and within reach of all of `ranks`.
    pub fn count_in_reach(&mut self, ranks: &[u32], from: u32) -> u64 {
        let mut count = 0;
        self.rows
            .visit_common((ranks, self.hops), &self.avail, from, |_, bits| {
                count += u64::from(bits.count_ones());
                false
            });
        count
    }

    /// Checks whether `count` free ranks can be reached from `start` in steps; nothing may be taken. Amortised
    /// over one number of hops: O(free ranks and what is near their routers).
    pub fn can_reach(&mut self, free: &FreeSet, start: u32, count: u32) -> bool {
        let routers = self.distances.routers_by_rank();
        match self.scope[routers[start as usize] as usize] {
            RouterScope::Enough => return true,
            RouterScope::Small => return false,
            RouterScope::Unknown => {}
        }
        self.queue.clear();
        self.queue.push(start);
        self.met[start as usize / 64] |= 1 << (start % 64);
        let mut at = 0;
        let mut reached = 1;
        let mut enough = reached >= count;
        while let (false, Some(rank)) = (enough, self.queue.get(at).copied()) {
            at += 1;
            let scope = &mut self.scope[routers[rank as usize] as usize];
            match scope {
                // A router is marked so by an earlier walk, which reached all that this one can.
                RouterScope::Enough => enough = true,
                RouterScope::Small => continue,
                RouterScope::Unknown => {
                    *scope = RouterScope::Small;
                    self.scoped.push(routers[rank as usize]);
                    reached += self.step_from(free, rank);
                    enough |= reached >= count;
                }
            }
            if enough {
                break;
            }
            for (word, bits) in &self.near {
                let mut bits = *bits;
                self.met[*word as usize] |= bits;
                while bits != 0 {
                    self.queue.push(64 * word + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
        for rank in &self.queue {
            self.met[*rank as usize / 64] = 0;
            if enough {
                let router = routers[*rank as usize];
                self.scope[router as usize] = RouterScope::Enough;
                self.scoped.push(router);
            }
        }
        enough
    }

    /// Puts the free ranks near `rank` that the walk has not met into `near`, and returns their number.
    fn step_from(&mut self, free: &FreeSet, rank: u32) -> u32 {
        self.near.clear();
        let mut reached = 0;
        let (first, words) = self.rows.near_words(rank, self.hops);
        for ((word, near), free) in (first..).zip(words).zip(&free.free_words()[first..]) {
            let bits = near & free & !self.met[word];
            if bits != 0 {
                self.near.push((word as u32, bits));
                reached += bits.count_ones();
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::*;
    use nodeorder_base::Run;
    use nodeorder_network::{Context, Topology};
    use nodeorder_order::NodeOrder;

    /// Ranks that steps of at most `hops` over free ranks lead to from `start`.
    fn walk(distances: &RankDistances, free: &FreeSet, start: u32, hops: u32) -> usize {
        let (mut met, mut at) = (vec![start], 0);
        while let Some(from) = met.get(at).copied() {
            at += 1;
            let near = |to: &u32| distances.hops_between(from, *to) <= hops && !met.contains(to);
            let next: Vec<u32> = free.iter().filter(near).collect();
            met.extend(next);
        }
        met.len()
    }

    #[test]
    fn ranks_in_reach_are_the_free_ranks_so_near() {
        for spec in [
            "torus:7x5x4,per_router=2",
            "mesh:23x13",
            "cascade:4x3x5,per_router=4",
            "fat-tree:k=6",
            "random-regular:n=60,d=3,per_router=3",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let order = NodeOrder::make(&topology, "random:seed=5").unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            let context = AllocatorContext {
                topology: &topology,
                order: &order,
                distances: &distances,
            };
            // The second forgets its rows before each look, the third now and then.
            let some = 8 + distances.len() as usize / 64;
            let mut ways = [MOST_LANES, 0, some]
                .map(|kept| ReachableRanks::with_rows(&context, kept).unwrap());
            let mut draw = Pcg64Mcg::seed_from_u64(3);
            for round in 0..12 {
                let mut free = FreeSet::new(distances.len());
                for first in 0..distances.len() {
                    if draw.next_u32() % 12 <= round {
                        free.take_run(Run { first, count: 1 });
                    }
                }
                let all: Vec<u32> = free.iter().collect();
                if all.len() < 3 {
                    continue;
                }
                let hops = 1 + draw.next_u32() % 3;
                for way in &mut ways {
                    way.load_free(&free);
                    way.set_hops(hops);
                }
                let count = all.len() as u32 / 2;
                for start in all.iter().step_by(31) {
                    let plain = walk(&distances, &free, *start, hops) as u32 >= count;
                    for way in &mut ways {
                        assert_eq!(way.can_reach(&free, *start, count), plain, "{spec} {start}");
                    }
                }
                let mut pick = || all[draw.next_u32() as usize % all.len()];
                let taken = [pick(), pick()];
                taken
                    .iter()
                    .for_each(|rank| ways.iter_mut().for_each(|way| way.take_rank(*rank)));
                for _ in 0..20 {
                    let (around, from) = ([pick(), pick()], pick());
                    for around in [&around[..], &around[..1]] {
                        let near = |rank: &u32| {
                            *rank >= from
                                && !taken.contains(rank)
                                && around
                                    .iter()
                                    .all(|to| distances.hops_between(*rank, *to) <= hops)
                        };
                        let plain: Vec<u32> = all.iter().copied().filter(near).collect();
                        for way in &mut ways {
                            let first = way.first_in_reach(around, from);
                            assert_eq!(first, plain.first().copied(), "{spec} {around:?} {from}");
                            assert_eq!(way.count_in_reach(around, from), plain.len() as u64);
                        }
                    }
                    let next = all
                        .iter()
                        .find(|r| **r > from && !taken.contains(r))
                        .copied();
                    let routers = distances.routers_by_rank();
                    let same = |r: &u32| routers[*r as usize] == routers[from as usize];
                    assert_eq!(ways[0].next_on_router(from), next.filter(same));
                }
            }
        }
    }
}
