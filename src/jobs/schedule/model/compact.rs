//! The compact placement, which the trace's run times stand for and others are measured against.
//!
//! The compact placement of n nodes are the n nodes of the ordering nearest to its middle node by id, nodes of one
//! distance by id. So it is the same set of nodes for every ordering of a machine, and orderings can be compared.

use crate::allocator::AllocatorContext;
use nodeorder_base::{NodeId, Result};

/// Ranks by distance from the middle node.
pub struct CompactPlacement {
    ranks_outwards: Vec<u32>,
}

impl CompactPlacement {
    /// Sorts the ranks of an ordering by distance from its middle node. Fails if the machine has several components.
    /// O(nodes · log nodes).
    pub fn new(context: &AllocatorContext<'_>) -> Result<Self> {
        context
            .topology
            .require_one_component("run times by distance")?;
        let nodes = context.order.nodes();
        let mut ids: Vec<(NodeId, u32)> = nodes.iter().copied().zip(0..).collect();
        ids.sort_unstable();
        let middle = ids.get(ids.len() / 2).map_or(NodeId(0), |(id, _)| *id);
        let hops = context
            .topology
            .hops_from(context.topology.router_of(middle))?;
        ids.sort_by_key(|(id, _)| (hops[context.topology.router_of(*id).index()], *id));
        Ok(CompactPlacement {
            ranks_outwards: ids.into_iter().map(|(_, rank)| rank).collect(),
        })
    }

    /// Lists the ranks of the compact placement of `count` nodes, ascending.
    pub fn compact_ranks(&self, count: u32) -> Vec<u32> {
        let mut ranks = self.ranks_outwards[..count as usize].to_vec();
        ranks.sort_unstable();
        ranks
    }
}
