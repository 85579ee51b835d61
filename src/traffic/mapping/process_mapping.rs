//! Mappings: which node each process runs on.

use super::guest::Guest;
use nodeorder_base::{Error, NodeId, Result, SourceLocation, Text};
use nodeorder_network::Topology;

/// A node for every process; several processes may share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessMapping {
    label: String,
    nodes: Vec<NodeId>,
}

impl ProcessMapping {
    /// Accepts `nodes[p]` as the node of process p.
    ///
    /// # Errors
    /// An unknown or unschedulable node.
    pub fn new(topology: &Topology, label: impl Into<String>, nodes: Vec<NodeId>) -> Result<Self> {
        let label = label.into();
        for node in &nodes {
            topology.check_node(*node, || SourceLocation::option(&label))?;
        }
        Ok(ProcessMapping { label, nodes })
    }

    /// Puts process i on the node of rank i of an ordering called `label`, whose nodes are `order`.
    ///
    /// # Errors
    /// More processes than nodes in the ordering.
    pub fn in_order(guest: &Guest, label: &str, order: &[NodeId]) -> Result<Self> {
        let processes = guest.processes() as usize;
        let Some(nodes) = order.get(..processes) else {
            let nodes = order.len();
            return Err(Error::unsuited(
                SourceLocation::option(guest.label()),
                format!("{processes} processes, but `{label}` orders {nodes} nodes"),
                "take a smaller guest, or a mapping file, which may put several processes on a node",
            ));
        };
        Ok(ProcessMapping {
            label: label.to_string(),
            nodes: nodes.to_vec(),
        })
    }

    /// Reads a mapping file: CSV lines `process,node`, header optional, `#` comments, in any order;
    /// several processes may share a node.
    ///
    /// # Errors
    /// With file and line: a malformed line, a process outside the guest or named twice, an unknown or
    /// unschedulable node; a process that is missing.
    pub fn read(topology: &Topology, guest: &Guest, text: &Text) -> Result<Self> {
        let processes = guest.processes();
        let mut nodes: Vec<Option<(NodeId, usize)>> = vec![None; processes as usize];
        for (i, line) in text.data_lines().enumerate() {
            let fields = line.split_csv()?;
            // A first line without any number is a header.
            if i == 0 && fields.len() == 2 && fields.iter().all(|f| f.parse::<f64>().is_err()) {
                continue;
            }
            let [process, node] = fields.as_slice() else {
                return Err(line.whole_error("process,node"));
            };
            let slot = process
                .parse()
                .ok()
                .and_then(|p: u32| nodes.get_mut(p as usize));
            let Some(slot) = slot else {
                let expected = format!("a process from 0 to {}", i64::from(processes) - 1);
                return Err(line.error_here(format!("process `{process}`"), expected));
            };
            if let Some((_, before)) = slot {
                let found = format!("process {process} again (line {before} has it)");
                return Err(line.error_here(found, "each process once"));
            }
            // A pattern may name several nodes, but a process runs on one.
            let [id] = topology.nodes_named(node, &line, 0)?[..] else {
                return Err(line.error_here(format!("`{node}`"), "one node"));
            };
            topology.check_node(id, || line.location())?;
            *slot = Some((id, line.number));
        }
        if let Some(missing) = nodes.iter().position(Option::is_none) {
            let found = format!("no line for process {missing}");
            let expected = format!(
                "a node for each of the {processes} processes of {}",
                guest.label()
            );
            return Err(Error::input(text.location(), found, expected));
        }
        let nodes = nodes.into_iter().flatten().map(|(node, _)| node).collect();
        Ok(ProcessMapping {
            label: text.name().to_string(),
            nodes,
        })
    }

    /// Iterates over every process with its node: the rows of the mapping file.
    pub fn process_nodes(&self) -> impl Iterator<Item = (u32, NodeId)> {
        (0..).zip(self.nodes.iter().copied())
    }

    /// Returns the name that the user gave the mapping: an ordering, a method or a file.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the node of every process.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Looks up the node of one process.
    ///
    /// # Panics
    /// For processes that the mapping does not have.
    pub fn node_of(&self, process: u32) -> NodeId {
        self.nodes[process as usize]
    }

    /// Lists the distinct nodes, ascending: the allocation.
    pub fn distinct_nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    fn read(text: &str) -> Result<ProcessMapping> {
        let machine = Topology::inline("torus:4x4,limit=10", &Context::default()).unwrap();
        let guest = Guest::make("ring:n=3", &Context::default()).unwrap();
        ProcessMapping::read(&machine, &guest, &Text::new("m", text))
    }

    #[test]
    fn lines_come_in_any_order_and_nodes_may_be_shared() {
        for text in [
            "process,node\n2,9\n0,4\n1,4\n",
            "# c\n0,4\n\n1, 4\n2,9 # last\n",
        ] {
            let mapping = read(text).unwrap();
            assert_eq!(mapping.nodes(), [4, 4, 9].map(NodeId));
            assert_eq!(mapping.distinct_nodes(), [4, 9].map(NodeId));
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, expected) in [
            (
                "0,1\n1,2\n",
                "m: found no line for process 2; expected a node for each of the 3",
            ),
            (
                "0,1\n3,2\n",
                "m:2: found process `3`; expected a process from 0 to 2",
            ),
            ("0,1\n0,2\n", "m:2: found process 0 again (line 1 has it)"),
            (
                "0,16\n",
                "m:1: found node 16; expected a node id from 0 to 15",
            ),
            (
                "process,node\n0,12\n",
                "m:2: found node 12 (n12), which limit",
            ),
            ("0,x\n", "m:1: found `x`"),
            ("-1,0\n", "m:1: found process `-1`"),
            ("0 1\n", "m:1: found `0 1`; expected process,node"),
            ("0,1\nprocess,node\n", "m:2: found process `process`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }
}
