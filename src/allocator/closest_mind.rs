//! Closest Fit by mean pairwise distance.

use super::kit::*;
use crate::metric::window::Window;

/// `closest-mind`: the window of n consecutive free entries with the smallest sum of pairwise distances, the
/// first of those. Sums are exact integers.
///
/// # Complexity
/// As [`Window::best`]: O(free·cuts/16) on a grid of few cuts.
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 5.4,
/// where it took two hours a year of placements.
pub(super) const CLOSEST_MIND: AllocatorEntry = AllocatorEntry::plain(
    "closest-mind",
    "the window of free entries with the smallest mean pairwise distance",
    |_, context| {
        Ok(Box::new(ClosestMind {
            window: Window::new(context.distances),
            entries: Vec::new(),
            total: 0,
        }))
    },
);

struct ClosestMind<'a> {
    window: Window<'a>,
    entries: Vec<u32>,
    total: u64,
}

impl Allocator for ClosestMind<'_> {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count == 1 {
            self.total = 0;
            free.lowest(1, chosen);
            return Choice::Placed;
        }
        self.entries.clear();
        free.list(&mut self.entries);
        let (start, total) = self.window.best(&self.entries, count);
        self.total = total;
        self.entries[start..][..count as usize].iter().for_each(|rank| chosen.push_rank(*rank));
        Choice::Placed
    }

    fn total_distance(&self) -> Option<u64> {
        Some(self.total)
    }
}
