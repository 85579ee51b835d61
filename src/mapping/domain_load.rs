//! Loads of the fast links inside the domains of a multi-rail network (NVLink), which are no links of the network.

use std::collections::BTreeMap;

use super::guest::{Guest, Traffic};
use super::process_mapping::ProcessMapping;
use crate::ids::NodeId;
use crate::topology::Topology;
use crate::topology::rails::Rails;

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
    /// The load that `guest`, placed by `mapping`, causes; none where no domain holds several nodes.
    ///
    /// # Complexity
    /// O(messages · log nodes); O(processes + nodes of their servers) for all-to-all traffic.
    pub fn of(topology: &Topology, guest: &Guest, mapping: &ProcessMapping) -> Option<Self> {
        let rails = topology.network().rails().filter(|rails| rails.per_domain() > 1)?;
        let sums = match guest.traffic() {
            Traffic::AllToAll { volume } => {
                all_to_all(rails, (0..guest.processes()).map(|i| mapping.node(i)), *volume)
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
        Some(DomainLoad { max, contention: max / rails.nvlink_capacity })
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

/// Every process to every other, from sums by domain and rail.
fn all_to_all(rails: &Rails, nodes: impl Iterator<Item = NodeId>, volume: f64) -> Sums {
    let rail = |node: u32| rails.rail_of(NodeId(node)).unwrap_or(0);
    let (mut on, mut all) = (BTreeMap::<u32, f64>::new(), 0.0);
    let (mut domains, mut on_rail) = (BTreeMap::<u32, f64>::new(), BTreeMap::<u32, f64>::new());
    let mut both = BTreeMap::<(u32, u32), f64>::new();
    for node in nodes {
        let domain = rails.domain_of(node);
        *on.entry(node.0).or_default() += 1.0;
        *domains.entry(domain).or_default() += 1.0;
        *on_rail.entry(rail(node.0)).or_default() += 1.0;
        *both.entry((domain, rail(node.0))).or_default() += 1.0;
        all += 1.0;
    }
    let each = rails.per_server();
    let mut sums = Sums::new();
    let mut servers: Vec<u32> = on.keys().map(|node| node / each).collect();
    servers.dedup();
    for server in servers.into_iter().map(|server| server * each..(server + 1) * each) {
        let domain = rails.domain_of(NodeId(server.start));
        let inside = domains[&domain];
        let here: f64 = server.clone().filter_map(|node| on.get(&node)).sum();
        for node in server {
            let count = on.get(&node).copied().unwrap_or(0.0);
            let near = both.get(&(domain, rail(node))).copied().unwrap_or(0.0);
            // Processes of other domains, on the same rail and on all.
            let same = on_rail.get(&rail(node)).copied().unwrap_or(0.0) - near;
            let others = all - inside;
            let sent = count * (inside - count + others - same);
            let got = count * (inside - count) + (here - count) * same;
            sums.insert(node, [sent * volume, got * volume]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::build;
    use proptest::prelude::*;

    proptest! {
        /// All-to-all traffic loads the fast links as its messages one by one do.
        #[test]
        fn sums_equal_message_by_message(
            gpus in any::<bool>(),
            [rails, domain, domains, units] in [1u32..4, 1u32..4, 1u32..3, 1u32..3],
            picks in prop::collection::vec(any::<u32>(), 1..20),
        ) {
            let machine = build(&format!(
                "multi-rail:rails={rails},domain={domain},domains={domains},units={units},spines=1,gpus={gpus},\
                 nvlink_capacity=4"
            ));
            let n = picks.len() as u32;
            let all = machine.node_count() as u32;
            let nodes: Vec<NodeId> = picks.iter().map(|pick| NodeId(pick % all)).collect();
            let mapping = ProcessMapping::new(&machine, "by hand", nodes).unwrap();
            let context = Default::default();
            let uniform = Guest::make(&format!("all-to-all:n={n},volume=3"), &context).unwrap();
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b, 3.0)));
            let listed = Guest::new("listed", n, pairs).unwrap();
            let found = DomainLoad::of(&machine, &uniform, &mapping);
            prop_assert_eq!(found, DomainLoad::of(&machine, &listed, &mapping));
            prop_assert_eq!(found.is_some(), domain > 1 || gpus && rails > 1);
        }
    }
}
