//! A machine's nodes by name, and host lists of them.

use super::import::host_list;
use super::machine::Topology;
use super::node_names::NumberMeaning;
use nodeorder_base::{Error, Line, NodeId, Result, SourceLocation};

impl Topology {
    /// Finds the nodes that `text` lists, in its order, by the rule for all lists of nodes; `held` other names count
    /// against the limits, too.
    ///
    /// # Errors
    /// With the line: no list; a name or number that no node has; more memory than allowed.
    ///
    /// # Complexity
    /// O(length of the names); the first call on a machine with a table of names also O(nodes).
    pub fn nodes_named(&self, text: &str, line: &Line<'_>, held: usize) -> Result<Vec<NodeId>> {
        self.nodes_listed(text, line, held, NumberMeaning::AsNamed)
    }

    /// Finds the nodes that `text` lists, as [`Topology::nodes_named`], with plain numbers read as `numbers` says.
    pub fn nodes_listed(
        &self,
        text: &str,
        line: &Line<'_>,
        held: usize,
        numbers: NumberMeaning,
    ) -> Result<Vec<NodeId>> {
        let mut ranges = Vec::new();
        let mut add = |_: &str, first, last| ranges.push((first, last));
        self.names
            .visit_listed(text, line, held, numbers, self.context(), &mut add)?;
        self.require_listed(held, ranges.iter().copied())?;
        let ids = ranges.into_iter().flat_map(|(first, last)| first..=last);
        Ok(ids.map(NodeId).collect())
    }

    /// Finds the nodes that `text` lists, as [`Topology::nodes_named`], each with the name by which the list has it;
    /// the machine's name where the list has only a number.
    ///
    /// # Errors
    /// As [`Topology::nodes_named`].
    pub fn hosts_named(&self, text: &str, line: &Line<'_>) -> Result<Vec<(String, NodeId)>> {
        let mut listed = Vec::new();
        let mut add = |name: &str, first, last| listed.push((name.to_string(), first, last));
        self.names.visit_listed(
            text,
            line,
            0,
            NumberMeaning::AsNamed,
            self.context(),
            &mut add,
        )?;
        self.require_listed(0, listed.iter().map(|(_, first, last)| (*first, *last)))?;
        let mut hosts = Vec::new();
        for (name, first, last) in listed {
            // Ids are not what hosts are called.
            let is_id = name.bytes().all(|byte| byte.is_ascii_digit());
            if is_id && self.node_named(&name).is_none() {
                hosts.extend((first..=last).map(|id| (self.node_name(NodeId(id)), NodeId(id))));
            } else {
                hosts.push((name, NodeId(first)));
            }
        }
        Ok(hosts)
    }

    /// Finds the nodes of a list of hosts that may be of another machine, and the names that no node has.
    pub fn known_hosts(&self, line: &Line<'_>) -> Result<(Vec<NodeId>, Vec<String>)> {
        // The whole list at once is much faster than name by name.
        if let Ok(nodes) = self.nodes_named(line.text, line, 0) {
            return Ok((nodes, Vec::new()));
        }
        let mut nodes = Vec::new();
        let mut unknown = Vec::new();
        for word in host_list::split_words(line.text).unwrap_or_else(|| vec![line.text]) {
            for name in host_list::expand_host_list(word.trim(), line, nodes.len(), self.context())?
            {
                match self.host_named(&name) {
                    Some(node) => nodes.push(node),
                    None => unknown.push(name),
                }
            }
        }
        Ok((nodes, unknown))
    }

    /// Checks that the nodes of these ranges, and `held` others, fit into memory.
    fn require_listed(&self, held: usize, ranges: impl Iterator<Item = (u32, u32)>) -> Result<()> {
        let counts = ranges.map(|(first, last)| u64::from(last - first) + 1);
        let all = held as u64 + counts.sum::<u64>();
        self.require_memory("a list of nodes", 4 * all)
    }

    /// Looks up the number of GPUs of each of `nodes`, 0 where the description names none; `None` if it names none
    /// at all.
    pub fn gpus_per_node(&self, nodes: &[NodeId]) -> Option<Vec<u32>> {
        let gpus = &self.network().gpus;
        if gpus.is_empty() {
            return None;
        }
        let counts = nodes.iter().map(|node| gpus.get(&self.node_name(*node)));
        Some(counts.map(|count| count.copied().unwrap_or(0)).collect())
    }

    /// Returns the largest number of pods that a node takes; `None` if the description does not say.
    pub fn most_pods_on(&self, node: NodeId) -> Option<u32> {
        let pods = &self.network().pods;
        if pods.is_empty() {
            return None;
        }
        pods.get(&self.node_name(node)).copied()
    }

    /// Finds the node of exactly this name, schedulable or not.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.names.find_exact_name(name)
    }

    /// Finds the node that one word of a list names, as [`Topology::nodes_named`] reads it.
    pub fn host_named(&self, word: &str) -> Option<NodeId> {
        self.names.find_listed_name(word, NumberMeaning::AsNamed)
    }

    /// Checks whether numbers in lists of nodes are names.
    pub fn names_are_numbers(&self) -> bool {
        self.names.names_are_numbers
    }

    /// Describes a node for a message: by id and name.
    pub fn describe_node(&self, node: NodeId) -> String {
        format!("node {node} ({})", self.node_name(node))
    }

    /// Checks that the machine has a node and that it is schedulable.
    ///
    /// # Errors
    /// With the `location` of the node's id.
    pub fn check_node(
        &self,
        node: NodeId,
        location: impl FnOnce() -> SourceLocation,
    ) -> Result<()> {
        if self.nodes.contains(node) {
            return Ok(());
        }
        let slots = self.nodes.slot_count();
        if node.0 >= slots {
            let expected = format!("a node id from 0 to {}", slots - 1);
            return Err(Error::input(location(), format!("node {node}"), expected));
        }
        let words = self.describe_node(node);
        let reason = if self.nodes.is_down(node) {
            "which is out of service"
        } else {
            "which limit or exclude keeps out"
        };
        let found = format!("{words}, {reason}");
        let expected = format!("a schedulable node of {}", self.name());
        Err(Error::input(location(), found, expected))
    }

    /// Writes the host list of `nodes`, in their order.
    pub fn host_list(&self, nodes: impl IntoIterator<Item = NodeId>) -> String {
        host_list::compress_host_list(nodes.into_iter().map(|node| self.node_name(node)))
    }

    /// Checks that the names of `nodes` read back from a host list as the same nodes.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check_names(&self, nodes: &[NodeId]) -> Result<()> {
        for node in nodes {
            let name = self.node_name(*node);
            if !host_list::fits_host_list(&name) || self.host_named(&name) != Some(*node) {
                let found = format!("`{name}`, the name of node {node}");
                let expected = "names without blanks, commas, brackets and #, each of one node";
                return Err(Error::option("--names", found, expected));
            }
        }
        Ok(())
    }
}
