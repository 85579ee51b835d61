//! Traffic over node links and through switches.

use std::collections::BTreeMap;

use super::guest::{Guest, Traffic};
use super::process_mapping::ProcessMapping;
use super::routing::Fabric;
use nodeorder_base::NodeId;
use nodeorder_network::Topology;

/// Volume on the node links of a mapped guest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLoads {
    /// Nodes with traffic, ascending, each with the volume it sends to other nodes and the volume it receives
    /// from them.
    pub nodes: Vec<(NodeId, f64, f64)>,
}

impl NodeLoads {
    /// Adds up the messages of a guest that take node links. Those of a domain do not; what a GPU sends to
    /// another rail leaves over the node link of the GPU of its own server on that rail.
    ///
    /// # Complexity
    /// O(messages · log nodes); all-to-all traffic takes O(processes · log nodes).
    pub fn sum_node_links(topology: &Topology, guest: &Guest, mapping: &ProcessMapping) -> Self {
        let mut loads: BTreeMap<NodeId, (f64, f64)> = BTreeMap::new();
        if let Traffic::AllToAll { volume } = guest.traffic() {
            for around in ProcessCounts::count_around(topology, mapping.nodes()) {
                // Its whole server sends over it to its rail; others come to it along the target's rail.
                let sent = around.server * around.rail;
                let received = around.own * (around.all - around.domain);
                if sent + received > 0 {
                    let volumes = (sent as f64 * volume, received as f64 * volume);
                    loads.insert(around.node, volumes);
                }
            }
        } else {
            guest.for_each_message(|message| {
                let ends = [
                    mapping.node_of(message.source),
                    mapping.node_of(message.target),
                ];
                if let Some([from, to]) = topology.node_links(ends) {
                    loads.entry(from).or_default().0 += message.volume;
                    loads.entry(to).or_default().1 += message.volume;
                }
            });
        }
        let nodes = loads
            .into_iter()
            .map(|(node, (sent, received))| (node, sent, received));
        NodeLoads {
            nodes: nodes.collect(),
        }
    }

    /// Adds up the volume that passes through each router with traffic, ascending: what its links bring, `links` being
    /// the load of every directed link, and what its own nodes send.
    pub fn through_routers(&self, fabric: &Fabric<'_>, links: &[f64]) -> BTreeMap<u32, f64> {
        let mut through = BTreeMap::new();
        for (link, load) in links.iter().enumerate().filter(|(_, load)| **load > 0.0) {
            *through.entry(fabric.links.link_head(link)).or_default() += load;
        }
        for (node, sent, _) in &self.nodes {
            for (router, share) in fabric.topology.leaf_shares(*node) {
                *through.entry(router).or_default() += sent * share;
            }
        }
        through
    }

    /// Finds the largest volume that one node sends or receives.
    pub fn largest_volume(&self) -> f64 {
        self.nodes
            .iter()
            .map(|(_, sent, received)| sent.max(*received))
            .fold(0.0, f64::max)
    }
}

/// Numbers of processes around a node under all-to-all traffic.
pub struct ProcessCounts {
    pub node: NodeId,
    /// Number of processes on the node.
    pub own: u64,
    /// Number of processes on the node's server.
    pub server: u64,
    /// Number of processes in the node's domain.
    pub domain: u64,
    /// Number of processes of other domains on the same rail.
    pub rail: u64,
    /// Number of all processes.
    pub all: u64,
}

impl ProcessCounts {
    /// Counts the processes around every node of the servers that have some, `nodes` being those of all processes.
    /// Elsewhere than on a multi-rail network every node is a server and a domain of its own on one rail.
    /// O(processes · log nodes).
    pub fn count_around(topology: &Topology, nodes: &[NodeId]) -> Vec<ProcessCounts> {
        let rails = topology.network().rails();
        let each = rails.map_or(1, |rails| rails.nodes_per_server());
        let domain = |node: NodeId| rails.map_or(node.0, |rails| rails.domain_of(node));
        let mut on = BTreeMap::<NodeId, u64>::new();
        let mut servers = BTreeMap::<u32, u64>::new();
        let mut domains = BTreeMap::<u32, u64>::new();
        let mut both = BTreeMap::<(u32, u32), u64>::new();
        let mut on_rail = vec![0; each as usize];
        for node in nodes {
            *on.entry(*node).or_default() += 1;
            *servers.entry(node.0 / each).or_default() += 1;
            *domains.entry(domain(*node)).or_default() += 1;
            *both.entry((domain(*node), node.0 % each)).or_default() += 1;
            on_rail[(node.0 % each) as usize] += 1;
        }
        let mut around = Vec::new();
        for (server, here) in servers {
            // Nodes without a process count, too: traffic of their server for their rail leaves over them.
            for rail in 0..each {
                let node = NodeId(server * each + rail);
                let near = both.get(&(domain(node), rail)).copied().unwrap_or(0);
                around.push(ProcessCounts {
                    node,
                    own: on.get(&node).copied().unwrap_or(0),
                    server: here,
                    domain: domains[&domain(node)],
                    rail: on_rail[rail as usize] - near,
                    all: nodes.len() as u64,
                });
            }
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    #[test]
    fn each_direction_counts_by_itself() {
        let machine = Topology::inline("torus:4", &Context::default()).unwrap();
        let guest = Guest::new("star", 3, [(0, 1, 2.0), (0, 2, 5.0), (1, 0, 1.0)]).unwrap();
        let mapping = ProcessMapping::new(&machine, "m", [0, 3, 0].map(NodeId).to_vec()).unwrap();
        let loads = NodeLoads::sum_node_links(&machine, &guest, &mapping);
        assert_eq!(loads.nodes, [(NodeId(0), 2.0, 1.0), (NodeId(3), 1.0, 2.0)]);
    }
}
