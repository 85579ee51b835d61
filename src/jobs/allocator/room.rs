//! Room for further jobs: how large a job could still be placed on the nodes that are free.

use nodeorder_base::ratio::mean_of_sum;

/// Room that a free set leaves for jobs under the rule of an allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceableNodes {
    /// Number of free nodes.
    pub free: u32,
    /// Number of nodes of the largest job that would be placed ([`super::Allocator::largest_job`]).
    pub placeable: u32,
    /// Number of nodes of broken units ([`super::Allocator::count_broken_nodes`]); `None` if the allocator does not
    /// count them.
    pub fragmentation: Option<u64>,
}

/// Sums over [`PlaceableNodes`]s, each with a weight: 1 a placement, or the time for which it lasted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceableSums {
    /// Sum of the weights.
    weight: u128,
    /// Sum of weight · placeable nodes.
    placeable: u128,
    /// Sum of weight · free nodes beyond those placeable.
    stranded: u128,
    /// Smallest number of placeable nodes.
    min_placeable: Option<u32>,
    /// Sum of weight · nodes of broken units.
    broken: Option<u128>,
}

impl PlaceableSums {
    /// Adds the room after one placement.
    pub fn add_placement(&mut self, room: &PlaceableNodes) {
        self.add_duration(room, 1);
    }

    /// Adds room that lasted for `ticks`.
    pub fn add_duration(&mut self, room: &PlaceableNodes, ticks: u64) {
        let ticks = u128::from(ticks);
        self.weight += ticks;
        self.placeable += ticks * u128::from(room.placeable);
        self.stranded += ticks * u128::from(room.free - room.placeable);
        let least = self.min_placeable.unwrap_or(room.placeable);
        self.min_placeable = Some(least.min(room.placeable));
        if let Some(broken) = room.fragmentation {
            *self.broken.get_or_insert(0) += ticks * u128::from(broken);
        }
    }

    /// Divides a weighted sum by the sum of the weights; `None` if nothing was added.
    fn weighted_mean(&self, sum: u128) -> Option<f64> {
        mean_of_sum(sum, self.weight)
    }

    /// Computes the mean number of nodes of the largest job that could still be placed.
    pub fn mean_placeable(&self) -> Option<f64> {
        self.weighted_mean(self.placeable)
    }

    /// Returns the smallest size, over all moments, of the largest job that could still be placed; `None` if nothing
    /// was added.
    pub fn min_placeable(&self) -> Option<u32> {
        self.min_placeable
    }

    /// Computes the mean number of free nodes that the largest job would leave.
    pub fn mean_stranded(&self) -> Option<f64> {
        self.weighted_mean(self.stranded)
    }

    /// Computes the mean of Slurm's own fragmentation, in nodes.
    pub fn mean_fragmentation(&self) -> Option<f64> {
        self.weighted_mean(self.broken?)
    }
}
