//! Room for further jobs while a machine is being filled.

use nodeorder_base::ratio::ratio;

/// Room that a free set leaves for jobs under the rule of an allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Free nodes.
    pub free: u32,
    /// See [`super::Allocator::largest`].
    pub placeable: u32,
    /// See [`super::JobRules::fragmentation`].
    pub fragmentation: Option<u64>,
}

/// Sums over [`Room`]s, each with a weight: 1 a placement, or the time for which it lasted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomSums {
    weight: u128,
    placeable: u128,
    stranded: u128,
    least: Option<u32>,
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
        self.least = Some(
            self.least
                .map_or(room.placeable, |least| least.min(room.placeable)),
        );
        if let Some(broken) = room.fragmentation {
            *self.broken.get_or_insert(0) += ticks * u128::from(broken);
        }
    }

    fn mean(&self, sum: u128) -> Option<f64> {
        (self.weight > 0).then(|| ratio(sum, self.weight))
    }

    /// Mean nodes of the largest job that could still be placed.
    pub fn placeable(&self) -> Option<f64> {
        self.mean(self.placeable)
    }

    /// The fewest nodes of the largest job that could still be placed.
    pub fn least(&self) -> Option<u32> {
        self.least
    }

    /// Mean of the free nodes that the largest job would leave.
    pub fn stranded(&self) -> Option<f64> {
        self.mean(self.stranded)
    }

    /// Mean of Slurm's own fragmentation.
    pub fn fragmentation(&self) -> Option<f64> {
        self.mean(self.broken?)
    }
}
