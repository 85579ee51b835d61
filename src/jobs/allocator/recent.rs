//! The last choices of an allocator, kept for when they are asked for again.

use super::entry::{Allocator, Choice};
use nodeorder_base::{FreeSet, Ranks};
use std::collections::VecDeque;

/// Number of choices that are kept: the same free ranks seldom come again after more.
const KEPT: usize = 16;

/// An allocator with a cache of its last choices. The allocator must place every job, and its choice must depend on the
/// free ranks and the job's size alone. The cache pays because a job that ends before one of its size starts leaves the
/// same free ranks as before it.
pub struct CachedAllocator<'a> {
    inner: Box<dyn Allocator + 'a>,
    /// The last choices, oldest first.
    cache: VecDeque<CachedChoice>,
}

/// A choice, with the question that it answers.
struct CachedChoice {
    free: FreeSet,
    count: u32,
    chosen: Ranks,
}

impl<'a> CachedAllocator<'a> {
    /// Wraps an allocator, with nothing kept yet.
    pub fn new(inner: impl Allocator + 'a) -> Self {
        CachedAllocator {
            inner: Box::new(inner),
            cache: VecDeque::new(),
        }
    }
}

impl Allocator for CachedAllocator<'_> {
    /// Looks for the choice among those kept. O(ranks/64) beside the choice itself.
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let same = self
            .cache
            .iter()
            .find(|kept| kept.count == count && kept.free.free_words() == free.free_words());
        if let Some(kept) = same {
            chosen.clone_from(&kept.chosen);
            return Choice::Placed;
        }
        let choice = self.inner.choose_ranks(free, count, chosen);
        if self.cache.len() == KEPT {
            self.cache.pop_front();
        }
        self.cache.push_back(CachedChoice {
            free: free.clone(),
            count,
            chosen: chosen.clone(),
        });
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Run;

    /// The lowest ranks; counts how often it is asked.
    struct Lowest<'a>(&'a std::sync::atomic::AtomicU32);

    impl Allocator for Lowest<'_> {
        fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            free.copy_lowest(count, chosen);
            Choice::Placed
        }
    }

    #[test]
    fn the_same_question_is_asked_once() {
        let asked = std::sync::atomic::AtomicU32::new(0);
        let mut recent = CachedAllocator::new(Lowest(&asked));
        let mut free = FreeSet::new(200);
        let mut times = |free: &FreeSet, count: u32| {
            let (mut chosen, mut plain) = (Ranks::default(), Ranks::default());
            assert!(recent.choose_ranks(free, count, &mut chosen).is_placed());
            free.copy_lowest(count, &mut plain);
            assert_eq!(chosen, plain);
            asked.load(std::sync::atomic::Ordering::Relaxed)
        };
        assert_eq!(
            (times(&free, 3), times(&free, 4), times(&free, 3)),
            (1, 2, 2)
        );
        free.take_run(Run { first: 1, count: 1 });
        assert_eq!((times(&free, 3), times(&free, 3)), (3, 3));
        free.release_run(Run { first: 1, count: 1 });
        assert_eq!(times(&free, 4), 3);
        // Those before are left out one after the other.
        for count in 5..5 + KEPT as u32 - 2 {
            times(&free, count);
        }
        let before = times(&free, 4);
        assert_eq!(times(&free, 3), before + 1);
    }
}
