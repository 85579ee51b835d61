//! Loads of the fast links inside the domains of a multi-rail network (NVLink), which are no links of the network.

use std::collections::BTreeMap;

use super::guest::{Guest, Traffic};
use super::node_loads::Around;
use super::process_mapping::ProcessMapping;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::rails::Rails;

/// Load of the fast link of a node, the largest of all nodes and both directions.
///
/// A message inside a domain leaves over the link of its sender and arrives over that of its receiver. A GPU hands what is
/// for another domain and another rail to the GPU of its own server on that rail, as under the routing `rail`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainLoad {
    /// Before division by capacity.
    pub max: f64,
    /// Over the capacity of such a link.
    pub contention: f64,
}

/// By node: what it sends over its fast link, and what it gets.
type Sums = BTreeMap<u32, [f64; 2]>;

impl DomainLoad {
    /// The load that `guest`, placed by `mapping`, causes; none where no domain holds several nodes. O(messages · log
    /// nodes); O(processes + nodes of their servers) for all-to-all traffic.
    pub fn of(topology: &Topology, guest: &Guest, mapping: &ProcessMapping) -> Option<Self> {
        let rails = topology
            .network()
            .rails()
            .filter(|rails| rails.per_domain() > 1)?;
        let sums = match guest.traffic() {
            Traffic::AllToAll { volume } => {
                let nodes = (0..guest.processes()).map(|process| mapping.node(process));
                let sums = |around: Around| {
                    let Around {
                        node,
                        own,
                        server,
                        domain,
                        rail,
                        all,
                    } = around;
                    let sent = own * (all - own - rail);
                    let received = own * (domain - own) + (server - own) * rail;
                    (node.0, [sent as f64 * volume, received as f64 * volume])
                };
                Around::all(topology, nodes).into_iter().map(sums).collect()
            }
            Traffic::Messages(messages) => {
                let mut sums = Sums::new();
                for m in messages {
                    let (from, to) = (mapping.node(m.source), mapping.node(m.target));
                    if let Some(near) = arrival(rails, from, to) {
                        sums.entry(from.0).or_default()[0] += m.volume;
                        sums.entry(near).or_default()[1] += m.volume;
                    }
                }
                sums
            }
        };
        let max = sums.into_values().flatten().fold(0.0, f64::max);
        Some(DomainLoad {
            max,
            contention: max / rails.nvlink_capacity,
        })
    }
}

/// The node that a message reaches over fast links, if it takes any.
fn arrival(rails: &Rails, from: NodeId, to: NodeId) -> Option<u32> {
    if rails.domain_of(from) == rails.domain_of(to) {
        return (from != to).then_some(to.0);
    }
    let (own, rail) = (rails.rail_of(from)?, rails.rail_of(to)?);
    (own != rail).then(|| from.0 - own + rail)
}
