//! By way of a third group, to spread traffic that would crowd the direct cables.

use super::super::demand::Demand;
use super::dragonfly::Groups;
use super::minimal::load_direct_cables;
use super::{
    DetourPaths, Fabric, FixedPaths, PathLengths, RoutingEntry, RoutingMethod, over_routers,
};
use nodeorder_base::{Opt, Result};

/// `valiant`: traffic between two groups goes in equal parts over every third group, minimally to it and
/// minimally on: at most five hops. Inside a group, and where there is no third one, as
/// [`minimal`](super::minimal::ROUTING). O(flows + routers · groups · cables + groups² · routers of a group).
///
/// # References
/// Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA'08, section 4,
/// <https://doi.org/10.1109/ISCA.2008.19>, after Valiant, "A scheme for fast parallel communication", SIAM J.
/// Computing 11(2), 1982, <https://doi.org/10.1137/0211027>. Kim et al. do not say whether the two end
/// groups may be drawn; here they may not.
///
/// `over=routers`: [`over_routers`], on any network.
pub const ROUTING: RoutingEntry = RoutingEntry::new(
    "valiant",
    "dragonflies: by way of every third group, equal shares; direct inside a group; over=routers: any network",
    &[Opt::one_of(
        "over",
        &["groups", "routers"],
        "what a message goes by way of: every third group, or every router of its component, the ends included",
    )],
    RoutingMethod::Over(&[
        DetourPaths {
            over: "groups",
            name: "valiant",
            paths: FixedPaths::dragonfly_paths(find_loads, mean_lengths),
        },
        DetourPaths {
            over: "routers",
            name: over_routers::NAME,
            paths: over_routers::PATHS,
        },
    ]),
);

/// Finds the loads of `valiant`.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let groups = Groups::new(fabric)?;
    let mut loads = fabric.zero_loads();
    let totals = groups.load_inside_groups(fabric, demand, &mut loads)?;
    let count = groups.count;
    // Without a third group the direct way is all there is.
    if count < 3 {
        load_direct_cables(fabric, &groups, &totals.sent, &totals.received, &mut loads);
        return Ok(loads);
    }
    let via = f64::from(count - 2);
    // Both legs cross each pair of groups: the first in `direct` below, the second beside it.
    let sent = first_leg_volumes(&groups, &totals.sent);
    let received = first_leg_volumes(&groups, &totals.received);
    load_direct_cables(fabric, &groups, &sent, &received, &mut loads);
    let mut between = vec![0.0; (count * count) as usize];
    for (router, row) in totals.sent.chunks_exact(count as usize).enumerate() {
        let here = groups.group_of(router as u32);
        for (other, volume) in row.iter().enumerate() {
            between[(here * count) as usize + other] += volume;
        }
    }
    for middle in 0..count {
        for to in (0..count).filter(|to| *to != middle) {
            let mut second = 0.0;
            for from in (0..count).filter(|from| *from != middle && *from != to) {
                let part = between[(from * count + to) as usize] / via;
                if part == 0.0 {
                    continue;
                }
                second += part;
                for into in groups.cables_between(from, middle) {
                    for out in groups.cables_between(middle, to) {
                        let volume = part * into.share * out.share;
                        fabric.links.add_load(into.to, out.from, volume, &mut loads);
                    }
                }
            }
            groups.load_cables(middle, to, second, &mut loads);
        }
    }
    Ok(loads)
}

/// Finds what leaves a router for group i on its first leg, by router and group: all but what is meant for i, in equal
/// parts. For traffic received, what comes from i on the last leg likewise.
fn first_leg_volumes(groups: &Groups, totals: &[f64]) -> Vec<f64> {
    let mut legs = totals.to_vec();
    for (router, row) in legs.chunks_exact_mut(groups.count as usize).enumerate() {
        let here = groups.group_of(router as u32);
        let all = row.iter().sum::<f64>();
        for (group, cell) in row.iter_mut().enumerate() {
            *cell = if group as u32 == here {
                0.0
            } else {
                (all - *cell) / f64::from(groups.count - 2)
            };
        }
    }
    legs
}

/// Finds the mean path length between two routers.
fn mean_lengths(fabric: &Fabric<'_>) -> Result<PathLengths> {
    let groups = Groups::new(fabric)?;
    let count = groups.count;
    if count < 3 {
        return super::minimal::mean_lengths(fabric);
    }
    let n = count as usize;
    let own = groups.cable_shares(fabric)?;
    // Of the ways from one group to another over a third, how often the two cables meet at a router.
    let mut meet = vec![0.0; n * n];
    for router in own.chunks_exact(n) {
        let ends: Vec<usize> = (0..n).filter(|g| router[*g] > 0.0).collect();
        for from in &ends {
            for to in ends.iter().filter(|to| *to != from) {
                meet[from * n + to] += router[*from] * router[*to];
            }
        }
    }
    let all: Vec<f64> = own.chunks_exact(n).map(|row| row.iter().sum()).collect();
    Ok(PathLengths::Mean(Box::new(move |a, b| {
        let from = groups.group_of(a.0);
        let to = groups.group_of(b.0);
        if from == to {
            return f64::from(u8::from(a != b));
        }
        // Five hops, but where a cable ends at the router itself: at the start, in the middle, at the end.
        let start = all[a.index()] - own[groups.cell_of(a.0, to)];
        let end = all[b.index()] - own[groups.cell_of(b.0, from)];
        5.0 - (start + end + meet[from as usize * n + to as usize]) / f64::from(count - 2)
    })))
}
