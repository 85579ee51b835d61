//! The router graph: petgraph's compressed adjacency, built from a network's links on demand.

use petgraph::Directed;
use petgraph::csr::Csr;

use super::{Context, Network};
use crate::error::Result;
use crate::ids::RouterId;

/// Distance of a router that cannot be reached.
pub const UNREACHED: u32 = u32::MAX;

/// Routers and links: every link stands in both directions, with its capacity.
#[derive(Debug)]
pub struct RouterGraph {
    arcs: Csr<(), f64, Directed, u32>,
}

impl RouterGraph {
    /// Collects the links of `network`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the adjacency would not fit.
    ///
    /// # Complexity
    /// O(links · log links) time, 56 bytes a link while building, 24 after.
    pub fn build(network: &dyn Network, context: &Context) -> Result<Self> {
        let (routers, links) = (network.routers(), network.link_count());
        context.require("the router graph", 56 * links + 16 * u64::from(routers))?;
        let mut arcs = Vec::with_capacity(2 * links as usize);
        network.for_each_link(&mut |u, v, capacity| {
            arcs.push((u, v, capacity));
            arcs.push((v, u, capacity));
        });
        Ok(RouterGraph::from_arcs(routers, arcs))
    }

    /// From arcs in both directions, in any order, each once.
    pub(crate) fn from_arcs(routers: u32, mut arcs: Vec<(u32, u32, f64)>) -> Self {
        arcs.sort_unstable_by_key(|(u, v, _)| (*u, *v));
        // petgraph takes the node count from the largest index: isolated routers at the end are added.
        let mut csr: Csr<(), f64, Directed, u32> = if arcs.is_empty() {
            Csr::with_nodes(0)
        } else {
            Csr::from_sorted_edges(&arcs).expect("networks visit every pair of routers once")
        };
        while csr.node_count() < routers as usize {
            csr.add_node(());
        }
        RouterGraph { arcs: csr }
    }

    /// Number of routers.
    pub fn router_count(&self) -> usize {
        self.arcs.node_count()
    }

    /// Number of links, each counted once.
    pub fn link_count(&self) -> usize {
        self.arcs.edge_count() / 2
    }

    /// The routers linked to `router`, ascending.
    pub fn neighbours(&self, router: RouterId) -> &[u32] {
        self.arcs.neighbors_slice(router.0)
    }

    /// The capacities of the links of `router`, in the order of [`RouterGraph::neighbours`].
    pub fn capacities(&self, router: RouterId) -> &[f64] {
        self.arcs.edges_slice(router.0)
    }

    /// Hops from one router to all, [`UNREACHED`] where there is no path. O(routers + links).
    pub fn hops_from(&self, from: RouterId) -> Vec<u32> {
        let mut hops = vec![UNREACHED; self.router_count()];
        let mut queue = Vec::new();
        self.fill_hops(from, &mut hops, &mut queue);
        hops
    }

    /// As [`RouterGraph::hops_from`], into buffers kept by the caller. Returns how many were reached.
    pub fn fill_hops(&self, from: RouterId, hops: &mut [u32], queue: &mut Vec<u32>) -> usize {
        hops.fill(UNREACHED);
        hops[from.index()] = 0;
        queue.clear();
        queue.push(from.0);
        let mut next = 0;
        while let Some(&u) = queue.get(next) {
            next += 1;
            let hop = hops[u as usize] + 1;
            for &v in self.arcs.neighbors_slice(u) {
                if hops[v as usize] == UNREACHED {
                    hops[v as usize] = hop;
                    queue.push(v);
                }
            }
        }
        next
    }

    /// Whether every router reaches every other.
    pub fn is_connected(&self) -> bool {
        self.components() <= 1
    }

    /// How many pieces there are that no path joins.
    pub fn components(&self) -> usize {
        petgraph::algo::connected_components(&self.arcs)
    }

    /// The graph of some of the routers, given ascending and numbered by their positions.
    pub fn induced(&self, routers: &[u32]) -> RouterGraph {
        let mut arcs = Vec::new();
        for (from, router) in (0..).zip(routers) {
            for (to, capacity) in
                self.neighbours(RouterId(*router)).iter().zip(self.arcs.edges_slice(*router))
            {
                arcs.extend(routers.binary_search(to).map(|to| (from, to as u32, *capacity)));
            }
        }
        RouterGraph::from_arcs(routers.len() as u32, arcs)
    }
}
