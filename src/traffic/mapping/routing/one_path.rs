//! One shortest path for each pair of routers, as programs take them that know a single one.

use super::super::demand::{Demand, End};
use super::dimension_order::{TieRule, grid_loads, ways_along_axis};
use super::fabric::sum_over_roots;
use super::weighted::ShortestPathDag;
use super::{Fabric, FixedPaths, Route, RoutingEntry, RoutingMethod};
use nodeorder_base::error::Result;
use nodeorder_base::ids::RouterId;
use nodeorder_network::topology::distance::{Product, Shape};
use nodeorder_network::topology::{Metric, RouterGraph, Topology};

/// `one-path`: all traffic between two routers takes one shortest path: the routes that `export --to simgrid`
/// writes.
///
/// Grids and their like: dimension by dimension, dimension 0 first, the shorter way round; of two equal ways
/// round a ring, up from even coordinates and down from odd ones, so that both directions are used alike.
/// Elsewhere: at every router on to neighbour number t mod k, t being the target and k the number of neighbours nearer
/// to it, which are counted ascending from 0; where links have weights, nearer by distance, and of ways of the same
/// distance those over the fewest links. The first are paths of the routing `dimension-order`, the others of
/// `ecmp-path` and `ecmp-hop`.
///
/// # Complexity
/// On grids as `dimension-order`; elsewhere O(links) a target.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "one-path",
    "one shortest path a pair, the same as in `export --to simgrid`",
    RoutingMethod::Fixed(FixedPaths {
        routes: Some(search_routes),
        ..FixedPaths::shortest_paths("", |_| true, find_loads)
    }),
);

/// Finds the loads of `one-path`.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    // Along dimensions no search is needed.
    if matches!(fabric.topology.metric(), Metric::Product(_)) {
        return grid_loads(TieRule::Parity, fabric, demand);
    }
    let targets = demand.roots(End::Target);
    let graph = fabric.topology.graph()?;
    let zeros = vec![0.0; graph.router_count()];
    sum_over_roots(
        fabric,
        targets.len(),
        || (Routes::with_grid(graph, None), Vec::new(), zeros.clone()),
        |(paths, buffer, carried), root, loads| {
            paths.search_target(targets[root]);
            for flow in demand.flows_at(End::Target, root, buffer) {
                carried[flow.router as usize] = flow.volume;
            }
            // The paths to a target are a tree: from the far end on, all that passes a router goes on together.
            for at in paths.routers_by_distance().iter().skip(1).rev() {
                let volume = std::mem::take(&mut carried[*at as usize]);
                if volume > 0.0
                    && let Some(next) = paths.next_router(*at)
                {
                    carried[next as usize] += volume;
                    fabric.links.add_load(*at, next, volume, loads);
                }
            }
            // The buffer is all zeros again for the next target.
            carried[targets[root] as usize] = 0.0;
            Ok(())
        },
    )
}

/// Finds the links of each pair's path.
fn search_routes(fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
    // Target by target: one search serves all pairs of a target.
    let mut by_target: Vec<usize> = (0..pairs.len()).collect();
    by_target.sort_by_key(|i| pairs[*i].1);
    let mut all = vec![Route::new(); pairs.len()];
    let mut paths = Routes::new(fabric.topology)?;
    let mut path = Vec::new();
    for i in by_target {
        paths.fill_path(pairs[i].0, pairs[i].1, &mut path);
        let links = path
            .windows(2)
            .filter_map(|hop| fabric.links.find_link(hop[0], hop[1]));
        all[i] = links.map(|link| (link as u32, 1.0)).collect();
        all[i].sort_unstable_by_key(|(link, _)| *link);
    }
    Ok(all)
}

/// Finds the path of one pair after another; fastest where pairs of one target follow each other.
pub struct Routes<'t> {
    graph: &'t RouterGraph,
    /// Dimensions of the machine; `None` where paths are searched for.
    grid: Option<&'t Product>,
    /// Hops from every router to the target.
    hops: Vec<u32>,
    /// Routers in the order of the search, the nearest first.
    queue: Vec<u32>,
    /// Shortest ways, in place of hops, where links have weights.
    ways: Option<ShortestPathDag<'t>>,
    /// Target searched from last.
    target: u32,
}

impl<'t> Routes<'t> {
    /// Prepares to find the routes of a machine.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the router graph does not fit.
    pub fn new(topology: &'t Topology) -> Result<Self> {
        let grid = match topology.metric() {
            Metric::Product(product) => Some(product),
            _ => None,
        };
        Ok(Routes::with_grid(topology.graph()?, grid))
    }

    /// Prepares to find routes along the dimensions of `grid`, or without it by searches of `graph`.
    fn with_grid(graph: &'t RouterGraph, grid: Option<&'t Product>) -> Self {
        Routes {
            graph,
            grid,
            hops: vec![0; graph.router_count()],
            queue: Vec::new(),
            ways: graph.is_weighted().then(|| ShortestPathDag::new(graph)),
            target: u32::MAX,
        }
    }

    /// Finds the hops of all routers to a target, unless that was the last one.
    fn search_target(&mut self, target: u32) {
        if let Some(ways) = &mut self.ways {
            ways.search_root(target);
        } else if self.target != target {
            self.graph
                .fill_hops(RouterId(target), &mut self.hops, &mut self.queue);
        }
        self.target = target;
    }

    /// Lists the routers by their distance from the target, the nearest first.
    fn routers_by_distance(&self) -> &[u32] {
        self.ways.as_ref().map_or(&self.queue, |ways| &ways.nearest)
    }

    /// Finds the router after `at` on the way to the target; `None` at the target, and where no path leads there.
    fn next_router(&self, at: u32) -> Option<u32> {
        if let Some(ways) = &self.ways {
            let mut nearer = ways.nearer_neighbours(at);
            let count = nearer.clone().count();
            return nearer.nth(self.target as usize % count.max(1));
        }
        let hop = self.hops[at as usize];
        let neighbours = self.graph.neighbours(RouterId(at)).iter();
        let mut nearer = neighbours.filter(|v| self.hops[**v as usize].checked_add(1) == Some(hop));
        // By the target, so that traffic to different targets spreads over the neighbours.
        let count = nearer.clone().count();
        nearer.nth(self.target as usize % count.max(1)).copied()
    }

    /// Puts the routers of the route into `path`, both ends included.
    ///
    /// # Complexity
    /// O(hops·degree); a search of the whole graph where `target` is another than before and there is no grid.
    pub fn fill_path(&mut self, source: u32, target: u32, path: &mut Vec<u32>) {
        path.clear();
        path.push(source);
        if let Some(grid) = self.grid {
            return walk_dimensions(grid, target, path);
        }
        self.search_target(target);
        let mut at = source;
        while let Some(next) = self.next_router(at) {
            path.push(next);
            at = next;
        }
    }
}

/// Adds the routers of the route to `target`, dimension by dimension, to a path that holds its start.
fn walk_dimensions(grid: &Product, target: u32, path: &mut Vec<u32>) {
    for (i, axis) in grid.axes.iter().enumerate() {
        let stride = grid.stride(i);
        let Some(&start) = path.last() else { return };
        let a = grid.coordinate(i, start);
        let b = grid.coordinate(i, target);
        let base = start - a * stride;
        if axis.shape == Shape::Clique && a != b {
            path.push(base + b * stride);
            continue;
        }
        let [(up, rising), (down, falling)] = ways_along_axis(*axis, a, b, TieRule::Parity);
        // The rule of ties takes one way, whole.
        if rising > 0.0 {
            path.extend((1..=up).map(|hop| base + (a + hop) % axis.extent * stride));
        }
        if falling > 0.0 {
            path.extend(
                (1..=down).map(|hop| base + (a + axis.extent - hop) % axis.extent * stride),
            );
        }
    }
}
