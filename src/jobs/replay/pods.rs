//! Allocation of a live job: its ranks, or its pods on them.

use crate::allocator::PodsOn;
use nodeorder_base::{FreeSet, Ranks};
use nodeorder_trace::JobOptions;

/// Allocation of a live job; empty for a job that was skipped or refused.
#[derive(Default)]
pub struct LiveAllocation {
    pub ranks: Ranks,
    /// Pods on each rank; empty if the allocator knows of none.
    pub pods: Vec<PodsOn>,
    /// Placement sequence number: the number of jobs placed so far, with this one.
    pub sequence: u64,
    /// Name of the job, kept only with pods, which may move.
    pub name: String,
    /// Allocator options of the job, kept only with pods.
    pub options: Option<JobOptions>,
}

impl LiveAllocation {
    /// Lists the ranks with the number of pods on each, leaders counted; one a rank if the allocator knows of
    /// no pods.
    pub fn pods_by_rank(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let whole = self
            .ranks
            .iter()
            .filter(|_| self.pods.is_empty())
            .map(|rank| (rank, 1));
        whole.chain(self.pods.iter().map(|on| (on.rank, on.pods + on.leaders)))
    }

    /// Takes the allocation out of the free set.
    pub fn take_from(&self, free: &mut FreeSet) {
        // Without pods a job holds its nodes as a whole, however many places they have.
        if self.pods.is_empty() {
            free.take_ranks(&self.ranks);
        }
        for on in &self.pods {
            free.take_places(on.rank, on.places);
        }
    }

    /// Gives the allocation back to the free set.
    pub fn give_back(&self, free: &mut FreeSet) {
        if self.pods.is_empty() {
            free.release_ranks(&self.ranks);
        }
        for on in &self.pods {
            free.give_places(on.rank, on.places);
        }
    }
}
