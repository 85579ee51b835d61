//! Adapters of an InfiniBand fabric: which node each belongs to, and by which one a node hangs on its switch.
//!
//! A node of several adapters may be on several switches, of computing and of storage say. It is taken by one group of
//! adapters, those described alike and used by the same port, on all nodes alike:
//!
//! ```text
//! storage   n1 mlx5_2, n2 mlx5_2, n3 mlx5_2, n4 mlx5_2      four nodes, one leaf switch
//! leafA     n1 mlx5_0, n2 mlx5_0                            four nodes, two leaf switches: this group
//! leafB     n3 mlx5_0, n4 mlx5_0
//! ```
//!
//! The group is the one that most nodes have, of several the one on most switches, then the first by name. What
//! ibnetdiscover prints first decides nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A port of an adapter on a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adapter<'t> {
    /// Number of the switch.
    pub switch: usize,
    /// Identifier of the adapter, `H-` and its GUID.
    pub id: &'t str,
    /// Port of the adapter that the cable is in.
    pub port: u32,
    /// Name of the node in its description; the identifier where that is the vendor's.
    pub node: &'t str,
    /// Text after the node's name in the description, such as `mlx5_0`; empty if the name ends it.
    pub name: &'t str,
}

impl<'t> Adapter<'t> {
    /// Reads the description of an adapter; `None` if it is no node's.
    pub fn read_description(
        switch: usize,
        id: &'t str,
        port: u32,
        description: &'t str,
    ) -> Option<Self> {
        // It is inside the switch and sums up messages: no job runs there.
        if description.contains("Aggregation Node") {
            return None;
        }
        let (mut node, mut name) = description.split_once(' ').unwrap_or((description, ""));
        let vendors = ["Mellanox", "Voltaire", "QLogic", "Technologies"];
        // Adapters that nobody has named all have the same description.
        if node.is_empty() || vendors.iter().any(|vendor| description.contains(vendor)) {
            node = id;
            name = "";
        }
        Some(Adapter {
            switch,
            id,
            port,
            node,
            name: name.trim(),
        })
    }

    /// Returns name and port, by which adapters are grouped.
    fn group_key(&self) -> (&'t str, u32) {
        (self.name, self.port)
    }
}

/// The nodes and the switches of the adapters of a group.
#[derive(Default)]
struct Group<'t> {
    nodes: BTreeSet<&'t str>,
    switches: BTreeSet<usize>,
}

/// Nodes of a fabric, each with the adapter that it is taken by.
pub(super) struct FoundNodes<'t> {
    /// Names of the nodes and their adapters' places in the list of all, in the order of that list.
    pub nodes: Vec<(&'t str, usize)>,
    /// Decisions that the reader of the file should know of, in sentences.
    pub notes: Vec<String>,
}

/// Finds the nodes of some adapters. Two adapters with the same description and other identifiers are two nodes, and
/// so are all of that name: they are called by identifier. `chosen` says that the adapters are those of a rail that
/// the reader chose. O(adapters · log adapters).
pub(super) fn find_nodes<'t>(adapters: &[Adapter<'t>], chosen: bool) -> FoundNodes<'t> {
    let mut notes = Vec::new();
    let mut alike: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for adapter in adapters {
        alike
            .entry((adapter.node, adapter.name))
            .or_default()
            .insert(adapter.id);
    }
    alike.retain(|_, ids| ids.len() > 1);
    let shared: BTreeSet<&str> = alike.keys().map(|(node, _)| *node).collect();
    if let Some(((node, name), ids)) = alike.iter().next() {
        notes.push(format!(
            "{} names stand for several nodes, as `{node} {name}` does for {}: these are called by GUID",
            shared.len(),
            ids.len()
        ));
    }
    let mut groups: BTreeMap<(&str, u32), Group<'_>> = BTreeMap::new();
    let mut by_node: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, adapter) in adapters.iter().enumerate() {
        let node = if shared.contains(adapter.node) {
            adapter.id
        } else {
            adapter.node
        };
        by_node.entry(node).or_default().push(place);
        let group = groups.entry(adapter.group_key()).or_default();
        group.nodes.insert(node);
        group.switches.insert(adapter.switch);
    }
    // Groups are sorted by name already.
    let mut ranked: Vec<(&str, u32)> = groups.keys().copied().collect();
    ranked.sort_by_key(|key| Reverse((groups[key].nodes.len(), groups[key].switches.len())));
    let rank_of: BTreeMap<(&str, u32), usize> = ranked.iter().copied().zip(0..).collect();
    let mut nodes = Vec::new();
    let mut several = 0;
    let mut others = Vec::new();
    for (node, places) in &by_node {
        let switches: BTreeSet<usize> = places.iter().map(|p| adapters[*p].switch).collect();
        several += usize::from(switches.len() > 1);
        let best = places
            .iter()
            .min_by_key(|p| rank_of[&adapters[**p].group_key()]);
        let best = best.copied().unwrap_or_default();
        if rank_of[&adapters[best].group_key()] > 0 {
            others.push(*node);
        }
        nodes.push((*node, best));
    }
    nodes.sort_unstable_by_key(|(_, place)| *place);
    if several > 0 && !chosen {
        let group = name_group(ranked[0]);
        notes.push(format!(
            "{several} nodes have adapters on several switches; rail= chooses, else {group} \
             of {} nodes is taken",
            groups[&ranked[0]].nodes.len()
        ));
        if let Some(first) = others.first() {
            notes.push(format!(
                "{} nodes have no {group}, the first {first}: taken by another adapter",
                others.len()
            ));
        }
        let single = by_node.iter().filter(|(_, places)| places.len() == 1);
        let single: Vec<&str> = single.map(|(node, _)| *node).collect();
        // Where most have several, these are of another use.
        if let Some(first) = single.first().filter(|_| 2 * single.len() < by_node.len()) {
            notes.push(format!(
                "{} names appear once where most nodes have several adapters, the first {first}: \
                 login or storage nodes? exclude= leaves them out",
                single.len()
            ));
        }
    }
    FoundNodes { nodes, notes }
}

/// Names a group of adapters for people.
fn name_group((name, port): (&str, u32)) -> String {
    match (name, port) {
        ("", 1) => "an adapter without a name".into(),
        (_, 1) => name.into(),
        _ => format!("{name} port {port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn adapter<'t>(switch: usize, id: &'t str, description: &'t str) -> Adapter<'t> {
        Adapter::read_description(switch, id, 1, description).unwrap()
    }

    /// Name and switch of every node.
    fn found<'t>(adapters: &[Adapter<'t>]) -> Vec<(&'t str, usize)> {
        let nodes = find_nodes(adapters, false).nodes.into_iter();
        let mut found: Vec<_> = nodes
            .map(|(node, place)| (node, adapters[place].switch))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn the_group_of_most_nodes_on_most_switches_is_taken() {
        let storage = ["1", "2", "3", "4"].map(|id| adapter(9, id, "x"));
        let mut all: Vec<Adapter<'_>> = Vec::new();
        for (i, node) in ["n1", "n2", "n3", "n4"].into_iter().enumerate() {
            all.push(Adapter {
                node,
                name: "mlx5_2",
                ..storage[i]
            });
            all.push(Adapter {
                node,
                name: "mlx5_0",
                id: ["5", "6", "7", "8"][i],
                switch: i / 2,
                ..storage[i]
            });
        }
        assert_eq!(found(&all), [("n1", 0), ("n2", 0), ("n3", 1), ("n4", 1)]);
        let notes = find_nodes(&all, false).notes;
        assert!(
            notes[0].starts_with("4 nodes have adapters on several switches; rail= chooses"),
            "{notes:?}"
        );
        // A login node on the storage network alone.
        all.push(adapter(9, "99", "login mlx5_2"));
        assert_eq!(found(&all)[0], ("login", 9), "most nodes have mlx5_2 now");
        all.extend([
            adapter(0, "97", "gpu1 mlx5_0"),
            adapter(1, "98", "gpu2 mlx5_0"),
        ]);
        let notes = find_nodes(&all, false).notes;
        assert!(
            notes[1].starts_with("1 nodes have no mlx5_0, the first login"),
            "{notes:?}"
        );
        assert!(notes[2].starts_with("3 names appear once"), "{notes:?}");
    }

    #[test]
    fn adapters_described_alike_are_nodes_of_their_own() {
        let all = ["H-1", "H-2", "H-3"].map(|id| adapter(0, id, "localhost HCA-1"));
        assert_eq!(found(&all), [("H-1", 0), ("H-2", 0), ("H-3", 0)]);
        let notes = find_nodes(&all, false).notes;
        assert!(
            notes[0].contains("`localhost HCA-1` does for 3"),
            "{notes:?}"
        );
        // The two adapters of one node have other names.
        let two = [adapter(0, "H-1", "n1 HCA-1"), adapter(0, "H-2", "n1 HCA-2")];
        assert_eq!(found(&two), [("n1", 0)]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_file_decides_nothing(
            rows in prop::collection::btree_set((0usize..4, 0usize..6, 0usize..3), 1..40),
            order in any::<u64>(),
        ) {
            let names = ["mlx5_0", "mlx5_1", "mlx5_2"];
            let nodes = ["n0", "n1", "n2", "n3", "n4", "n5"];
            let ids: Vec<String> = rows.iter().map(|(_, node, name)| format!("H-{node}{name}")).collect();
            let mut all: Vec<Adapter<'_>> = Vec::new();
            let mut seen = BTreeSet::new();
            for ((switch, node, name), id) in rows.iter().zip(&ids) {
                if seen.insert(id) {
                    all.push(Adapter { switch: *switch, id, port: 1, node: nodes[*node], name: names[*name] });
                }
            }
            let before = found(&all);
            all.sort_by_key(|a| (a.switch as u64 * 31 + a.id.len() as u64 * 7 + a.node.as_bytes()[1] as u64 * 13).wrapping_mul(order | 1));
            prop_assert_eq!(found(&all), before);
        }
    }
}
