//! Distances in groups of cliques that are joined at one router each (cascades with one global link between groups).
//!
//! Inside a group a distance is the number of labels that differ; between groups it is the hops from both routers to
//! the ones that join their groups (the *ways*: the number of labels that are not 0), and one.

use super::distance_kernel::DistanceKernel;
use nodeorder_network::topology::distance::Hub;

/// Groups of routers, each a product of cliques; see [`nodeorder_network::topology::distance::Hub`].
///
/// Counters of a group: members by label, then members, then the sum of their ways; after all groups the last two of
/// all members.
#[derive(Debug)]
pub struct JoinedGroups {
    /// Number of groups.
    groups: usize,
    /// By clique: index of its first counter among those of a group.
    offsets: Vec<u32>,
    /// Number of counters of a group by label.
    width: usize,
    /// Group of every rank.
    group: Vec<u32>,
    /// Labels of every rank, one for each clique.
    labels: Vec<u32>,
}

impl JoinedGroups {
    /// Labels ranks in the groups of `hub`, all of whose axes are cliques.
    pub fn new(hub: &Hub, routers: &[u32]) -> Self {
        let size = hub.group.count_routers() as u32;
        let mut width = 0;
        let mut offsets = Vec::new();
        for axis in &hub.group.axes {
            offsets.push(width);
            width += axis.extent;
        }
        let mut labels = Vec::new();
        for router in routers {
            labels.extend((0..offsets.len()).map(|i| hub.group.coordinate(i, router % size)));
        }
        JoinedGroups {
            groups: hub.groups as usize,
            offsets,
            width: width as usize,
            group: routers.iter().map(|router| router / size).collect(),
            labels,
        }
    }

    /// Looks up the labels of a rank, one for each clique.
    fn labels_of(&self, rank: u32) -> &[u32] {
        let width = self.offsets.len();
        &self.labels[rank as usize * width..][..width]
    }

    /// Counts the hops to the router that joins the groups.
    fn way_out(&self, rank: u32) -> u32 {
        let labels = self.labels_of(rank).iter();
        labels.map(|x| u32::from(*x != 0)).sum()
    }

    /// Computes the index of the first counter of a group.
    fn first_counter(&self, group: usize) -> usize {
        group * (self.width + 2)
    }
}

impl DistanceKernel for JoinedGroups {
    #[inline]
    fn hops_between(&self, a: u32, b: u32) -> u32 {
        if self.group[a as usize] == self.group[b as usize] {
            let labels = self.labels_of(a).iter().zip(self.labels_of(b));
            return labels.map(|(x, y)| u32::from(x != y)).sum();
        }
        1 + self.way_out(a) + self.way_out(b)
    }

    fn counter_count(&self) -> usize {
        self.first_counter(self.groups) + 2
    }

    #[inline]
    fn change_members(&self, counters: &mut [u64], rank: u32, by: i64) {
        let first = self.first_counter(self.group[rank as usize] as usize);
        let ways = by * i64::from(self.way_out(rank));
        for (offset, label) in self.offsets.iter().zip(self.labels_of(rank)) {
            let count = &mut counters[first + (offset + label) as usize];
            *count = count.wrapping_add_signed(by);
        }
        for sums in [first + self.width, self.first_counter(self.groups)] {
            counters[sums] = counters[sums].wrapping_add_signed(by);
            counters[sums + 1] = counters[sums + 1].wrapping_add_signed(ways);
        }
    }

    #[inline]
    fn distances_to_members(&self, counters: &[u64], rank: u32) -> u64 {
        let first = self.first_counter(self.group[rank as usize] as usize);
        let own = first + self.width;
        let all = self.first_counter(self.groups);
        let mut sum = 0;
        for (offset, label) in self.offsets.iter().zip(self.labels_of(rank)) {
            // Members of the group whose label differs.
            sum += counters[own] - counters[first + (offset + label) as usize];
        }
        let others = counters[all] - counters[own];
        let their_ways = counters[all + 1] - counters[own + 1];
        sum + others * (1 + u64::from(self.way_out(rank))) + their_ways
    }
}
