//! Nodes by name: host lists read and written.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::import::host_list;
use super::nodes::Names;
use super::{Context, Topology};
use crate::error::{Error, Result};
use crate::ids::NodeId;
use crate::input::Line;

/// The names of a machine that is being made.
pub(super) struct Named<'t> {
    pub names: &'t Names,
    pub slots: u32,
    pub by_name: &'t OnceLock<HashMap<String, u32>>,
}

impl Named<'_> {
    /// The node of this name, schedulable or not.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let node = match self.names {
            Names::Pattern { before, after, .. } => {
                let id = name.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
                NodeId(id.parse().ok()?)
            }
            Names::Table(names) => {
                let index = self.by_name.get_or_init(|| {
                    let named = (0..).zip(names).filter(|(_, name)| !name.is_empty());
                    named.map(|(id, name)| (name.clone(), id)).collect::<HashMap<String, u32>>()
                });
                let unnamed = || name.strip_prefix('n')?.parse().ok();
                NodeId(index.get(name).copied().or_else(unnamed)?)
            }
        };
        // `n1` is not `n01`.
        (node.0 < self.slots && self.names.name(node) == name).then_some(node)
    }

    /// The nodes of a host list, one after another.
    ///
    /// # Errors
    /// With the line: no host list; a name that no node has.
    pub fn nodes(&self, text: &str, line: &Line<'_>, context: &Context) -> Result<Vec<NodeId>> {
        let names = host_list::expand(text, line, 0, context)?;
        let node = |name: &String| {
            let wrong = || line.wrong(format!("`{name}`"), "the name of a node of this machine");
            self.node(name).ok_or_else(wrong)
        };
        names.iter().map(node).collect()
    }
}

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
                let location = crate::error::SourceLocation::option("--names");
                let expected =
                    "names without blanks, commas, brackets and #, none the id of another node";
                return Err(Error::input(location, found, expected));
            }
        }
        Ok(())
    }
}
