//! The ranks within a number of hops of a router, as a row of bits that is kept from one call to the next.

use super::entry::AllocatorContext;
use super::near::NearbyRouters;
use nodeorder_base::{FreeSet, Result};

/// Number of 64-bit words of ranks in a lane: as many as one vector instruction handles.
pub const LANES: usize = 4;

/// Number of ranks of a lane.
const RANKS: u32 = 64 * LANES as u32;

/// Bits of ranks, [`LANES`] words at a time, called a lane.
pub type RankBits = Vec<[u64; LANES]>;

/// Number of lanes that are kept at most; beyond that all rows are forgotten and made again when asked for.
pub const MOST_LANES: usize = 1 << 20;

/// Cache of rows of near ranks: for a router and a number of hops, all ranks within these hops, free or not.
pub struct NearRows<'a> {
    /// Walks over the network, loaded with all ranks.
    near: NearbyRouters<'a>,
    /// Number of lanes of all ranks.
    lanes: usize,
    /// Number of lanes to keep at most.
    kept: usize,
    /// By hops, from 1, and router: its row, if it was made.
    rows: Vec<Vec<Option<NearRow>>>,
    /// The bits of all rows.
    bits: RankBits,
    /// Rows of the ranks that the present call asks about; a buffer.
    around: Vec<NearRow>,
}

/// A row: lanes `first` to `end` of all ranks are `bits[start..]`; beyond them no rank is near.
#[derive(Clone, Copy)]
struct NearRow {
    first: u32,
    end: u32,
    start: u32,
}

impl NearRow {
    /// Cuts out lanes `from` to `end` of the row.
    fn lanes_between<'b>(&self, bits: &'b RankBits, from: usize, end: usize) -> &'b [[u64; LANES]] {
        let first = self.first as usize;
        let start = self.start as usize;
        &bits[start + from - first..start + end - first]
    }
}

impl<'a> NearRows<'a> {
    /// Prepares the searches on a machine, for at most `kept` lanes of rows (or the few that one call needs). Fails if
    /// the router graph or the rows do not fit into memory.
    pub fn new(context: &AllocatorContext<'a>, kept: usize) -> Result<Self> {
        let mut near = NearbyRouters::new(context)?;
        let routers = near.locations.location_count() as u64;
        context
            .topology
            .require_memory("rows of near ranks", 32 * MOST_LANES as u64 + 16 * routers)?;
        near.load_free(&FreeSet::new(context.distances.len()));
        let lanes = context.distances.len().div_ceil(RANKS) as usize;
        Ok(NearRows {
            near,
            lanes,
            kept,
            rows: Vec::new(),
            bits: Vec::new(),
            around: Vec::new(),
        })
    }

    /// Finds the rows of `ranks`, or makes them, and puts them into `around`.
    #[inline]
    fn find_rows(&mut self, ranks: &[u32], hops: u32) {
        // Two entries of the table of rows take the memory of a lane. All are forgotten before any is looked up, as
        // the rows of one call must stand side by side.
        let table = self.rows.len() * self.near.locations.location_count() / 2;
        if self.bits.len() + ranks.len() * self.lanes + table > self.kept {
            self.rows.clear();
            self.bits.clear();
        }
        self.around.clear();
        for rank in ranks {
            let router = self.near.locations.location_of(*rank) as usize;
            let known = self
                .rows
                .get(hops as usize - 1)
                .and_then(|rows| *rows.get(router)?);
            let row = known.unwrap_or_else(|| self.build_row(*rank, router, hops));
            self.around.push(row);
        }
    }

    /// Builds the row of a router, on which `rank` is. O(what is near · axes + lanes).
    #[cold]
    fn build_row(&mut self, rank: u32, router: usize, hops: u32) -> NearRow {
        self.near.find_around(rank, hops, u32::MAX);
        let locations = &self.near.locations;
        // Only the lanes between the lowest and the highest near rank are kept: on most orderings these are few.
        let mut first = u32::MAX;
        let mut end = 0;
        for (_, router) in &self.near.found {
            if let [lowest, ..] = locations.ranks_at(*router) {
                first = first.min(lowest / RANKS);
            }
            if let [.., highest] = locations.ranks_at(*router) {
                end = end.max(highest / RANKS + 1);
            }
        }
        let first = first.min(end);
        let start = self.bits.len();
        self.bits.resize(start + (end - first) as usize, [0; LANES]);
        let words = self.bits[start..].as_flattened_mut();
        for (_, router) in &self.near.found {
            for rank in locations.ranks_at(*router) {
                words[(rank / 64) as usize - LANES * first as usize] |= 1 << (rank % 64);
            }
        }
        let row = NearRow {
            first,
            end,
            start: start as u32,
        };
        let level = hops as usize - 1;
        let routers = locations.location_count();
        if self.rows.len() <= level {
            self.rows.resize(level + 1, Vec::new());
        }
        if self.rows[level].is_empty() {
            self.rows[level].resize(routers, None);
        }
        self.rows[level][router] = Some(row);
        row
    }

    /// Finds the ranks within `hops` of a rank: their bits in words of 64, after the index of the first of these
    /// words.
    pub fn near_words(&mut self, rank: u32, hops: u32) -> (usize, &[u64]) {
        self.find_rows(&[rank], hops);
        let row = self.around[0];
        let words = row.lanes_between(&self.bits, row.first as usize, row.end as usize);
        (LANES * row.first as usize, words.as_flattened())
    }

    /// Visits the ranks from `from` on that are among `avail` and within `hops` of all of `ranks`, word by word,
    /// until it returns true. O(ranks·lanes) where the rows are known.
    #[inline]
    pub fn visit_common(
        &mut self,
        (ranks, hops): (&[u32], u32),
        avail: &RankBits,
        from: u32,
        mut visit: impl FnMut(u32, u64) -> bool,
    ) {
        self.find_rows(ranks, hops);
        let Some(last) = self.around.last() else {
            return;
        };
        let first = self
            .around
            .iter()
            .map(|row| row.first)
            .fold(from / RANKS, u32::max);
        let end = self
            .around
            .iter()
            .map(|row| row.end)
            .fold(u32::MAX, u32::min);
        if first >= end {
            return;
        }
        let first = first as usize;
        let end = end as usize;
        // Three at a time, the last one as often as there are fewer: most processes have so many neighbours.
        let part = |i: usize| {
            self.around
                .get(i)
                .unwrap_or(last)
                .lanes_between(&self.bits, first, end)
        };
        let others = self.around.get(3..).unwrap_or_default();
        let parts = part(0).iter().zip(part(1)).zip(part(2));
        for (lane, (avail, ((a, b), c))) in (first..).zip(avail[first..end].iter().zip(parts)) {
            let mut here = *avail;
            for (i, here) in here.iter_mut().enumerate() {
                *here &= a[i] & b[i] & c[i];
            }
            for row in others {
                let near = &row.lanes_between(&self.bits, lane, lane + 1)[0];
                for (here, near) in here.iter_mut().zip(near) {
                    *here &= near;
                }
            }
            if here.iter().fold(0, |all, word| all | word) == 0 {
                continue;
            }
            for (word, mut bits) in (LANES * lane..).zip(here) {
                let word = word as u32;
                if word <= from / 64 {
                    bits &= if word == from / 64 {
                        u64::MAX << (from % 64)
                    } else {
                        0
                    };
                }
                if bits != 0 && visit(word, bits) {
                    return;
                }
            }
        }
    }
}
