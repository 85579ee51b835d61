//! A share of each job's traffic over every router, the rest by the direct way.

use super::super::demand::Demand;
use super::dimension_order::{self, is_grid};
use super::{Fabric, FixedPaths, JobLoads, RoutingEntry, RoutingMethod, ecmp_hop, over_routers};
use nodeorder_base::Result;

/// `ugal`: a share of each job's traffic goes by `valiant:over=routers`, the rest by `dimension-order` on grids, else
/// by `ecmp-hop`. It is the smallest share for which the job alone loads its most loaded link least, as load over
/// capacity.
///
/// # References
/// Singh, "Load-balanced routing in interconnection networks", PhD thesis, Stanford, 2005: UGAL chooses packet by
/// packet, by the queues it sees. This is its limit for one steady job and one share for all pairs.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "ugal",
    "slowdowns: of each job the share over every router, the rest direct, that loads its links least",
    RoutingMethod::OfJob(FixedPaths {
        job_loads: |_| JobLoads::Mixed,
        ..FixedPaths::shortest_paths(
            "single-rail network",
            |topology| topology.network().rails().is_none(),
            find_loads,
        )
    }),
);

/// Relative difference below which two loads are one: sums in another order differ by less.
const ROUNDING: f64 = 1e-12;

/// Finds the loads of `ugal` for the traffic of one job.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let mut loads = if is_grid(fabric.topology) {
        dimension_order::find_loads(fabric, demand)?
    } else {
        ecmp_hop::find_loads(fabric, demand)?
    };
    let detours = over_routers::find_loads(fabric, demand)?;
    let mut ends = Vec::with_capacity(loads.len());
    for (link, pair) in loads.iter().zip(&detours).enumerate() {
        let capacity = fabric.links.capacity(link);
        ends.push([pair.0 / capacity, pair.1 / capacity]);
    }
    let share = choose_detour_share(&ends);
    for (load, detour) in loads.iter_mut().zip(&detours) {
        *load = mix_loads(share, *load, *detour);
    }
    fabric.recycle_loads(detours);
    Ok(loads)
}

/// Computes the load of a link of which `share` of the traffic takes detours.
pub(crate) fn mix_loads(share: f64, direct: f64, detour: f64) -> f64 {
    (1.0 - share) * direct + share * detour
}

/// Chooses the smallest share of detours, from 0 to 1, for which the highest contention is least; `ends` are the
/// contentions of each link without detours and with nothing else. Each link is a straight line over the share.
///
/// The highest line falls, then rises. A falling and a rising line are kept that are highest somewhere; where they
/// cross lies the least of the two. If another line is higher there, it takes the place of one of them. Every step
/// finds a line that was not highest before: the result is exact but for rounding, after at most as many steps as
/// lines.
pub(crate) fn choose_detour_share(ends: &[[f64; 2]]) -> f64 {
    let mut falling = find_highest(ends, 0.0);
    if !falls(falling) {
        return 0.0;
    }
    let mut rising = find_highest(ends, 1.0);
    if falls(rising) {
        return 1.0;
    }
    loop {
        let gained = falling[0] - falling[1];
        let share = (falling[0] - rising[0]) / (gained + rising[1] - rising[0]);
        let share = share.clamp(0.0, 1.0);
        let highest = find_highest(ends, share);
        let known = mix_loads(share, falling[0], falling[1]);
        if mix_loads(share, highest[0], highest[1]) <= known * (1.0 + ROUNDING) {
            return share;
        }
        if falls(highest) {
            falling = highest;
        } else {
            rising = highest;
        }
    }
}

/// Checks whether detours lower a line by more than rounding.
fn falls(line: [f64; 2]) -> bool {
    line[1] < line[0] * (1.0 - ROUNDING)
}

/// Finds the line that is highest at `share`; of those as high, the one that rises most. Zero without lines.
fn find_highest(ends: &[[f64; 2]], share: f64) -> [f64; 2] {
    let mut top = 0f64;
    for line in ends {
        top = top.max(mix_loads(share, line[0], line[1]));
    }
    let mut found = [0.0; 2];
    let mut steepest = f64::NEG_INFINITY;
    for line in ends {
        let is_top = mix_loads(share, line[0], line[1]) >= top * (1.0 - ROUNDING);
        if is_top && line[1] - line[0] > steepest {
            steepest = line[1] - line[0];
            found = *line;
        }
    }
    found
}
