//! Room for further jobs: how large a job could still be placed on the nodes that are free.

use nodeorder_base::ratio::ratio;

/// Room that a free set leaves for jobs under the rule of an allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Number of free nodes.
    pub free: u32,
    /// Number of nodes of the largest job that would be placed ([`super::Allocator::largest_job`]).
    pub placeable: u32,
    /// Number of nodes of broken units ([`super::JobRules::count_broken_nodes`]); `None` without such a measure.
    pub fragmentation: Option<u64>,
}

/// Sums over [`PlaceableNodes`]s, each with a weight: 1 a placement, or the time for which it lasted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomSums {
    /// Sum of the weights.
    weight: u128,
    /// Sum of weight · placeable nodes.
    placeable: u128,
    /// Sum of weight · free nodes beyond those placeable.
    stranded: u128,
    /// Smallest number of placeable nodes.
    least: Option<u32>,
    /// Sum of weight · nodes of broken units.
    broken: Option<u128>,
}

impl RoomSums {
    /// Adds the room after one placement.
    pub fn add(&mut self, room: &Room) {
        self.add_for(room, 1);
    }

    /// Adds room that lasted for `ticks`.
    pub fn add_for(&mut self, room: &Room, ticks: u64) {
        let ticks = u128::from(ticks);
        self.weight += ticks;
        self.placeable += ticks * u128::from(room.placeable);
        self.stranded += ticks * u128::from(room.free - room.placeable);
        let least = self.least.unwrap_or(room.placeable);
        self.least = Some(least.min(room.placeable));
        if let Some(broken) = room.fragmentation {
            *self.broken.get_or_insert(0) += ticks * u128::from(broken);
        }
    }

    /// Returns a sum over the weights; `None` if nothing was added.
    fn mean(&self, sum: u128) -> Option<f64> {
        (self.weight > 0).then(|| ratio(sum, self.weight))
    }

    /// Returns the mean number of nodes of the largest job that could still be placed.
    pub fn placeable(&self) -> Option<f64> {
        self.mean(self.placeable)
    }

    /// Returns the smallest number of nodes of the largest job that could still be placed.
    pub fn least(&self) -> Option<u32> {
        self.least
    }

    /// Returns the mean number of free nodes that the largest job would leave.
    pub fn stranded(&self) -> Option<f64> {
        self.mean(self.stranded)
    }

    /// Returns the mean of Slurm's own fragmentation, in nodes.
    pub fn fragmentation(&self) -> Option<f64> {
        self.mean(self.broken?)
    }
}
