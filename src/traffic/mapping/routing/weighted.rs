//! Equal shares over shortest paths where links have weights: the rules of `ecmp-hop` and `ecmp-path`, root by root.

use super::super::demand::{Demand, End};
use super::fabric::{Fabric, sum_over_roots};
use super::shortest_paths::ShortestPathDag;
use nodeorder_base::{Error, Result, SourceLocation};

/// Builds the error of a machine whose numbers of shortest paths are beyond `f64`.
pub fn too_many_paths_error(fabric: &Fabric<'_>) -> Error {
    let name = fabric.topology.name();
    let problem = format!("{name} has more than 10^308 shortest paths between two routers");
    let location = SourceLocation::option("--routing ecmp-path");
    Error::unsuited(location, problem, "use --routing ecmp-hop")
}

/// Finds the loads of `ecmp-hop`. O(links · log routers) a target.
pub fn weighted_hop_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let targets = demand.roots(End::Target);
    sum_over_roots(
        fabric,
        targets.len(),
        || (vec![0.0; fabric.links.router_count()], Vec::new()),
        |(carried, row), root, loads| {
            carried.fill(0.0);
            for flow in demand.flows_at(End::Target, root, row) {
                carried[flow.router as usize] = flow.volume;
            }
            ShortestPathDag::new(fabric.links, targets[root]).add_loads(
                fabric.links,
                carried,
                loads,
            );
            Ok(())
        },
    )
}

/// Finds the loads of `ecmp-path`. Fails if there are more paths than an `f64` counts. O(links · log routers) a
/// source.
pub fn weighted_path_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let sources = demand.roots(End::Source);
    let links = fabric.links;
    let zeros = vec![0.0; links.router_count()];
    sum_over_roots(
        fabric,
        sources.len(),
        || (zeros.clone(), zeros.clone(), Vec::new()),
        |(paths, carried, row), root, loads| {
            // Links have their weight both ways: paths to the source are those from it.
            let dag = ShortestPathDag::new(links, sources[root]);
            paths.fill(0.0);
            carried.fill(0.0);
            paths[sources[root] as usize] = 1.0;
            for (at, next) in dag.iter() {
                let nearer = next.iter().map(|link| links.link_head(*link as usize));
                paths[at] = nearer.map(|v| paths[v as usize]).sum();
            }
            for flow in demand.flows_at(End::Source, root, row) {
                carried[flow.router as usize] = flow.volume;
            }
            for (at, next) in dag.iter().rev() {
                let each = carried[at] / paths[at];
                for link in next.iter().filter(|_| each > 0.0) {
                    let v = links.link_head(*link as usize);
                    let share = each * paths[v as usize];
                    carried[v as usize] += share;
                    links.add_load(v, at as u32, share, loads);
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
