//! Throughput: what a machine carries when it routes well.
//!
//! The throughput of traffic D is the largest t such that t · D fits: 1 over the largest load over capacity. [`best_shares`]
//! finds a routing that makes this load small, and proves a floor under it from lengths of links: whatever the
//! routing, Σ load · length is at least Σ volume · distance, so that the largest load over capacity is at least
//! Σ volume · distance / Σ capacity · length. Node links do not count.
//!
//! [`classes`] comes first: a fixed routing, and lengths of 1 on the links that it fills most, 0 elsewhere. On regular
//! networks both meet. Else sparse traffic goes by [`paths`], dense traffic by [`descent`] in blocks, and that of `adaptive`
//! by [`detours`]. All is the same for any number of threads: what threads do at once is put together in a fixed order.
//!
//! # References
//! Singla, Godfrey, Kolla, "High throughput data center topology design", NSDI'14. Jyothi, Singla, Godfrey, Kolla,
//! "Measuring and understanding throughput of network topologies", SC'16. Namyar, Supittayapornpong, Zhang, Yu, Govindan,
//! "A throughput-centric view of the performance of datacenter topologies", SIGCOMM'21, which has the upper bound (TUB).

use crate::mapping::routing::{BestShares, PathSet};
use crate::mapping::{Demand, End, Fabric};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::observer::Observer;

mod classes;
mod dense;
mod descent;
mod detours;
pub mod matching;
mod minimal;
mod network;
mod paths;
mod solution;
pub mod traffic;
pub mod windows;

pub use solution::Throughput;

use network::Network;
use paths::Pair;
use solution::{FlowSolution, StopCondition};

/// Flows up to which each pair keeps its own paths, whatever the machine.
const FEW: usize = 20_000;
/// More flows than this many for each router are dense.
const DENSE: usize = 16;
/// Splits `demand` in the shares that load the links least, as `routing` says.
///
/// # Errors
/// A machine on which the routing is not defined; no traffic between routers; links without capacity; more memory than
/// allowed.
pub fn best_shares(
    fabric: &Fabric<'_>,
    demand: &Demand,
    routing: &BestShares,
    observer: &dyn Observer,
) -> Result<Throughput> {
    routing.check(fabric.topology)?;
    let location = || SourceLocation::option(format!("--routing {}", routing.name));
    let outside = demand.volume - demand.inside_volume;
    if outside.is_nan() || outside <= 0.0 {
        let problem = "no volume between different routers, so that any multiple of it fits";
        return Err(Error::unsuited(
            location(),
            problem,
            "give traffic that uses links",
        ));
    }
    if let Some(link) = (0..fabric.links.len()).find(|link| fabric.links.capacity(*link) <= 0.0) {
        let (from, to) = fabric.links.ends(link);
        let problem = format!("the link from router {from} to router {to} has no capacity");
        return Err(Error::unsuited(
            location(),
            problem,
            "leave the link out, or give it some",
        ));
    }
    let plan = Plan::of(fabric, demand, routing);
    let bytes = plan.bytes(fabric, demand);
    if bytes > fabric.topology.context().memory {
        let problem = format!(
            "{} needs about {}, more than --memory allows",
            fabric.topology.name(),
            nodeorder_base::error::bytes(bytes)
        );
        let remedy = "`--routing ecmp-hop` needs less, and the hop bound (capacities of all links over volume times \
                      mean distance) is above every routing";
        return Err(Error::unsuited(location(), problem, remedy));
    }
    let until = observer.seconds().map(|now| now + routing.seconds);
    let stop = StopCondition {
        gap: routing.gap,
        until,
        observer,
    };
    let network = Network::new(fabric);
    let (found, method) = search(fabric, &network, demand, (routing, plan), &stop)?;
    let FlowSolution {
        mut loads,
        worst,
        floor,
        detoured,
    } = found;
    fabric.settle(&mut loads);
    // What goes over one rail in the search is shared among all.
    let contention = network.worst(&loads);
    let floor = (floor * contention / worst).min(contention);
    let detours = routing.path_set == PathSet::Detours;
    let valiant_share = detours.then(|| detoured.unwrap_or(0.0) / outside);
    let stopped = floor < contention * (1.0 - routing.gap);
    Ok(Throughput {
        loads,
        contention,
        floor,
        valiant_share,
        method,
        stopped,
    })
}

/// Which search suits.
#[derive(Clone, Copy, PartialEq)]
enum Plan {
    Paths,
    Dense,
    Detours,
}

impl Plan {
    fn of(fabric: &Fabric<'_>, demand: &Demand, routing: &BestShares) -> Self {
        if routing.path_set == PathSet::Detours {
            return Plan::Detours;
        }
        let few = FEW.max(DENSE * fabric.links.router_count());
        // Joints have no length, by which blocks find the way; weights would leave them too few digits.
        let joints = fabric.links.cabled() < fabric.links.len();
        let weighted = fabric.links.is_weighted();
        if demand.pairs <= few as u64 || joints || weighted {
            Plan::Paths
        } else {
            Plan::Dense
        }
    }

    fn bytes(self, fabric: &Fabric<'_>, demand: &Demand) -> u64 {
        let (routers, links) = (fabric.links.router_count(), fabric.links.len());
        let targets = demand.roots(End::Target).len();
        match self {
            Plan::Paths => paths::bytes(demand.pairs, links),
            Plan::Dense => dense::bytes(targets, links),
            Plan::Detours => detours::bytes(routers, links),
        }
    }
}

fn search(
    fabric: &Fabric<'_>,
    network: &Network<'_>,
    demand: &Demand,
    (routing, plan): (&BestShares, Plan),
    stop: &StopCondition<'_>,
) -> Result<(FlowSolution, &'static str)> {
    let shortest = routing.path_set == PathSet::Shortest;
    let (met, fixed) = classes::meet(fabric, network, demand, (routing.path_set, stop.gap))?;
    if let (true, Some(found)) = (met, &fixed) {
        return Ok((found.clone(), "classes"));
    }
    if plan == Plan::Detours {
        let minimal = minimal::Minimal::new(fabric, network)?;
        let detours = detours::Detours {
            network,
            minimal,
            demand,
            even: routing.even,
        };
        return Ok((detours::solve(&detours, fixed, stop), "flow"));
    }
    if plan == Plan::Dense {
        let blocks = dense::Dense {
            network,
            demand,
            shortest,
        };
        return Ok((descent::solve(&blocks, stop).or(fixed), "flow"));
    }
    let (mut pairs, mut row) = (Vec::new(), Vec::new());
    for (i, from) in demand.roots(End::Source).iter().enumerate() {
        for flow in demand
            .row(End::Source, i, &mut row)
            .iter()
            .filter(|flow| flow.volume > 0.0)
        {
            let (from, to, volume) = (*from, flow.router, flow.volume);
            pairs.push(Pair {
                from,
                to,
                volume,
                paths: Vec::new(),
            });
        }
    }
    Ok((
        paths::solve(network, &mut pairs, shortest, stop).or(fixed),
        "paths",
    ))
}
