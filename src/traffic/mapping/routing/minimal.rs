//! The direct way through a dragonfly: at most one cable between groups.

use super::super::demand::Demand;
use super::dragonfly::Groups;
use super::{Fabric, FixedPaths, PathLengths, RoutingEntry, RoutingMethod};
use nodeorder_base::Result;

/// `minimal`: to a router of the own group that has a cable to the target's group, over the cable, and on
/// to the target: at most three hops. Inside a group, one hop.
///
/// Where several cables join the two groups, each carries the same share. Two hops over a third group may
/// be fewer than three with one cable; this routing does not take them, so its paths are not all shortest. O(flows +
/// routers · groups · cables).
///
/// # References
/// Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA'08, section 4,
/// <https://doi.org/10.1109/ISCA.2008.19>. It has one cable between groups and so is silent on several.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "minimal",
    "dragonflies: at most one cable between groups, equal shares over all that lead there",
    RoutingMethod::Fixed(FixedPaths::dragonfly_paths(find_loads, mean_lengths)),
);

/// Finds the loads of `minimal`.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let groups = Groups::new(fabric)?;
    let mut loads = fabric.zero_loads();
    let totals = groups.load_inside_groups(fabric, demand, &mut loads)?;
    load_direct_cables(fabric, &groups, &totals.sent, &totals.received, &mut loads);
    Ok(loads)
}

/// Adds the loads of traffic between groups, each router's total with each group given.
pub fn load_direct_cables(
    fabric: &Fabric<'_>,
    groups: &Groups,
    sent: &[f64],
    received: &[f64],
    loads: &mut [f64],
) {
    let count = groups.count;
    // Shares of cables do not depend on the router, so traffic is added up by pair of groups first.
    let mut between = vec![0.0; (count * count) as usize];
    for router in 0..fabric.links.router_count() as u32 {
        let here = groups.group_of(router);
        for other in (0..count).filter(|g| *g != here) {
            let cell = groups.cell_of(router, other);
            if sent[cell] != 0.0 {
                for cable in groups.cables_between(here, other) {
                    let volume = sent[cell] * cable.share;
                    fabric.links.add_load(router, cable.from, volume, loads);
                }
            }
            if received[cell] != 0.0 {
                for cable in groups.cables_between(other, here) {
                    let volume = received[cell] * cable.share;
                    fabric.links.add_load(cable.to, router, volume, loads);
                }
            }
            between[(here * count + other) as usize] += sent[cell];
        }
    }
    for from in 0..count {
        for to in (0..count).filter(|to| *to != from) {
            groups.load_cables(from, to, between[(from * count + to) as usize], loads);
        }
    }
}

/// Finds the mean path length between two routers.
pub fn mean_lengths(fabric: &Fabric<'_>) -> Result<PathLengths> {
    let groups = Groups::new(fabric)?;
    let own = groups.cable_shares(fabric)?;
    Ok(PathLengths::Mean(Box::new(move |a, b| {
        let from = groups.group_of(a.0);
        let to = groups.group_of(b.0);
        if from == to {
            return f64::from(u8::from(a != b));
        }
        // A hop at either end, but where the cable ends at the router itself.
        3.0 - own[groups.cell_of(a.0, to)] - own[groups.cell_of(b.0, from)]
    })))
}
