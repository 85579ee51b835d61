//! Every shortest path carries the same share.

use super::super::demand::{Demand, End};
use multiversion::multiversion;

use super::levels::{Levels, keep_roots, sum_over_levels, write_roots};
use super::wave::{LANES, Waves, pick_roots, sum_over_batches, sum_roots};
use super::{Fabric, FixedPaths, RoutingEntry, RoutingMethod, weighted};
use nodeorder_base::Result;
use nodeorder_network::RouterGraph;

/// `ecmp-path`: traffic between two routers is split equally over all shortest paths.
///
/// From source s, with σ(v) the number of shortest paths to v and W(v) the traffic to v, in order of
/// falling distance: `dep(v) = W(v) + Σ load(v→c)` over the links further away, and
/// `load(p→v) = dep(v)·σ(p)/σ(v)`. With W = 1 the loads are the edge betweenness.
///
/// Where links have weights, shortest is by distance; see [`super::weighted`]. O(links) a source, less where all
/// targets are near; eight sources at once.
///
/// # References
/// Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociology 25(2), 2001,
/// <https://doi.org/10.1080/0022250X.2001.9990249>.
///
/// # Limits
/// More than 10³⁰⁸ shortest paths between two routers are refused.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "ecmp-path",
    "all shortest paths, an equal share each",
    RoutingMethod::Fixed(FixedPaths::shortest_paths("", |_| true, find_loads)),
);

/// Finds the loads of `ecmp-path`: of all-to-all traffic by levels, of other traffic by waves, where that takes less.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    if fabric.topology.graph()?.is_weighted() {
        return weighted::weighted_path_loads(fabric, demand);
    }
    // Levels count the paths to all routers. Where there are too many, waves only count those to partners, which
    // may do.
    let dense = sum_over_levels(fabric, demand, End::Source, |levels, loads| {
        let finite = levels.count_paths();
        if finite {
            walk_levels(fabric.links, levels, loads);
        }
        finite
    })?;
    if let Some(loads) = dense {
        return Ok(loads);
    }
    sum_over_batches(fabric, demand, End::Source, |waves, roots, loads| {
        if !waves.count_paths(fabric.links, demand, End::Source, roots) {
            return Err(weighted::too_many_paths_error(fabric));
        }
        walk_back(fabric.links, waves, loads);
        Ok(())
    })
}

/// Replaces the number of shortest paths by `dep / σ`, from the far end on, so that each link further away costs one
/// multiplication.
#[multiversion(targets("x86_64+avx512bw+avx512dq+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn walk_back(links: &RouterGraph, waves: &mut Waves, loads: &mut [f64]) {
    waves.walk_back(|stop, [here, _, further], mut dep| {
        let here = &mut here[stop.router as usize];
        let paths = pick_roots(stop.roots, *here, [0.0; LANES]);
        for (load, v) in loads[links.links_from(stop.router)]
            .iter_mut()
            .zip(links.heads_from(stop.router))
        {
            let mut through = further[*v as usize];
            for l in 0..LANES {
                through[l] *= paths[l];
                dep[l] += through[l];
            }
            *load += sum_roots(through);
        }
        for l in 0..LANES {
            dep[l] /= paths[l];
        }
        *here = pick_roots(stop.roots, dep, *here);
    });
}

/// Walks levels as [`walk_back`] walks waves.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn walk_levels(links: &RouterGraph, levels: &mut Levels<'_>, loads: &mut [f64]) {
    levels.walk_back(|stop, [_, further], numbers, mut dep| {
        let paths = keep_roots(stop.roots, &numbers[stop.router as usize]);
        for (load, v) in loads[links.links_from(stop.router)]
            .iter_mut()
            .zip(links.heads_from(stop.router))
        {
            let mut through = keep_roots(further[*v as usize] & stop.roots, &numbers[*v as usize]);
            for l in 0..LANES {
                through[l] *= paths[l];
                dep[l] += through[l];
            }
            *load += sum_roots(through);
        }
        for l in 0..LANES {
            dep[l] /= paths[l];
        }
        write_roots(stop.roots, &dep, &mut numbers[stop.router as usize]);
    });
}
