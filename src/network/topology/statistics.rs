//! Figures of a machine's network: counts, degrees, diameter, mean distance; exact.

use rayon::prelude::*;
use serde::Serialize;

use super::cabling::Cabling;
use super::distance::Axis;
use super::distance::Metric;
use super::graph::RouterGraph;
use super::graph::UNREACHED;
use super::machine::Topology;
use super::search::{self, each_batch};
use nodeorder_base::error::Result;
use nodeorder_base::ids::RouterId;

/// Counts, degrees and distances of a machine. `diameter` and `mean_distance` are over the schedulable
/// nodes; `mean_distance` over all pairs of distinct nodes (0 for two nodes on one router).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// The machine's name.
    pub name: String,
    /// Its canonical inline specification.
    pub spec: String,
    /// Schedulable nodes.
    pub nodes: u64,
    /// Node ids, schedulable or not.
    pub places: u64,
    /// Routers, those without nodes included.
    pub routers: u64,
    /// Router-router links: pairs of routers with a cable between them.
    pub links: u64,
    /// Cables between routers: a link of capacity c stands for c; where the capacity of any link is no whole number up
    /// to 2²⁰, capacities are speeds, and each link is one cable.
    pub cables: u64,
    /// Cables of schedulable nodes to their routers, which neither `links` nor `cables` has: one a node, on multi-rail
    /// networks one a rail that the node is on.
    pub node_links: u64,
    /// Cables of the busiest router, those of its schedulable nodes included.
    pub ports: u64,
    /// Cables of a router's schedulable nodes over its other cables, at the router where that is most; none where a router
    /// with nodes has no other cable.
    pub oversubscription: Option<f64>,
    /// Fewest links at a router.
    pub degree_min: u32,
    /// Most links at a router.
    pub degree_max: u32,
    /// Largest hop count between two schedulable nodes.
    pub diameter: u32,
    /// Mean hop count over pairs of schedulable nodes that a path joins; 0 where there are none.
    pub mean_distance: f64,
    /// The integer total behind the mean. In a JSON value, which has 64 bits, the nearest number.
    #[serde(serialize_with = "within_64_bits")]
    pub total_distance: u128,
    /// Components with schedulable nodes; distances are those inside them.
    pub components: u32,
    /// Pairs of schedulable nodes that no path joins.
    #[serde(serialize_with = "within_64_bits")]
    pub unreachable_pairs: u128,
}

fn within_64_bits<S: serde::Serializer>(total: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*total) {
        Ok(total) => serializer.serialize_u64(total),
        Err(_) => serializer.serialize_f64(*total as f64),
    }
}

impl Topology {
    /// Counts, degrees, diameter and mean distance: closed forms on grids and trees, searches from every node-carrying
    /// router elsewhere.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the graph or the per-router counts do not fit.
    pub fn statistics(&self) -> Result<Statistics> {
        let network = self.network();
        let (total, diameter) = distances(self)?;
        let nodes = self.node_count() as u64;
        let unreachable_pairs = self.unreachable_pairs();
        let pairs = u128::from(nodes) * u128::from(nodes.saturating_sub(1)) / 2 - unreachable_pairs;
        let (degree_min, degree_max) = network.degrees();
        let cabling = Cabling::of(self)?;
        Ok(Statistics {
            name: self.name().to_string(),
            spec: self.spec().to_string(),
            nodes,
            places: u64::from(self.nodes().slot_count()),
            routers: u64::from(network.routers()),
            links: network.link_count(),
            cables: cabling.cables,
            node_links: cabling.node_links,
            ports: cabling.ports,
            oversubscription: cabling.oversubscription,
            degree_min,
            degree_max,
            diameter,
            mean_distance: if pairs == 0 {
                0.0
            } else {
                nodeorder_base::ratio::ratio(total, pairs)
            },
            total_distance: total,
            components: self.components(),
            unreachable_pairs,
        })
    }
}

/// Sum of distances over unordered pairs of schedulable nodes, and the largest.
fn distances(topology: &Topology) -> Result<(u128, u32)> {
    let hosts = u64::from(topology.network().hosts());
    if let (Metric::Product(product), true) = (topology.metric(), topology.nodes().is_full()) {
        // Every slot is schedulable: along an axis there are equally many nodes at each coordinate.
        let slots = u64::from(topology.nodes().slot_count());
        let sum = |axis: &Axis| axis.even_pair_sum(slots / u64::from(axis.extent));
        return Ok((product.axes.iter().map(sum).sum(), product.diameter()));
    }
    topology.require("counting the nodes of every router", 12 * hosts)?;
    among(topology, &topology.nodes_per_router())
}

/// Sum of distances over unordered pairs of nodes, and the largest, for `counts[r]` nodes on router r of those that
/// carry nodes. Errors: [`nodeorder_base::error::Error::Memory`] when the graph or the searches do not fit. O(routers · axes or levels)
/// where distances have a closed form, else a search for every 256 routers with nodes.
pub fn among(topology: &Topology, counts: &[u32]) -> Result<(u128, u32)> {
    Ok(match topology.metric() {
        Metric::Product(product) => (product.pair_sum(counts), product.spread(counts)),
        Metric::Tree(tree) => tree.pair_sum(counts),
        Metric::Hub(hub) => hub.pair_sum(counts),
        Metric::Labels(labels) => labels.pair_sum(counts),
        Metric::Hops => {
            let graph = topology.graph()?;
            let full = counts.iter().all(|c| *c == topology.network().per_router());
            match topology.network().vertex_transitive && full {
                true => from_one(graph, counts),
                false => by_search(topology, graph, counts)?,
            }
        }
    })
}

/// Sum and largest distance from one search, for networks whose routers are all alike and carry equally many nodes.
fn from_one(graph: &RouterGraph, counts: &[u32]) -> (u128, u32) {
    let hops = graph.hops_from(RouterId(0));
    let sum: u128 = counts
        .iter()
        .zip(&hops)
        .map(|(c, h)| u128::from(*c) * u128::from(*h))
        .sum();
    let nodes: u128 = counts.iter().map(|c| u128::from(*c)).sum();
    (
        sum * nodes / 2,
        hops.iter().take(counts.len()).max().copied().unwrap_or(0),
    )
}

/// Searches on `graph` from all node-carrying routers, 256 at a time, batches in parallel; integer sums, so that the
/// number of threads does not show. The graph is that of `topology` or a part of it; pairs that no path joins add
/// nothing. Errors: [`nodeorder_base::error::Error::Memory`] when the searches do not fit.
pub fn by_search(topology: &Topology, graph: &RouterGraph, counts: &[u32]) -> Result<(u128, u32)> {
    let found = each_batch(
        topology,
        graph,
        &occupied(counts),
        |search, sources, far| {
            let (mut sum, mut largest) = (0u128, 0);
            let weight = |s: RouterId| u64::from(counts[s.index()]);
            let (mask, mut bytes) = (search::first(sources.len()), [0; search::WIDTH]);
            let alike = sources.iter().all(|s| weight(*s) == weight(sources[0]));
            for (v, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
                let v = RouterId(v as u32);
                let from_all = match far {
                    // Distances above 255 or weights: a search from this router alone.
                    None => {
                        let hops = graph.hops_from(v);
                        let reached = || sources.iter().filter(|s| hops[s.index()] != UNREACHED);
                        largest = reached()
                            .map(|s| hops[s.index()])
                            .max()
                            .max(Some(largest))?;
                        reached()
                            .map(|s| weight(*s) * u64::from(hops[s.index()]))
                            .sum()
                    }
                    Some(_) if alike => {
                        largest = largest.max(search.largest(v, &mask));
                        weight(sources[0]) * search.total(v)
                    }
                    Some(_) => {
                        largest = largest.max(search.largest(v, &mask));
                        search.expand(v, &mut bytes);
                        sources
                            .iter()
                            .zip(&bytes)
                            .map(|(s, d)| weight(*s) * u64::from(*d))
                            .sum()
                    }
                };
                sum += u128::from(*count) * u128::from(from_all);
            }
            Some((sum, largest))
        },
    )?;
    let (double, far) = found
        .into_iter()
        .flatten()
        .fold((0, 0), |(a, b), (c, d)| (a + c, b.max(d)));
    Ok((double / 2, far))
}

/// The routers that carry schedulable nodes.
pub(super) fn occupied(counts: &[u32]) -> Vec<RouterId> {
    (0..)
        .zip(counts)
        .filter(|(_, count)| **count > 0)
        .map(|(r, _)| RouterId(r))
        .collect()
}

impl Topology {
    /// How many unordered pairs of schedulable nodes are 0, 1, 2, … hops apart. Errors: [`nodeorder_base::error::Error::Memory`] when
    /// the graph or the per-router counts do not fit. O(extents) for one axis of a grid without holes, O(their product)
    /// for several; one search per node-carrying router on graphs, pair by pair of routers elsewhere.
    pub fn distance_histogram(&self) -> Result<Vec<u128>> {
        let per = u128::from(self.network().per_router());
        let hosts = u128::from(self.network().hosts());
        let mut pairs =
            if let (Metric::Product(product), true) = (self.metric(), self.nodes().is_full()) {
                let hops = u64::from(product.diameter()) + 1;
                self.require("counting pairs by distance", 48 * hops)?;
                let axes = product.axes.iter().map(|axis| axis.ordered_pairs());
                let all = axes.fold(vec![per * per], |all, axis| convolve(&all, &axis));
                debug_assert_eq!(all.iter().sum::<u128>(), (hosts * per).pow(2));
                all
            } else {
                self.require("counting the nodes of every router", 12 * hosts as u64)?;
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

    /// Ordered pairs of nodes by distance, a node with itself included.
    fn ordered_pairs(&self, counts: &[u32]) -> Result<Vec<u128>> {
        let add = |a: Vec<u128>, b: Vec<u128>| {
            let (mut longer, shorter) = if a.len() < b.len() { (b, a) } else { (a, b) };
            longer.iter_mut().zip(shorter).for_each(|(a, b)| *a += b);
            longer
        };
        let count_one = |pairs: &mut Vec<u128>, hops: u32, weight: u128| {
            if pairs.len() <= hops as usize {
                pairs.resize(hops as usize + 1, 0);
            }
            pairs[hops as usize] += weight;
        };
        let weight = |a: usize, b: usize| u128::from(counts[a]) * u128::from(counts[b]);
        if !matches!(self.metric(), Metric::Hops) {
            let from = |a: usize| {
                let mut pairs = vec![0];
                for b in (0..counts.len()).filter(|b| counts[*b] > 0) {
                    let hops = self
                        .metric()
                        .between(RouterId(a as u32), RouterId(b as u32));
                    count_one(&mut pairs, hops.unwrap_or(0), weight(a, b));
                }
                pairs
            };
            let occupied = (0..counts.len()).into_par_iter().filter(|a| counts[*a] > 0);
            return Ok(occupied.map(from).reduce(|| vec![0], add));
        }
        let graph = self.graph()?;
        let parts = each_batch(self, graph, &occupied(counts), |search, sources, far| {
            let mut pairs = vec![0];
            let mut bytes = [0; search::WIDTH];
            for v in (0..counts.len()).filter(|v| counts[*v] > 0) {
                let router = RouterId(v as u32);
                if far.is_some() {
                    search.expand(router, &mut bytes);
                    for (s, d) in sources.iter().zip(&bytes) {
                        count_one(&mut pairs, u32::from(*d), weight(s.index(), v));
                    }
                } else {
                    let hops = graph.hops_from(router);
                    for s in sources {
                        let hops = if hops[s.index()] == UNREACHED {
                            0
                        } else {
                            hops[s.index()]
                        };
                        count_one(&mut pairs, hops, weight(s.index(), v));
                    }
                }
            }
            pairs
        })?;
        Ok(parts.into_iter().fold(vec![0], add))
    }
}

fn convolve(a: &[u128], b: &[u128]) -> Vec<u128> {
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
