//! Names of nodes and ranks as other programs take them, and the comments that every text starts with.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::ExportInput;
use nodeorder_base::error::escape_controls;
use nodeorder_base::{Error, NodeId, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::compact_list;

impl ExportInput<'_> {
    /// Writes the comments that every text starts with, each line after `mark`: the tool, machine and ordering, the
    /// nodes that are not in it, then `about`.
    pub(super) fn header_comments(&self, mark: &str, about: &str) -> String {
        let ExportInput {
            topology, order, ..
        } = self;
        let mut first = format!(
            "nodeorder {}\ntopology: {} ({})\nordering: {}\nnodes: {}\n",
            env!("CARGO_PKG_VERSION"),
            // A line break would leave the comment and be read as a setting.
            escape_controls(topology.name()),
            escape_controls(topology.spec()),
            escape_controls(order.label()),
            order.len()
        );
        // Both are named, so that whoever replaces a list of nodes sees which ones it would lose.
        for (what, nodes) in [
            ("left out by the ordering", order.list_left_out(topology)),
            ("excluded", topology.nodes().excluded_nodes().collect()),
        ] {
            let names = nodes
                .iter()
                .map(|node| escape_controls(&topology.node_name(*node)).into_owned());
            if !nodes.is_empty() {
                first += &format!("{what}: {}: {}\n", nodes.len(), compact_list(names));
            }
        }
        first
            .lines()
            .chain(about.lines())
            .map(|line| format!("{mark} {line}\n"))
            .collect()
    }

    /// Lists the names of the hosts in rank order, of letters, digits, `-`, `_` and `.` only, no name twice.
    ///
    /// # Errors
    /// Another character, which the configuration files of resource managers give a meaning; a name twice; nodes that
    /// are no hosts but GPUs of some.
    pub(super) fn checked_names(&self) -> Result<Vec<String>> {
        self.check_hosts()?;
        names_of(self.topology, self.order.nodes())
    }

    /// Refuses a machine whose nodes are GPUs: a resource manager knows them by their hosts alone.
    fn check_hosts(&self) -> Result<()> {
        let rails = self.topology.network().rails();
        if rails.is_some_and(|rails| rails.gpus) {
            let expected = "hosts (the machine without gpus=true), which this target gives to jobs";
            return Err(Error::option(
                self.topology.name(),
                "GPUs as nodes",
                expected,
            ));
        }
        Ok(())
    }

    /// Lists [`Self::checked_names`], then the names of the nodes that the ordering leaves out and of the excluded
    /// ones: a list that replaces a cluster's own must lose none.
    pub(super) fn all_names(&self) -> Result<Vec<String>> {
        self.check_hosts()?;
        names_of(self.topology, &self.all_nodes())
    }

    /// Lists the nodes in rank order, then those that the ordering leaves out, then the excluded ones.
    pub(super) fn all_nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.order.nodes().to_vec();
        nodes.extend(self.order.list_left_out(self.topology));
        nodes.extend(self.topology.nodes().excluded_nodes());
        nodes
    }
}

/// Lists the names of nodes as [`ExportInput::checked_names`] does.
pub(super) fn names_of(topology: &Topology, nodes: &[NodeId]) -> Result<Vec<String>> {
    let mut seen = BTreeMap::new();
    let mut names = Vec::new();
    for node in nodes {
        let name = topology.node_name(*node);
        // Brackets, commas and blanks are syntax in the files of resource managers.
        if name.is_empty() || !name.chars().all(is_plain) {
            let found = format!("node {node} called `{name}`");
            let expected = "a name of letters, digits, -, _ and . only, which this target needs";
            return Err(Error::option(topology.name(), found, expected));
        }
        if let Some(other) = seen.insert(name.clone(), node) {
            let found = format!("nodes {other} and {node} both called `{name}`");
            return Err(Error::option(
                topology.name(),
                found,
                "a name for each node",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

/// Joins items as texts, with `between` between them.
pub(super) fn join_items(items: impl IntoIterator<Item: ToString>, between: &str) -> String {
    let texts: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    texts.join(between)
}

/// Checks whether a character has no meaning of its own in configuration files.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// Puts `-` in the place of all but letters, digits, `-`, `_` and `.`.
pub(super) fn plain_text(text: &str) -> String {
    text.replace(|c: char| !is_plain(c), "-")
}

/// Makes names of Kubernetes objects: small letters, digits, `-` and `.`, none twice.
pub(super) fn lower_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    names
        .map(|name| {
            let name = plain_text(name).replace('_', "-").to_ascii_lowercase();
            // The prefix keeps a name valid that has no letter or digit at all.
            let name = format!(
                "u-{}",
                name.trim_matches(|c: char| !c.is_ascii_alphanumeric())
            );
            free_name(name, &mut taken)
        })
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

/// Formats some of `count` ranks, at least one, as a host list `prefix[016-127]`, each as [`padded_name`] writes it.
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
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    ["r", "rank"]
        .into_iter()
        .find(|prefix| {
            !names
                .iter()
                .filter_map(|name| name.strip_prefix(prefix))
                .any(is_number)
        })
        .unwrap_or("nodeorder-rank")
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
        assert_eq!(range_as_host_list("r", 0..64, 64), "r[00-63]");
    }
}
