//! Along the rails of a multi-rail network.

use super::super::demand::{Demand, End};
use super::{Fabric, Paths, RoutingEntry};
use crate::error::Result;
use crate::topology::RouterGraph;
use crate::topology::rails::Rails;

/// `rail`: inside a domain over its own switch. To another domain a node sends an equal share over each of its rails;
/// a GPU, which has one rail, first hands what is for a GPU on another rail to the GPU of its own node on that rail, so
/// that it never crosses the core. From a leaf switch to that of another unit over all spine switches of the rail,
/// equal shares.
///
/// No path is longer than the distance. Where several are as short, `ecmp-hop` and `ecmp-path` may leave rails: change
/// the GPU at the far end, or reach a neighbour in the domain through a leaf switch.
///
/// # Complexity
/// O(flows · rails + links).
///
/// # References
/// NVIDIA's NCCL calls the hand-over PXN: Mandakolathur, Jeaugey, "Doubling all2all Performance with NVIDIA Collective
/// Communication Library 2.12", NVIDIA Technical Blog, 2022.
pub(crate) const ROUTING: RoutingEntry = RoutingEntry::plain(
    "rail",
    "multi-rail networks: every rail an equal share, or the rail of the target; domains over their own links",
    Paths::shortest("multi-rail network", |topology| topology.network().rails().is_some(), loads),
);

fn loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let mut loads = fabric.no_loads();
    let Some(rails) = fabric.topology.network().rails() else { return Ok(loads) };
    let switches = (rails.units * rails.rails) as usize;
    // What each leaf switch sends to other units, and gets from them.
    let (mut up, mut down) = (vec![0.0; switches], vec![0.0; switches]);
    let mut buffer = Vec::new();
    for (i, source) in demand.roots(End::Source).iter().enumerate() {
        for flow in demand.row(End::Source, i, &mut buffer) {
            let (from, to, volume) = (*source, flow.router, flow.volume);
            if rails.domain_of(from) == rails.domain_of(to) {
                inside(rails, fabric.links, from, to, volume, &mut loads);
                continue;
            }
            let (near, far) = (rails.unit_of(from), rails.unit_of(to));
            let share = volume / f64::from(rails.interfaces());
            for rail in rails.rails_of(to) {
                let leaving = rails.on_rail(from, rail);
                inside(rails, fabric.links, from, leaving, share, &mut loads);
                fabric.links.load(leaving, rails.leaf(near, rail), share, &mut loads);
                fabric.links.load(rails.leaf(far, rail), to, share, &mut loads);
                // Spine switches join units; inside one the leaf switch is enough.
                if near != far {
                    up[(near * rails.rails + rail) as usize] += share;
                    down[(far * rails.rails + rail) as usize] += share;
                }
            }
        }
    }
    for (unit, rail) in (0..rails.units).flat_map(|u| (0..rails.rails).map(move |rail| (u, rail))) {
        let (leaf, at) = (rails.leaf(unit, rail), (unit * rails.rails + rail) as usize);
        for spine in (0..rails.spines).map(|number| rails.spine(rail, number)) {
            fabric.links.load(leaf, spine, up[at] / f64::from(rails.spines), &mut loads);
            fabric.links.load(spine, leaf, down[at] / f64::from(rails.spines), &mut loads);
        }
    }
    Ok(loads)
}

/// Adds traffic over the switch of a domain; none from an endpoint to itself.
fn inside(rails: &Rails, links: &RouterGraph, from: u32, to: u32, volume: f64, loads: &mut [f64]) {
    if let Some(switch) = rails.switch_of(from).filter(|_| from != to) {
        links.load(from, switch, volume, loads);
        links.load(switch, to, volume, loads);
    }
}
