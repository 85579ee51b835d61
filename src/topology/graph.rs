//! The router graph: petgraph's compressed adjacency, built from a network's links on demand.

use std::sync::OnceLock;

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
    /// Made when first asked for.
    rows: OnceLock<Rows>,
}

/// Routers and links without capacities, under numbers of their own: rows.
#[derive(Debug)]
pub struct Rows {
    /// The row of every router.
    of: Vec<u32>,
    /// The rows linked to row r are `linked[starts[r]..starts[r + 1]]`.
    starts: Vec<u32>,
    linked: Vec<u32>,
}

impl Rows {
    /// The row of a router.
    #[inline]
    pub fn of(&self, router: RouterId) -> usize {
        self.of[router.index()] as usize
    }

    /// The rows linked to a row.
    #[inline]
    pub fn linked(&self, row: usize) -> &[u32] {
        &self.linked[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

impl RouterGraph {
    /// Collects the links of `network`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the adjacency would not fit.
    ///
    /// # Complexity
    /// O(links · log links) time, 56 bytes a link while building, 24 after, 8 more with [`RouterGraph::rows`].
    pub fn build(network: &dyn Network, context: &Context) -> Result<Self> {
        let (routers, links) = (network.routers(), network.link_count());
        context.require("the router graph", 64 * links + 28 * u64::from(routers))?;
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
        RouterGraph { arcs: csr, rows: OnceLock::new() }
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

    /// The graph with its routers numbered as a breadth-first search meets them, from router 0 and, where that leaves
    /// some out, from the lowest of those; or as they are, where linked routers are nearer to each other so. O(routers +
    /// links), 8 bytes a link and 12 a router, once.
    pub fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| {
            let n = self.router_count() as u32;
            let mut of = vec![u32::MAX; n as usize];
            let mut met = Vec::with_capacity(n as usize);
            for root in 0..n {
                let mut next = met.len();
                if of[root as usize] == u32::MAX {
                    of[root as usize] = met.len() as u32;
                    met.push(root);
                }
                while let Some(&u) = met.get(next) {
                    next += 1;
                    for v in self.arcs.neighbors_slice(u) {
                        if of[*v as usize] == u32::MAX {
                            of[*v as usize] = met.len() as u32;
                            met.push(*v);
                        }
                    }
                }
            }
            let apart = |number: &dyn Fn(u32) -> u32| -> u64 {
                let links = (0..n).map(|u| {
                    let ends = self.arcs.neighbors_slice(u).iter();
                    ends.map(|v| u64::from(number(u).abs_diff(number(*v)))).sum::<u64>()
                });
                links.sum()
            };
            if apart(&|u| u) <= apart(&|u| of[u as usize]) {
                (0..n).for_each(|u| (of[u as usize], met[u as usize]) = (u, u));
            }
            let (mut starts, mut linked) = (vec![0], Vec::new());
            for u in met {
                linked.extend(self.arcs.neighbors_slice(u).iter().map(|v| of[*v as usize]));
                starts.push(linked.len() as u32);
            }
            Rows { of, starts, linked }
        })
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
