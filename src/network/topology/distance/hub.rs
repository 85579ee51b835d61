//! Distances between groups that are joined at one router each.
//!
//! ```text
//! three groups of a path of two      1 - 0 --- 2 - 3      routers 0, 2 and 4 are the hubs,
//!                                         \   /           each linked to both others;
//!                                           4 - 5         1 to 5 is 1 + 1 + 1 hops
//! ```

use super::product::Product;

/// Groups of routers, each a [`Product`]; the first routers of all groups are linked all-to-all.
/// Between groups: `d(a, first) + 1 + d(first, b)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// The network inside a group.
    pub group: Product,
    /// Number of groups.
    pub groups: u32,
}

impl Hub {
    /// Computes the hops between two routers. O(axes).
    #[inline]
    pub fn distance_between(&self, a: u32, b: u32) -> u32 {
        let size = self.group.count_routers() as u32;
        let from = a % size;
        let to = b % size;
        if a / size == b / size {
            self.group.distance_between(from, to)
        } else {
            self.group.distance_between(from, 0) + 1 + self.group.distance_between(0, to)
        }
    }

    /// Computes the sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on router r.
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let mut sum = 0u128;
        let mut largest = 0;
        // Sums over the groups so far: nodes, their distances to their first router, the largest of these.
        // Pairs between groups follow from them, since every path between groups goes over both first
        // routers.
        let mut nodes = 0u128;
        let mut ways = 0u128;
        let mut longest = None;
        for group in count.chunks(self.group.count_routers() as usize) {
            sum += self.group.pair_sum(group);
            largest = largest.max(self.group.occupied_diameter(group));
            let mut nodes_here = 0u128;
            let mut ways_here = 0u128;
            let mut longest_here = None;
            for (r, c) in (0..).zip(group).filter(|(_, c)| **c > 0) {
                let way = self.group.distance_between(r, 0);
                nodes_here += u128::from(*c);
                ways_here += u128::from(*c) * u128::from(way);
                longest_here = longest_here.max(Some(way));
            }
            sum += nodes * ways_here + nodes * nodes_here + ways * nodes_here;
            if let (Some(a), Some(b)) = (longest, longest_here) {
                largest = largest.max(a + 1 + b);
            }
            nodes += nodes_here;
            ways += ways_here;
            longest = longest.max(longest_here);
        }
        (sum, largest)
    }
}
