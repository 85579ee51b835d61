//! Metrics of one allocation: how far apart its nodes are, how stretched in rank, in how many pieces.

use super::components::ComponentCounter;
use super::rank_distances::RankDistances;
use super::rank_rows::RankRows;
use super::sums::DistanceSums;
use nodeorder_base::ratio::divide_exactly;
use nodeorder_base::{Ranks, Result};
use nodeorder_network::topology::distance::{Product, Shape};
use nodeorder_network::{Metric, Topology};

/// Metrics reported for every allocation.
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocationMetrics {
    /// Number of nodes.
    pub size: u32,
    /// Sum of the distances of all pairs, in hops; none where no path joins some of them.
    pub total_distance: Option<u64>,
    /// Linear span: last rank - first rank + 1.
    pub linear_span: u32,
    /// Number of ranks of the shortest stretch of the ring of ranks that covers the allocation.
    pub ring_span: u32,
    /// Number of connected components of the routers of its nodes.
    pub components: u32,
}

impl AllocationMetrics {
    /// Computes the mean pairwise distance (MIND, average pairwise hops); `None` for a single node, and if no path
    /// joins some of the pairs.
    ///
    /// # References
    /// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013,
    /// section 2.4.1.
    pub fn mean_distance(&self) -> Option<f64> {
        let s = u128::from(self.size);
        let total = self.total_distance.filter(|_| s > 1)?;
        Some(divide_exactly(u128::from(total), s * (s - 1) / 2))
    }
}

/// Further metrics of an allocation, which take longer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Extent {
    /// Largest distance of two nodes, in hops; none where no path joins some of them.
    pub diameter: Option<u32>,
    /// Bounding box; none where the network is no grid.
    pub bounds: Option<BoundingBox>,
}

/// The smallest box of routers around an allocation; along a wrapped dimension, the shortest covering arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Number of routers in the box.
    pub size: u64,
    /// Sum of the box's side lengths, in routers.
    pub sides: u32,
    /// Routers in the box over those in the smallest box of the machine that has room for the nodes.
    pub box_ratio: f64,
    /// Routers in the box over those in the smallest cube (all sides equal) that has room for the nodes.
    pub cube_ratio: f64,
    /// Number of routers of the smallest cube around the allocation, which may be larger than the machine.
    pub cube: u64,
    /// Routers of the smallest cube around the allocation (`cube`) over those in the smallest cube that has room for
    /// the nodes.
    pub bounding_cube_ratio: f64,
}

/// Measures allocations; holds the buffers for that.
#[derive(Debug)]
pub struct AllocationMeter<'t> {
    topology: &'t Topology,
    distances: &'t RankDistances,
    sums: DistanceSums<'t>,
    components: ComponentCounter<'t>,
}

impl<'t> AllocationMeter<'t> {
    /// Creates a meter for allocations of the ordering that `distances` were made of.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] where the links between ranks exceed the run's limit.
    pub fn new(topology: &'t Topology, distances: &'t RankDistances) -> Result<Self> {
        Ok(AllocationMeter {
            topology,
            distances,
            sums: DistanceSums::new(distances),
            components: ComponentCounter::new(distances.rank_adjacency(topology)?),
        })
    }

    /// Measures a non-empty allocation; `total_distance` where it is known already.
    ///
    /// # Complexity
    /// As [`DistanceSums::sum_pair_distances`], and at most O(s·degree) for the components, s members.
    pub fn measure_ranks(
        &mut self,
        ranks: &Ranks,
        total_distance: Option<u64>,
    ) -> AllocationMetrics {
        let (linear_span, ring_span) = measure_spans(ranks, self.distances.len());
        debug_assert!(
            total_distance.is_none_or(|total| total == self.sums.sum_pair_distances(ranks))
        );
        let joined = self.distances.within_one_component(self.topology, ranks);
        AllocationMetrics {
            size: ranks.len(),
            total_distance: joined
                .then(|| total_distance.unwrap_or_else(|| self.sums.sum_pair_distances(ranks))),
            linear_span,
            ring_span,
            components: self.components.count_components(ranks),
        }
    }

    /// Measures pods, given as pairs of a rank and the number of pods on it: sizes and distances are those of
    /// pods, two on one node 0 hops apart.
    ///
    /// # Complexity
    /// As [`AllocationMeter::measure_ranks`], and O(r²·axes) for r ranks with different numbers of pods.
    pub fn measure_pods(&mut self, ranks: &Ranks, pods: &[(u32, u32)]) -> AllocationMetrics {
        let mut metrics = self.measure_ranks(ranks, None);
        metrics.size = pods.iter().map(|(_, count)| count).sum();
        let each = u64::from(pods.first().map_or(1, |(_, count)| *count));
        // Equal numbers, by far the most frequent: every pair of ranks is each² pairs of pods.
        if pods.iter().all(|(_, count)| u64::from(*count) == each) {
            metrics.total_distance = metrics.total_distance.map(|total| total * each * each);
        } else if metrics.total_distance.is_some() {
            let mut rows = RankRows::new(self.distances);
            let mut row = Vec::new();
            let mut twice = 0;
            rows.load_ranks(pods.iter().map(|(rank, _)| *rank));
            for (rank, count) in pods {
                rows.fill_row(*rank, &mut row);
                for (hops, (_, other)) in row.iter().zip(pods) {
                    twice += u64::from(*count) * u64::from(*hops) * u64::from(*other);
                }
            }
            metrics.total_distance = Some(twice / 2);
        }
        metrics
    }

    /// Finds the rank of a node by its name; `None` if the ordering does not have it. O(ranks).
    pub fn rank_named(&self, name: &str) -> Option<u32> {
        let node = self.topology.node_named(name)?;
        let at = self.distances.nodes.iter().position(|n| *n == node)?;
        Some(at as u32)
    }

    /// Measures diameter and bounding box of a non-empty allocation.
    ///
    /// # Complexity
    /// O(r²·axes) with r different routers; O(r + Σ extents) for the box.
    pub fn measure_extent(&mut self, ranks: &Ranks) -> Extent {
        // Ranks of one router are equally far from all others: one of them is enough.
        let routers = self.distances.routers_by_rank();
        let mut members: Vec<u32> = ranks.iter().collect();
        members.sort_by_key(|r| routers[*r as usize]);
        members.dedup_by_key(|r| routers[*r as usize]);
        let mut rows = RankRows::new(self.distances);
        let mut row = Vec::new();
        rows.load_ranks(members.iter().copied());
        let mut diameter = 0;
        for member in &members {
            rows.fill_row(*member, &mut row);
            diameter = row.iter().copied().fold(diameter, u32::max);
        }
        let bounds = match self.topology.metric() {
            // A clique has no order of labels that a box could follow.
            Metric::Product(product) if product.axes.iter().all(|a| a.shape != Shape::Clique) => {
                let routers: Vec<u32> = members.iter().map(|r| routers[*r as usize]).collect();
                let per = self.topology.network().per_router();
                Some(measure_bounds(
                    product,
                    &routers,
                    ranks.len().div_ceil(per).into(),
                ))
            }
            _ => None,
        };
        let joined = self.distances.within_one_component(self.topology, ranks);
        Extent {
            diameter: joined.then_some(diameter),
            bounds,
        }
    }
}

/// Measures the linear and the ring span of a set of `0..all` ranks; 0 for an empty one.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", 2002, section 2.3.
pub fn measure_spans(ranks: &Ranks, all: u32) -> (u32, u32) {
    let runs = ranks.list_runs();
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return (0, 0);
    };
    let linear = last.end() - first.first;
    let inner = runs
        .windows(2)
        .map(|w| w[1].first - w[0].end())
        .max()
        .unwrap_or(0);
    // The ring span leaves out the longest gap: inside, or from the last rank round to the first.
    (linear, all - inner.max(all - linear))
}

/// Finds the covering box of some routers and its ratios; `needed` routers hold the allocation's nodes.
fn measure_bounds(product: &Product, routers: &[u32], needed: u64) -> BoundingBox {
    let mut size = 1;
    let mut sides = 0;
    let mut longest = 0;
    for (i, axis) in product.axes.iter().enumerate() {
        let mut taken = vec![false; axis.extent as usize];
        for router in routers {
            taken[product.coordinate(i, *router) as usize] = true;
        }
        let at: Vec<u32> = (0..axis.extent).filter(|x| taken[*x as usize]).collect();
        let (Some(first), Some(last)) = (at.first(), at.last()) else {
            continue;
        };
        let mut side = last - first + 1;
        // Round the ring, the box may leave out the longest gap instead of that beyond its ends.
        if axis.shape == Shape::Ring {
            let inner = at.windows(2).map(|w| w[1] - w[0] - 1).max().unwrap_or(0);
            side = side.min(axis.extent - inner);
        }
        size *= u64::from(side);
        sides += side;
        longest = longest.max(u64::from(side));
    }
    let dimensions = product.axes.len() as u32;
    let mut side = 1u64;
    while side.saturating_pow(dimensions) < needed {
        side += 1;
    }
    let cube = longest.saturating_pow(dimensions);
    let least = side.saturating_pow(dimensions);
    BoundingBox {
        size,
        sides,
        cube,
        bounding_cube_ratio: cube as f64 / least as f64,
        box_ratio: size as f64 / smallest_box(product, needed) as f64,
        cube_ratio: size as f64 / least as f64,
    }
}

/// Finds the number of routers of the smallest box within the machine that holds `needed` routers. Boxes are searched
/// axis by axis; the last one's side follows.
fn smallest_box(product: &Product, needed: u64) -> u64 {
    fn search_axis(extents: &[u64], size: u64, needed: u64, best: &mut u64) {
        let [extent, rest @ ..] = extents else { return };
        // On the last axis the shortest side that is long enough is the best.
        if rest.is_empty() {
            let side = needed.div_ceil(size);
            if side <= *extent {
                *best = (*best).min(size * side);
            }
            return;
        }
        let room: u64 = rest.iter().product();
        for side in 1..=*extent {
            // Too small whatever follows, or too large already.
            if size * side * room < needed {
                continue;
            }
            if size * side >= *best || *best == needed {
                break;
            }
            search_axis(rest, size * side, needed, best);
        }
    }
    let extents: Vec<u64> = product.axes.iter().map(|a| u64::from(a.extent)).collect();
    let mut best = u64::MAX;
    search_axis(&extents, 1, needed, &mut best);
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ordering::NodeOrder;

    fn ranks(of: &[u32]) -> Ranks {
        let mut ranks = Ranks::default();
        of.iter().for_each(|r| ranks.push_rank(*r));
        ranks.sort_and_join();
        ranks
    }

    fn ordered(spec: &str, by: &str) -> (Topology, NodeOrder, RankDistances) {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, by).unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        (topology, order, distances)
    }

    #[test]
    fn spans_follow_their_definition() {
        assert_eq!(measure_spans(&ranks(&[5]), 10), (1, 1));
        assert_eq!(measure_spans(&ranks(&[0, 9]), 10), (10, 2));
        assert_eq!(measure_spans(&ranks(&[1, 2, 8]), 10), (8, 5));
        assert_eq!(measure_spans(&ranks(&[0, 1, 2]), 3), (3, 3));
    }

    proptest! {
        #[test]
        fn the_ring_span_is_the_shortest_covering_stretch(of in 1u32..40, picks in prop::collection::btree_set(0u32..40, 1..20)) {
            let picks: Vec<u32> = picks.into_iter().filter(|r| *r < of).collect();
            prop_assume!(!picks.is_empty());
            let covers = |start: u32, length: u32| picks.iter().all(|r| (r + of - start) % of < length);
            let shortest = (1..=of).find(|l| (0..of).any(|s| covers(s, *l))).unwrap();
            prop_assert_eq!(measure_spans(&ranks(&picks), of).1, shortest);
        }

        #[test]
        fn components_and_extents_are_those_of_the_induced_graph(picks in prop::collection::btree_set(0u32..120, 1..40)) {
            let (topology, order, distances) = ordered("grid:5x4x3,wrap=101,per_router=2", "random:seed=9");
            let mut meter = AllocationMeter::new(&topology, &distances).unwrap();
            let set = ranks(&picks.iter().copied().collect::<Vec<_>>());
            let placement = meter.measure_ranks(&set, None);
            // Plainly: join any two members at most a hop apart until nothing changes.
            let nodes: Vec<_> = set.iter().map(|r| order.nodes()[r as usize]).collect();
            let mut part: Vec<usize> = (0..nodes.len()).collect();
            for _ in 0..nodes.len() {
                for (i, a) in nodes.iter().enumerate() {
                    for (j, b) in nodes.iter().enumerate() {
                        if topology.distance(*a, *b) <= 1 {
                            let low = part[i].min(part[j]);
                            (part[i], part[j]) = (low, low);
                        }
                    }
                }
            }
            part.sort_unstable();
            part.dedup();
            prop_assert_eq!(placement.components as usize, part.len());
            let pairs = nodes.iter().flat_map(|a| nodes.iter().map(|b| topology.distance(*a, *b)));
            prop_assert_eq!(meter.measure_extent(&set).diameter, pairs.max());
        }
    }

    proptest! {
        /// Against every cube of every corner, smallest first.
        #[test]
        fn the_bounding_cube_is_the_smallest_of_all(picks in prop::collection::btree_set(0u32..210, 1..12)) {
            let dims = [7i64, 5, 6];
            let (topology, _, distances) = ordered("grid:7x5x6,wrap=101", "row-major");
            let picks: Vec<u32> = picks.into_iter().collect();
            let mut meter = AllocationMeter::new(&topology, &distances).unwrap();
            let bounds = meter.measure_extent(&ranks(&picks)).bounds.unwrap();
            let place = |rank: &u32| [*rank as i64 / 30, *rank as i64 / 6 % 5, *rank as i64 % 6];
            let within = |side: i64, corner: [i64; 3]| picks.iter().map(place).all(|at| (0..3).all(|axis| {
                let steps = at[axis] - corner[axis];
                (if axis == 1 { steps } else { steps.rem_euclid(dims[axis]) }) < side && (axis != 1 || steps >= 0)
            }));
            let mut sides = (1..).filter(|side| (0..210).any(|corner| within(*side, place(&corner))));
            let least = (1u64..).find(|side| side.pow(3) >= picks.len() as u64).unwrap().pow(3);
            let volume = sides.next().unwrap().pow(3) as u64;
            prop_assert_eq!((bounds.cube, bounds.bounding_cube_ratio), (volume, volume as f64 / least as f64));
        }
    }

    #[test]
    fn a_line_has_a_large_cube_and_a_cube_its_own() {
        let (topology, _, distances) = ordered("torus:32x32x32", "row-major");
        let mut meter = AllocationMeter::new(&topology, &distances).unwrap();
        let mut cube = |set: &[u32]| {
            let bounds = meter.measure_extent(&ranks(set)).bounds.unwrap();
            (bounds.cube, bounds.bounding_cube_ratio)
        };
        assert_eq!(cube(&[0, 1, 2, 3, 4, 5, 6, 7]), (512, 64.0));
        assert_eq!(cube(&[0, 1, 32, 33, 1024, 1025, 1056, 1057]), (8, 1.0));
        assert_eq!(cube(&[0, 31]), (8, 1.0));
    }

    #[test]
    fn boxes_wrap_where_the_machine_does() {
        let (topology, _, distances) = ordered("grid:6x5,wrap=10,per_router=2", "row-major");
        let mut meter = AllocationMeter::new(&topology, &distances).unwrap();
        // Routers (0,0) and (5,4), two nodes each: 2 x 5 around the wrap; 2 routers would do.
        let set = ranks(&[0, 1, 58, 59]);
        let Extent {
            diameter,
            bounds: Some(bounds),
        } = meter.measure_extent(&set)
        else {
            panic!("a grid")
        };
        assert_eq!((diameter, bounds.size, bounds.sides), (Some(5), 10, 7));
        assert_eq!((bounds.box_ratio, bounds.cube_ratio), (5.0, 2.5));
        let Metric::Product(product) = topology.metric() else {
            panic!("a product")
        };
        assert_eq!(
            [1, 7, 11, 29, 30].map(|n| smallest_box(product, n)),
            [1, 8, 12, 30, 30]
        );
    }
}
