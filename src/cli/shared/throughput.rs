//! Searches for the best shares, and what a machine carries of some traffic.

use super::notes::note;
use super::progress;
use super::watch::Clock;
use nodeorder_present::columns::throughput::ThroughputRow;
use nodeorder_traffic::mapping::routing::BestShares;
use nodeorder_traffic::mapping::{Contention, Demand, Fabric, FixedRouting};
use nodeorder_traffic::throughput::{Throughput, best_shares};

/// Searches for the best shares with a clock; says so where time runs out.
pub fn search_shares(
    fabric: &Fabric<'_>,
    demand: &Demand,
    routing: &BestShares,
) -> anyhow::Result<Throughput> {
    let waiting = progress::show_spinner(routing.name);
    let found = best_shares(
        fabric,
        demand,
        routing,
        &Clock::start_clock(false, &waiting),
    )?;
    drop(waiting);
    if found.stopped {
        let name = routing.name;
        let gap = 100.0 * found.relative_gap();
        note!(
            "{name}: stopped with a proved gap of {gap:.2} %, more than gap= asks (time= gives it longer)"
        );
    }
    Ok(found)
}

/// Finds the throughput of `demand` under the routing called `routing`.
pub fn measure_throughput<'a>(
    fabric: &Fabric<'_>,
    demand: &Demand,
    traffic: &'a str,
    routing: &'a str,
) -> anyhow::Result<ThroughputRow<'a>> {
    if let Some(best) = BestShares::parse_routing(routing)? {
        let found = search_shares(fabric, demand, &best)?;
        return Ok(ThroughputRow {
            traffic,
            routing,
            throughput: found.carried_multiple(),
            throughput_at_most: found.carried_at_most(),
            routing_gap: found.relative_gap(),
            method: found.method,
        });
    }
    // Fixed shares leave nothing to search: the busiest link bounds the traffic, and the bound is met.
    let loads = FixedRouting::find_by_name(routing)?.link_loads(fabric, demand)?;
    let throughput = 1.0 / Contention::measure_links(fabric.links, loads).max;
    Ok(ThroughputRow {
        traffic,
        routing,
        throughput,
        throughput_at_most: throughput,
        routing_gap: 0.0,
        method: "fixed",
    })
}
