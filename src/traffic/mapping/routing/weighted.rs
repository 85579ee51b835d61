//! Equal shares over shortest ways where links have weights: the rules of `ecmp-hop` and `ecmp-path`, root by root.
//!
//! Where ways have the same distance, those over the fewest links are taken, so that links of weight 0 lead nowhere in
//! circles.

use super::super::demand::{Demand, End, Flow};
use super::{Fabric, over_roots};
use nodeorder_base::error::Result;
use nodeorder_base::ids::RouterId;
use nodeorder_network::topology::RouterGraph;
use nodeorder_network::topology::graph::step;

/// Shortest ways from one router, with buffers reused from root to root.
pub(super) struct Ways<'g> {
    graph: &'g RouterGraph,
    ways: Vec<u64>,
    /// The routers, nearest first.
    pub nearest: Vec<u32>,
    root: Option<u32>,
}

impl<'g> Ways<'g> {
    pub fn new(graph: &'g RouterGraph) -> Self {
        let ways = vec![0; graph.router_count()];
        Ways {
            graph,
            ways,
            nearest: Vec::new(),
            root: None,
        }
    }

    pub fn search(&mut self, root: u32) {
        if self.root != Some(root) {
            self.graph
                .fill_ways(RouterId(root), &mut self.ways, &mut self.nearest);
            self.root = Some(root);
        }
    }

    /// The neighbours of a router that are next to it on the shortest ways to the root, ascending.
    pub fn nearer(&self, at: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        let router = RouterId(at);
        let weights: Vec<u32> = self.graph.weights(router).collect();
        let neighbours = self.graph.neighbours(router).iter().zip(weights);
        let way = self.ways[at as usize];
        let nearer = move |v: u32, weight| {
            self.ways[v as usize]
                .checked_add(step(weight))
                .is_some_and(|longer| longer == way)
        };
        neighbours
            .filter(move |(v, weight)| nearer(**v, *weight))
            .map(|(v, _)| *v)
    }
}

/// Buffers reused from root to root: ways, two numbers for each router, and a row of demand.
type Scratch<'g> = (Ways<'g>, Vec<f64>, Vec<f64>, Vec<Flow>);

/// The loads of `ecmp-hop`. O(links · log routers) a target.
pub(super) fn by_hop(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let targets = demand.roots(End::Target);
    over(
        fabric,
        targets.len(),
        |(ways, carried, _, row), root, loads| {
            ways.search(targets[root]);
            carried.fill(0.0);
            for flow in demand.row(End::Target, root, row) {
                carried[flow.router as usize] = flow.volume;
            }
            for at in ways.nearest.iter().skip(1).rev() {
                let (next, volume) = (ways.nearer(*at), carried[*at as usize]);
                if volume == 0.0 {
                    continue;
                }
                // Routers come farthest first, so all that passes this one has arrived.
                let share = volume / next.clone().count() as f64;
                for v in next {
                    carried[v as usize] += share;
                    fabric.links.load(*at, v, share, loads);
                }
            }
            true
        },
    )
    .map(|(loads, _)| loads)
}

/// The loads of `ecmp-path`, and whether the numbers of paths were all finite. O(links · log routers) a source.
pub(super) fn by_path(fabric: &Fabric<'_>, demand: &Demand) -> Result<(Vec<f64>, bool)> {
    let sources = demand.roots(End::Source);
    over(
        fabric,
        sources.len(),
        |(ways, paths, carried, row), root, loads| {
            ways.search(sources[root]);
            paths.fill(0.0);
            carried.fill(0.0);
            paths[sources[root] as usize] = 1.0;
            for at in ways.nearest.iter().skip(1) {
                paths[*at as usize] = ways.nearer(*at).map(|v| paths[v as usize]).sum();
            }
            for flow in demand.row(End::Source, root, row) {
                carried[flow.router as usize] = flow.volume;
            }
            for at in ways.nearest.iter().skip(1).rev() {
                let each = carried[*at as usize] / paths[*at as usize];
                if each == 0.0 {
                    continue;
                }
                for v in ways.nearer(*at) {
                    let share = each * paths[v as usize];
                    carried[v as usize] += share;
                    fabric.links.load(v, *at, share, loads);
                }
            }
            paths.iter().all(|paths| paths.is_finite())
        },
    )
}

/// Sums what `add` puts on the links for each root; the flag is whether it returned true for all of them.
fn over<'f>(
    fabric: &'f Fabric<'_>,
    roots: usize,
    add: impl Fn(&mut Scratch<'f>, usize, &mut [f64]) -> bool + Sync,
) -> Result<(Vec<f64>, bool)> {
    let graph = fabric.topology.graph()?;
    let zeros = || vec![0.0; graph.router_count()];
    let fine = std::sync::atomic::AtomicBool::new(true);
    let loads = over_roots(
        fabric,
        roots,
        || (Ways::new(graph), zeros(), zeros(), Vec::new()),
        |scratch, root, loads| {
            let yes = add(scratch, root, loads);
            fine.fetch_and(yes, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        },
    )?;
    Ok((loads, fine.into_inner()))
}
