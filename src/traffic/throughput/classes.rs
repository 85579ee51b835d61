//! Networks so regular that a fixed routing is the best one, proved by the links that it fills.
//!
//! On a torus, for instance, all-to-all traffic in dimension order fills all links alike: a length of 1 on every link
//! then proves a floor (Σ volume · distance / Σ capacity · length) that equals the load, and no search is needed.

use super::dense::DenseTraffic;
use super::network::Network;
use super::solution::FlowSolution;
use crate::mapping::routing::{PathSet, is_dragonfly};
use crate::mapping::{Demand, Fabric, FixedRouting};
use nodeorder_base::{NodeId, Result};

/// Relative difference below which loads are called equal.
const EQUAL: f64 = 1e-9;

/// Finds the best of the fixed routings and the best floor, and whether they meet: lengths are 1 on the links that a
/// routing fills most, (almost) 0 on all others, and where a fourth of all links are within `gap` of the fullest, 1
/// on all of these, as on dragonflies, whose links inside and between groups fill almost alike; there a floor within
/// `gap` will do. Lengths of 1 between units of the outermost level are tried as well. Nothing is taken for granted:
/// loads and floors are added up.
pub fn compare_fixed_routings(
    fabric: &Fabric<'_>,
    network: &Network<'_>,
    demand: &Demand,
    path_set: PathSet,
    gap: f64,
) -> Result<(bool, Option<FlowSolution>)> {
    let mut best: Option<FlowSolution> = None;
    // Fixed routings load all rails, where the search counts the first; with weights, lengths of 1 are no distances.
    if fabric.topology.network().rails().is_some() || fabric.links.is_weighted() {
        return Ok((false, None));
    }
    let shortest = path_set == PathSet::Shortest;
    let blocks = DenseTraffic {
        network,
        demand,
        shortest,
    };
    // On hierarchies the links between units are the bottleneck, whatever the routing.
    let mut floor = between_units(fabric).map_or(0.0, |lengths| blocks.prove_floor(&lengths));
    let minimal = if is_dragonfly(fabric.topology) {
        "minimal"
    } else {
        "ecmp-hop"
    };
    let routings = match path_set {
        PathSet::Detours => &[minimal][..],
        _ => &["dimension-order", "ecmp-hop", "up-down", "minimal"],
    };
    for routing in routings {
        let routing = FixedRouting::find_by_name(routing)?;
        // Minimal ways of dragonflies may be longer than the shortest.
        if !routing.works_on(fabric.topology) || (shortest && routing.name() == "minimal") {
            continue;
        }
        let loads = routing.link_loads(fabric, demand)?;
        let worst = network.highest_contention(&loads);
        let mut met = false;
        for (within, enough) in [(EQUAL, 1e-6), (gap, gap)] {
            let mut lengths = network.per_capacity(&loads);
            for length in &mut lengths {
                let full = *length >= worst * (1.0 - within);
                *length = if full { 1.0 } else { 0.0 };
            }
            let filled = lengths.iter().filter(|length| **length > 0.0).count();
            if !met && (within == EQUAL || 4 * filled >= lengths.len()) {
                floor = floor.max(blocks.prove_floor(&lengths));
            }
            met |= floor >= worst * (1.0 - enough);
        }
        if met || best.as_ref().is_none_or(|best| worst < best.worst) {
            best = Some(FlowSolution {
                loads,
                worst,
                floor,
                detoured: None,
            });
        }
        if met {
            return Ok((true, best));
        }
    }
    Ok((false, best.map(|best| FlowSolution { floor, ..best })))
}

/// Makes lengths of 1 on links between units of the outermost level; `None` if some routers have no nodes, or no
/// link is between units.
fn between_units(fabric: &Fabric<'_>) -> Option<Vec<f64>> {
    let network = fabric.topology.network();
    let all = network.hosts() == network.routers();
    let level = network.levels().into_iter().next().filter(|_| all)?;
    let lengths: Vec<f64> = fabric
        .links
        .iter()
        .map(|(u, v, _)| {
            let [u, v] = [u, v].map(|router| level.unit_of(NodeId(router * network.per_router())));
            if u == v { 0.0 } else { 1.0 }
        })
        .collect();
    lengths.contains(&1.0).then_some(lengths)
}
