//! Nodes of a machine that an ordering holds or lacks, beside the whole machine and beside other orderings.

use fixedbitset::FixedBitSet;

use super::NodeOrder;
use nodeorder_base::error::sanitize;
use nodeorder_base::{Error, NodeId, Result};
use nodeorder_network::Topology;

/// Largest number of nodes named in a remark about nodes that an ordering leaves out.
const FEW: usize = 4;

impl NodeOrder {
    /// Lists remarks on the use of the ordering on this machine: a file made for another one, and nodes left out.
    pub fn list_remarks(&self, topology: &Topology) -> Vec<String> {
        let mut remarks = Vec::from_iter(self.machine_remark(topology));
        let left_out = self.list_left_out(topology);
        if !left_out.is_empty() {
            let names: Vec<String> = left_out
                .iter()
                .take(FEW)
                .map(|node| topology.node_name(*node))
                .collect();
            remarks.push(format!(
                "{}: leaves out {} of {} schedulable nodes of {}: {}{}",
                sanitize(&self.label),
                left_out.len(),
                topology.node_count(),
                topology.name(),
                names.join(", "),
                if left_out.len() > FEW { ", …" } else { "" }
            ));
        }
        remarks
    }

    /// Lists the schedulable nodes that the ordering leaves out, in id order.
    ///
    /// # Complexity
    /// O(1) where there are none, else O(slots).
    pub fn list_left_out(&self, topology: &Topology) -> Vec<NodeId> {
        // All of its nodes are schedulable, each once.
        if self.len() == topology.node_count() {
            return Vec::new();
        }
        let held = self.node_set(topology);
        topology
            .nodes()
            .iter()
            .filter(|node| !held.contains(node.index()))
            .collect()
    }

    /// Refuses an ordering that leaves nodes out.
    pub(in crate::ordering) fn check_complete(&self, topology: &Topology) -> Result<()> {
        if self.len() == topology.node_count() {
            return Ok(());
        }
        Err(Error::option(
            &self.label,
            format!("an ordering of {} nodes", self.len()),
            format!("all {} schedulable nodes", topology.node_count()),
        ))
    }

    /// Collects the nodes of the ordering as a set.
    fn node_set(&self, topology: &Topology) -> FixedBitSet {
        let mut held = FixedBitSet::with_capacity(topology.nodes().slot_count() as usize);
        held.extend(self.nodes.iter().map(|node| node.index()));
        held
    }

    /// Checks that orderings are of the same nodes: only then does a lower curve mean a better order.
    ///
    /// # Errors
    /// One lacks nodes that another holds.
    pub fn check_same_nodes(topology: &Topology, orders: &[NodeOrder]) -> Result<()> {
        let Some(widest) = orders
            .iter()
            .reduce(|a, b| if b.len() > a.len() { b } else { a })
        else {
            return Ok(());
        };
        // Complete orderings hold the same nodes, whatever these are.
        if widest.len() == topology.node_count() && orders.iter().all(|o| o.len() == widest.len()) {
            return Ok(());
        }
        for order in orders {
            let held = order.node_set(topology);
            let mut lacking = widest.nodes.clone();
            lacking.retain(|node| !held.contains(node.index()));
            let Some(first) = lacking.iter().min() else {
                continue;
            };
            let found = format!(
                "an ordering without {} of the {} nodes that `{}` holds, node {first} ({}) first",
                lacking.len(),
                widest.len(),
                widest.label,
                topology.node_name(*first)
            );
            return Err(Error::option(
                &order.label,
                found,
                "orderings of the same nodes to rank",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::build;

    #[test]
    fn only_orderings_of_the_same_nodes_are_ranked() {
        let machine = build("mesh:3x2,exclude=1");
        let order = |label: &str, ids: &[u32]| {
            NodeOrder::new(&machine, label, ids.iter().copied().map(NodeId).collect()).unwrap()
        };
        let check = |orders: &[NodeOrder]| {
            NodeOrder::check_same_nodes(&machine, orders).map_err(|e| e.to_string())
        };
        let (full, part) = (order("full", &[5, 4, 3, 2, 0]), order("part", &[4, 5, 0]));
        let (turned, other) = (order("turned", &[0, 5, 4]), order("other", &[0, 5, 3]));
        assert_eq!(full.list_left_out(&machine), []);
        assert_eq!(part.list_left_out(&machine), [NodeId(2), NodeId(3)]);
        for same in [
            vec![],
            vec![part.clone()],
            vec![part.clone(), turned],
            vec![full.clone()],
        ] {
            assert_eq!(check(&same), Ok(()));
        }
        assert_eq!(
            check(&[part.clone(), full]).unwrap_err(),
            "`part`: found an ordering without 2 of the 5 nodes that `full` holds, node 2 (n2) first; expected \
             orderings of the same nodes to rank"
        );
        let said = check(&[part, other]).unwrap_err();
        assert!(
            said.starts_with("`other`: found an ordering without 1 of the 3 nodes"),
            "{said}"
        );
    }
}
