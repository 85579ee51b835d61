//! A shortcut for unconstrained jobs without slices and leaders: the leaves stay sorted by their room.
//!
//! Such a job asks for no domain but leaves, so the two steps of [`super::placement`] come down to looking at leaves
//! in the order of their room. Kept sorted from job to job, the few that are taken are found without a look at all
//! others.

use std::collections::BTreeSet;

use super::domains::{DomainCapacity, Domains};
use super::placement::{LeafAssignment, PlacementError};

/// Leaves with room, those with the fewest pods first, then in the order of labels.
pub struct LeafIndex {
    /// Number of pods that fit, and leaf.
    leaves: BTreeSet<(i64, u32)>,
    /// Number of pods that fit on all leaves together.
    pods: i64,
}

impl LeafIndex {
    /// Sorts all leaves.
    pub fn new(domains: &Domains, rooms: &[DomainCapacity]) -> Self {
        let mut index = LeafIndex {
            leaves: BTreeSet::new(),
            pods: 0,
        };
        for leaf in domains.domains_of_level(domains.level_count() - 1) {
            index.move_leaf(leaf, 0, rooms[leaf as usize].pods);
        }
        index
    }

    /// Moves a leaf into which `pods` pods fit now, `before` of them so far.
    pub fn move_leaf(&mut self, leaf: u32, before: i64, pods: i64) {
        self.pods += pods - before;
        if before > 0 {
            self.leaves.remove(&(before, leaf));
        }
        if pods > 0 {
            self.leaves.insert((pods, leaf));
        }
    }

    /// Places pods as [`super::find_topology_assignment`] does: on the leaf with the least room that holds all;
    /// else on several, those with the least room first (`least_free`), or those with the most and as the last
    /// one the tightest.
    ///
    /// # Complexity
    /// O(leaves taken · log leaves).
    pub fn place_pods(
        &self,
        pods: i64,
        least_free: bool,
    ) -> Result<LeafAssignment, PlacementError> {
        if let Some((_, leaf)) = self.leaves.range((pods, 0)..).next() {
            return Ok(vec![(*leaf, pods, 0)]);
        }
        if self.pods < pods {
            return Err(PlacementError::TooFew(self.pods, pods));
        }
        let mut taken = LeafAssignment::new();
        if least_free {
            let mut rest = pods;
            for (room, leaf) in &self.leaves {
                taken.push((*leaf, rest.min(*room), 0));
                rest -= room;
                if rest <= 0 {
                    break;
                }
            }
        } else {
            self.take_fullest(pods, &mut taken);
        }
        taken.sort_unstable();
        Ok(taken)
    }

    /// Takes the leaves with the most room until one holds the rest, and then the tightest that does.
    fn take_fullest(&self, pods: i64, taken: &mut LeafAssignment) {
        let mut rest = pods;
        let mut most = i64::MAX;
        while let Some((room, _)) = self.leaves.range(..(most, 0)).next_back() {
            most = *room;
            // Leaves with as much room as each other go in the order of labels, which is the set's order
            // from the front.
            for (_, leaf) in self.leaves.range((most, 0)..(most + 1, 0)) {
                if most >= rest {
                    let mut fits = self.leaves.range((rest, 0)..);
                    let free = fits.find(|(_, leaf)| taken.iter().all(|(t, ..)| t != leaf));
                    let tightest = free.map_or(*leaf, |(_, leaf)| *leaf);
                    taken.push((tightest, rest, 0));
                    return;
                }
                taken.push((*leaf, most, 0));
                rest -= most;
            }
        }
    }
}
