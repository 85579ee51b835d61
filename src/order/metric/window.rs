//! The window of consecutive entries of a list of ranks with the smallest pair-distance sum.
//!
//! The window slides by one entry at a time: the one that leaves takes its distances to the rest along, the
//! one that enters brings its own. Where the distance is a sum of few cuts, the members on one side of every cut are
//! counted, and the sum is `Σ w·c·(n - c)`: the same few vector operations for every window. Elsewhere the distances
//! of a rank to all members come from the counters of its form of distance.

use super::cuts::Cuts;
use super::rank_distances::RankDistances;

/// Finds best windows; holds the counters for that, which are zero between calls.
#[derive(Debug)]
pub struct WindowFinder<'p> {
    distances: &'p RankDistances,
    cuts: Option<Cuts>,
    counters: Vec<u64>,
}

impl<'p> WindowFinder<'p> {
    /// Creates a finder of windows over ranks of `distances`.
    pub fn new(distances: &'p RankDistances) -> Self {
        let kernel = &distances.kernel;
        WindowFinder {
            distances,
            cuts: kernel.list_cuts(),
            counters: vec![0; kernel.counter_count()],
        }
    }

    /// Finds the first of the windows `entries[i .. i + count]` with the smallest sum, and returns i and that sum.
    /// `1 ≤ count ≤ entries.len()`; entries are distinct. Stops at a window that reaches the proved minimum
    /// ([`RankDistances::pair_sum_floor`]).
    ///
    /// # Complexity
    /// With f entries: O(f·cuts/16) or O(f·Σ extents/4) on grids, O(f·levels) on trees and hierarchies,
    /// O(f·min(count, hosts/4)) on graphs.
    pub fn find_best(&mut self, entries: &[u32], count: u32) -> (usize, u64) {
        self.find_within(entries, count, 0)
    }

    /// Finds the first window whose sum is `enough` or less; where there is none, the best as
    /// [`WindowFinder::find_best`] does.
    pub fn find_within(&mut self, entries: &[u32], count: u32, enough: u64) -> (usize, u64) {
        let n = count as usize;
        let floor = self.distances.pair_sum_floor(count).max(enough);
        match &self.cuts {
            Some(cuts) if cuts.fits_members(count) => cuts.best_window(entries, n, floor),
            _ => self
                .distances
                .kernel
                .best_window(&mut self.counters, entries, n, floor),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sums::DistanceSums;
    use super::*;
    use crate::ordering::NodeOrder;
    use nodeorder_base::Ranks;
    use nodeorder_network::Topology;

    /// One of every form of distance, with holes and several nodes a router.
    const MACHINES: &[&str] = &[
        "torus:5x3x4,per_router=2",
        "mesh:9x4",
        "grid:4x5x2,wrap=010",
        "torus:2x3x3",
        "hyperx:4x3,per_router=3",
        "cascade:4x3x5,per_router=2,limit=110",
        "cascade:4x3x5,per_router=2,global=single",
        "fat-tree:k=6",
        "xgft:h=3,m=3x2x4,w=1x2x2",
        "dragonfly:p=2,a=4,h=2,g=9,global=absolute",
        "random-regular:n=40,d=3,seed=4,per_router=2",
        "watts-strogatz:n=30,k=2,p=0,seed=1",
    ];

    fn shuffled(topology: &Topology, keep: u32) -> NodeOrder {
        let order = NodeOrder::make(topology, "random:seed=5").unwrap();
        let nodes = order
            .nodes()
            .iter()
            .copied()
            .filter(|n| n.0 % 11 < keep)
            .collect();
        NodeOrder::new(topology, "some", nodes).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn sums_windows_and_floors_are_those_of_the_definition(
            machine in 0..MACHINES.len(),
            keep in 6u32..=11,
            present in prop::collection::vec(prop::bool::weighted(0.6), 1..150),
            count in 1u32..60,
        ) {
            let topology = Topology::inline(MACHINES[machine], &Default::default()).unwrap();
            let order = shuffled(&topology, keep);
            let distances = RankDistances::new(&topology, &order).unwrap();
            let node = |rank: u32| order.nodes()[rank as usize];
            let distance = |a, b| u64::from(topology.distance(node(a), node(b)));
            let entries: Vec<u32> = (0..distances.len())
                .filter(|r| present[*r as usize % present.len()])
                .collect();
            prop_assume!(!entries.is_empty());
            let count = 1 + (count - 1) % entries.len() as u32;
            let plain = |set: &[u32]| -> u64 {
                let pairs = set.iter().enumerate().flat_map(|(i, a)| set[..i].iter().map(move |b| (*a, *b)));
                pairs.map(|(a, b)| distance(a, b)).sum()
            };
            let sums: Vec<u64> = entries.windows(count as usize).map(plain).collect();
            let least = *sums.iter().min().unwrap();
            let first = sums.iter().position(|s| *s == least).unwrap();
            prop_assert!(distances.pair_sum_floor(count) <= least);
            let mut window = WindowFinder::new(&distances);
            let mut meter = DistanceSums::new(&distances);
            // Twice: the counters must be left as they were found.
            for _ in 0..2 {
                prop_assert_eq!(window.find_best(&entries, count), (first, least));
                let cuts = window.cuts.take();
                prop_assert_eq!(window.find_best(&entries, count), (first, least));
                window.cuts = cuts;
                let mut ranks = Ranks::default();
                entries[first..][..count as usize].iter().for_each(|r| ranks.push_rank(*r));
                prop_assert_eq!(meter.sum_pair_distances(&ranks), least);
            }
        }
    }

    #[test]
    fn long_rings_are_summed_in_wide_counters() {
        let topology = Topology::inline("torus:100000", &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let mut window = WindowFinder::new(&distances);
        assert!(window.cuts.is_none());
        let entries: Vec<u32> = (0..60).map(|i| i * i * 27).collect();
        let sum = |set: &[u32]| -> u64 {
            let pairs = set
                .iter()
                .enumerate()
                .flat_map(|(i, a)| set[..i].iter().map(move |b| (a, b)));
            pairs
                .map(|(a, b)| u64::from(a.abs_diff(*b).min(100_000 - a.abs_diff(*b))))
                .sum()
        };
        let sums: Vec<u64> = entries.windows(20).map(sum).collect();
        let least = *sums.iter().min().unwrap();
        let first = sums.iter().position(|s| *s == least).unwrap();
        assert_eq!(window.find_best(&entries, 20), (first, least));
    }
}
