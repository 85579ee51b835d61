//! Traffic over node links and through switches.

use std::collections::BTreeMap;

use super::guest::{Guest, Traffic};
use super::process_mapping::ProcessMapping;
use super::routing::Fabric;
use crate::ids::NodeId;

/// Volume on the node links of a mapped guest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLoads {
    /// Each node with traffic, ascending, what it sends to other nodes, and what it receives from them.
    pub nodes: Vec<(NodeId, f64, f64)>,
}

impl NodeLoads {
    /// Adds up the messages of a guest between different nodes.
    ///
    /// # Complexity
    /// O(messages · log nodes); all-to-all traffic takes O(processes · log nodes).
    pub fn of(guest: &Guest, mapping: &ProcessMapping) -> Self {
        let mut loads: BTreeMap<NodeId, (f64, f64)> = BTreeMap::new();
        if let Traffic::AllToAll { volume } = guest.traffic() {
            let mut processes: BTreeMap<NodeId, u64> = BTreeMap::new();
            for process in 0..guest.processes() {
                *processes.entry(mapping.node(process)).or_default() += 1;
            }
            let all = u64::from(guest.processes());
            let load = |here: u64| (here * (all - here)) as f64 * volume;
            let nodes = processes.into_iter().map(|(node, here)| (node, load(here), load(here)));
            return NodeLoads { nodes: nodes.collect() };
        }
        guest.for_each_message(|message| {
            let (from, to) = (mapping.node(message.source), mapping.node(message.target));
            if from != to {
                loads.entry(from).or_default().0 += message.volume;
                loads.entry(to).or_default().1 += message.volume;
            }
        });
        let nodes = loads.into_iter().map(|(node, (sent, received))| (node, sent, received));
        NodeLoads { nodes: nodes.collect() }
    }

    /// The volume that passes through each router with traffic, ascending: what its links bring, `links` being the load
    /// of every directed link, and what its own nodes send.
    pub fn through_routers(&self, fabric: &Fabric<'_>, links: &[f64]) -> BTreeMap<u32, f64> {
        let mut through = BTreeMap::new();
        for (link, load) in links.iter().enumerate().filter(|(_, load)| **load > 0.0) {
            *through.entry(fabric.links.head(link)).or_default() += load;
        }
        for (node, sent, _) in &self.nodes {
            *through.entry(fabric.topology.router_of(*node).0).or_default() += sent;
        }
        through
    }

    /// The largest volume that one node sends or receives.
    pub fn max(&self) -> f64 {
        self.nodes.iter().map(|(_, sent, received)| sent.max(*received)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Context, Topology};

    #[test]
    fn all_to_all_equals_its_messages() {
        let context = Context::default();
        let machine = Topology::inline("torus:3x3,per_router=2", &context).unwrap();
        let nodes: Vec<NodeId> = [0, 1, 1, 4, 9, 9, 9, 17].map(NodeId).to_vec();
        let uniform = Guest::make("all-to-all:n=8,volume=3", &context).unwrap();
        let messages: Vec<_> = (0..64u32).map(|i| (i / 8, i % 8, 3.0)).collect();
        let listed = Guest::new("listed", 8, messages).unwrap();
        let mapping = ProcessMapping::new(&machine, "by hand", nodes).unwrap();
        let loads = NodeLoads::of(&uniform, &mapping);
        assert_eq!(loads, NodeLoads::of(&listed, &mapping));
        // Node 9 has three of the eight processes: 3 · 5 messages of 3 each way.
        assert_eq!(loads.max(), 45.0);
    }

    #[test]
    fn each_direction_counts_by_itself() {
        let machine = Topology::inline("torus:4", &Context::default()).unwrap();
        let guest = Guest::new("star", 3, [(0, 1, 2.0), (0, 2, 5.0), (1, 0, 1.0)]).unwrap();
        let mapping = ProcessMapping::new(&machine, "m", [0, 3, 0].map(NodeId).to_vec()).unwrap();
        let loads = NodeLoads::of(&guest, &mapping);
        assert_eq!(loads.nodes, [(NodeId(0), 2.0, 1.0), (NodeId(3), 1.0, 2.0)]);
    }
}
