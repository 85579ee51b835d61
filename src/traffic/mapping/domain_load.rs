//! Loads of the fast links inside the domains of a multi-rail network (NVLink), which are no links of the network.

use std::collections::BTreeMap;

use super::guest::{Guest, Traffic};
use super::node_loads::ProcessCounts;
use super::process_mapping::ProcessMapping;
use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_network::topology::rails::Rails;

/// Load of the fast link of a node, the largest of all nodes and both directions.
///
/// A message inside a domain leaves over the link of its sender and arrives over that of its receiver. A GPU hands
/// what is for another domain and another rail to the GPU of its own server on that rail, as under the routing
/// `rail`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainLoad {
    /// Largest volume on one fast link in one direction.
    pub max: f64,
    /// Largest volume over the capacity of a fast link.
    pub contention: f64,
}

impl DomainLoad {
    /// Adds up the load that `guest`, placed by `mapping`, causes; `None` where no domain holds several nodes.
    /// O(messages · log nodes); O(processes + nodes of their servers) for all-to-all traffic.
    pub fn sum_fast_links(
        topology: &Topology,
        guest: &Guest,
        mapping: &ProcessMapping,
    ) -> Option<Self> {
        let rails = topology
            .network()
            .rails()
            .filter(|rails| rails.nodes_per_domain() > 1)?;
        let mut max = 0f64;
        match guest.traffic() {
            Traffic::AllToAll { volume } => {
                for around in ProcessCounts::count_around(topology, mapping.nodes()) {
                    let own = around.own;
                    // All but what is for the node itself, and for nodes that it reaches along its own rail.
                    let sent = own * (around.all - own - around.rail);
                    // From its domain, and what others of its server hand on to its rail.
                    let received =
                        own * (around.domain - own) + (around.server - own) * around.rail;
                    max = max.max(sent.max(received) as f64 * volume);
                }
            }
            Traffic::Messages(messages) => {
                // What each node sends over its fast link, and what it gets.
                let mut sums = BTreeMap::<u32, [f64; 2]>::new();
                for m in messages {
                    let from = mapping.node_of(m.source);
                    if let Some(near) = node_by_fast_links(rails, from, mapping.node_of(m.target)) {
                        sums.entry(from.0).or_default()[0] += m.volume;
                        sums.entry(near).or_default()[1] += m.volume;
                    }
                }
                max = sums.into_values().flatten().fold(0.0, f64::max);
            }
        }
        Some(DomainLoad {
            max,
            contention: max / rails.nvlink_capacity,
        })
    }
}

/// Finds the node that a message reaches over fast links; `None` if it takes none.
fn node_by_fast_links(rails: &Rails, from: NodeId, to: NodeId) -> Option<u32> {
    if rails.domain_of(from) == rails.domain_of(to) {
        return (from != to).then_some(to.0);
    }
    // The message changes the rail inside the sender's server, before it crosses the network.
    let own = rails.rail_of(from)?;
    let rail = rails.rail_of(to)?;
    (own != rail).then(|| from.0 - own + rail)
}
