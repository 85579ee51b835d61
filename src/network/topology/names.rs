//! A machine's nodes by name, and host lists of them.

use super::import::host_list;
use super::machine::Topology;
use super::node_names::Numbers;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::Line;

impl Topology {
    /// The nodes that `text` lists, in its order, by the rule for all lists of nodes; `held` names are kept already.
    ///
    /// # Errors
    /// With the line: no list; a name or number that no node has; more memory than allowed.
    ///
    /// # Complexity
    /// O(length of the names); the first call on a machine with a table of names also O(nodes).
    pub fn nodes_named(&self, text: &str, line: &Line<'_>, held: usize) -> Result<Vec<NodeId>> {
        self.nodes_listed(text, line, held, Numbers::AsNamed)
    }

    /// As [`Topology::nodes_named`], with `numbers` read as said.
    pub fn nodes_listed(
        &self,
        text: &str,
        line: &Line<'_>,
        held: usize,
        numbers: Numbers,
    ) -> Result<Vec<NodeId>> {
        let mut ranges = Vec::new();
        let mut each = |_: &str, first, last| ranges.push((first, last));
        self.names
            .list(text, line, held, numbers, self.context(), &mut each)?;
        self.require_listed(held, ranges.iter().copied())?;
        Ok(ranges
            .into_iter()
            .flat_map(|(first, last)| first..=last)
            .map(NodeId)
            .collect())
    }

    /// As [`Topology::nodes_named`], each node with what the list calls it.
    ///
    /// # Errors
    /// As [`Topology::nodes_named`].
    pub fn hosts_named(&self, text: &str, line: &Line<'_>) -> Result<Vec<(String, NodeId)>> {
        let mut hosts = Vec::new();
        let mut each = |name: &str, first, last| hosts.push((name.to_string(), first, last));
        self.names
            .list(text, line, 0, Numbers::AsNamed, self.context(), &mut each)?;
        self.require_listed(0, hosts.iter().map(|(_, first, last)| (*first, *last)))?;
        let named = |(name, first, last): (String, u32, u32)| {
            let called = move |id: u32| {
                if name.is_empty() {
                    id.to_string()
                } else {
                    name.clone()
                }
            };
            (first..=last).map(move |id| (called(id), NodeId(id)))
        };
        Ok(hosts.into_iter().flat_map(named).collect())
    }

    /// As [`Topology::nodes_named`], of hosts that may be of another machine: the nodes, and the names that no node has.
    pub fn known_hosts(&self, line: &Line<'_>) -> Result<(Vec<NodeId>, Vec<String>)> {
        if let Ok(nodes) = self.nodes_named(line.text, line, 0) {
            return Ok((nodes, Vec::new()));
        }
        let (mut nodes, mut unknown) = (Vec::new(), Vec::new());
        for word in host_list::words(line.text).unwrap_or_else(|| vec![line.text]) {
            for name in host_list::expand(word.trim(), line, nodes.len(), self.context())? {
                match self.host_named(&name) {
                    Some(node) => nodes.push(node),
                    None => unknown.push(name),
                }
            }
        }
        Ok((nodes, unknown))
    }

    fn require_listed(&self, held: usize, ranges: impl Iterator<Item = (u32, u32)>) -> Result<()> {
        let all = ranges
            .map(|(first, last)| u64::from(last - first) + 1)
            .sum::<u64>();
        self.require("a list of nodes", 4 * (all + held as u64))
    }

    /// The GPUs of each of `nodes`, 0 where the description names none of it; none where it names none at all.
    pub fn places(&self, nodes: &[NodeId]) -> Option<Vec<u32>> {
        let gpus = &self.network().gpus;
        let of = |node: &NodeId| gpus.get(&self.node_name(*node)).copied().unwrap_or(0);
        (!gpus.is_empty()).then(|| nodes.iter().map(of).collect())
    }

    /// The node of this name, schedulable or not.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.names.node(name)
    }

    /// The node that one word of a list names, as [`Topology::nodes_named`] reads it.
    pub fn host_named(&self, word: &str) -> Option<NodeId> {
        self.names.called(word, Numbers::AsNamed)
    }

    /// Whether numbers in lists of nodes are names.
    pub fn names_are_numbers(&self) -> bool {
        self.names.numbers
    }

    /// A node as messages call it: by id and name.
    pub fn node_in_words(&self, node: NodeId) -> String {
        format!("node {node} ({})", self.node_name(node))
    }

    /// Refuses a node that the machine does not have or that is not schedulable.
    ///
    /// # Errors
    /// With the `location` of the node's id.
    pub fn check_node(
        &self,
        node: NodeId,
        location: impl FnOnce() -> SourceLocation,
    ) -> Result<()> {
        let slots = self.nodes.slot_count();
        let (found, expected) = if node.0 >= slots {
            (
                format!("node {node}"),
                format!("a node id from 0 to {}", slots - 1),
            )
        } else if !self.nodes.contains(node) {
            let found = format!(
                "{}, which limit or exclude keeps out",
                self.node_in_words(node)
            );
            (found, format!("a schedulable node of {}", self.name()))
        } else {
            return Ok(());
        };
        Err(Error::input(location(), found, expected))
    }

    /// The host list of `nodes`, in their order.
    pub fn host_list(&self, nodes: impl IntoIterator<Item = NodeId>) -> String {
        host_list::compact(nodes.into_iter().map(|node| self.node_name(node)))
    }

    /// Checks that the names of `nodes` read back from a host list.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check_names(&self, nodes: &[NodeId]) -> Result<()> {
        for node in nodes {
            let name = self.node_name(*node);
            if !host_list::fits(&name) || self.host_named(&name) != Some(*node) {
                let found = format!("`{name}`, the name of node {node}");
                let location = SourceLocation::option("--names");
                let expected = "names without blanks, commas, brackets and #, each of one node";
                return Err(Error::input(location, found, expected));
            }
        }
        Ok(())
    }
}
