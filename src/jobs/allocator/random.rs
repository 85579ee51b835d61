//! Allocates free ranks at random.

use super::entry::{Allocator, AllocatorEntry, Choice};
use nodeorder_base::params::SEED;
use nodeorder_base::{FreeSet, Ranks};
use rand_pcg::Pcg64;

use nodeorder_base::random::{random_below, seed_generator};

/// `random[:seed=S]`: any n free ranks, every set equally likely. O(free).
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", section III.
pub const RANDOM: AllocatorEntry = AllocatorEntry {
    name: "random",
    about: "free ranks at random",
    example: "random:seed=7",
    options: &[SEED],
    parse: |params| {
        let random = seed_generator(params.seed()?);
        Ok(Box::new(Random {
            random,
            entries: Vec::new(),
        }))
    },
};

/// Draws of free ranks.
#[derive(Clone)]
struct Random {
    random: Pcg64,
    /// The free ranks, shuffled as far as needed.
    entries: Vec<u32>,
}

impl Allocator for Random {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.entries.clear();
        free.append_free(&mut self.entries);
        // The first `count` steps of a shuffle draw every set with the same probability.
        for i in 0..count as usize {
            let other =
                i + random_below((self.entries.len() - i) as u64, &mut self.random) as usize;
            self.entries.swap(i, other);
        }
        let picked = &mut self.entries[..count as usize];
        picked.sort_unstable();
        chosen.push_ranks(picked);
        Choice::Placed
    }
}
