//! Nodes of two descriptions matched by name, and through them the switches that carry nodes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::findings::{Findings, have_same_name, switch_name};
use crate::topology::machine::Topology;
use nodeorder_base::{NodeId, RouterId};

/// Matches the two of each pair that comes most often, each once: pairs in the order of their counts, those that
/// `prefer` holds first among equals, then by number. Greedy: a pair is passed over where one of its two is matched
/// already.
pub fn match_most_shared(
    mut shared: Vec<(u32, u32)>,
    prefer: impl Fn(u32, u32) -> bool,
) -> BTreeMap<u32, u32> {
    shared.sort_unstable();
    let equal = shared.chunk_by(|a, b| a == b);
    let mut counted: Vec<(usize, (u32, u32))> = equal.map(|run| (run.len(), run[0])).collect();
    counted.sort_by_cached_key(|(count, (a, b))| (Reverse(*count), !prefer(*a, *b), *a, *b));
    let mut matched = BTreeMap::new();
    let mut taken = HashSet::new();
    for (_, (a, b)) in counted {
        if !matched.contains_key(&a) && taken.insert(b) {
            matched.insert(a, b);
        }
    }
    matched
}

/// Matches nodes by name, and their switches by the nodes that they share; adds nodes that are missing, added,
/// renamed or moved to `found`. Returns the matched switches, ascending.
pub fn match_leaves(here: &Topology, there: &Topology, found: &mut Findings) -> Vec<(u32, u32)> {
    let mut is_matched = vec![false; there.nodes().slot_count() as usize];
    let mut common = Vec::new();
    let mut gone = BTreeMap::<u32, Vec<NodeId>>::new();
    for node in here.nodes().iter() {
        let router = here.router_of(node).0;
        let twin = there.node_named(&here.node_name(node));
        match twin.filter(|twin| there.nodes().contains(*twin)) {
            Some(twin) => {
                is_matched[twin.index()] = true;
                common.push((node, (router, there.router_of(twin).0)));
            }
            None => gone.entry(router).or_default().push(node),
        }
    }
    let mut new = BTreeMap::<u32, Vec<NodeId>>::new();
    for node in there.nodes().iter().filter(|n| !is_matched[n.index()]) {
        new.entry(there.router_of(node).0).or_default().push(node);
    }
    let shared = common.iter().map(|(_, routers)| *routers).collect();
    let leaves = match_most_shared(shared, |a, b| have_same_name([here, there], [a, b]));
    for (a, b) in &leaves {
        // A switch that lost as many nodes as it got has them renamed, in the order of their ids: renaming a node is
        // more usual than taking one away and cabling another in its place.
        if gone.get(a).map(Vec::len) == new.get(b).map(Vec::len) {
            let old_names = gone.remove(a).unwrap_or_default();
            let new_names = new.remove(b).unwrap_or_default();
            for (from, to) in old_names.into_iter().zip(new_names) {
                found.add_difference("renamed", || {
                    let switch = switch_name(here, RouterId(*a));
                    [switch, here.node_name(from), there.node_name(to)]
                });
            }
        }
    }
    for (router, nodes) in &gone {
        for node in nodes {
            found.add_difference("missing", || {
                let switch = switch_name(here, RouterId(*router));
                [here.node_name(*node), switch, String::new()]
            });
        }
    }
    for (router, nodes) in &new {
        for node in nodes {
            found.add_difference("added", || {
                let switch = switch_name(there, RouterId(*router));
                [there.node_name(*node), String::new(), switch]
            });
        }
    }
    for (node, (a, b)) in &common {
        if leaves.get(a) != Some(b) {
            found.add_difference("moved", || {
                let from = switch_name(here, RouterId(*a));
                let to = switch_name(there, RouterId(*b));
                [here.node_name(*node), from, to]
            });
        }
    }
    leaves.into_iter().collect()
}
