//! Host lists of jobs: the names of the nodes behind ranks.

use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;

/// A machine and the ordering that ranks are of.
#[derive(Clone, Copy, Debug)]
pub struct Hosts<'a> {
    /// Machine that names the nodes.
    pub topology: &'a Topology,
    /// Ordering whose ranks are named.
    pub order: &'a NodeOrder,
}

impl Hosts<'_> {
    /// Lists nodes with the number of pods on each: `a:4 b:2`; pairs are a rank and that number.
    pub fn pod_list(&self, pods: &[(u32, u32)]) -> String {
        let mut all = Vec::new();
        for (rank, count) in pods {
            let node = self.order.nodes()[*rank as usize];
            all.push(format!("{}:{count}", self.topology.node_name(node)));
        }
        all.join(" ")
    }

    /// Lists the hosts of the nodes at `ranks`, ascending by id: `n[001-004,007]`.
    pub fn host_list(&self, ranks: impl Iterator<Item = u32>) -> String {
        let mut nodes: Vec<_> = ranks
            .map(|rank| self.order.nodes()[rank as usize])
            .collect();
        // Lists fold stretches of numbers, which ranks need not follow.
        nodes.sort_unstable();
        self.topology.host_list(nodes)
    }
}
