//! One shortest path for each pair of routers, as programs take them that know a single one.

use super::super::demand::{Demand, End};
use super::dimension_order::{TieRule, grid_loads, ways_along_axis};
use super::fabric::sum_over_roots;
use super::shortest_paths::ShortestPathDag;
use super::{Fabric, FixedPaths, Route, RoutingEntry, RoutingMethod};
use nodeorder_base::Result;
use nodeorder_network::topology::distance::{Product, Shape};
use nodeorder_network::{Metric, RouterGraph, Topology};

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
    let links = fabric.links;
    sum_over_roots(
        fabric,
        targets.len(),
        || (Vec::new(), vec![0.0; links.router_count()]),
        |(buffer, carried), root, loads| {
            let dag = ShortestPathDag::new(links, targets[root]);
            for flow in demand.flows_at(End::Target, root, buffer) {
                carried[flow.router as usize] = flow.volume;
            }
            // The paths to a target are a tree: from the far end on, all that passes a router goes on together.
            for (at, next) in dag.iter().rev() {
                let volume = std::mem::take(&mut carried[at]);
                if let Some(link) = choose_link(next, targets[root]).filter(|_| volume > 0.0) {
                    carried[links.link_head(link) as usize] += volume;
                    loads[link] += volume;
                }
            }
            // The buffer is all zeros again for the next target.
            carried[targets[root] as usize] = 0.0;
            Ok(())
        },
    )
}

/// Chooses one of the links to the next routers, by the target, so that traffic to different targets spreads over them;
/// `None` if there are none.
fn choose_link(next: &[u32], target: u32) -> Option<usize> {
    let link = next.get(target as usize % next.len().max(1))?;
    Some(*link as usize)
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
    /// Target searched from last, and the shortest paths to it.
    found: Option<(u32, ShortestPathDag)>,
}

impl<'t> Routes<'t> {
    /// Prepares to find the routes of a machine.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the router graph does not fit.
    pub fn new(topology: &'t Topology) -> Result<Self> {
        Ok(Routes {
            graph: topology.graph()?,
            grid: match topology.metric() {
                Metric::Product(product) => Some(product),
                _ => None,
            },
            found: None,
        })
    }

    /// Puts the routers of the route into `path`, both ends included.
    ///
    /// # Complexity
    /// O(hops); a search of the whole graph where `target` is another than before and there is no grid.
    pub fn fill_path(&mut self, source: u32, target: u32, path: &mut Vec<u32>) {
        path.clear();
        path.push(source);
        if let Some(grid) = self.grid {
            return walk_dimensions(grid, target, path);
        }
        let found = self.found.take().filter(|(root, _)| *root == target);
        let (_, dag) = self
            .found
            .insert(found.unwrap_or_else(|| (target, ShortestPathDag::new(self.graph, target))));
        let mut at = source;
        while let Some(link) = choose_link(dag.next_links(at), target) {
            at = self.graph.link_head(link);
            path.push(at);
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
