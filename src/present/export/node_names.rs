//! Names of nodes and ranks as other programs take them, and the comments that every text starts with.

use std::collections::{BTreeMap, BTreeSet};

use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::{Topology, compact_list};
use nodeorder_order::ordering::NodeOrder;

/// Places an option and its value in messages.
pub(super) fn locate_option(option: &str, value: &str) -> SourceLocation {
    SourceLocation::option(format!("{option} {value}"))
}

/// Writes the comments that every text starts with, each line after `mark`: the tool, machine and ordering, the nodes
/// that are not in it, then `about`.
pub(super) fn header_comments(
    mark: &str,
    topology: &Topology,
    order: &NodeOrder,
    about: &str,
) -> String {
    let machine = topology.name();
    let spec = topology.spec();
    let mut first = format!(
        "nodeorder {}\ntopology: {machine} ({spec})\nordering: {}\nnodes: {}\n",
        env!("CARGO_PKG_VERSION"),
        // A line break would leave the comment and be read as a setting.
        order.label().replace(char::is_control, " "),
        order.len()
    );
    let left_out = order.list_left_out(topology);
    // Both are named, so that whoever replaces a list of nodes sees which ones it would lose.
    let excluded = topology.nodes().excluded_nodes().collect();
    for (what, nodes) in [
        ("left out by the ordering", left_out),
        ("excluded", excluded),
    ] {
        let names: Vec<String> = nodes
            .iter()
            .map(|node| topology.node_name(*node).replace(char::is_control, " "))
            .collect();
        if !names.is_empty() {
            first += &format!("{what}: {}: {}\n", names.len(), compact_list(names));
        }
    }
    first
        .lines()
        .chain(about.lines())
        .map(|line| format!("{mark} {line}\n"))
        .collect()
}

/// Lists the names of the nodes in rank order, of letters, digits, `-`, `_` and `.` only, no name twice.
///
/// # Errors
/// Another character, which the configuration files of resource managers give a meaning; a name twice.
pub(super) fn checked_names(topology: &Topology, order: &NodeOrder) -> Result<Vec<String>> {
    names_of(topology, order.nodes())
}

/// Lists [`checked_names`], then the names of the nodes that the ordering leaves out and of the excluded ones: a list
/// that replaces a cluster's own must lose none.
pub(super) fn all_names(topology: &Topology, order: &NodeOrder) -> Result<Vec<String>> {
    names_of(topology, &all_nodes(topology, order))
}

/// Lists the nodes in rank order, then those that the ordering leaves out, then the excluded ones.
pub(super) fn all_nodes(topology: &Topology, order: &NodeOrder) -> Vec<NodeId> {
    let mut nodes = order.nodes().to_vec();
    nodes.extend(order.list_left_out(topology));
    nodes.extend(topology.nodes().excluded_nodes());
    nodes
}

pub(super) fn names_of(topology: &Topology, nodes: &[NodeId]) -> Result<Vec<String>> {
    let mut seen = BTreeMap::new();
    nodes
        .iter()
        .map(|node| {
            let name = topology.node_name(*node);
            // Brackets, commas and blanks are syntax in the files of resource managers.
            if name.is_empty()
                || !name
                    .chars()
                    .all(|c: char| c.is_ascii_alphanumeric() || "-_.".contains(c))
            {
                let found = format!("node {node} called `{name}`");
                let expected =
                    "a name of letters, digits, -, _ and . only, which this target needs";
                return Err(Error::option(topology.name(), found, expected));
            }
            if let Some(other) = seen.insert(name.clone(), *node) {
                let found = format!("nodes {other} and {node} both called `{name}`");
                return Err(Error::option(
                    topology.name(),
                    found,
                    "a name for each node",
                ));
            }
            Ok(name)
        })
        .collect()
}

/// Makes names of Kubernetes objects: small letters, digits, `-` and `.`, none twice.
pub(super) fn lower_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let lower = |name: &str| {
        let name: String = name
            .chars()
            .map(|c: char| {
                if c.is_ascii_alphanumeric() || c == '.' {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            })
            .collect();
        format!(
            // The prefix keeps a name valid that has no letter or digit at all.
            "u-{}",
            name.trim_matches(|c: char| !c.is_ascii_alphanumeric())
        )
    };
    names
        .map(|name| free_name(lower(name), &mut taken))
        .collect()
}

/// Finds a name that is not `taken` yet: this one, or this one with a number.
pub(super) fn free_name(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.clone();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}

/// Formats a rank with the digits that the last one has, so that the order of texts is that of ranks.
pub(super) fn padded_name(prefix: &str, rank: usize, count: usize) -> String {
    let width = count.saturating_sub(1).to_string().len();
    format!("{prefix}{rank:0width$}")
}

/// Formats all ranks as a host list `prefix[000-127]`, as [`padded_name`] writes each.
pub(super) fn all_as_host_list(prefix: &str, count: usize) -> String {
    range_as_host_list(prefix, 0..count, count)
}

/// Formats some of `count` ranks, at least one, as a host list `prefix[016-127]`.
pub(super) fn range_as_host_list(
    prefix: &str,
    ranks: std::ops::Range<usize>,
    count: usize,
) -> String {
    let last = padded_name("", ranks.end.saturating_sub(1), count);
    format!("{prefix}[{}-{last}]", padded_name("", ranks.start, count))
}

/// Chooses `r`, or a longer word where nodes themselves are called `r` and a number.
pub(super) fn choose_prefix(names: &[String]) -> &'static str {
    let clashes = |prefix: &str| {
        names.iter().any(|name| {
            name.strip_prefix(prefix).is_some_and(|rest: &str| {
                !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())
            })
        })
    };
    let mut choice = "r";
    for longer in ["rank", "nodeorder-rank"] {
        if clashes(choice) {
            choice = longer;
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_keep_clear_of_real_names() {
        let names = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert_eq!(choose_prefix(&names(&["nid1", "rx2", "r"])), "r");
        assert_eq!(choose_prefix(&names(&["nid1", "r17"])), "rank");
        assert_eq!(choose_prefix(&names(&["rank3", "r17"])), "nodeorder-rank");
        assert_eq!(padded_name("r", 7, 1001), "r0007");
        assert_eq!(padded_name("r", 0, 1), "r0");
        assert_eq!(all_as_host_list("r", 64), "r[00-63]");
    }
}
