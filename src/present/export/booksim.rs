//! BookSim 2: routers and nodes as an anynet file, node ids by rank.
//!
//! BookSim takes one shortest path a pair, of equal ones that on which each router before the target is the lowest
//! (booksim2, `src/networks/anynet.cpp`: `AnyNet::route`, one table for each router), which loads some links far more
//! than others. Under `traffic = uniform`, which draws targets from all nodes, itself among them (`src/traffic.cpp`:
//! `UniformRandomTrafficPattern::dest`), the busiest channel bounds what it carries; half of that is what is written.

use std::collections::BTreeMap;

use super::cables::list_cables;
use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use nodeorder_base::{NodeId, Result, RouterId};
use nodeorder_network::Topology;

/// `--to booksim`.
pub(super) const TARGET: ExportTarget = plain_target(
    "booksim",
    "a folder for BookSim 2: booksim.cfg and net.any (anynet), whose node k is the node of rank k",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let topology = input.topology;
    // One cable a pair of routers: an anynet file has no parallel ones.
    let links = list_cables(topology, "booksim", false)?;
    let rank: BTreeMap<NodeId, usize> = input.order.nodes().iter().copied().zip(0..).collect();
    let mut lines: Vec<String> = Vec::new();
    let mut attached: Vec<u64> = Vec::new();
    // A router without nodes has a line, too, for its cables.
    for router in 0..topology.network().routers() {
        let mut line = format!("router {router}");
        // A node that the ordering leaves out is not attached.
        let ranks: Vec<&usize> = topology
            .nodes_of(RouterId(router))
            .filter_map(|node| rank.get(&node))
            .collect();
        line.extend(ranks.iter().map(|rank| format!(" node {rank}")));
        lines.push(line);
        attached.push(ranks.len() as u64);
    }
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); lines.len()];
    // Named once, a link goes both ways, a cycle each.
    for (u, v, _) in links {
        lines[u as usize] += &format!(" router {v}");
        neighbours[u as usize].push(v);
        neighbours[v as usize].push(u);
    }
    let saturation = find_saturation(topology, &attached, &neighbours)?;
    // Six digits behind the point, rounded down, so that it stays below.
    let rate = ((saturation * 5e5).floor() / 1e6).max(1e-6);
    let about =
        include_str!("texts/booksim.txt").replace("SATURATION", &format!("{saturation:.6}"));
    let text = input.header_comments("//", &about)
        + &format!(
            "topology = anynet;\nnetwork_file = net.any;\nrouting_function = min;\nnum_vcs = 8;\ntraffic = uniform;\ninjection_rate = {rate:.6};\n"
        );
    Ok(Export {
        folder: Some("booksim.cfg"),
        beside: vec![("net.any".into(), lines.join("\n") + "\n")],
        ..Export::of_links(topology, text)
    })
}

/// Computes the flits that each node can send in a cycle until the busiest channel is full, 1 at most.
///
/// # Complexity
/// O(routers · links) time, O(routers²) memory. Fails if more than is allowed.
fn find_saturation(topology: &Topology, attached: &[u64], neighbours: &[Vec<u32>]) -> Result<f64> {
    let routers = neighbours.len();
    topology.require_memory("the routes of BookSim", 4 * (routers * routers) as u64)?;
    // For each router and target, the place of the next router among the neighbours.
    let mut next_hops: Vec<u32> = vec![0; routers * routers];
    for start in 0..routers {
        let hops = &mut next_hops[start * routers..][..routers];
        for router in list_by_distance(start, neighbours) {
            for place in router.firsts {
                let to = neighbours[router.at][place] as usize;
                hops[to] = if router.at == start {
                    place as u32
                } else {
                    hops[router.at]
                };
            }
        }
    }
    let mut loads: Vec<Vec<u64>> = neighbours.iter().map(|list| vec![0; list.len()]).collect();
    for target in 0..routers {
        let mut passing: Vec<u64> = attached
            .iter()
            .map(|nodes| nodes * attached[target])
            .collect();
        // From the farthest on, so that all that passes a router is known when it is sent on.
        for router in list_by_distance(target, neighbours).iter().rev() {
            if router.at != target {
                let place = next_hops[router.at * routers + target] as usize;
                loads[router.at][place] += passing[router.at];
                passing[neighbours[router.at][place] as usize] += passing[router.at];
            }
        }
    }
    let busiest = loads.iter().flatten().max().copied().unwrap_or(0);
    let nodes: u64 = attached.iter().sum();
    Ok((nodes as f64 / busiest as f64).min(1.0))
}

/// A router in the order of a search, and the places of those neighbours that it is the first to reach.
struct ReachedRouter {
    at: usize,
    firsts: Vec<usize>,
}

/// Lists the routers by their distance from `start`, those of one distance by number: the order of `AnyNet::route`.
fn list_by_distance(start: usize, neighbours: &[Vec<u32>]) -> Vec<ReachedRouter> {
    let mut seen = vec![false; neighbours.len()];
    seen[start] = true;
    let mut listed: Vec<ReachedRouter> = Vec::with_capacity(neighbours.len());
    let mut level = vec![start];
    while !level.is_empty() {
        level.sort_unstable();
        let mut farther = Vec::new();
        for at in level {
            let mut firsts = Vec::new();
            for (place, to) in neighbours[at].iter().enumerate() {
                if !std::mem::replace(&mut seen[*to as usize], true) {
                    firsts.push(place);
                    farther.push(*to as usize);
                }
            }
            listed.push(ReachedRouter { at, firsts });
        }
        level = farther;
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::write_order;
    use nodeorder_network::Context;
    use nodeorder_order::NodeOrder;

    /// The table of `AnyNet::route`, written from that function: the next router from `start` to each other.
    fn route(start: usize, neighbours: &[Vec<u32>]) -> Vec<usize> {
        let size = neighbours.len();
        let mut dist = vec![usize::MAX; size];
        let mut prev = vec![usize::MAX; size];
        let mut rest: std::collections::BTreeSet<usize> = (0..size).collect();
        dist[start] = 0;
        while let Some(min) = rest.iter().copied().min_by_key(|router| dist[*router]) {
            rest.remove(&min);
            let mut near = neighbours[min].clone();
            near.sort_unstable();
            for to in near {
                if dist[min] + 1 < dist[to as usize] {
                    dist[to as usize] = dist[min] + 1;
                    prev[to as usize] = min;
                }
            }
        }
        (0..size)
            .map(|target| {
                let mut at = target;
                while at != start && prev[at] != start {
                    at = prev[at];
                }
                at
            })
            .collect()
    }

    #[test]
    fn half_of_what_the_busiest_channel_carries_is_injected() {
        for (spec, by) in [
            ("torus:4x4,per_router=2", "row-major"),
            ("torus:5x3x2", "random"),
            ("hyperx:3x3,per_router=2", "row-major"),
            ("fat-tree:k=4", "random"),
            ("dragonfly:p=2,a=4,h=2", "row-major"),
            ("random-regular:n=16,d=4,per_router=2", "random"),
        ] {
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let order = NodeOrder::make(&machine, by).unwrap();
            let made = write_order("booksim", &machine, &order).unwrap();
            // The network as the file says it.
            let mut router_of = BTreeMap::new();
            let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); made.beside[0].1.lines().count()];
            for line in made.beside[0].1.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let here: u32 = words[1].parse().unwrap();
                for pair in words[2..].chunks(2) {
                    let id: u32 = pair[1].parse().unwrap();
                    if pair[0] == "node" {
                        router_of.insert(id, here as usize);
                    } else {
                        neighbours[here as usize].push(id);
                        neighbours[id as usize].push(here);
                    }
                }
            }
            let tables: Vec<Vec<usize>> = (0..neighbours.len())
                .map(|start| route(start, &neighbours))
                .collect();
            let mut loads: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            for source in router_of.values() {
                for target in router_of.values() {
                    let mut at = *source;
                    while at != *target {
                        let next = tables[at][*target];
                        *loads.entry((at, next)).or_default() += 1;
                        at = next;
                    }
                }
            }
            let saturation =
                (router_of.len() as f64 / *loads.values().max().unwrap() as f64).min(1.0);
            let (_, rate) = made.text.split_once("injection_rate = ").unwrap();
            let rate: f64 = rate.trim_end().trim_end_matches(';').parse().unwrap();
            assert!(
                rate <= saturation / 2.0 && rate > saturation / 2.0 - 1e-6,
                "{spec}: {rate} {saturation}"
            );
            let said = format!("full at {saturation:.6} flits");
            assert!(made.text.contains(&said), "{spec}: {said}");
        }
    }
}
