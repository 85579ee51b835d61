//! Floors under the loads of what is left of a machine, from the loads of the whole one.
//!
//! A search takes many rounds to find the lengths of links that prove a good floor; those of the whole machine are good
//! for what is left of it, too, as it has the same bottlenecks. Example: on a torus of 12x12x11 the links along the
//! first two dimensions are full, with lengths of 1; with one of 50 cables broken these prove a load of 1.5 / 0.98.

use super::Throughput;
use super::dense::DenseTraffic;
use super::network::{Network, exp};
use crate::mapping::{Demand, Fabric};

/// Sharpness of lengths that fall with the load of a link, from 1 at the fullest.
const SHARP: f64 = 20.0;

/// Proves a floor under the largest load over capacity of any routing of `demand`, from the links of the `whole`
/// machine that are within `gap` of its fullest, from its loads, and from the links of each router. 0 on rails and with
/// weights.
pub(super) fn prove_floor(
    fabric: &Fabric<'_>,
    demand: &Demand,
    (whole, found): (&Fabric<'_>, &Throughput),
    gap: f64,
) -> f64 {
    // Rails share what the search counts on the first; with weights, lengths of 1 are no distances.
    if fabric.topology.network().rails().is_some() || fabric.links.is_weighted() {
        return 0.0;
    }
    let network = Network::new(fabric);
    let mut full = vec![0.0; network.inverse_capacity.len()];
    let mut soft = full.clone();
    for (u, v, link) in fabric.links.iter() {
        let Some(before) = whole.links.find_link(u, v) else {
            continue;
        };
        let filled = found.loads[before] / whole.links.capacity(before) / found.contention;
        full[link] = f64::from(u8::from(filled >= 1.0 - gap));
        soft[link] = exp(SHARP * (filled - 1.0)) * network.inverse_capacity[link];
    }
    let blocks = DenseTraffic {
        network: &network,
        demand,
        shortest: false,
    };
    let mut floor = prove_router_floor(fabric, demand);
    for lengths in [full, soft] {
        // No link that was full may be left.
        if lengths.iter().any(|length| *length > 0.0) {
            floor = floor.max(blocks.prove_floor(&lengths));
        }
    }
    floor
}

/// Finds the largest volume that a router sends over the capacity of its links.
fn prove_router_floor(fabric: &Fabric<'_>, demand: &Demand) -> f64 {
    let mut sent = vec![0.0; fabric.links.router_count()];
    demand.for_each_flow(|from, flow| {
        if flow.router != from {
            sent[from as usize] += flow.volume;
        }
    });
    let mut floor = 0.0;
    for (router, volume) in (0..).zip(sent) {
        let ways = fabric.links.links_from(router);
        let capacity: f64 = ways.map(|link| fabric.links.capacity(link)).sum();
        // A router that is cut off sends nothing.
        if volume > 0.0 {
            floor = f64::max(floor, volume / capacity);
        }
    }
    floor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::routing::BestShares;
    use crate::testing::build;
    use crate::throughput::traffic::traffic;
    use crate::throughput::{best_shares, best_shares_of_rest};
    use nodeorder_base::observer::NoObserver;
    use nodeorder_network::Topology;

    fn ideal(text: &str) -> BestShares {
        BestShares::parse_routing(text).unwrap().unwrap()
    }

    /// Finds the optimum for all-to-all traffic of a small machine.
    fn solve(machine: &Topology) -> Throughput {
        let demand = traffic(machine, "all-to-all").unwrap();
        let fabric = Fabric::new(machine).unwrap();
        let found =
            best_shares(&fabric, &demand, &ideal("ideal:gap=0.000001"), &NoObserver).unwrap();
        assert!(found.relative_gap() < 1e-6, "{}", machine.spec());
        found
    }

    /// Writes the links that are left as a file of `graph:`, whose routers have links, one and all, and the nodes that are
    /// down as excluded.
    fn as_graph(machine: &Topology, folder: &std::path::Path) -> Topology {
        let network = machine.network();
        let mut links = Vec::new();
        let mut routers = std::collections::BTreeSet::new();
        network.for_each_cabled_link(&mut |u, v, capacity, cables| {
            links.push((u, v, capacity / f64::from(cables), cables));
            routers.extend([u, v]);
        });
        let routers: Vec<u32> = routers.into_iter().collect();
        let mut text = "u,v,capacity,cables\n".to_string();
        for (u, v, capacity, cables) in links {
            let [u, v] = [u, v].map(|router| routers.binary_search(&router).unwrap());
            text += &format!("{u},{v},{capacity},{cables}\n");
        }
        let path = folder.join("links.csv");
        std::fs::write(&path, text).unwrap();
        let per_router = network.per_router();
        let up: Vec<u32> = machine.nodes().iter().map(|node| node.0).collect();
        let mut down = Vec::new();
        for (number, router) in (0..).zip(&routers) {
            for slot in 0..per_router {
                if !up.contains(&(router * per_router + slot)) {
                    let node: u32 = number * per_router + slot;
                    down.push(node.to_string());
                }
            }
        }
        let mut spec = format!("graph:{},per_router={per_router}", path.display());
        if !down.is_empty() {
            spec += &format!(",exclude={}", down.join("+"));
        }
        build(&spec)
    }

    #[test]
    fn a_broken_machine_carries_what_the_graph_that_is_left_carries() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("broken.csv");
        // The first router is cut off.
        std::fs::write(&file, "0\n").unwrap();
        let file = file.display().to_string();
        for spec in [
            "torus:4x5",
            "hyperx:3x4,per_router=2",
            "dragonfly:p=2,a=4,h=2,g=5",
            "random-regular:n=20,d=3,seed=4",
        ] {
            let whole = build(spec);
            let before = solve(&whole);
            for broken in [&*file, "links:0.1", "links:0.2", "switches:1", "switches:2"] {
                let machine = build(&format!("{spec},broken={broken},broken_seed=3"));
                let found = solve(&machine);
                let graph = as_graph(&machine, folder.path());
                assert_eq!(machine.node_count(), graph.node_count());
                let same = solve(&graph).contention / found.contention;
                assert!((same - 1.0).abs() < 1e-6, "{}: {same}", machine.spec());
                // The short search encloses the optimum.
                let rest = best_shares_of_rest(
                    &Fabric::new(&machine).unwrap(),
                    &traffic(&machine, "all-to-all").unwrap(),
                    &ideal("ideal:gap=0.05"),
                    (&Fabric::new(&whole).unwrap(), &before),
                    &NoObserver,
                );
                let rest = rest.unwrap();
                let spec = machine.spec();
                assert!(rest.floor <= found.contention * (1.0 + 1e-6), "{spec}");
                assert!(rest.contention >= found.floor * (1.0 - 1e-6), "{spec}");
                assert!(rest.relative_gap() < 0.2, "{spec}: {}", rest.relative_gap());
            }
        }
    }
}
