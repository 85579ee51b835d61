//! Along the rails of a multi-rail network.

use super::super::demand::Demand;
use super::{Fabric, FixedPaths, RoutingEntry, RoutingMethod};
use nodeorder_base::Result;

/// `rail`: a GPU hands what is for a GPU on another rail to the GPU of its own server on that rail, or sends it
/// through the domain, so that it never crosses the core. From a leaf switch to that of another unit over all spine
/// switches of the rail, equal shares. Servers send an equal share over each of their rails, as under every routing.
///
/// No path is longer than the distance. Where several are as short, `ecmp-hop` and `ecmp-path` may also change the
/// GPU at the far end. O(flows + links).
///
/// # References
/// NVIDIA's NCCL calls the hand-over PXN: Mandakolathur, Jeaugey, "Doubling all2all Performance with NVIDIA Collective
/// Communication Library 2.12", NVIDIA Technical Blog, 2022.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "rail",
    "multi-rail networks: every rail an equal share, or the rail of the target",
    RoutingMethod::Fixed(FixedPaths::shortest_paths(
        "multi-rail network",
        |topology| topology.network().rails().is_some(),
        find_loads,
    )),
);

/// Finds the loads of `rail`.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let mut loads = fabric.zero_loads();
    let Some(rails) = fabric.topology.network().rails() else {
        return Ok(loads);
    };
    // Leaf switches with nodes: one a unit, or one a unit and rail.
    let leaves_per_unit = rails.nodes_per_server();
    let hosts = fabric.topology.network().hosts();
    let mut up = vec![0.0; hosts as usize];
    let mut down = up.clone();
    demand.for_each_flow(|source, flow| {
        let from = source / leaves_per_unit;
        // What changes the rail does so first.
        let leaf = from * leaves_per_unit + flow.router % leaves_per_unit;
        fabric.links.add_load(source, leaf, flow.volume, &mut loads);
        if from != flow.router / leaves_per_unit {
            up[leaf as usize] += flow.volume;
            down[flow.router as usize] += flow.volume;
        }
    });
    for leaf in 0..hosts {
        let rising = up[leaf as usize] / f64::from(rails.spines);
        let falling = down[leaf as usize] / f64::from(rails.spines);
        for number in 0..rails.spines {
            let spine = rails.spine_switch(leaf % leaves_per_unit, number);
            fabric.links.add_load(leaf, spine, rising, &mut loads);
            fabric.links.add_load(spine, leaf, falling, &mut loads);
        }
    }
    Ok(loads)
}
