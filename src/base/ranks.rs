//! Sets of ranks: the maximal runs of an allocation, and the ranks that are free.

use std::fmt;
use std::sync::Arc;

/// Consecutive ranks `first .. first + count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The lowest rank.
    pub first: u32,
    /// How many ranks.
    pub count: u32,
}

impl Run {
    /// Makes the run of one rank.
    pub fn of_rank(rank: u32) -> Self {
        Run {
            first: rank,
            count: 1,
        }
    }

    /// Computes the rank after the last.
    pub fn end(self) -> u32 {
        self.first + self.count
    }

    /// Computes the highest rank; the run must not be empty.
    pub fn last(self) -> u32 {
        self.first + self.count - 1
    }
}

/// A set of ranks, kept as ascending maximal runs.
///
/// # Examples
/// ```
/// use nodeorder_base::ranks::{Ranks, Run};
/// let mut ranks = Ranks::default();
/// ranks.push(Run { first: 7, count: 1 });
/// ranks.push(Run { first: 2, count: 2 });
/// ranks.push(Run { first: 0, count: 2 });
/// ranks.sort_and_join();
/// assert_eq!(ranks.to_string(), "0-3 7");
/// assert_eq!(ranks.len(), 5);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    runs: Vec<Run>,
}

impl Ranks {
    /// Removes all ranks.
    pub fn clear(&mut self) {
        self.runs.clear();
    }

    /// Adds a run of ranks that are not in the set. Call [`Ranks::sort_and_join`] when all are in, unless they came in
    /// ascending order.
    #[inline]
    pub fn push(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.end() == run.first => last.count += run.count,
            // A set that holds an empty run would not pass for empty.
            _ if run.count > 0 => self.runs.push(run),
            _ => {}
        }
    }

    /// Adds one rank; as [`Ranks::push`].
    pub fn push_rank(&mut self, rank: u32) {
        self.push(Run::of_rank(rank));
    }

    /// Adds ranks; as [`Ranks::push`].
    pub fn push_ranks(&mut self, ranks: &[u32]) {
        ranks.iter().for_each(|rank| self.push_rank(*rank));
    }

    /// Appends the first `count` ranks of some runs.
    pub fn push_first(&mut self, runs: impl Iterator<Item = Run>, count: u32) {
        let mut left = count;
        for run in runs {
            let taken = run.count.min(left);
            self.push(Run {
                count: taken,
                ..run
            });
            left -= taken;
            if left == 0 {
                return;
            }
        }
    }

    /// Sorts and joins the runs pushed. O(runs · log runs), O(runs) where they are in order.
    pub fn sort_and_join(&mut self) {
        // In order there is nothing to join, either: `push` joins what touches.
        if self.runs.is_sorted() {
            return;
        }
        self.runs.sort_unstable();
        self.runs.dedup_by(|next, last| {
            let joined = last.end() == next.first;
            if joined {
                last.count += next.count;
            }
            joined
        });
    }

    /// Lists the runs, ascending.
    pub fn list_runs(&self) -> &[Run] {
        &self.runs
    }

    /// Counts the ranks.
    pub fn len(&self) -> u32 {
        self.runs.iter().map(|r| r.count).sum()
    }

    /// Checks whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Iterates over the ranks, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|r| r.first..r.end())
    }
}

impl From<Run> for Ranks {
    fn from(run: Run) -> Self {
        Ranks { runs: vec![run] }
    }
}

/// As text: runs with blanks between, as in `0-3 7 9-10`.
impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, run) in self.runs.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            match run.count {
                1 => write!(f, "{space}{}", run.first)?,
                _ => write!(f, "{space}{}-{}", run.first, run.last())?,
            }
        }
        Ok(())
    }
}

/// The free ranks of `0..size`, one bit each. A rank may have several places, of which some are taken; it is free when
/// all of them are.
///
/// Taking and giving cost O(runs + ranks/64); a sweep over the free runs costs O(size/64 + runs).
#[derive(Clone, Debug)]
pub struct FreeSet {
    words: Vec<u64>,
    size: u32,
    free: u32,
    /// By rank: number of free places, and of all places; empty where each rank is one place.
    places: Vec<u32>,
    all_places: Arc<[u32]>,
}

impl FreeSet {
    /// Makes a set of `size` ranks, all free.
    pub fn new(size: u32) -> Self {
        FreeSet::with_all_free(size, [].into())
    }

    /// Makes a set of ranks, all free, with the number of places that each rank has.
    pub fn with_places(places: Vec<u32>) -> Self {
        FreeSet::with_all_free(places.len() as u32, places.into())
    }

    fn with_all_free(size: u32, all_places: Arc<[u32]>) -> Self {
        let mut set = FreeSet {
            words: vec![0; size.div_ceil(64) as usize],
            size,
            free: 0,
            places: vec![0; all_places.len()],
            all_places,
        };
        set.release_run(Run {
            first: 0,
            count: size,
        });
        set
    }

    /// Makes a set with the same ranks and places, all of them free.
    pub fn with_all_free_again(&self) -> Self {
        FreeSet::with_all_free(self.size, self.all_places.clone())
    }

    /// Counts the free places of a rank.
    pub fn free_places(&self, rank: u32) -> u32 {
        self.places
            .get(rank as usize)
            .copied()
            .unwrap_or_else(|| self.is_free(rank).into())
    }

    /// Marks some free places of a rank as taken.
    pub fn take_places(&mut self, rank: u32, count: u32) {
        // A rank is free only as a whole: its bit goes with the first place, and the other places are given back.
        if count > 0 && self.is_free(rank) {
            self.take_run(Run::of_rank(rank));
            let all = self.all_places.get(rank as usize).copied().unwrap_or(1);
            return self.give_places(rank, all - count);
        }
        debug_assert!(count <= self.free_places(rank), "taken twice");
        self.places
            .get_mut(rank as usize)
            .into_iter()
            .for_each(|places| *places -= count);
    }

    /// Marks some taken places of a rank as free.
    pub fn give_places(&mut self, rank: u32, count: u32) {
        let all = self.all_places.get(rank as usize).copied().unwrap_or(1);
        // With its last place the rank is free as a whole, and its bit is set.
        if count > 0 && self.free_places(rank) + count == all {
            return self.release_run(Run::of_rank(rank));
        }
        self.places
            .get_mut(rank as usize)
            .into_iter()
            .for_each(|places| *places += count);
    }

    /// Marks all free places of a rank as taken.
    pub fn take_all(&mut self, rank: u32) {
        if self.is_free(rank) {
            self.take_run(Run::of_rank(rank))
        } else {
            self.take_places(rank, self.free_places(rank))
        }
    }

    /// Calls `changed` with each rank that has other free places in `before`, a set of the same ranks. O(places/64).
    pub fn visit_changed(&self, before: &FreeSet, mut changed: impl FnMut(u32)) {
        for (at, (word, old)) in (0..).step_by(64).zip(self.words.iter().zip(&before.words)) {
            // Where each rank is one place the list is empty, and so is the range.
            let end = (at as usize + 64).min(self.places.len());
            let range = (at as usize).min(end)..end;
            if word == old && self.places[range.clone()] == before.places[range] {
                continue;
            }
            (at..self.size.min(at + 64))
                .filter(|rank| self.free_places(*rank) != before.free_places(*rank))
                .for_each(&mut changed);
        }
    }

    /// Counts the ranks, free or not.
    pub fn rank_count(&self) -> u32 {
        self.size
    }

    /// Counts the free ranks.
    pub fn free_count(&self) -> u32 {
        self.free
    }

    /// Checks whether none is free.
    pub fn is_empty(&self) -> bool {
        self.free == 0
    }

    /// Checks whether `rank` is free.
    pub fn is_free(&self, rank: u32) -> bool {
        self.words[rank as usize / 64] >> (rank % 64) & 1 == 1
    }

    /// Marks a run of free ranks as taken.
    pub fn take_run(&mut self, run: Run) {
        self.free -= run.count;
        if !self.places.is_empty() {
            self.places[run.first as usize..run.end() as usize].fill(0);
        }
        self.apply_masks(run, |word, mask| {
            debug_assert_eq!(*word & mask, mask, "taken twice");
            *word &= !mask;
        });
    }

    /// Marks a run of taken ranks as free.
    pub fn release_run(&mut self, run: Run) {
        self.free += run.count;
        if !self.places.is_empty() {
            let range = run.first as usize..run.end() as usize;
            self.places[range.clone()].copy_from_slice(&self.all_places[range]);
        }
        self.apply_masks(run, |word, mask| {
            debug_assert_eq!(*word & mask, 0, "freed twice");
            *word |= mask;
        });
    }

    /// Marks free ranks as taken.
    pub fn take_ranks(&mut self, ranks: &Ranks) {
        ranks.runs.iter().for_each(|run| self.take_run(*run));
    }

    /// Marks taken ranks as free.
    pub fn release_ranks(&mut self, ranks: &Ranks) {
        ranks.runs.iter().for_each(|run| self.release_run(*run));
    }

    /// Keeps only the ranks that are free in `other`, too, a set of the same size. O(size/64).
    pub fn keep_common(&mut self, other: &FreeSet) {
        debug_assert_eq!(self.size, other.size);
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word &= other);
        self.free = self.words.iter().map(|word| word.count_ones()).sum();
    }

    fn apply_masks(&mut self, run: Run, mut apply: impl FnMut(&mut u64, u64)) {
        let mut rank = run.first;
        let end = run.end();
        while rank < end {
            let word = rank as usize / 64;
            let bit = rank % 64;
            // At least 1 and at most 64, so that neither shift below is by 64, which would overflow.
            let count = (64 - bit).min(end - rank);
            apply(&mut self.words[word], u64::MAX >> (64 - count) << bit);
            rank += count;
        }
    }

    /// Returns the ranks as bits, rank 0 in the lowest of the first word; set where the rank is free.
    pub fn free_words(&self) -> &[u64] {
        &self.words
    }

    /// Finds the first free rank at or after `from`.
    pub fn next_free(&self, from: u32) -> Option<u32> {
        self.next_differing(from, 0)
    }

    /// Finds the first rank at or after `from` whose bit differs from `flip`'s.
    #[inline]
    fn next_differing(&self, from: u32, flip: u64) -> Option<u32> {
        let mut at = from as usize / 64;
        let mut word = (self.words.get(at)? ^ flip) & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = self.words.get(at)? ^ flip;
        }
        let rank = 64 * at as u32 + word.trailing_zeros();
        // The last word has bits behind the last rank: to a search for taken ranks they are a find.
        (rank < self.size).then_some(rank)
    }

    /// Iterates over the maximal runs of free ranks, ascending.
    pub fn free_runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.free_runs_from(0)
    }

    /// Iterates over the maximal runs among the free ranks from 64 · `word` on, ascending.
    fn free_runs_from(&self, word: usize) -> impl Iterator<Item = Run> + '_ {
        let mut words = (64 * word as u32..).step_by(64).zip(&self.words[word..]);
        // The ranks of the word at `base` that are free where the one before is taken, or the other way round.
        let mut base = 0;
        let mut turns = 0;
        let mut carry = 0;
        let mut turn = move || {
            while turns == 0 {
                let word;
                (base, word) = words.next()?;
                (turns, carry) = (word ^ (word << 1 | carry), word >> 63);
            }
            let rank = base + turns.trailing_zeros();
            turns &= turns - 1;
            Some(rank)
        };
        std::iter::from_fn(move || {
            let first = turn()?;
            Some(Run {
                first,
                // Where the last rank fills its word and is free, no further bit ends the run.
                count: turn().unwrap_or(self.size) - first,
            })
        })
    }

    /// Appends the free ranks, ascending, to `out`.
    pub fn append_free(&self, out: &mut Vec<u32>) {
        out.reserve(self.free as usize);
        out.extend(self.iter());
    }

    /// Iterates over the free ranks, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter_from(0)
    }

    /// Iterates over the free ranks from 64 · `word` on, ascending.
    pub fn iter_from(&self, word: usize) -> impl Iterator<Item = u32> + '_ {
        self.free_runs_from(word).flat_map(|r| r.first..r.end())
    }

    /// Copies the lowest `count` free ranks into `out`, or all there are. O(size/64 + runs).
    pub fn copy_lowest(&self, count: u32, out: &mut Ranks) {
        out.push_first(self.free_runs(), count);
    }

    /// Copies the highest `count` free ranks into `out`, or all there are.
    pub fn copy_highest(&self, count: u32, out: &mut Ranks) {
        let mut skip = self.free.saturating_sub(count);
        // Whole words are skipped by their number of free ranks.
        let mut word = 0;
        while skip > 0 && self.words[word].count_ones() <= skip {
            skip -= self.words[word].count_ones();
            word += 1;
        }
        let mut from = 64 * word as u32;
        while let Some(first) = self.next_differing(from, 0) {
            let end = self.next_differing(first, u64::MAX).unwrap_or(self.size);
            let left_out = skip.min(end - first);
            skip -= left_out;
            out.push(Run {
                first: first + left_out,
                count: end - first - left_out,
            });
            from = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranks_join_and_print() {
        let mut ranks = Ranks::default();
        assert_eq!((ranks.to_string().as_str(), ranks.is_empty()), ("", true));
        [9, 10, 3, 2, 0].iter().for_each(|r| ranks.push_rank(*r));
        ranks.sort_and_join();
        assert_eq!(ranks.to_string(), "0 2-3 9-10");
        assert_eq!(ranks.iter().collect::<Vec<_>>(), [0, 2, 3, 9, 10]);
    }

    proptest! {
        #[test]
        fn the_free_set_is_a_set(size in 1u32..300, moves in prop::collection::vec((0u32..300, 1u32..80), 0..40), count in 0u32..320) {
            let mut set = FreeSet::new(size);
            let mut plain: Vec<bool> = vec![true; size as usize];
            for (first, count) in moves {
                let (first, count) = (first % size, count.min(size - first % size));
                let run = Run { first, count };
                let range = first as usize..run.end() as usize;
                if plain[range.clone()].iter().all(|f| *f) {
                    set.take_run(run);
                    plain[range].fill(false);
                } else if plain[range.clone()].iter().all(|f| !*f) {
                    set.release_run(run);
                    plain[range].fill(true);
                }
            }
            let free: Vec<u32> = (0..size).filter(|r| plain[*r as usize]).collect();
            prop_assert_eq!(set.free_count() as usize, free.len());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), free.clone());
            prop_assert!((0..size).all(|r| set.is_free(r) == plain[r as usize]));
            let runs: Vec<Run> = set.free_runs().collect();
            let mut listed = Vec::new();
            set.append_free(&mut listed);
            prop_assert_eq!(&listed, &free);
            prop_assert!(runs.windows(2).all(|w| w[0].end() < w[1].first));
            // Every third rank of it.
            let mut third = FreeSet::new(size);
            (0..size).filter(|r| r % 3 > 0).for_each(|first| third.take_run(Run { first, count: 1 }));
            third.keep_common(&set);
            let thirds: Vec<u32> = free.iter().copied().filter(|r| r % 3 == 0).collect();
            prop_assert_eq!((third.free_count() as usize, third.iter().collect()), (thirds.len(), thirds));
            let wanted = free.len().min(count as usize);
            let mut some = Ranks::default();
            set.copy_lowest(count, &mut some);
            prop_assert_eq!(some.iter().collect::<Vec<_>>(), free[..wanted].to_vec());
            some.clear();
            set.copy_highest(count, &mut some);
            prop_assert_eq!(some.iter().collect::<Vec<_>>(), free[free.len() - wanted..].to_vec());
        }
    }
}
