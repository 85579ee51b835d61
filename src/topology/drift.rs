//! Differences between two descriptions of one fabric, by the names of nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::Topology;
use crate::ids::NodeId;

/// Where two descriptions of a fabric differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Nodes that only the first has.
    pub missing: Vec<String>,
    /// Nodes that only the second has.
    pub added: Vec<String>,
    /// Nodes in another leaf unit.
    pub moved: Vec<Moved>,
    /// Leaf units in another unit of a level above.
    pub moved_units: Vec<Moved>,
    /// Nodes of leaf units that lost and got equally many: lost ones with new ones, in id order.
    pub renamed: Vec<Renamed>,
    /// Units with another name whose nodes are mostly the same.
    pub renamed_units: Vec<Renamed>,
}

/// A node or unit that is in another unit than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Its name in the first description.
    pub name: String,
    /// The unit it is in there.
    pub from: String,
    /// The unit it is in in the second, by the second's names.
    pub to: String,
}

/// A node or unit with another name than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// Its name in the first description.
    pub from: String,
    /// Its name in the second.
    pub to: String,
}

impl Drift {
    /// How many differences there are.
    pub fn len(&self) -> usize {
        let nodes = self.missing.len() + self.added.len() + self.renamed.len();
        nodes + self.moved.len() + self.moved_units.len() + self.renamed_units.len()
    }

    /// Whether both describe the same fabric.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The units of a level: the unit of each node by its name, and the names of units where they have some.
struct Units {
    of: HashMap<String, u32>,
    members: BTreeMap<u32, Vec<String>>,
    names: BTreeMap<u32, String>,
    /// Whether the names are the site's own.
    own: bool,
}

/// The units of the levels, leaf first; the routers where there are no levels.
fn levels(machine: &Topology) -> Vec<Units> {
    let levels = machine.network().levels();
    let unit_of = |level: Option<&super::Level>, node: NodeId| {
        level.map_or(machine.router_of(node).0, |level| level.unit_of(node))
    };
    let whole = |level: Option<&super::Level>| {
        let (mut of, mut members) = (HashMap::new(), BTreeMap::<u32, Vec<String>>::new());
        for node in machine.nodes().iter() {
            let (unit, name) = (unit_of(level, node), machine.node_name(node));
            members.entry(unit).or_default().push(name.clone());
            of.insert(name, unit);
        }
        let name = |unit: &u32| level.map_or(format!("router {unit}"), |l| l.unit_name(*unit));
        let names = members.keys().map(|unit| (*unit, name(unit))).collect();
        Units { of, members, names, own: level.is_some_and(super::Level::has_names) }
    };
    if levels.is_empty() {
        return vec![whole(None)];
    }
    levels.iter().rev().map(|level| whole(Some(level))).collect()
}

/// Matches units of `a` with units of `b`: pairs with the most shared nodes first, each unit once; among equals pairs
/// of the same name first, then by number.
fn matched(a: &Units, b: &Units) -> BTreeMap<u32, u32> {
    let mut shared: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (node, unit) in &a.of {
        if let Some(other) = b.of.get(node) {
            *shared.entry((*unit, *other)).or_default() += 1;
        }
    }
    let mut pairs: Vec<((u32, u32), usize)> = shared.into_iter().collect();
    pairs.sort_by_key(|((one, other), count)| {
        (std::cmp::Reverse(*count), a.names[one] != b.names[other], *one, *other)
    });
    let (mut of, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for ((one, other), _) in pairs {
        if !of.contains_key(&one) && taken.insert(other) {
            of.insert(one, other);
        }
    }
    of
}

/// Differences between two descriptions of one fabric. Nodes are matched by name, units by the nodes that they share.
/// Levels are compared from the leaf up, as many as both have.
///
/// # Complexity
/// O(nodes · levels · log nodes).
pub fn drift(a: &Topology, b: &Topology) -> Drift {
    let (left, right) = (levels(a), levels(b));
    let mut found = Drift::default();
    let (leaf_a, leaf_b) = (&left[0], &right[0]);
    let leaves = matched(leaf_a, leaf_b);
    let mut gone: BTreeSet<&String> =
        leaf_a.of.keys().filter(|n| !leaf_b.of.contains_key(*n)).collect();
    let mut new: BTreeSet<&String> =
        leaf_b.of.keys().filter(|n| !leaf_a.of.contains_key(*n)).collect();
    for (unit, members) in &leaf_a.members {
        let Some(other) = leaves.get(unit) else { continue };
        let lost: Vec<&String> = members.iter().filter(|n| gone.contains(n)).collect();
        let got = leaf_b.members[other].iter().filter(|n| new.contains(n));
        let got: Vec<&String> = got.collect();
        if lost.len() == got.len() {
            for (from, to) in lost.into_iter().zip(got) {
                gone.remove(from);
                new.remove(to);
                found.renamed.push(Renamed { from: from.clone(), to: to.clone() });
            }
        }
    }
    found.missing = gone.into_iter().cloned().collect();
    found.added = new.into_iter().cloned().collect();
    for (unit, members) in &leaf_a.members {
        for node in members {
            let Some(there) = leaf_b.of.get(node) else { continue };
            if leaves.get(unit) != Some(there) {
                let (from, to) = (leaf_a.names[unit].clone(), leaf_b.names[there].clone());
                found.moved.push(Moved { name: node.clone(), from, to });
            }
        }
    }
    for (i, (one, other)) in left.iter().zip(&right).enumerate() {
        let units = matched(one, other);
        for (unit, there) in &units {
            let (from, to) = (&one.names[unit], &other.names[there]);
            if one.own && other.own && from != to {
                found.renamed_units.push(Renamed { from: from.clone(), to: to.clone() });
            }
        }
        if i == 0 {
            continue;
        }
        // The unit of a leaf is that of a node that stayed in the leaf: nodes that moved say nothing of it.
        for (leaf, members) in &leaf_a.members {
            let stays =
                |n: &&String| leaf_b.of.get(*n).is_some_and(|at| leaves.get(leaf) == Some(at));
            let Some(node) = members.iter().find(stays) else { continue };
            let (here, there) = (one.of[node], other.of[node]);
            if units.get(&here) != Some(&there) {
                found.moved_units.push(Moved {
                    name: leaf_a.names[leaf].clone(),
                    from: one.names[&here].clone(),
                    to: other.names[&there].clone(),
                });
            }
        }
    }
    found.renamed_units.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::from_file;

    fn machine(text: &str) -> Topology {
        from_file("slurm-topology", text, "").unwrap()
    }

    const TREE: &str = "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=c Nodes=n[9-12]\n\
                        SwitchName=s Switches=a,b\nSwitchName=t Switches=c\nSwitchName=r Switches=s,t\n";

    fn from(change: &[(&str, &str)]) -> Drift {
        let other = change.iter().fold(TREE.to_string(), |text, (a, b)| text.replace(a, b));
        drift(&machine(TREE), &machine(&other))
    }

    #[test]
    fn what_drifted_is_named() {
        assert!(from(&[]).is_empty());
        // The order of lines says nothing.
        assert!(
            from(&[
                ("SwitchName=a Nodes=n[1-4]\n", ""),
                ("SwitchName=s", "SwitchName=a Nodes=n[1-4]\nSwitchName=s")
            ])
            .is_empty()
        );
        let gone = from(&[("n[5-8]", "n[5-7]")]);
        assert_eq!((gone.missing.join(" "), gone.len()), ("n8".into(), 1));
        let more = from(&[("n[5-8]", "n[5-8],x")]);
        assert_eq!((more.added.join(" "), more.len()), ("x".into(), 1));
        let moved = from(&[("n[1-4]", "n[1-3]"), ("n[5-8]", "n[4-8]")]);
        let to = |name: &str, from: &str, to: &str| Moved {
            name: name.into(),
            from: from.into(),
            to: to.into(),
        };
        assert_eq!((moved.moved.as_slice(), moved.len()), (&[to("n4", "a", "b")][..], 1));
        let name = |from: &str, to: &str| Renamed { from: from.into(), to: to.into() };
        let renamed = from(&[("n[9-12]", "n[9-11],x12")]);
        assert_eq!((renamed.renamed.as_slice(), renamed.len()), (&[name("n12", "x12")][..], 1));
        let renamed = from(&[("SwitchName=b", "SwitchName=leaf7"), ("a,b", "a,leaf7")]);
        assert_eq!(
            (renamed.renamed_units.as_slice(), renamed.len()),
            (&[name("b", "leaf7")][..], 1)
        );
        let unit = from(&[
            ("SwitchName=s Switches=a,b", "SwitchName=s Switches=a"),
            ("Switches=c", "Switches=b,c"),
        ]);
        assert!(unit.moved.is_empty() && unit.moved_units.contains(&to("b", "s", "t")), "{unit:?}");
    }

    /// Both leaves swap a node: each keeps its name.
    #[test]
    fn swapped_nodes_are_moved_not_renamed() {
        let found = from(&[("n[1-4]", "n[1-3],n5"), ("n[5-8]", "n[4,6-8]")]);
        let names: Vec<&str> = found.moved.iter().map(|m| m.name.as_str()).collect();
        assert_eq!((names, found.len()), (vec!["n4", "n5"], 2));
    }
}
