//! Distances between groups that are joined at one router each.

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
    /// Hops between two routers. O(axes).
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        let size = self.group.routers() as u32;
        let ((ga, ra), (gb, rb)) = ((a / size, a % size), (b / size, b % size));
        if ga == gb {
            self.group.between(ra, rb)
        } else {
            self.group.between(ra, 0) + 1 + self.group.between(0, rb)
        }
    }

    /// The largest distance between any two routers.
    pub fn diameter(&self) -> u32 {
        let reach = (0..self.group.routers() as u32)
            .map(|r| self.group.between(0, r))
            .max();
        let between = if self.groups > 1 {
            2 * reach.unwrap_or(0) + 1
        } else {
            0
        };
        self.group.diameter().max(between)
    }

    /// Sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on router r.
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let (mut sum, mut largest) = (0u128, 0);
        // Sums over the groups so far: nodes, their distances to their first router, the largest of these. Pairs between
        // groups follow from them, since every path between groups goes over both first routers.
        let (mut nodes, mut ways, mut longest) = (0u128, 0u128, None);
        for group in count.chunks(self.group.routers() as usize) {
            sum += self.group.pair_sum(group);
            largest = largest.max(self.group.spread(group));
            let (mut m, mut w, mut far) = (0u128, 0u128, None);
            for (r, c) in group.iter().enumerate().filter(|(_, c)| **c > 0) {
                let way = self.group.between(r as u32, 0);
                m += u128::from(*c);
                w += u128::from(*c) * u128::from(way);
                far = far.max(Some(way));
            }
            sum += nodes * w + nodes * m + ways * m;
            if let (Some(a), Some(b)) = (longest, far) {
                largest = largest.max(a + 1 + b);
            }
            nodes += m;
            ways += w;
            longest = longest.max(far);
        }
        (sum, largest)
    }
}
