//! Figures of a machine's network: counts, degrees, diameter, mean distance.
//!
//! Sums are integers, so that they are exact, and the same whatever the number of threads. A grid without holes needs
//! no distance at all: its sum is that of its axes. Other networks add up distances by formula, or search from 256
//! routers at once.

use rayon::prelude::*;
use serde::Serialize;

use super::cabling::Cabling;
use super::distance::Metric;
use super::graph::RouterGraph;
use super::graph::UNREACHED;
use super::machine::Topology;
use super::search::{self, each_batch};
use nodeorder_base::observer::unwind_if_stopped;
use nodeorder_base::{Result, RouterId};

/// Counts, degrees and distances of a machine. Distances are between schedulable nodes: 0 for two on one router.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Name of the machine.
    pub name: String,
    /// Canonical inline specification.
    pub spec: String,
    /// Number of schedulable nodes.
    pub nodes: u64,
    /// Number of node ids, schedulable or not.
    pub places: u64,
    /// Number of routers, those without nodes included.
    pub routers: u64,
    /// Number of links: pairs of routers with a cable between them.
    pub links: u64,
    /// Number of cables between routers: as the source counts them, else one a link; cables of families have a
    /// capacity of 1 each.
    pub cables: u64,
    /// Sum of the capacities of all cables between routers, one way.
    #[serde(serialize_with = "write_whole")]
    pub capacity: f64,
    /// Number of cables of schedulable nodes to their routers, which neither `links` nor `cables` has: one a
    /// node, on multi-rail networks one a rail that the node is on.
    pub node_links: u64,
    /// Number of cables of the busiest router, those of its schedulable nodes included.
    pub ports: u64,
    /// Number of ports of the family's switches that neither a cable nor a place for a node takes; 0 where the
    /// description gives switches no size.
    #[serde(skip)]
    pub idle_ports: u64,
    /// Capacity of the cables of a router's schedulable nodes over that of its other cables, at the router where that
    /// is most; `None` if a router with nodes has no other cable.
    #[serde(serialize_with = "write_whole_or_nothing")]
    pub oversubscription: Option<f64>,
    /// What the oversubscription is a ratio of: `capacity`, or `cables` where these are all of one capacity.
    pub oversubscription_by: &'static str,
    /// Fewest links of a router.
    pub degree_min: u32,
    /// Most links of a router.
    pub degree_max: u32,
    /// Most hops between two schedulable nodes.
    pub diameter: u32,
    /// Mean hops over pairs of distinct schedulable nodes that a path joins; 0 if there are none.
    pub mean_distance: f64,
    /// Sum of hops over all pairs of distinct schedulable nodes that a path joins. Written as the nearest number if it
    /// has more than 64 bits, which JSON readers lack.
    #[serde(serialize_with = "within_64_bits")]
    pub total_distance: u128,
    /// Number of components with schedulable nodes; distances are those inside them.
    pub components: u32,
    /// Number of pairs of schedulable nodes that no path joins.
    #[serde(serialize_with = "within_64_bits")]
    pub unreachable_pairs: u128,
}

impl Statistics {
    /// Computes the share of the places that schedulable nodes fill.
    pub fn fill(&self) -> f64 {
        self.nodes as f64 / self.places as f64
    }
}

/// Writes a number; whole numbers without a decimal point.
fn write_whole<S: serde::Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // Beyond 2⁵³ not every whole number is an `f64`.
    if number.fract() == 0.0 && number.abs() <= (1u64 << 53) as f64 {
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

/// Writes a number as [`write_whole`], or null.
fn write_whole_or_nothing<S: serde::Serializer>(
    number: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => write_whole(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes a number as an integer if it has at most 64 bits, else as the nearest `f64`.
fn within_64_bits<S: serde::Serializer>(total: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*total) {
        Ok(total) => serializer.serialize_u64(total),
        Err(_) => serializer.serialize_f64(*total as f64),
    }
}

impl Topology {
    /// Counts routers and links, and finds degrees, diameter and mean distance: by closed forms on grids and trees, by
    /// searches from every node-carrying router elsewhere.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the graph or the per-router counts do not fit.
    pub fn statistics(&self) -> Result<Statistics> {
        let network = self.network();
        let (total, diameter) = sum_distances(self)?;
        let nodes = self.node_count() as u64;
        let unreachable_pairs = self.unreachable_pairs();
        let pairs = u128::from(nodes) * u128::from(nodes.saturating_sub(1)) / 2 - unreachable_pairs;
        let (degree_min, degree_max) = network.degrees();
        let cabling = Cabling::of_topology(self)?;
        Ok(Statistics {
            name: self.name().to_string(),
            spec: self.spec().to_string(),
            nodes,
            places: u64::from(self.nodes().slot_count()),
            routers: u64::from(network.routers()),
            links: network.link_count(),
            cables: cabling.cables,
            capacity: cabling.capacity,
            node_links: cabling.node_links,
            ports: cabling.ports,
            idle_ports: network.idle_ports,
            oversubscription: cabling.oversubscription,
            oversubscription_by: if network.has_speeds() {
                "capacity"
            } else {
                "cables"
            },
            degree_min,
            degree_max,
            diameter,
            mean_distance: if pairs == 0 {
                0.0
            } else {
                nodeorder_base::ratio::divide_exactly(total, pairs)
            },
            total_distance: total,
            components: self.component_count(),
            unreachable_pairs,
        })
    }
}

/// Sums distances over unordered pairs of schedulable nodes. Returns the sum and the largest.
fn sum_distances(topology: &Topology) -> Result<(u128, u32)> {
    let hosts = u64::from(topology.network().hosts());
    if let (Metric::Product(product), true) = (topology.metric(), topology.nodes().is_full()) {
        // Every slot is schedulable: along an axis there are equally many nodes at each coordinate.
        let slots = u64::from(topology.nodes().slot_count());
        let axes = product.axes.iter();
        let sums = axes.map(|axis| axis.even_pair_sum(slots / u64::from(axis.extent)));
        return Ok((sums.sum(), product.diameter()));
    }
    topology.require_memory("counting the nodes of every router", 12 * hosts)?;
    sum_among(topology, &topology.nodes_per_router())
}

/// Sums distances over unordered pairs of nodes, for `counts[r]` nodes on router r of those that carry nodes. Returns
/// the sum and the largest. Fails with [`nodeorder_base::error::Error::Memory`] if the graph or the searches do not
/// fit. O(routers · axes or levels) if distances have a closed form, else a search for every 256 routers with nodes.
pub fn sum_among(topology: &Topology, counts: &[u32]) -> Result<(u128, u32)> {
    Ok(match topology.metric() {
        Metric::Product(product) => (product.pair_sum(counts), product.occupied_diameter(counts)),
        Metric::Tree(tree) => tree.pair_sum(counts),
        Metric::Hub(hub) => hub.pair_sum(counts),
        Metric::Labels(labels) => labels.pair_sum(counts),
        Metric::Hops => {
            let graph = topology.graph()?;
            let joined = topology.network().component_of().is_none();
            let full = counts.iter().all(|c| *c == topology.network().per_router());
            let links = graph.cabled_link_count() / 2;
            if links + 1 == graph.router_count() && graph.len() == 2 * links && joined {
                sum_over_tree(graph, counts)
            } else if topology.network().vertex_transitive && full {
                sum_from_one_search(graph, topology.network().per_router())
            } else {
                sum_by_search(topology, graph, counts)?
            }
        }
    })
}

/// Sums distances by one search, for networks whose routers are all alike and carry `per_router` nodes each. Returns
/// the sum and the largest.
fn sum_from_one_search(graph: &RouterGraph, per_router: u32) -> (u128, u32) {
    let hops = graph.hops_from(RouterId(0));
    let sum: u128 = hops.iter().copied().map(u128::from).sum();
    // Every router has this sum, and each pair is counted twice.
    let ordered = sum * hops.len() as u128 * u128::from(per_router).pow(2);
    (ordered / 2, hops.into_iter().max().unwrap_or(0))
}

/// Sums distances on a tree of routers: a link is on the way of every pair of nodes that it parts. Returns the sum and
/// the largest, which is from a node farthest from any other. O(routers · log routers).
fn sum_over_tree(graph: &RouterGraph, counts: &[u32]) -> (u128, u32) {
    let mut hops = vec![0; graph.router_count()];
    let mut order = Vec::new();
    // Number of nodes of a router and of all that are behind it, seen from router 0.
    let mut behind: Vec<u128> = counts.iter().copied().map(u128::from).collect();
    behind.resize(graph.router_count(), 0);
    let nodes: u128 = behind.iter().sum();
    graph.fill_hops(RouterId(0), &mut hops, &mut order);
    let mut place = vec![0; order.len()];
    for (i, router) in order.iter().enumerate() {
        place[*router as usize] = i;
    }
    let mut sum = 0;
    for router in order.iter().rev() {
        // The one neighbour that was reached before is on the way to router 0.
        let mut links = graph.links_from(*router);
        let before =
            links.find(|link| place[graph.link_head(*link) as usize] < place[*router as usize]);
        if let Some(link) = before {
            let below = behind[*router as usize];
            behind[graph.link_head(link) as usize] += below;
            sum += below * (nodes - below) * graph.weight(link) as u128;
        }
    }
    let occupied = occupied_routers(counts);
    let mut end = occupied.first().copied().unwrap_or(RouterId(0));
    let mut largest = 0;
    for _ in 0..2 {
        graph.fill_hops(end, &mut hops, &mut order);
        end = occupied
            .iter()
            .copied()
            .max_by_key(|router| hops[router.index()])
            .unwrap_or(end);
        largest = hops[end.index()];
    }
    (sum, largest)
}

/// Sums distances by searches on `graph` from all node-carrying routers, 256 at a time, batches in parallel; pairs
/// that no path joins add nothing. The graph is that of `topology` or a part of it. Returns the sum and the largest.
/// Fails with [`nodeorder_base::error::Error::Memory`] if the searches do not fit.
pub fn sum_by_search(
    topology: &Topology,
    graph: &RouterGraph,
    counts: &[u32],
) -> Result<(u128, u32)> {
    let found = each_batch(
        topology,
        graph,
        &occupied_routers(counts),
        |search, sources, far| {
            if far.is_none() {
                return sum_from_sources(graph, sources, counts);
            }
            let mut sum = 0u128;
            let mut largest = 0;
            let weights: Vec<u64> = sources.iter().map(|s| counts[s.index()].into()).collect();
            let mask = search::first_sources(sources.len());
            let mut bytes = [0; search::WIDTH];
            // Where all sources carry equally many nodes, their total will do.
            let alike = weights.iter().all(|weight| *weight == weights[0]);
            for (v, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
                let v = RouterId(v as u32);
                largest = largest.max(search.largest_hops(v, &mask));
                let from_all = if alike {
                    weights[0] * search.total_hops(v)
                } else {
                    search.expand_hops(v, &mut bytes);
                    let distances = weights.iter().zip(&bytes);
                    distances.map(|(w, d)| w * u64::from(*d)).sum()
                };
                sum += u128::from(*count) * u128::from(from_all);
            }
            (sum, largest)
        },
    )?;
    let mut ordered = 0;
    let mut largest = 0;
    for (sum, far) in found {
        ordered += sum;
        largest = largest.max(far);
    }
    // Each pair was met from both ends.
    Ok((ordered / 2, largest))
}

/// Sums the distances of the nodes of `sources` to those of all routers that a path joins, as [`sum_by_search`] does
/// where distances are above 255 or links have weights: by a search from each source. Returns the sum and the largest.
fn sum_from_sources(graph: &RouterGraph, sources: &[RouterId], counts: &[u32]) -> (u128, u32) {
    let mut hops = vec![0; graph.router_count()];
    let mut queue = Vec::new();
    let mut sum = 0;
    let mut largest = 0;
    for source in sources {
        unwind_if_stopped();
        graph.fill_hops(*source, &mut hops, &mut queue);
        let mut from_here = 0;
        for (hops, count) in hops.iter().zip(counts) {
            if *count > 0 && *hops != UNREACHED {
                largest = largest.max(*hops);
                from_here += u128::from(*count) * u128::from(*hops);
            }
        }
        sum += u128::from(counts[source.index()]) * from_here;
    }
    (sum, largest)
}

/// Lists the routers that carry schedulable nodes, of which `counts` has the number by router.
pub(super) fn occupied_routers(counts: &[u32]) -> Vec<RouterId> {
    let routers = (0..).map(RouterId).zip(counts);
    let occupied = routers.filter(|(_, count)| **count > 0);
    occupied.map(|(router, _)| router).collect()
}

impl Topology {
    /// Counts the unordered pairs of schedulable nodes that are 0, 1, 2, … hops apart. Fails with
    /// [`nodeorder_base::error::Error::Memory`] if the graph or the per-router counts do not fit. O(extents) for
    /// one axis of a grid without holes, O(their product) for several; one search per node-carrying router on
    /// graphs, pair by pair of routers elsewhere.
    pub fn distance_histogram(&self) -> Result<Vec<u128>> {
        let per = u128::from(self.network().per_router());
        let hosts = u128::from(self.network().hosts());
        let mut pairs =
            if let (Metric::Product(product), true) = (self.metric(), self.nodes().is_full()) {
                let hops = u64::from(product.diameter()) + 1;
                self.require_memory("counting pairs by distance", 48 * hops)?;
                let axes = product.axes.iter().map(|axis| axis.count_ordered_pairs());
                let all = axes.fold(vec![per * per], |all, axis| convolve_counts(&all, &axis));
                debug_assert_eq!(all.iter().sum::<u128>(), (hosts * per).pow(2));
                all
            } else {
                self.require_memory("counting the nodes of every router", 12 * hosts as u64)?;
                let counts = self.nodes_per_router();
                self.ordered_pairs(&counts)?
            };
        // A node is no pair with itself.
        pairs[0] -= self.node_count() as u128;
        // A search gives routers that it does not reach distance 0.
        pairs[0] -= 2 * self.unreachable_pairs();
        pairs.iter_mut().for_each(|p| *p /= 2);
        Ok(pairs)
    }

    /// Counts ordered pairs of nodes by distance, a node with itself included.
    fn ordered_pairs(&self, counts: &[u32]) -> Result<Vec<u128>> {
        let occupied = occupied_routers(counts);
        if !matches!(self.metric(), Metric::Hops) {
            let rows = occupied.par_iter().map(|a| {
                let mut pairs = vec![0];
                for b in &occupied {
                    let hops = self.metric().distance_between(*a, *b).unwrap_or(0);
                    count_pairs(&mut pairs, hops, counts, *a, *b);
                }
                pairs
            });
            return Ok(rows.reduce(|| vec![0], add_counts));
        }
        let graph = self.graph()?;
        let parts = each_batch(self, graph, &occupied, |search, sources, far| {
            let mut pairs = vec![0];
            if far.is_none() {
                // Distances above 255 or weights: a search from each source alone.
                for source in sources {
                    unwind_if_stopped();
                    let distances = graph.hops_from(*source);
                    for router in &occupied {
                        let mut hops = distances[router.index()];
                        if hops == UNREACHED {
                            hops = 0;
                        }
                        count_pairs(&mut pairs, hops, counts, *source, *router);
                    }
                }
                return pairs;
            }
            let mut bytes = [0; search::WIDTH];
            for router in &occupied {
                search.expand_hops(*router, &mut bytes);
                for (source, hops) in sources.iter().zip(&bytes) {
                    count_pairs(&mut pairs, u32::from(*hops), counts, *source, *router);
                }
            }
            pairs
        })?;
        Ok(parts.into_iter().fold(vec![0], add_counts))
    }
}

/// Counts the ordered pairs of nodes of two routers that are `hops` apart.
fn count_pairs(pairs: &mut Vec<u128>, hops: u32, counts: &[u32], a: RouterId, b: RouterId) {
    let hops = hops as usize;
    if pairs.len() <= hops {
        pairs.resize(hops + 1, 0);
    }
    pairs[hops] += u128::from(counts[a.index()]) * u128::from(counts[b.index()]);
}

/// Adds two lists of counts, of which the shorter ends in zeros.
fn add_counts(a: Vec<u128>, b: Vec<u128>) -> Vec<u128> {
    let (mut longer, shorter) = if a.len() < b.len() { (b, a) } else { (a, b) };
    for (count, more) in longer.iter_mut().zip(shorter) {
        *count += more;
    }
    longer
}

/// Counts the sums of two numbers, one distributed as `a` counts, the other as `b` counts.
fn convolve_counts(a: &[u128], b: &[u128]) -> Vec<u128> {
    let mut out = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_metric};

    #[test]
    fn every_way_to_the_figures_agrees_with_pair_by_pair() {
        for spec in [
            "torus:5x4x3,per_router=2",
            "torus:7x5,per_router=3,limit=50",
            "mesh:6x5,exclude=3-9+17",
            "cascade:4x3x3,per_router=2,global=single,limit=61",
            "cascade:4x3x3,exclude=0-5",
            "random-regular:n=40,d=3,per_router=2,exclude=4+9-12",
            "random-regular:n=700,d=3",
            "slim-fly:q=5",
            "fat-tree:k=4,limit=13",
            "watts-strogatz:n=600,k=2,p=0",
        ] {
            check_metric(&build(spec));
        }
    }
}
