//! The lowest free ranks, or the highest for small jobs.

use super::entry::{Allocator, AllocatorEntry, Choice};
use nodeorder_base::{FreeSet, Opt, Ranks};

/// `fifo:K`: jobs of fewer than K nodes get the highest free ranks, all others the lowest.
///
/// `fifo:0` is the baseline of every improvement figure; it is also the free list of Cplant and what Slurm does
/// with nodes of distinct weights. O(size/64 + runs).
///
/// # References
/// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013, section 4.2;
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies",
/// 2002, section 2.1.
pub const FIFO: AllocatorEntry = AllocatorEntry {
    name: "fifo",
    about: "the lowest free ranks; the highest for jobs of fewer than BELOW nodes",
    example: "fifo:0",
    options: &[
        Opt::whole("below", "jobs of fewer nodes get the highest ranks")
            .default_value("0")
            .positional(),
    ],
    parse: |params| {
        Ok(Box::new(Fifo {
            below: params.required_integer("below", 0, u32::MAX)?,
        }))
    },
};

/// Takes small jobs from one end of the free list, large ones from the other.
#[derive(Clone)]
struct Fifo {
    /// Jobs of fewer nodes get the highest ranks.
    below: u32,
}

impl Allocator for Fifo {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count < self.below {
            free.copy_highest(count, chosen);
        } else {
            free.copy_lowest(count, chosen);
        }
        Choice::Placed
    }
}
