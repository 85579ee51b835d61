//! Every router splits equally over the neighbours that are nearer to the goal.

use super::super::demand::{Demand, End};
use multiversion::multiversion;
use nodeorder_base::Result;
use nodeorder_network::RouterGraph;

use super::levels::{Levels, keep_roots, sum_over_levels, write_roots};
use super::wave::{LANES, Waves, pick_roots, sum_over_batches, sum_roots};
use super::{Fabric, FixedPaths, JobLoads, RoutingEntry, RoutingMethod, weighted};
use nodeorder_network::topology::search::SPREAD_BITS;

/// `ecmp-hop`: at every router, traffic is split equally over all links that lead nearer to its target, as
/// hashing switches do.
///
/// To target t, in order of falling distance: `flow(v) = W(v,t) + inflow(v)`, an equal part of it to every
/// neighbour one hop nearer.
///
/// Where links have weights, nearer is by distance; see [`super::weighted`]. O(links) a target, less where all sources
/// are near; eight targets at once.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "ecmp-hop",
    "every router splits equally over the next hops nearer to the target",
    RoutingMethod::Fixed(FixedPaths {
        job_loads: |_| JobLoads::NextHops,
        ..FixedPaths::shortest_paths("", |_| true, find_loads)
    }),
);

/// Finds the loads of `ecmp-hop`: of all-to-all traffic by levels, of other traffic by waves, where that takes less.
pub fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    if fabric.topology.graph()?.is_weighted() {
        return weighted::weighted_hop_loads(fabric, demand);
    }
    let links = fabric.links;
    // By link away from the target: the way the search goes, against the traffic.
    let dense = sum_over_levels(fabric, demand, End::Target, |levels, loads| {
        walk_levels(links, levels, loads);
        true
    })?;
    let away = match dense {
        Some(away) => away,
        None => sum_over_batches(fabric, demand, End::Target, |waves, roots, loads| {
            waves.search_partners(links, demand, End::Target, roots);
            walk_back(links, waves, loads);
            Ok(())
        })?,
    };
    // The traffic runs against the links that the searches took.
    let back = links.iter().map(|(from, to, _)| links.find_link(to, from));
    Ok(back.map(|link| link.map_or(0.0, |i| away[i])).collect())
}

/// Replaces the 1 of every router by what it sends to each neighbour that is nearer, from the far end on. Those
/// nearer still have their 1: adding them up counts them.
#[multiversion(targets("x86_64+avx512bw+avx512dq+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn walk_back(links: &RouterGraph, waves: &mut Waves, loads: &mut [f64]) {
    waves.walk_back(|stop, [here, nearer, further], mut flow| {
        let mut ways = [0.0; LANES];
        for (load, v) in loads[links.links_from(stop.router)]
            .iter_mut()
            .zip(links.heads_from(stop.router))
        {
            let arriving = pick_roots(stop.roots, further[*v as usize], [0.0; LANES]);
            for l in 0..LANES {
                flow[l] += arriving[l];
                ways[l] += nearer[*v as usize][l];
            }
            *load += sum_roots(arriving);
        }
        // A root has no nearer neighbour: it is the end of all ways.
        for l in 0..LANES {
            flow[l] /= ways[l];
        }
        let here = &mut here[stop.router as usize];
        *here = pick_roots(stop.roots, flow, *here);
    });
}

/// Walks levels as [`walk_back`] walks waves: the neighbours nearer to a root are counted in bytes.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn walk_levels(links: &RouterGraph, levels: &mut Levels<'_>, loads: &mut [f64]) {
    levels.walk_back(|stop, [nearer, further], flows, mut flow| {
        let mut ways = 0;
        for (load, v) in loads[links.links_from(stop.router)]
            .iter_mut()
            .zip(links.heads_from(stop.router))
        {
            let v = *v as usize;
            // A byte a root: levels are taken where no router has more than 255 neighbours.
            ways += SPREAD_BITS[(nearer[v] & stop.roots) as usize];
            let arriving = keep_roots(further[v] & stop.roots, &flows[v]);
            for l in 0..LANES {
                flow[l] += arriving[l];
            }
            *load += sum_roots(arriving);
        }
        let ways = ways.to_le_bytes();
        for l in 0..LANES {
            flow[l] /= f64::from(ways[l]);
        }
        write_roots(stop.roots, &flow, &mut flows[stop.router as usize]);
    });
}
