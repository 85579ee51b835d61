//! The free ranks around routers as lists of words, made anew for every call: for machines whose rows of bits
//! would be too long.

use super::near::Near;
use super::near_rows::Bits;
use crate::ranks::FreeSet;

/// Words of sets of near ranks that are kept; beyond that they are forgotten and made again.
pub const KEPT: usize = 1 << 22;

/// For one number of hops: the free ranks so near to a router, made when asked for and kept.
pub struct NearLists<'a> {
    near: Near<'a>,
    ranges: Vec<Option<(u32, u32)>>,
    /// Routers with a set.
    known: Vec<u32>,
    /// Sets of ranks: the words that are not empty, ascending, each with its bits.
    words: Vec<(u32, u64)>,
    /// A bit for each rank; none is set between calls.
    bits: Vec<u64>,
    /// How often sets were forgotten.
    forgotten: u64,
    /// Sets that a rank must be in, as parts of `words`.
    sets: Vec<(u32, u32)>,
}

impl<'a> NearLists<'a> {
    /// With what finds the free ranks around a router.
    pub fn new(near: Near<'a>) -> Self {
        NearLists {
            ranges: vec![None; near.locations.count()],
            known: Vec::new(),
            words: Vec::new(),
            bits: vec![0; near.distances.len().div_ceil(64) as usize],
            forgotten: 0,
            sets: Vec::new(),
            near,
        }
    }

    /// Takes over what is free.
    pub fn load(&mut self, free: &FreeSet) {
        self.near.load(free);
    }

    /// Forgets all sets.
    pub fn forget(&mut self) {
        self.known.drain(..).for_each(|router| self.ranges[router as usize] = None);
        self.words.clear();
        self.forgotten += 1;
    }

    /// Where in `words` the free ranks within `hops` of `rank` are, itself among them.
    fn around(&mut self, free: &FreeSet, rank: u32, hops: u32) -> (u32, u32) {
        let router = self.near.locations.of(rank);
        if let Some(range) = self.ranges[router as usize] {
            return range;
        }
        if self.words.len() + free.len() as usize > KEPT {
            self.forget();
        }
        let first = self.words.len();
        self.near.around(rank, hops, u32::MAX);
        let (mut low, mut high) = (usize::MAX, 0);
        for (_, near) in self.near.found() {
            for rank in self.near.locations.ranks(*near).iter().filter(|r| free.contains(**r)) {
                let word = *rank as usize / 64;
                self.bits[word] |= 1 << (rank % 64);
                (low, high) = (low.min(word), high.max(word + 1));
            }
        }
        for word in low..high {
            let bits = std::mem::take(&mut self.bits[word]);
            if bits != 0 {
                self.words.push((word as u32, bits));
            }
        }
        let range = (first as u32, self.words.len() as u32);
        self.ranges[router as usize] = Some(range);
        self.known.push(router);
        range
    }

    /// The words of the free ranks within `hops` of a rank that are not empty.
    pub fn words(&mut self, free: &FreeSet, rank: u32, hops: u32) -> &[(u32, u64)] {
        let (from, end) = self.around(free, rank, hops);
        &self.words[from as usize..end as usize]
    }

    /// Visits the ranks from `from` on that are among `avail`, free, and within `hops` of all of `ranks`, word by word,
    /// until it returns true.
    pub fn common(
        &mut self,
        free: &FreeSet,
        (ranks, hops): (&[u32], u32),
        avail: &Bits,
        from: u32,
        mut visit: impl FnMut(u32, u64) -> bool,
    ) {
        loop {
            let forgotten = self.forgotten;
            self.sets.clear();
            for rank in ranks {
                let set = self.around(free, *rank, hops);
                self.sets.push(set);
            }
            // What was forgotten between is made again, and then stands beside the others.
            if self.forgotten == forgotten {
                break;
            }
        }
        let (words, avail) = (&self.words, avail.as_flattened());
        let first = from / 64;
        for (at, end) in &mut self.sets {
            let set = &words[*at as usize..*end as usize];
            *at += set.partition_point(|(word, _)| *word < first) as u32;
        }
        let shortest = (0..self.sets.len()).min_by_key(|i| self.sets[*i].1 - self.sets[*i].0);
        if let Some(shortest) = shortest {
            self.sets.swap(0, shortest);
        }
        let Some(((at, end), others)) = self.sets.split_first_mut() else { return };
        for (word, bits) in &words[*at as usize..*end as usize] {
            let mut bits = bits & avail[*word as usize];
            if *word == first {
                bits &= u64::MAX << (from % 64);
            }
            for (at, end) in others.iter_mut() {
                while at < end && words[*at as usize].0 < *word {
                    *at += 1;
                }
                match words[..*end as usize].get(*at as usize) {
                    Some((there, theirs)) if there == word => bits &= theirs,
                    _ => bits = 0,
                }
            }
            if bits != 0 && visit(*word, bits) {
                return;
            }
        }
    }
}
