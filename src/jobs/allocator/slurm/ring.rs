//! topology/ring: runs of neighbours on rings.
//!
//! The rule: of the rings on which the segment finds free neighbours, the one with the fewest free nodes, and on it
//! the first position from which enough nodes in a row are free, going on past the ring's end. A job of k segments
//! gets the k rings with the fewest free nodes, one segment on each. Slurm keeps these in a heap, whose order is that
//! of the nodes in its answer.

use super::rule::{SelectRequest, SelectionRule};
use crate::allocator::units::UnitSet;
use nodeorder_base::FreeSet;

/// Rings in the order of the file.
pub struct Rings {
    /// By ring: its ranks by position.
    rings: Vec<Vec<u32>>,
    units: UnitSet,
}

impl Rings {
    /// Creates rings of ranks by position.
    pub fn new(size: u32, rings: Vec<Vec<u32>>) -> Self {
        Rings {
            units: UnitSet::new(size, rings.clone()),
            rings,
        }
    }

    /// Finds the first position of a ring from which `count` ranks in a row are free, going on past its end; `None` if
    /// there is none.
    fn find_free_row(&self, ring: usize, free: &FreeSet, count: usize) -> Option<usize> {
        let ranks = &self.rings[ring];
        (0..ranks.len())
            .find(|start| (0..count).all(|i| free.is_free(ranks[(start + i) % ranks.len()])))
    }
}

/// Moves an entry of a heap down from `at` until none below is larger; equal ones stay where they are, as in Slurm.
fn sift_down(heap: &mut [(u32, usize, usize)], mut at: usize) {
    loop {
        let mut largest = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if child < heap.len() && heap[child].0 > heap[largest].0 {
                largest = child;
            }
        }
        if largest == at {
            return;
        }
        heap.swap(at, largest);
        at = largest;
    }
}

impl SelectionRule for Rings {
    fn count_covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn pick_ranks(
        &mut self,
        ask: &SelectRequest<'_>,
        chosen: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        let SelectRequest { free, count, .. } = *ask;
        let segment = ask.segment_size();
        let most = (count / segment) as usize;
        // Free ranks, ring and start of the rings with the fewest free ranks, the one with most of them on top.
        let mut heap: Vec<(u32, usize, usize)> = Vec::new();
        for ring in 0..self.rings.len() {
            let open = self.units.free[ring];
            if open < segment {
                continue;
            }
            let Some(start) = self.find_free_row(ring, free, segment as usize) else {
                continue;
            };
            if heap.len() < most {
                heap.push((open, ring, start));
                let mut at = heap.len() - 1;
                while at > 0 && heap[(at - 1) / 2].0 < heap[at].0 {
                    heap.swap(at, (at - 1) / 2);
                    at = (at - 1) / 2;
                }
            } else if open < heap[0].0 {
                heap[0] = (open, ring, start);
                sift_down(&mut heap, 0);
            }
        }
        if heap.len() < most {
            return Err("no ring has enough free neighbours");
        }
        for (_, ring, start) in heap {
            let ranks = &self.rings[ring];
            chosen.extend((start..start + segment as usize).map(|i| ranks[i % ranks.len()]));
        }
        Ok(())
    }
}
