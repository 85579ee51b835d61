//! The compact placement that others are measured against.

use crate::allocator::AllocatorContext;
use nodeorder_base::error::Result;
use nodeorder_base::ids::NodeId;

/// Ranks from the middle of the machine outwards.
///
/// The compact placement of n nodes are the n nodes of the ordering nearest to its middle one by id, nodes of
/// one distance by id: the same nodes for every ordering of a machine.
pub(super) struct Compact {
    outwards: Vec<u32>,
}

impl Compact {
    /// Refuses a machine in several components. Sorts the ranks of `site`. O(nodes · log nodes).
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
        let far = |node: NodeId| hops[context.topology.router_of(node).index()];
        ids.sort_by_key(|(id, _)| (far(*id), *id));
        Ok(Compact {
            outwards: ids.into_iter().map(|(_, rank)| rank).collect(),
        })
    }

    /// The ranks of the compact placement of `count` nodes, ascending.
    pub fn ranks(&self, count: u32) -> Vec<u32> {
        let mut ranks = self.outwards[..count as usize].to_vec();
        ranks.sort_unstable();
        ranks
    }
}
