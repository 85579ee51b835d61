//! Nodes by name, and the switches that they are on.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::findings::{Findings, switch_name};
use crate::topology::machine::Topology;
use nodeorder_base::ids::NodeId;

/// Matches what is counted in pairs: those counted most often first, each once; among equals those that `prefer`
/// holds first, then by number.
pub(super) fn matched(
    mut shared: Vec<(u32, u32)>,
    prefer: impl Fn(u32, u32) -> bool,
) -> BTreeMap<u32, u32> {
    shared.sort_unstable();
    let counts = shared
        .chunk_by(|a, b| a == b)
        .map(|run| (run.len(), run[0]));
    let mut counts: Vec<(usize, (u32, u32))> = counts.collect();
    counts.sort_by_cached_key(|(count, (a, b))| (Reverse(*count), !prefer(*a, *b), *a, *b));
    let (mut of, mut taken) = (BTreeMap::new(), std::collections::HashSet::new());
    for (_, (a, b)) in counts {
        if !of.contains_key(&a) && taken.insert(b) {
            of.insert(a, b);
        }
    }
    of
}

/// Matches nodes by name and their switches by the nodes that they share; adds what is missing, added, renamed and
/// moved to `found`. Nodes of a switch that lost and got equally many are renamed, in id order. Returns the switches with
/// nodes that both have, ascending.
pub(super) fn paired(here: &Topology, there: &Topology, found: &mut Findings) -> Vec<(u32, u32)> {
    let mut seen = vec![false; there.nodes().slot_count() as usize];
    let (mut both, mut gone) = (Vec::new(), BTreeMap::<u32, Vec<NodeId>>::new());
    for node in here.nodes().iter() {
        let (router, name) = (here.router_of(node).0, here.node_name(node));
        let twin = there
            .node_named(&name)
            .filter(|twin| there.nodes().contains(*twin));
        match twin.filter(|twin| there.node_name(*twin) == name) {
            Some(twin) => {
                seen[twin.index()] = true;
                both.push((node, (router, there.router_of(twin).0)));
            }
            None => gone.entry(router).or_default().push(node),
        }
    }
    let mut new = BTreeMap::<u32, Vec<NodeId>>::new();
    for node in there.nodes().iter().filter(|node| !seen[node.index()]) {
        new.entry(there.router_of(node).0).or_default().push(node);
    }
    let names = [here, there].map(|machine| machine.network().switch_names.as_slice());
    let same_name = |a: u32, b: u32| {
        let [one, other] = [names[0].get(a as usize), names[1].get(b as usize)];
        one.is_some() && one == other
    };
    let of = matched(both.iter().map(|(_, pair)| *pair).collect(), same_name);
    for (a, b) in &of {
        let counts = [gone.get(a), new.get(b)].map(|list| list.map_or(0, Vec::len));
        if counts[0] == counts[1] {
            let lists = (
                gone.remove(a).unwrap_or_default(),
                new.remove(b).unwrap_or_default(),
            );
            for (from, to) in lists.0.into_iter().zip(lists.1) {
                let [from, to] = [here.node_name(from), there.node_name(to)];
                found.add("renamed", || {
                    [&switch_name(here, *a), &from, &to].map(String::clone)
                });
            }
        }
    }
    let at = |machine: &Topology, router: u32| switch_name(machine, router);
    for (router, node) in gone
        .iter()
        .flat_map(|(router, list)| list.iter().map(move |n| (*router, *n)))
    {
        found.add("missing", || {
            [here.node_name(node), at(here, router), String::new()]
        });
    }
    for (router, node) in new
        .iter()
        .flat_map(|(router, list)| list.iter().map(move |n| (*router, *n)))
    {
        found.add("added", || {
            [there.node_name(node), String::new(), at(there, router)]
        });
    }
    for (node, (a, b)) in both.iter().filter(|(_, (a, b))| of.get(a) != Some(b)) {
        found.add("moved", || {
            [here.node_name(*node), at(here, *a), at(there, *b)]
        });
    }
    of.into_iter().collect()
}
