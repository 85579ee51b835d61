//! Nodes by name: host lists read and written.

use super::Topology;
use super::import::host_list;
use super::nodes::Named;
use crate::error::{Error, Result, SourceLocation};
use crate::ids::NodeId;
use crate::input::Line;

impl Topology {
    /// The nodes of a host list such as `n[001-004,7],login1`, in its order; `held` names are kept already.
    ///
    /// # Errors
    /// With the line: no host list, a name that no node has; more memory than allowed.
    ///
    /// # Complexity
    /// O(length of the names); the first call on a machine with a table of names also O(nodes).
    pub fn nodes_named(&self, text: &str, line: &Line<'_>, held: usize) -> Result<Vec<NodeId>> {
        let names = host_list::expand(text, line, held, self.context())?;
        let node = |name: &String| {
            self.node_named(name).ok_or_else(|| {
                let last = self.nodes().slot_count() - 1;
                let example = self.nodes().iter().next().map(|node| self.node_name(node));
                let example = example.map_or(String::new(), |name| format!(" such as {name}"));
                let expected =
                    format!("a node id from 0 to {last}, or a name or host list{example}");
                line.wrong(format!("`{name}`"), expected)
            })
        };
        names.iter().map(node).collect()
    }

    /// The node of this name, schedulable or not.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        let (names, by_name) = (&self.names, &self.by_name);
        Named { names, slots: self.nodes().slot_count(), by_name }.node(name)
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
            (format!("node {node}"), format!("a node id from 0 to {}", slots - 1))
        } else if !self.nodes.contains(node) {
            let found = format!("node {node}, which limit or exclude keeps out");
            (found, format!("a schedulable node of {}", self.name()))
        } else {
            return Ok(());
        };
        Err(Error::input(location(), found, expected))
    }

    /// The names that a host list stands for, whatever they name.
    ///
    /// # Errors
    /// With the line: no host list; more memory than allowed.
    pub fn expand_names(&self, text: &str, line: &Line<'_>) -> Result<Vec<String>> {
        host_list::expand(text, line, 0, self.context())
    }

    /// The node of a host: by its name, by the name before its first dot, or by its id.
    pub fn host_named(&self, name: &str) -> Option<NodeId> {
        let short = || name.split_once('.').and_then(|(short, _)| self.node_named(short));
        let id = || name.parse().ok().filter(|id| *id < self.nodes().slot_count()).map(NodeId);
        self.node_named(name).or_else(short).or_else(id)
    }

    /// The host list of `nodes`, in their order.
    pub fn host_list(&self, nodes: impl IntoIterator<Item = NodeId>) -> String {
        host_list::compact(nodes.into_iter().map(|node| self.node_name(node)))
    }

    /// Checks that the names of `nodes` read back: from a host list, and as no other node's id.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check_names(&self, nodes: &[NodeId]) -> Result<()> {
        for node in nodes {
            let name = self.node_name(*node);
            let other = name.parse().is_ok_and(|id: u32| id != node.0);
            if !host_list::fits(&name) || other {
                let found = format!("`{name}`, the name of node {node}");
                let location = SourceLocation::option("--names");
                let expected =
                    "names without blanks, commas, brackets and #, none the id of another node";
                return Err(Error::input(location, found, expected));
            }
        }
        Ok(())
    }
}
