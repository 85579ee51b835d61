//! Distances in groups of cliques that are joined at one router each.

use super::distance_kernel::DistanceKernel;
use nodeorder_network::topology::distance::Hub;

/// Groups of routers, each a product of cliques; see [`nodeorder_network::topology::distance::Hub`].
///
/// Inside a group a distance is the number of labels that differ; between groups it is the hops from both routers to
/// the ones that join their groups (the ways), and one.
///
/// Counters of a group: members by label, then members, then the sum of their ways; after all groups the last two of
/// all members.
#[derive(Debug)]
pub(super) struct JoinedGroups {
    groups: usize,
    /// By label: index of its first counter among those of a group.
    offsets: Vec<u32>,
    /// Counters of a group by label.
    width: usize,
    /// By rank.
    group: Vec<u32>,
    /// By rank, one for each clique.
    labels: Vec<u32>,
}

impl JoinedGroups {
    /// The groups of `hub`, all of whose axes are cliques.
    pub fn new(hub: &Hub, routers: &[u32]) -> Self {
        let size = hub.group.routers() as u32;
        let axes = 0..hub.group.axes.len();
        let label = |router: &u32| {
            axes.clone()
                .map(|i| hub.group.coordinate(i, router % size))
                .collect::<Vec<_>>()
        };
        let mut width = 0;
        let offsets = hub.group.axes.iter().map(|axis| {
            width += axis.extent;
            width - axis.extent
        });
        JoinedGroups {
            groups: hub.groups as usize,
            offsets: offsets.collect(),
            width: width as usize,
            group: routers.iter().map(|router| router / size).collect(),
            labels: routers.iter().flat_map(label).collect(),
        }
    }

    fn labels_of(&self, rank: u32) -> &[u32] {
        let width = self.offsets.len();
        &self.labels[rank as usize * width..][..width]
    }

    /// Hops to the router that joins the groups.
    fn way(&self, rank: u32) -> u32 {
        self.labels_of(rank)
            .iter()
            .map(|x| u32::from(*x != 0))
            .sum()
    }

    /// Index of the first counter of a group.
    fn first(&self, group: usize) -> usize {
        group * (self.width + 2)
    }
}

impl DistanceKernel for JoinedGroups {
    #[inline]
    fn between(&self, a: u32, b: u32) -> u32 {
        if self.group[a as usize] == self.group[b as usize] {
            let labels = self.labels_of(a).iter().zip(self.labels_of(b));
            return labels.map(|(x, y)| u32::from(x != y)).sum();
        }
        1 + self.way(a) + self.way(b)
    }

    fn counters(&self) -> usize {
        self.first(self.groups) + 2
    }

    #[inline]
    fn change(&self, counters: &mut [u64], rank: u32, by: i64) {
        let first = self.first(self.group[rank as usize] as usize);
        let ways = by * i64::from(self.way(rank));
        let mut change = |i: usize, by: i64| counters[i] = counters[i].wrapping_add_signed(by);
        for (offset, label) in self.offsets.iter().zip(self.labels_of(rank)) {
            change(first + (offset + label) as usize, by);
        }
        for sums in [first + self.width, self.first(self.groups)] {
            change(sums, by);
            change(sums + 1, ways);
        }
    }

    #[inline]
    fn star(&self, counters: &[u64], rank: u32) -> u64 {
        let first = self.first(self.group[rank as usize] as usize);
        let sums = |i: usize| (counters[i], counters[i + 1]);
        let ((here, ways_here), (all, ways)) =
            (sums(first + self.width), sums(self.first(self.groups)));
        let differing =
            |(offset, label): (&u32, &u32)| here - counters[first + (offset + label) as usize];
        let inside: u64 = self
            .offsets
            .iter()
            .zip(self.labels_of(rank))
            .map(differing)
            .sum();
        inside + (all - here) * (1 + u64::from(self.way(rank))) + (ways - ways_here)
    }
}
