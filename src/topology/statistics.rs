//! What a machine's network looks like in numbers, exactly.

use rayon::prelude::*;
use serde::Serialize;

use super::{Metric, Topology};
use crate::error::Result;
use crate::ids::RouterId;

/// Counts, degrees and distances of a machine. `diameter` and `mean_distance` are over the schedulable
/// nodes; `mean_distance` over all pairs of distinct nodes (0 for two nodes on one router).
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// The machine's name.
    pub name: String,
    /// Its canonical inline specification.
    pub spec: String,
    /// Schedulable nodes.
    pub nodes: u64,
    /// Places for nodes, schedulable or not.
    pub places: u64,
    /// Routers, those without nodes included.
    pub routers: u64,
    /// Router-router links; parallel cables between two routers count once.
    pub links: u64,
    /// Fewest links at a router.
    pub degree_min: u32,
    /// Most links at a router.
    pub degree_max: u32,
    /// Largest hop count between two schedulable nodes.
    pub diameter: u32,
    /// Mean hop count over pairs of schedulable nodes; 0 for a single node.
    pub mean_distance: f64,
    /// The integer total behind the mean.
    pub total_distance: u128,
}

impl Statistics {
    /// Computes them: closed forms on grids and trees, one search per node-carrying router elsewhere.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the graph or the per-router counts do not fit.
    pub fn of(topology: &Topology) -> Result<Self> {
        let network = topology.network();
        let (total, diameter) = distances(topology)?;
        let nodes = topology.node_count() as u64;
        let pairs = u128::from(nodes) * u128::from(nodes.saturating_sub(1)) / 2;
        let (degree_min, degree_max) = network.degrees();
        Ok(Statistics {
            name: topology.name().to_string(),
            spec: topology.spec().to_string(),
            nodes,
            places: u64::from(topology.nodes().places()),
            routers: u64::from(network.routers()),
            links: network.link_count(),
            degree_min,
            degree_max,
            diameter,
            mean_distance: if pairs == 0 { 0.0 } else { crate::ratio::ratio(total, pairs) },
            total_distance: total,
        })
    }
}

/// Sum of distances over unordered pairs of schedulable nodes, and the largest.
fn distances(topology: &Topology) -> Result<(u128, u32)> {
    let hosts = u64::from(topology.network().hosts());
    if let (Metric::Product(product), true) = (topology.metric(), topology.nodes().is_full()) {
        return Ok((full_product_sum(topology, product), product.diameter()));
    }
    topology.context().require("counting the nodes of every router", 12 * hosts)?;
    let counts = topology.nodes_per_router();
    Ok(match topology.metric() {
        Metric::Product(product) => (product.pair_sum(&counts), product.spread(&counts)),
        Metric::Tree(tree) => tree.pair_sum(&counts),
        Metric::Hub(hub) => hub.pair_sum(&counts),
        Metric::Hops => by_search(topology, &counts)?,
    })
}

/// Every place schedulable: each axis sees the same number of nodes at every position.
fn full_product_sum(topology: &Topology, product: &super::distance::Product) -> u128 {
    let places = u64::from(topology.nodes().places());
    let along = |extent: u32| vec![places / u64::from(extent); extent as usize];
    product.axes.iter().map(|axis| axis.pair_sum(&along(axis.extent))).sum()
}

/// One breadth-first search per node-carrying router, in parallel; integer sums, so that the number of
/// threads does not show.
fn by_search(topology: &Topology, counts: &[u32]) -> Result<(u128, u32)> {
    let graph = topology.graph()?;
    let from_one = |from: usize| -> (u128, u32) {
        let hops = graph.hops_from(RouterId(from as u32));
        let reached = counts.iter().zip(&hops).filter(|(c, _)| **c > 0);
        reached
            .fold((0, 0), |(sum, far), (c, h)| (sum + u128::from(*c) * u128::from(*h), far.max(*h)))
    };
    if topology.network().vertex_transitive() && topology.nodes().is_full() {
        let (sum, far) = from_one(0);
        return Ok((sum * u128::from(topology.nodes().places()) / 2, far));
    }
    let (double, far) = (0..counts.len())
        .into_par_iter()
        .filter(|r| counts[*r] > 0)
        .map(|r| {
            let (sum, far) = from_one(r);
            (sum * u128::from(counts[r]), far)
        })
        .reduce(|| (0, 0), |(a, b), (c, d)| (a + c, b.max(d)));
    Ok((double / 2, far))
}
