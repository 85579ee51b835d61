//! All shortest paths to one router.

use nodeorder_base::RouterId;
use nodeorder_network::RouterGraph;
use nodeorder_network::topology::graph::pack_link_length;

/// Shortest paths from all routers to one. Where links have weights, shortest is by distance; of paths of the same
/// distance those over the fewest links count, so that links of weight 0 lead nowhere in circles.
pub struct ShortestPathDag {
    /// Routers that have a path, nearest first.
    nearest: Vec<u32>,
    /// Start in `links` of the links of each router, and at last the number of all.
    first: Vec<u32>,
    /// Links to the next routers on shortest paths, router by router, ascending.
    links: Vec<u32>,
}

impl ShortestPathDag {
    /// Finds the paths to `root`. O(links), times log routers where links have weights.
    pub fn new(graph: &RouterGraph, root: u32) -> Self {
        let mut ways = vec![0; graph.router_count()];
        let mut nearest = Vec::new();
        if graph.is_weighted() {
            graph.fill_path_lengths(RouterId(root), &mut ways, &mut nearest);
        } else {
            let mut hops = vec![0; ways.len()];
            graph.fill_hops(RouterId(root), &mut hops, &mut nearest);
            for (way, hops) in ways.iter_mut().zip(hops) {
                *way = u64::from(hops) * pack_link_length(1);
            }
        }
        let mut first = vec![0];
        let mut links = Vec::new();
        for (router, way) in (0..).zip(&ways) {
            let weights = graph.neighbour_weights(RouterId(router));
            for (link, weight) in graph.links_from(router).zip(weights) {
                let next = ways[graph.link_head(link) as usize];
                if next.checked_add(pack_link_length(weight)) == Some(*way) {
                    links.push(link as u32);
                }
            }
            first.push(links.len() as u32);
        }
        ShortestPathDag {
            nearest,
            first,
            links,
        }
    }

    /// Returns the links to the next routers on shortest paths, ascending; none at the root.
    pub fn next_links(&self, router: u32) -> &[u32] {
        let router = router as usize;
        &self.links[self.first[router] as usize..self.first[router + 1] as usize]
    }

    /// Iterates over the routers other than the root with their next links, nearest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &[u32])> {
        let others = self.nearest.iter().skip(1);
        others.map(|router| (*router as usize, self.next_links(*router)))
    }

    /// Adds the link loads of traffic to the root, `volumes` from each router, which split equally over their next
    /// links; they gather on the way.
    pub fn add_loads(&self, graph: &RouterGraph, volumes: &mut [f64], loads: &mut [f64]) {
        // Routers come farthest first, so all that passes one has arrived.
        for (router, links) in self.iter().rev() {
            let volume = volumes[router] / links.len() as f64;
            for link in links.iter().filter(|_| volume > 0.0) {
                loads[*link as usize] += volume;
                volumes[graph.link_head(*link as usize) as usize] += volume;
            }
        }
    }
}
