//! Unconstrained jobs without slices and leaders, from leaves kept in the order of their room.

use std::collections::BTreeSet;

use super::domains::{Domains, Room};
use super::placement::{Misfit, Pods};

/// Leaves with room, the fewest pods first, then in the order of labels.
pub(super) struct Index {
    leaves: BTreeSet<(i64, u32)>,
    pods: i64,
}

impl Index {
    pub fn new(domains: &Domains, rooms: &[Room]) -> Self {
        let mut index = Index {
            leaves: BTreeSet::new(),
            pods: 0,
        };
        let leaves = domains.level(domains.depth() - 1);
        leaves.for_each(|leaf| index.change(leaf, 0, rooms[leaf as usize].pods));
        index
    }

    /// Takes over the new room of a leaf.
    pub fn change(&mut self, leaf: u32, before: i64, pods: i64) {
        self.pods += pods - before;
        if before > 0 {
            self.leaves.remove(&(before, leaf));
        }
        if pods > 0 {
            self.leaves.insert((pods, leaf));
        }
    }

    /// As [`super::place`]: the leaf with the least room that suffices; else several, those with the least room first,
    /// or those with the most and as the last one the tightest.
    ///
    /// # Complexity
    /// O(leaves taken · log leaves).
    pub fn place(&self, pods: i64, least_free: bool) -> Result<Pods, Misfit> {
        if let Some((_, leaf)) = self.leaves.range((pods, 0)..).next() {
            return Ok(vec![(*leaf, pods, 0)]);
        }
        if self.pods < pods {
            return Err(Misfit::Fits(self.pods, pods));
        }
        let (mut taken, mut rest): (Pods, i64) = (Vec::new(), pods);
        if least_free {
            for (room, leaf) in &self.leaves {
                taken.push((*leaf, rest.min(*room), 0));
                rest -= room;
                if rest <= 0 {
                    break;
                }
            }
        } else {
            let mut most = i64::MAX;
            while let Some((room, _)) = self.leaves.range(..(most, 0)).next_back() {
                // Those with as much room as each other, in the order of labels.
                most = *room;
                for (_, leaf) in self.leaves.range((most, 0)..(most + 1, 0)) {
                    if most >= rest {
                        let mut fits = self.leaves.range((rest, 0)..);
                        let free = fits.find(|(_, leaf)| taken.iter().all(|(t, ..)| t != leaf));
                        taken.push((free.map_or(*leaf, |(_, leaf)| *leaf), rest, 0));
                        rest = 0;
                        break;
                    }
                    taken.push((*leaf, most, 0));
                    rest -= most;
                }
                if rest == 0 {
                    break;
                }
            }
        }
        taken.sort_unstable();
        Ok(taken)
    }
}
