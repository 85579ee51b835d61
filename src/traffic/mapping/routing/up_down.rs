//! Up to the lowest common ancestors of a fat tree, all of them alike, and down.

use super::super::demand::Demand;
use super::{Fabric, FixedPaths, RoutingEntry, RoutingMethod};
use nodeorder_base::Result;
use nodeorder_network::{Metric, Topology};

/// `up-down`: up only as far as needed, every switch splitting equally over all its parents; the way down
/// from there is the only one.
///
/// All ancestors of a subtree then carry the same, so that loads follow from how much leaves and enters
/// each subtree. O(flows · levels + links).
///
/// # References
/// Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS'95, section 4,
/// <https://doi.org/10.1109/IPPS.1995.395911>, which picks the way up at random: equal shares here.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "up-down",
    "fat trees: up to the lowest common ancestors, equal shares over parents, and down",
    RoutingMethod::Fixed(FixedPaths::shortest_paths(
        "fat tree",
        is_fat_tree,
        find_loads,
    )),
);

/// Checks whether `topology` is a fat tree.
pub fn is_fat_tree(topology: &Topology) -> bool {
    matches!(topology.metric(), Metric::Tree(_))
}

/// The switches of one level of a fat tree, with the traffic through their subtrees.
struct SwitchLevel {
    /// Number of the first switch of the level.
    first: u32,
    /// Number of switches of the level.
    switches: u32,
    /// Number of switches that top the same subtree.
    tops: u32,
    /// Number of leaf switches below each.
    leaves: u32,
    /// Number of links up from each; 0 at the top.
    parents: u32,
    /// Volume that leaves each subtree.
    out: Vec<f64>,
    /// Volume that enters each subtree.
    into: Vec<f64>,
}

/// Lists the levels, from the leaves up: how many parents a switch has is read off its links.
fn list_levels(fabric: &Fabric<'_>) -> Vec<SwitchLevel> {
    let Metric::Tree(tree) = fabric.topology.metric() else {
        return Vec::new();
    };
    let mut levels: Vec<SwitchLevel> = Vec::new();
    let mut first = 0;
    let mut tops = 1;
    let mut leaves = 1;
    let mut children = 0;
    for arity in tree.arity.iter().rev().copied().chain([0]) {
        let subtrees = (tree.count_leaves() / u64::from(leaves)) as u32;
        let switches = subtrees * tops;
        let parents = fabric.links.heads_from(first).len() as u32 - children;
        let zeros = vec![0.0; subtrees as usize];
        levels.push(SwitchLevel {
            first,
            switches,
            tops,
            leaves,
            parents,
            out: zeros.clone(),
            into: zeros,
        });
        first += switches;
        tops *= parents.max(1);
        leaves *= arity.max(1);
        children = arity;
    }
    levels
}

/// Finds the loads of `up-down`.
fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let mut loads = fabric.zero_loads();
    let mut levels = list_levels(fabric);
    demand.for_each_flow(|source, flow| {
        for level in &mut levels {
            let from = source / level.leaves;
            let to = flow.router / level.leaves;
            // Both ends below one subtree: the flow has turned.
            if from == to {
                break;
            }
            level.out[from as usize] += flow.volume;
            level.into[to as usize] += flow.volume;
        }
    });
    for level in levels.iter().filter(|level| level.parents > 0) {
        // Between a subtree's tops and their parents there are so many links, all alike.
        let links = f64::from(level.tops) * f64::from(level.parents);
        let above = level.first + level.switches;
        for switch in level.first..above {
            let subtree = ((switch - level.first) / level.tops) as usize;
            for (link, parent) in fabric
                .links
                .links_from(switch)
                .zip(fabric.links.heads_from(switch))
            {
                if *parent >= above {
                    loads[link] += level.out[subtree] / links;
                    let down = level.into[subtree] / links;
                    fabric.links.add_load(*parent, switch, down, &mut loads);
                }
            }
        }
    }
    Ok(loads)
}
