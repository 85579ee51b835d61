//! Equal shares over shortest ways where links have weights: the rules of `ecmp-hop` and `ecmp-path`, root by root.
//!
//! Where ways have the same distance, those over the fewest links are taken, so that links of weight 0 lead nowhere in
//! circles.

use super::super::demand::{Demand, End, Flow};
use super::fabric::{Fabric, sum_over_roots};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::RouterId;
use nodeorder_network::topology::RouterGraph;
use nodeorder_network::topology::graph::pack_link_length;

/// Shortest ways from one router, with buffers reused from root to root.
pub(super) struct ShortestPathDag<'g> {
    graph: &'g RouterGraph,
    /// Distance of every router, and the number of links on the way, in one number as [`pack_link_length`] adds
    /// them up.
    ways: Vec<u64>,
    /// Routers that the root reaches, nearest first.
    pub nearest: Vec<u32>,
    /// Router searched from last.
    root: Option<u32>,
}

impl<'g> ShortestPathDag<'g> {
    /// Prepares searches in a graph.
    pub fn new(graph: &'g RouterGraph) -> Self {
        ShortestPathDag {
            graph,
            ways: vec![0; graph.router_count()],
            nearest: Vec::new(),
            root: None,
        }
    }

    /// Searches from `root`, unless that was the last root.
    pub fn search_root(&mut self, root: u32) {
        if self.root != Some(root) {
            self.graph
                .fill_path_lengths(RouterId(root), &mut self.ways, &mut self.nearest);
            self.root = Some(root);
        }
    }

    /// Iterates over the neighbours of a router that are next to it on the shortest ways to the root, ascending.
    pub fn nearer_neighbours(&self, at: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        let router = RouterId(at);
        let weights: Vec<u32> = self.graph.neighbour_weights(router).collect();
        let neighbours = self.graph.neighbours(router).iter().zip(weights);
        let way = self.ways[at as usize];
        neighbours
            .filter(move |(v, weight)| {
                self.ways[**v as usize].checked_add(pack_link_length(*weight)) == Some(way)
            })
            .map(|(v, _)| *v)
    }
}

/// Buffers reused from root to root: ways, two numbers for each router, and a row of demand.
type Scratch<'g> = (ShortestPathDag<'g>, Vec<f64>, Vec<f64>, Vec<Flow>);

/// Builds the error of a machine whose numbers of shortest paths are beyond `f64`.
pub(super) fn too_many_paths_error(fabric: &Fabric<'_>) -> Error {
    let name = fabric.topology.name();
    let problem = format!("{name} has more than 10^308 shortest paths between two routers");
    let location = SourceLocation::option("--routing ecmp-path");
    Error::unsuited(location, problem, "use --routing ecmp-hop")
}

/// Finds the loads of `ecmp-hop`. O(links · log routers) a target.
pub(super) fn weighted_hop_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let targets = demand.roots(End::Target);
    sum_over_searches(
        fabric,
        targets.len(),
        |(ways, carried, _, row), root, loads| {
            ways.search_root(targets[root]);
            carried.fill(0.0);
            for flow in demand.flows_at(End::Target, root, row) {
                carried[flow.router as usize] = flow.volume;
            }
            for at in ways.nearest.iter().skip(1).rev() {
                let volume = carried[*at as usize];
                if volume == 0.0 {
                    continue;
                }
                // Routers come farthest first, so all that passes this one has arrived.
                let next = ways.nearer_neighbours(*at);
                let share = volume / next.clone().count() as f64;
                for v in next {
                    carried[v as usize] += share;
                    fabric.links.add_load(*at, v, share, loads);
                }
            }
            Ok(())
        },
    )
}

/// Finds the loads of `ecmp-path`. Fails if there are more paths than an `f64` counts. O(links · log routers) a
/// source.
pub(super) fn weighted_path_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let sources = demand.roots(End::Source);
    sum_over_searches(
        fabric,
        sources.len(),
        |(ways, paths, carried, row), root, loads| {
            ways.search_root(sources[root]);
            paths.fill(0.0);
            carried.fill(0.0);
            paths[sources[root] as usize] = 1.0;
            for at in ways.nearest.iter().skip(1) {
                paths[*at as usize] = ways.nearer_neighbours(*at).map(|v| paths[v as usize]).sum();
            }
            for flow in demand.flows_at(End::Source, root, row) {
                carried[flow.router as usize] = flow.volume;
            }
            for at in ways.nearest.iter().skip(1).rev() {
                let each = carried[*at as usize] / paths[*at as usize];
                if each == 0.0 {
                    continue;
                }
                for v in ways.nearer_neighbours(*at) {
                    let share = each * paths[v as usize];
                    carried[v as usize] += share;
                    fabric.links.add_load(v, *at, share, loads);
                }
            }
            if paths.iter().all(|paths| paths.is_finite()) {
                Ok(())
            } else {
                Err(too_many_paths_error(fabric))
            }
        },
    )
}

/// Sums what `add` puts on the links for each root.
fn sum_over_searches<'f>(
    fabric: &'f Fabric<'_>,
    roots: usize,
    add: impl Fn(&mut Scratch<'f>, usize, &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let graph = fabric.topology.graph()?;
    let zeros = vec![0.0; graph.router_count()];
    sum_over_roots(
        fabric,
        roots,
        || {
            (
                ShortestPathDag::new(graph),
                zeros.clone(),
                zeros.clone(),
                Vec::new(),
            )
        },
        add,
    )
}
