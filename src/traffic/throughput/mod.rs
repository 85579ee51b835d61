//! Throughput: what a machine carries when it routes well.
//!
//! The throughput of traffic D is the largest t such that t · D fits: 1 over the largest load over capacity.
//! [`best_shares`] finds a routing that makes this load small, and proves a floor under it from lengths of links:
//! whatever the routing, Σ load · length is at least Σ volume · distance, so that the largest load over capacity is
//! at least Σ volume · distance / Σ capacity · length. Node links do not count.
//!
//! Example: on a ring of four routers with links of capacity 1 each way, every router sends 1 to the opposite one.
//! Over both ways, half each, every link carries ½ + ½ = 1. With lengths of 1, the floor is 4 · 2 / 8 = 1: the
//! throughput is 1.
//!
//! [`classes`] comes first: a fixed routing, and lengths of 1 on the links that it fills most, 0 elsewhere. On regular
//! networks both meet. Small networks are linear programs that [`exact`] solves. Else sparse traffic goes by [`paths`],
//! dense traffic by [`descent`] in blocks, and that of `adaptive` by [`detours`]. All is the same for any number of
//! threads: what threads do at once is put together in a fixed order.
//!
//! # References
//! Singla, Godfrey, Kolla, "High throughput data center topology design", NSDI'14. Jyothi, Singla, Godfrey, Kolla,
//! "Measuring and understanding throughput of network topologies", SC'16. Namyar, Supittayapornpong, Zhang, Yu,
//! Govindan, "A throughput-centric view of the performance of datacenter topologies", SIGCOMM'21, which has the upper
//! bound (TUB).

use crate::mapping::routing::{BestShares, PathSet};
use crate::mapping::{Demand, End, Fabric};
use nodeorder_base::{Error, Observer, Result, SourceLocation};

mod broken;
mod classes;
mod dense;
mod descent;
mod detours;
mod exact;
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
use solution::{FlowSolution, ROUNDS, SearchLimits};

/// Number of flows up to which each pair keeps its own paths, whatever the machine.
const FEW: usize = 20_000;
/// Traffic of more flows than this for each router counts as dense.
const DENSE: usize = 16;
/// Rounds after which a search of what is left of a machine ends, but for detours, whose rounds are short.
const BROKEN_ROUNDS: usize = 8;

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
    find_best(fabric, demand, routing, None, observer)
}

/// Splits `demand` as [`best_shares`] does on what is left of a machine, of which the `whole` was searched: its loads
/// prove a floor. The search ends after a few rounds if the gap is not reached before, the same on every machine, and
/// small networks are not brought to their optimum.
///
/// # Errors
/// As [`best_shares`].
pub fn best_shares_of_rest(
    fabric: &Fabric<'_>,
    demand: &Demand,
    routing: &BestShares,
    whole: (&Fabric<'_>, &Throughput),
    observer: &dyn Observer,
) -> Result<Throughput> {
    let floor = broken::prove_floor(fabric, demand, whole, routing.gap);
    find_best(fabric, demand, routing, Some(floor), observer)
}

/// Finds the best shares; with a `floor` that is proved already, those that a few rounds find.
fn find_best(
    fabric: &Fabric<'_>,
    demand: &Demand,
    routing: &BestShares,
    floor: Option<f64>,
    observer: &dyn Observer,
) -> Result<Throughput> {
    routing.check_machine(fabric.topology)?;
    let location = SourceLocation::option(format!("--routing {}", routing.name));
    let outside = demand.volume - demand.inside_volume;
    if outside.is_nan() || outside <= 0.0 {
        let problem = "no volume between different routers, so that any multiple of it fits";
        return Err(Error::unsuited(
            location,
            problem,
            "give traffic that uses links",
        ));
    }
    if let Some(link) = (0..fabric.links.len()).find(|link| fabric.links.capacity(*link) <= 0.0) {
        let (from, to) = fabric.links.link_ends(link);
        let problem = format!("the link from router {from} to router {to} has no capacity");
        return Err(Error::unsuited(
            location,
            problem,
            "leave the link out, or give it some",
        ));
    }
    let plan = SearchPlan::choose_search(fabric, demand, routing);
    let bytes = plan.memory_bytes(fabric, demand);
    if bytes > fabric.topology.context().memory {
        let problem = format!(
            "{} needs about {}, more than --memory allows",
            fabric.topology.name(),
            nodeorder_base::error::format_bytes(bytes)
        );
        let remedy = "`--routing ecmp-hop` needs less, and the hop bound (capacities of all links over volume times \
                      mean distance) is above every routing";
        return Err(Error::unsuited(location, problem, remedy));
    }
    // Without a clock the search ends by its gap or its rounds alone, the same on every machine.
    let until = observer.elapsed_seconds().map(|now| now + routing.seconds);
    let stop = SearchLimits {
        gap: routing.gap,
        until,
        floor: floor.unwrap_or(0.0),
        rounds: match floor {
            Some(_) if plan != SearchPlan::Detours => BROKEN_ROUNDS,
            _ => ROUNDS,
        },
        observer,
    };
    let network = Network::new(fabric);
    let (mut found, method) = find_shares(&network, fabric, demand, routing, plan, &stop)?;
    fabric.complete_loads(&mut found.loads);
    // What goes over one rail in the search is shared among all.
    let contention = network.highest_contention(&found.loads);
    let floor = (found.floor * contention / found.worst).min(contention);
    let detours = routing.path_set == PathSet::Detours;
    Ok(Throughput {
        loads: found.loads,
        contention,
        floor,
        valiant_share: detours.then(|| found.detoured.unwrap_or(0.0) / outside),
        method,
        stopped: floor < contention * (1.0 - routing.gap),
    })
}

/// The search that suits traffic and routing.
#[derive(Clone, Copy, PartialEq)]
enum SearchPlan {
    Paths,
    Dense,
    Detours,
}

impl SearchPlan {
    /// Chooses the search.
    fn choose_search(fabric: &Fabric<'_>, demand: &Demand, routing: &BestShares) -> Self {
        if routing.path_set == PathSet::Detours {
            return SearchPlan::Detours;
        }
        let few = FEW.max(DENSE * fabric.links.router_count());
        // Joints have no length, by which blocks find the way; weights would leave them too few digits.
        let joints = fabric.links.cabled_link_count() < fabric.links.len();
        let weighted = fabric.links.is_weighted();
        if demand.pairs <= few as u64 || joints || weighted {
            SearchPlan::Paths
        } else {
            SearchPlan::Dense
        }
    }

    /// Computes the bytes that the search takes.
    fn memory_bytes(self, fabric: &Fabric<'_>, demand: &Demand) -> u64 {
        let links = fabric.links.len();
        match self {
            SearchPlan::Paths => paths::path_bytes(demand.pairs, links),
            SearchPlan::Dense => dense::dense_bytes(demand.roots(End::Target).len(), links),
            SearchPlan::Detours => detours::detour_bytes(fabric.links.router_count(), links),
        }
    }
}

/// Finds the shares, by a fixed routing if one is proved the best, else by the search of `plan`. Returns the method's
/// name as well.
fn find_shares(
    network: &Network<'_>,
    fabric: &Fabric<'_>,
    demand: &Demand,
    routing: &BestShares,
    plan: SearchPlan,
    stop: &SearchLimits<'_>,
) -> Result<(FlowSolution, &'static str)> {
    let shortest = routing.path_set == PathSet::Shortest;
    let (met, fixed) =
        classes::compare_fixed_routings(fabric, network, demand, routing.path_set, stop.gap)?;
    let fixed = fixed.map(|mut found| {
        found.floor = found.floor.max(stop.floor);
        found
    });
    if let Some(found) = &fixed
        && (met || stop.floor >= found.worst * (1.0 - stop.gap))
    {
        return Ok((found.clone(), "classes"));
    }
    // On rails the search counts the first alone, whose links carry for all.
    let countable = stop.rounds == ROUNDS && fabric.topology.network().rails().is_none();
    if plan == SearchPlan::Detours {
        let detours = detours::Detours {
            network,
            minimal: minimal::MinimalRoutes::new(fabric, network)?,
            demand,
            even: routing.even,
        };
        if let Some(found) = exact::solve_detours(&detours, stop) {
            return Ok((found, "exact"));
        }
        return Ok((detours::search_detours(&detours, fixed, stop), "flow"));
    }
    if countable && let Some(found) = exact::solve_flows(network, demand, shortest, stop) {
        return Ok((found, "exact"));
    }
    if plan == SearchPlan::Paths {
        let mut pairs = list_pairs(demand);
        let found = paths::search_shares(network, &mut pairs, shortest, stop);
        return Ok((found.keep_better(fixed), "paths"));
    }
    let blocks = dense::DenseTraffic {
        network,
        demand,
        shortest,
    };
    let found = descent::search_descent(&blocks, stop);
    Ok((found.keep_better(fixed), "flow"))
}

/// Lists the pairs of routers with traffic.
fn list_pairs(demand: &Demand) -> Vec<Pair> {
    let mut pairs = Vec::new();
    demand.for_each_flow(|from, flow| {
        if flow.volume > 0.0 {
            pairs.push(Pair {
                from,
                to: flow.router,
                volume: flow.volume,
                paths: Vec::new(),
            });
        }
    });
    pairs
}
