//! Shape of an allocation in its machine: the units that it spans, the ring through its nodes in rank order, the links
//! that join two halves of it, the rings of a torus that it closes.
//!
//! The links *of an allocation* are those among the routers that its nodes are on and the routers that carry no nodes
//! (the upper switches of trees), which belong to no job. A *halving* puts every router of the allocation on one of
//! two sides; the sides hold half of its nodes each, to within the nodes of the fullest router. Routers without nodes
//! stand where they cost least. A link counts by its capacity.

use std::borrow::Cow;
use std::collections::HashMap;

use super::halving::{BalanceRule, HalvingSearch};
use super::rank_distances::RankDistances;
use super::ring::{RingLength, measure_ring};
use super::units::{UnitCounter, Units};
use nodeorder_base::ratio::{divide_exactly, mean_of_sum};
use nodeorder_base::{Ranks, Result, RouterId};
use nodeorder_network::topology::distance::{Product, Shape};
use nodeorder_network::topology::graph::UNREACHED;
use nodeorder_network::{Metric, RouterGraph, Topology};

/// Figures of how one allocation lies in its machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllocationShape {
    /// Number of nodes.
    pub size: u32,
    /// Number of units that the nodes span at each level, leaf first.
    pub spanned: Vec<u32>,
    /// Fewest units at each level that have as many schedulable nodes.
    pub fewest: Vec<u32>,
    /// Closed walk through the nodes in the order of ranks; none where no path joins some.
    pub ring: Option<RingLength>,
    /// Links between two halves of the allocation.
    pub halving: Halving,
    /// Share of the rings through its routers that it has as a whole ([`closed_rings`]); none where the machine has no
    /// rings.
    pub closed_rings: Option<f64>,
}

impl AllocationShape {
    /// Computes the mean hops of a step of the ring; `None` for one node.
    pub fn ring_mean(&self) -> Option<f64> {
        let ring = self.ring.filter(|_| self.size > 1)?;
        Some(divide_exactly(ring.hops.into(), self.size.into()))
    }
}

/// Links of an allocation between two halves of it; all 0 where its nodes are on one router.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Halving {
    /// Links cut by the best halving found: an upper bound of the bisection.
    pub best: f64,
    /// Links cut between the first and the second half of its routers, taken in the order of ranks. Exact: the fewest
    /// over all sides that routers without nodes can be on.
    pub by_rank: f64,
}

/// Measures the shapes of allocations of one ordering.
pub struct ShapeMeter<'t> {
    topology: &'t Topology,
    distances: &'t RankDistances,
    graph: &'t RouterGraph,
    counter: UnitCounter<'static>,
}

/// Measures shapes and keeps the sums over all of them.
pub struct SummedShapes<'t> {
    meter: ShapeMeter<'t>,
    /// Sums over the shapes so far.
    pub sums: ShapeSums,
}

impl<'t> SummedShapes<'t> {
    /// Creates a meter as [`ShapeMeter::new`], with sums of nothing yet.
    pub fn new(topology: &'t Topology, distances: &'t RankDistances) -> Result<Self> {
        let meter = ShapeMeter::new(topology, distances)?;
        let sums = ShapeSums::new(meter.counter.units.name_list());
        Ok(SummedShapes { meter, sums })
    }

    /// Measures a non-empty allocation, its ranks in ascending order, and adds its shape to the sums.
    pub fn add_shape(&mut self, ranks: &Ranks) -> Box<AllocationShape> {
        let shape = self
            .meter
            .measure_sequence(&ranks.iter().collect::<Vec<_>>());
        self.sums.add_shape(&shape);
        Box::new(shape)
    }
}

impl<'t> ShapeMeter<'t> {
    /// Creates a meter for allocations of the ordering that `distances` were made of. Fails if the router graph
    /// exceeds the run's memory.
    pub fn new(topology: &'t Topology, distances: &'t RankDistances) -> Result<Self> {
        Ok(ShapeMeter {
            topology,
            distances,
            graph: topology.bisection_graph()?,
            counter: UnitCounter::with_units(Cow::Owned(Units::new(topology))),
        })
    }

    /// Measures a non-empty allocation whose ranks stand in this order, each once. O(ranks · (levels + axes)), and
    /// for the halvings O(links · log links) for each pass of each start, over the links of the allocation.
    pub fn measure_sequence(&mut self, ranks: &[u32]) -> AllocationShape {
        let size = ranks.len() as u32;
        let at: Vec<u32> = ranks
            .iter()
            .map(|rank| self.distances.routers_by_rank()[*rank as usize])
            .collect();
        let mut set = Ranks::default();
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable();
        set.push_ranks(&sorted);
        set.sort_and_join();
        let joined = self.distances.within_one_component(self.topology, &set);
        let spanned = self.counter.count_units(self.distances.nodes_of(ranks));
        let units = &self.counter.units;
        let fewest = (0..spanned.len())
            .map(|level| units.fewest_units(level, size))
            .collect();
        let product = match self.topology.metric() {
            Metric::Product(product) => Some(product),
            _ => None,
        };
        let hosts = self.topology.network().hosts();
        // Routers that a server's GPUs are dealt over are one place of the graph that is cut.
        let over = self.topology.network().dealt_over();
        let places: Vec<u32> = at.iter().map(|router| router / over).collect();
        AllocationShape {
            size,
            spanned,
            fewest,
            ring: joined.then(|| measure_ring(self.distances, ranks)),
            halving: measure_halving(hosts / over, self.graph, product, &places),
            closed_rings: product.and_then(|product| closed_rings(product, &at)),
        }
    }
}

/// Computes the share of closed rings. A ring is a line along a wrapped axis of three routers or more; each router of
/// the allocation counts once for every ring through it, and the ring is closed where the allocation has all its
/// routers. `None` if the machine has no such axis.
pub fn closed_rings(product: &Product, routers: &[u32]) -> Option<f64> {
    let mut routers = routers.to_vec();
    routers.sort_unstable();
    routers.dedup();
    let mut closed = 0;
    let mut all = 0;
    for (i, axis) in product.axes.iter().enumerate() {
        // A ring of two routers is one link.
        if axis.shape != Shape::Ring || axis.extent < 3 {
            continue;
        }
        let mut lines: HashMap<u32, u32> = HashMap::new();
        for router in &routers {
            // The router at coordinate 0 names the line.
            let line = router - product.coordinate(i, *router) * product.stride(i);
            *lines.entry(line).or_default() += 1;
        }
        let whole = lines.into_values().filter(|count| *count == axis.extent);
        closed += whole.map(u128::from).sum::<u128>();
        all += routers.len() as u128;
    }
    mean_of_sum(closed, all)
}

/// Measures the halvings of nodes on these routers, of which the first `hosts` of the machine carry nodes.
fn measure_halving(
    hosts: u32,
    graph: &RouterGraph,
    product: Option<&Product>,
    at: &[u32],
) -> Halving {
    let mut members = at.to_vec();
    members.sort_unstable();
    members.dedup();
    if members.len() < 2 {
        return Halving::default();
    }
    let mut nodes = vec![0u32; members.len()];
    let mut by_rank = Vec::new();
    for router in at {
        let place = members.partition_point(|other| other < router);
        if nodes[place] == 0 {
            by_rank.push(place as u32);
        }
        nodes[place] += 1;
    }
    // The search improves a halving step by step and stops at the first that no step improves: each order of the
    // routers, cut in its middle, is a start of its own.
    let mut starts = vec![by_rank.clone(), (0..members.len() as u32).collect()];
    if let Some(product) = product {
        for axis in 0..product.axes.len() {
            let mut order = starts[1].clone();
            order.sort_by_key(|place| product.coordinate(axis, members[*place as usize]));
            starts.push(order);
        }
    }
    let rule = BalanceRule::new(&nodes);
    // Routers without nodes belong to no job: all may carry its traffic.
    members.extend(hosts..graph.router_count() as u32);
    let part = graph.induced_subgraph(&members);
    // By hops from the first router, and from the one that is farthest from it.
    let mut from = RouterId(by_rank[0]);
    for _ in 0..2 {
        let hops = part.hops_from(from);
        let mut order = starts[1].clone();
        order.sort_by_key(|router| hops[*router as usize]);
        let mut reached = order.iter().rev().copied();
        from = RouterId(
            reached
                .find(|r| hops[*r as usize] != UNREACHED)
                .unwrap_or(0),
        );
        starts.push(order);
    }
    let search = HalvingSearch::new(&part, nodes, rule);
    let ranked = search.least_in_the_middle(&by_rank);
    let found = starts.iter().map(|order| search.improve_middle(order));
    let best = found.fold(ranked, u64::min);
    Halving {
        best: search.units.capacity_of(best),
        by_rank: search.units.capacity_of(ranked),
    }
}

/// Sums over the shapes of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeSums {
    /// Names of the levels, leaf first.
    levels: Vec<String>,
    /// Number of jobs.
    jobs: u64,
    /// By level: sum of the units spanned, sum of the fewest possible, number of jobs that span only the fewest.
    units: Vec<[u64; 3]>,
    /// Number of jobs of two nodes or more.
    several: u64,
    /// Sums of the links of the best halvings, and of those by rank.
    cuts: [f64; 2],
    /// Over jobs of two nodes or more whose nodes are all joined by paths: their number, hops and steps of their
    /// rings, longest steps.
    rings: [u64; 4],
    /// Number of jobs with a share of closed rings, and the sum of the shares.
    closed: (u64, f64),
}

impl ShapeSums {
    /// Creates sums of no job, on a machine of these levels.
    pub fn new(levels: Vec<String>) -> Self {
        ShapeSums {
            units: vec![[0; 3]; levels.len()],
            levels,
            ..ShapeSums::default()
        }
    }

    /// Adds a job.
    pub fn add_shape(&mut self, shape: &AllocationShape) {
        self.jobs += 1;
        let counts = shape.spanned.iter().zip(&shape.fewest);
        for (sums, (spanned, fewest)) in self.units.iter_mut().zip(counts) {
            sums[0] += u64::from(*spanned);
            sums[1] += u64::from(*fewest);
            sums[2] += u64::from(spanned == fewest);
        }
        if let Some(share) = shape.closed_rings {
            self.closed.0 += 1;
            self.closed.1 += share;
        }
        // A single node has no halves and no ring; it would pull all means towards 0.
        if shape.size < 2 {
            return;
        }
        self.several += 1;
        self.cuts[0] += shape.halving.best;
        self.cuts[1] += shape.halving.by_rank;
        if let Some(ring) = shape.ring {
            let more = [1, ring.hops, u64::from(shape.size), u64::from(ring.longest)];
            for (sum, more) in self.rings.iter_mut().zip(more) {
                *sum += more;
            }
        }
    }

    /// Computes for each level, leaf first: its name, mean units spanned, mean of the fewest, share of the jobs at
    /// the fewest.
    pub fn level_means(&self) -> impl Iterator<Item = (&str, [Option<f64>; 3])> {
        let levels = self.levels.iter().zip(&self.units);
        levels.map(|(name, sums)| (name.as_str(), sums.map(|sum| mean_of_sum(sum, self.jobs))))
    }

    /// Computes the mean hops of a step of the rings, every step counting the same; `None` without steps.
    pub fn ring_mean(&self) -> Option<f64> {
        let [_, hops, steps, _] = self.rings;
        mean_of_sum(hops, steps)
    }

    /// Computes the mean of the longest steps, in hops; `None` without rings.
    pub fn ring_longest(&self) -> Option<f64> {
        let [jobs, _, _, longest] = self.rings;
        mean_of_sum(longest, jobs)
    }

    /// Computes the mean links of the best halvings found and of those by rank, over jobs of two nodes or more.
    pub fn mean_cuts(&self) -> [Option<f64>; 2] {
        self.cuts
            .map(|sum| (self.several > 0).then(|| sum / self.several as f64))
    }

    /// Computes the mean share of closed rings; `None` if no job has one.
    pub fn closed_rings(&self) -> Option<f64> {
        (self.closed.0 > 0).then(|| self.closed.1 / self.closed.0 as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NodeOrder;
    use nodeorder_base::NodeId;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn machine(spec: &str) -> (Topology, NodeOrder, RankDistances) {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        (topology, order, distances)
    }

    fn shape(spec: &str, ranks: impl IntoIterator<Item = u32>) -> AllocationShape {
        let (topology, _, distances) = machine(spec);
        let mut meter = ShapeMeter::new(&topology, &distances).unwrap();
        meter.measure_sequence(&ranks.into_iter().collect::<Vec<_>>())
    }

    /// The ranks of a box at the origin of an 8x8x8 machine.
    fn cuboid([x, y, z]: [u32; 3]) -> impl Iterator<Item = u32> {
        (0..x).flat_map(move |i| (0..y).flat_map(move |j| (0..z).map(move |k| (i * 8 + j) * 8 + k)))
    }

    #[test]
    fn boxes_of_a_torus_have_their_closed_forms() {
        let of = |dims| {
            let shape = shape("torus:8x8x8", cuboid(dims));
            (
                shape.halving.best,
                shape.halving.by_rank,
                shape.closed_rings,
            )
        };
        // Across the longest side; twice where it wraps.
        assert_eq!(of([4, 4, 4]), (16.0, 16.0, Some(0.0)));
        assert_eq!(of([4, 2, 2]), (4.0, 4.0, Some(0.0)));
        // By rank the cut is across the first axis.
        assert_eq!(of([2, 2, 6]), (4.0, 12.0, Some(0.0)));
        assert_eq!(of([4, 4, 8]), (32.0, 32.0, Some(1.0 / 3.0)));
        assert_eq!(of([8, 8, 4]), (64.0, 64.0, Some(2.0 / 3.0)));
        assert_eq!(of([8, 8, 8]), (128.0, 128.0, Some(1.0)));
        assert_eq!(of([1, 1, 1]), (0.0, 0.0, Some(0.0)));
    }

    #[test]
    fn halves_of_trees_meet_at_their_upper_switches() {
        // Two leaves of four nodes with four uplinks each; then two pods of four leaves.
        let two = shape("fat-tree:k=8", 0..8);
        assert_eq!((two.halving.best, two.halving.by_rank), (4.0, 4.0));
        assert_eq!((two.spanned, two.fewest), (vec![2, 1], vec![2, 1]));
        let pods = shape("fat-tree:k=8", 0..32);
        assert_eq!((pods.halving.best, pods.halving.by_rank), (16.0, 16.0));
        // One node a leaf: each has four uplinks of its own.
        let thin = shape("fat-tree:k=8", (0..4).map(|leaf| 4 * leaf));
        assert_eq!(thin.ring_mean(), Some(2.0));
        assert_eq!((thin.halving.best, thin.spanned), (8.0, vec![4, 1]));
        // Within a leaf switch there is no link.
        assert_eq!(shape("fat-tree:k=8", 0..4).halving, Halving::default());
    }

    /// The fewest links between halves, by trying all sides of all routers.
    fn brute(topology: &Topology, at: &[u32], fixed: Option<&dyn Fn(u32) -> bool>) -> u64 {
        let graph = topology.graph().unwrap();
        let mut routers: Vec<u32> = at
            .iter()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let held = |router: u32| at.iter().filter(|other| **other == router).count() as i64;
        let slack = routers.iter().map(|router| held(*router)).max().unwrap();
        routers.extend(topology.network().hosts()..topology.network().routers());
        let mut best = u64::MAX;
        for sides in 0..1u64 << routers.len() {
            let first = |i: usize| sides >> i & 1 == 1;
            let nodes: i64 = (0..routers.len())
                .filter(|i| first(*i))
                .map(|i| held(routers[i]))
                .sum();
            let stands = |i: &usize| {
                held(routers[*i]) == 0 || fixed.is_none_or(|f| f(routers[*i]) == first(*i))
            };
            if (2 * nodes - at.len() as i64).abs() > slack
                || !(0..routers.len()).all(|i| stands(&i))
            {
                continue;
            }
            let mut cut = 0;
            for (i, router) in routers.iter().enumerate() {
                for other in graph.neighbours(nodeorder_base::ids::RouterId(*router)) {
                    cut += routers
                        .iter()
                        .position(|r| r == other)
                        .is_some_and(|j| first(i) && !first(j)) as u64;
                }
            }
            best = best.min(cut);
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// No halving has fewer links than the best, and the one by rank has exactly the fewest that it can.
        #[test]
        fn halvings_are_those_of_all_sides(
            picks in proptest::collection::vec(0u32..1000, 2..9), which in 0usize..5,
        ) {
            let spec = ["torus:4x4", "fat-tree:k=4,n=2", "dragonfly:p=2,a=4,h=2", "hyperx:3x3,per_router=2", "random-regular:n=20,d=3"][which];
            let (topology, _, distances) = machine(spec);
            let mut seen = BTreeSet::new();
            let ranks: Vec<u32> = picks.iter().map(|pick| pick % distances.len()).filter(|rank| seen.insert(*rank)).collect();
            prop_assume!(ranks.len() > 1);
            let at: Vec<u32> = ranks.iter().map(|rank| distances.routers_by_rank()[*rank as usize]).collect();
            let found = ShapeMeter::new(&topology, &distances).unwrap().measure_sequence(&ranks).halving;
            // The routers in the order of the ranks, up to the one that comes closest to half, the earlier of two.
            let mut order: Vec<u32> = Vec::new();
            at.iter().for_each(|router| if !order.contains(router) { order.push(*router) });
            let held = |routers: &[u32]| at.iter().filter(|router| routers.contains(router)).count() as i64;
            let off = |cut: &usize| (2 * held(&order[..*cut]) - at.len() as i64).abs();
            let cuts: Vec<usize> = (0..=order.len()).collect();
            let least = cuts.iter().map(off).min().unwrap();
            let split = cuts.iter().copied().filter(|cut| off(cut) == least);
            let by_rank: Vec<f64> = split.map(|cut| brute(&topology, &at, Some(&|router| order[..cut].contains(&router))) as f64).collect();
            if order.len() > 1 {
                prop_assert!(by_rank.contains(&found.by_rank), "{found:?} {by_rank:?}");
                let best = brute(&topology, &at, None) as f64;
                prop_assert!(found.best >= best && found.best <= found.by_rank, "{found:?} {best}");
            }
        }

        /// Against lines walked router by router; and sums against the shapes one by one.
        #[test]
        fn rings_and_sums_follow_their_definitions(sets in proptest::collection::vec(proptest::collection::btree_set(0u32..96, 1..40), 1..5)) {
            let (topology, order, distances) = machine("grid:4x3x4,wrap=110,per_router=2");
            let mut meter = ShapeMeter::new(&topology, &distances).unwrap();
            let mut sums = ShapeSums::new(meter.counter.units.name_list());
            let (mut closed_sum, mut hops, mut steps, mut longest, mut several) = (0.0, 0, 0, 0, 0);
            for set in &sets {
                let ranks: Vec<u32> = set.iter().copied().collect();
                let found = meter.measure_sequence(&ranks);
                let at: BTreeSet<u32> = ranks.iter().map(|rank| rank / 2).collect();
                let mut closed = 0;
                for router in &at {
                    let (x, y, z) = (router / 12, router / 4 % 3, router % 4);
                    closed += u32::from((0..4).all(|x| at.contains(&(x * 12 + y * 4 + z))));
                    closed += u32::from((0..3).all(|y| at.contains(&(x * 12 + y * 4 + z))));
                }
                let share = f64::from(closed) / f64::from(2 * at.len() as u32);
                prop_assert_eq!(found.closed_rings, Some(share));
                prop_assert_eq!(&found.spanned, &vec![at.len() as u32]);
                prop_assert_eq!(&found.fewest, &vec![(ranks.len() as u32).div_ceil(2)]);
                closed_sum += share;
                let node = |i: usize| order.nodes()[ranks[i % ranks.len()] as usize];
                let walk = (0..ranks.len()).map(|i| topology.distance(node(i), NodeId(node(i + 1).0)));
                if ranks.len() > 1 {
                    several += 1;
                    steps += ranks.len();
                    hops += walk.clone().sum::<u32>();
                    longest += walk.max().unwrap();
                }
                sums.add_shape(&found);
            }
            prop_assert_eq!(sums.closed_rings(), Some(closed_sum / sets.len() as f64));
            if several > 0 {
                prop_assert_eq!(sums.ring_mean(), Some(f64::from(hops) / steps as f64));
                prop_assert_eq!(sums.ring_longest(), Some(f64::from(longest) / f64::from(several)));
            }
        }
    }
}
