//! Hops from one rank to a whole list of ranks at once.
//!
//! What all rows need of the list (labels, term by term) is gathered once, so that a row is found by vector code.

use super::rank_distances::RankDistances;

/// Distances to the ranks of a list, one row for each rank that is asked about.
#[derive(Debug)]
pub struct RankRows<'p> {
    distances: &'p RankDistances,
    /// Ranks of the list.
    ranks: Vec<u32>,
    /// Labels of the ranks, as [`super::distance_kernel::DistanceKernel::lay_out`] leaves them.
    labels: Vec<u32>,
}

impl<'p> RankRows<'p> {
    /// Creates an empty list over ranks of `distances`.
    pub fn new(distances: &'p RankDistances) -> Self {
        RankRows {
            distances,
            ranks: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Replaces the list. O(its length · terms).
    pub fn load_ranks(&mut self, ranks: impl Iterator<Item = u32>) {
        self.ranks.clear();
        self.ranks.extend(ranks);
        self.labels.clear();
        self.distances.kernel.lay_out(&self.ranks, &mut self.labels);
    }

    /// Puts the hops from `rank` to each rank of the list into `out`, in the order of the list. O(length · terms),
    /// eight at a time where distances are sums of terms.
    pub fn fill_row(&self, rank: u32, out: &mut Vec<u32>) {
        out.resize(self.ranks.len(), 0);
        self.distances
            .kernel
            .fill_row(rank, &self.ranks, &self.labels, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NodeOrder;
    use nodeorder_network::{Context, Topology};

    #[test]
    fn rows_are_the_distances_one_by_one() {
        for spec in [
            "torus:7x4x3,per_router=2",
            "mesh:9x5",
            "cascade:4x3x3,per_router=2",
            "cascade:4x3x3,global=single",
            "fat-tree:k=4,n=3",
            "random-regular:n=30,d=3",
            "mesh:70000",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let order = NodeOrder::make(&topology, "random:seed=3").unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            let mut rows = RankRows::new(&distances);
            let list: Vec<u32> = (0..distances.len()).filter(|r| r % 3 != 1).collect();
            rows.load_ranks(list.iter().copied());
            let mut row = Vec::new();
            let step = (distances.len() as usize / 300).max(1);
            for rank in (0..distances.len()).step_by(step) {
                rows.fill_row(rank, &mut row);
                let plain = list.iter().map(|to| distances.hops_between(rank, *to));
                assert!(row.iter().copied().eq(plain), "{spec} {rank}");
            }
        }
    }
}
