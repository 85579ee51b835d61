//! Host lists of jobs: the names of the nodes behind ranks.

use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// A machine and the ordering that ranks are of.
#[derive(Clone, Copy, Debug)]
pub struct Hosts<'a> {
    /// The machine.
    pub topology: &'a Topology,
    /// The ordering.
    pub order: &'a NodeOrder,
}

impl Hosts<'_> {
    /// Nodes with the pods on each: `a:4 b:2`.
    pub fn pods(&self, pods: &[(u32, u32)]) -> String {
        let name = |rank: u32| self.topology.node_name(self.order.nodes()[rank as usize]);
        let all: Vec<String> = pods
            .iter()
            .map(|(rank, count)| format!("{}:{count}", name(*rank)))
            .collect();
        all.join(" ")
    }

    /// The host list of the nodes at `ranks`, ascending by id: `n[001-004,007]`.
    pub fn list(&self, ranks: impl Iterator<Item = u32>) -> String {
        let mut nodes: Vec<_> = ranks
            .map(|rank| self.order.nodes()[rank as usize])
            .collect();
        nodes.sort_unstable();
        self.topology.host_list(nodes)
    }
}
