//! An outline compared with a description of every switch: by units of nodes, as the links are not comparable.
//!
//! An outline is a tree in which one switch may stand for many: one "spine" above all leaf switches, say, where the
//! fabric has sixteen. Both still say which leaf switches belong together. A switch's height is the number of links
//! to the nearest leaf switch; the units of height h are the sets of leaf switches that links up to switches of
//! height h join:
//!
//! ```text
//!      core          height 2      units of height 0:  {a} {b} {c}
//!      /  \                                       1:  {a b} {c}
//!    pod  pod        height 1                     2:  {a b c}
//!    / \    \
//!   a   b    c       height 0, with nodes
//! ```
//!
//! Each partition of the outline must be one of the other description, which may have further ones in between. Levels
//! that hold the same nodes are the same: units that the other description names without a switch above them, such as
//! the groups of a dragonfly, are partitions of it, too.

use std::collections::BTreeSet;

use petgraph::unionfind::UnionFind;

use super::findings::{Findings, switch_name};
use super::graphs::PairedGraphs;
use super::leaves::match_most_shared;
use crate::topology::graph::RouterGraph;
use crate::topology::link_list::number_labels;
use crate::topology::machine::Topology;
use crate::topology::statistics::occupied_routers;
use nodeorder_base::RouterId;

/// Adds to `found` the leaf switches that the two descriptions put into different units, or give uplinks of different
/// total capacity.
pub fn compare_units(graphs: &PairedGraphs<'_>, found: &mut Findings) {
    let machines = graphs.machines;
    let outline = usize::from(machines[1].network().outline);
    let carrying = machines.map(|machine| occupied_routers(&machine.nodes_per_router()));
    let above = [0, 1].map(|side| graphs.graphs[side].router_count() - carrying[side].len());
    found.remarks.push(format!(
        "not compared: switches above those with nodes ({} here, {} there) and their \
         links, which {} merges",
        above[0],
        above[1],
        machines[outline].name()
    ));
    if graphs.compare_capacities {
        compare_uplinks(graphs, found);
    }
    let partitions = [0, 1].map(|side| {
        let leaves: Vec<RouterId> = (0..graphs.leaves.len())
            .map(|leaf| router_of_leaf(graphs, side, leaf))
            .collect();
        let mut found = list_partitions(graphs.graphs[side], &carrying[side], &leaves);
        if side != outline {
            add_levels(machines[side], &leaves, &mut found);
        }
        found
    });
    let coarse = &partitions[outline];
    let fine = &partitions[1 - outline];
    if fine.len() > coarse.len() {
        let more = fine.len() - coarse.len();
        let [one, other] = [machines[outline].name(), machines[1 - outline].name()];
        found.remarks.push(format!(
            "not compared: {more} levels of units of {other} that {one} merges"
        ));
    }
    // A leaf that is out of place at one height often is at others: it is reported once.
    let mut reported = BTreeSet::new();
    for (height, units) in coarse.iter().enumerate() {
        // The widest units are what paths join at all: they must be the widest on both sides.
        let others = if height + 1 == coarse.len() {
            &fine[fine.len() - 1..]
        } else {
            &fine[..]
        };
        let compared = others
            .iter()
            .map(|other| (list_moved(units, other), other))
            .min_by_key(|(moved, _)| moved.len());
        let Some((moved, other)) = compared else {
            continue;
        };
        for leaf in moved {
            if !reported.insert(leaf) {
                continue;
            }
            let mut sides = [units, other];
            sides.rotate_left(outline);
            found.add_difference("unit", || {
                [
                    leaf_name(graphs, 0, leaf),
                    describe_unit(graphs, 0, sides[0], leaf),
                    describe_unit(graphs, 1, sides[1], leaf),
                ]
            });
        }
    }
}

/// Adds the leaf switches whose links have another total capacity in the second description.
fn compare_uplinks(graphs: &PairedGraphs<'_>, found: &mut Findings) {
    for leaf in 0..graphs.leaves.len() {
        let [here, there] = [0, 1].map(|side| {
            let router = router_of_leaf(graphs, side, leaf);
            let capacities = graphs.graphs[side].neighbour_capacities(router);
            capacities.iter().sum::<f64>()
        });
        if here != there {
            found.add_difference("width", || {
                let name = leaf_name(graphs, 0, leaf);
                [name, here.to_string(), there.to_string()]
            });
        }
    }
}

/// Looks up the router that a matched leaf switch is in one of the descriptions.
fn router_of_leaf(graphs: &PairedGraphs<'_>, side: usize, leaf: usize) -> RouterId {
    let (here, there) = graphs.leaves[leaf];
    RouterId([here, there][side])
}

/// Finds the name that a description gives a matched leaf switch.
fn leaf_name(graphs: &PairedGraphs<'_>, side: usize, leaf: usize) -> String {
    switch_name(graphs.machines[side], router_of_leaf(graphs, side, leaf))
}

/// Describes the unit of a leaf switch by the first leaf switch in it.
fn describe_unit(graphs: &PairedGraphs<'_>, side: usize, units: &[u32], leaf: usize) -> String {
    match units.iter().position(|unit| *unit == units[leaf]) {
        Some(first) if first != leaf => format!("with {}", leaf_name(graphs, side, first)),
        _ => "first of its unit".into(),
    }
}

/// Lists the leaves that are in another unit of `others` than most leaves of their unit of `units`.
fn list_moved(units: &[u32], others: &[u32]) -> Vec<usize> {
    let shared = units.iter().copied().zip(others.iter().copied());
    let matched = match_most_shared(shared.collect(), |_, _| false);
    (0..units.len())
        .filter(|leaf| matched.get(&units[*leaf]) != Some(&others[*leaf]))
        .collect()
}

/// Lists the partitions of `leaves` into units, from height 0 up, each partition once: the unit of each leaf.
fn list_partitions(
    graph: &RouterGraph,
    carrying: &[RouterId],
    leaves: &[RouterId],
) -> Vec<Vec<u32>> {
    let mut height = vec![u32::MAX; graph.router_count()];
    for router in carrying {
        height[router.index()] = 0;
    }
    let mut queue = carrying.to_vec();
    let mut next = 0;
    while let Some(router) = queue.get(next).copied() {
        next += 1;
        for to in graph.neighbours(router) {
            if height[*to as usize] == u32::MAX {
                height[*to as usize] = height[router.index()] + 1;
                queue.push(RouterId(*to));
            }
        }
    }
    let mut links: Vec<(u32, u32, u32)> = Vec::new();
    for router in &queue {
        for to in graph.neighbours(*router) {
            if *to > router.0 {
                let higher = height[router.index()].max(height[*to as usize]);
                links.push((higher, router.0, *to));
            }
        }
    }
    links.sort_unstable();
    let mut joined = UnionFind::<u32>::new(graph.router_count());
    let mut partitions = vec![number_units(&joined, leaves)];
    for of_height in links.chunk_by(|a, b| a.0 == b.0) {
        for (_, a, b) in of_height {
            joined.union(*a, *b);
        }
        let units = number_units(&joined, leaves);
        if partitions.last() != Some(&units) {
            partitions.push(units);
        }
    }
    partitions
}

/// Adds the units of a machine's levels, from the leaf up, before the widest partition, each partition once.
fn add_levels(machine: &Topology, leaves: &[RouterId], partitions: &mut Vec<Vec<u32>>) {
    for level in machine.switch_levels().iter().rev() {
        let nodes = leaves.iter().map(|leaf| machine.nodes_of(*leaf).next());
        // A leaf switch carries nodes, whose units are its own.
        let units = nodes.map(|node| node.map_or(0, |node| level.unit_of(node) as usize));
        let units = number_labels(units, machine.nodes().slot_count() as usize);
        if !partitions.contains(&units) {
            partitions.insert(partitions.len() - 1, units);
        }
    }
}

/// Numbers the sets that `leaves` are in, in the order of their first leaf.
fn number_units(joined: &UnionFind<u32>, leaves: &[RouterId]) -> Vec<u32> {
    let sets = leaves.iter().map(|leaf| joined.find(leaf.0) as usize);
    number_labels(sets, joined.len())
}
