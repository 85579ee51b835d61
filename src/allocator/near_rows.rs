//! The ranks within so many hops of a router as a row of bits, kept from one call to the next.

use crate::metric::rank_distances::RankDistances;
use crate::metric::rank_rows::RankRows;

/// Words of ranks that are looked at together.
pub const LANES: usize = 4;

/// Bits of ranks, [`LANES`] words at a time.
pub type Bits = Vec<[u64; LANES]>;

/// For few hops, of every router that was asked about: all ranks that are so near, free or not.
pub struct NearRows<'a> {
    distances: &'a RankDistances,
    /// Distances to all ranks, where they can be found many at once.
    ranks: Option<RankRows<'a>>,
    away: Vec<u16>,
    /// Lanes of a row.
    lanes: usize,
    routers: usize,
    most: u32,
    /// By hops, from 1.
    levels: Vec<Level>,
    /// Where the rows of some ranks begin.
    at: Vec<usize>,
}

#[derive(Default)]
struct Level {
    bits: Bits,
    made: Vec<bool>,
}

impl<'a> NearRows<'a> {
    /// Rows of at most `words` words in all.
    pub fn new(distances: &'a RankDistances, routers: usize, words: usize) -> Self {
        let lanes = (distances.len() as usize).div_ceil(64 * LANES);
        let mut ranks = RankRows::new(distances);
        let most = ranks.as_ref().map_or(0, |_| words / (routers * lanes * LANES).max(1));
        if let Some(rows) = ranks.as_mut().filter(|_| most > 0) {
            rows.load(0..distances.len());
        }
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        NearRows {
            distances,
            ranks,
            away: Vec::new(),
            lanes,
            routers,
            most,
            levels: Vec::new(),
            at: Vec::new(),
        }
    }

    /// Up to how many hops there are rows.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Where the row of a rank's router begins.
    #[inline]
    fn row(&mut self, rank: u32, hops: u32) -> usize {
        let router = self.distances.routers()[rank as usize] as usize;
        let level = self.levels.get(hops as usize - 1);
        if level.and_then(|level| level.made.get(router)) != Some(&true) {
            self.make(rank, router, hops);
        }
        router * self.lanes
    }

    /// Makes the row of a router, on which a rank is. O(ranks).
    #[cold]
    fn make(&mut self, rank: u32, router: usize, hops: u32) {
        while self.levels.len() < hops as usize {
            self.levels.push(Level::default());
        }
        let level = &mut self.levels[hops as usize - 1];
        if level.made.is_empty() {
            level.bits.resize(self.routers * self.lanes, [0; LANES]);
            level.made.resize(self.routers, false);
        }
        level.made[router] = true;
        let Some(ranks) = &self.ranks else { return };
        ranks.row(rank, &mut self.away);
        let words = level.bits[router * self.lanes..][..self.lanes].as_flattened_mut();
        for (word, away) in words.iter_mut().zip(self.away.chunks(64)) {
            let bit = |(i, away): (usize, &u16)| u64::from(u32::from(*away) <= hops) << i;
            *word = away.iter().enumerate().map(bit).sum();
        }
    }

    /// The words of the ranks within `hops` of a rank.
    pub fn words(&mut self, rank: u32, hops: u32) -> &[u64] {
        let first = self.row(rank, hops);
        self.levels[hops as usize - 1].bits[first..first + self.lanes].as_flattened()
    }

    /// Visits the ranks from `from` on that are among `avail` and within `hops` of all of `ranks`, word by word,
    /// until it returns true. O(ranks·machine/64/vector width).
    #[inline]
    pub fn common(
        &mut self,
        (ranks, hops): (&[u32], u32),
        avail: &Bits,
        from: u32,
        mut visit: impl FnMut(u32, u64) -> bool,
    ) {
        self.at.clear();
        for rank in ranks {
            let row = self.row(*rank, hops);
            self.at.push(row);
        }
        let bits = &self.levels[hops as usize - 1].bits;
        let first = from as usize / (64 * LANES);
        let Some(last) = self.at.last() else { return };
        // Three at a time, the last one as often as there are fewer.
        let row = |i: usize| &bits[*self.at.get(i).unwrap_or(last)..][first..self.lanes];
        let others = self.at.get(3..).unwrap_or_default();
        let rows = row(0).iter().zip(row(1)).zip(row(2));
        for (lane, (avail, ((a, b), c))) in (first..).zip(avail[first..].iter().zip(rows)) {
            let mut here = *avail;
            for (i, here) in here.iter_mut().enumerate() {
                *here &= a[i] & b[i] & c[i];
            }
            for row in others {
                here.iter_mut().zip(&bits[row + lane]).for_each(|(here, near)| *here &= near);
            }
            if here.iter().fold(0, |all, word| all | word) == 0 {
                continue;
            }
            for (word, mut bits) in (LANES * lane..).zip(here) {
                let word = word as u32;
                if word <= from / 64 {
                    bits &= if word == from / 64 { u64::MAX << (from % 64) } else { 0 };
                }
                if bits != 0 && visit(word, bits) {
                    return;
                }
            }
        }
    }
}
