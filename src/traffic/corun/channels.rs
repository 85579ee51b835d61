//! Channels: what messages share. Each directed link is one; with shared node links each direction of a node link; with a
//! switch bandwidth each switch.

use std::collections::BTreeMap;

use super::Speeds;
use crate::mapping::{Fabric, Guest, NodeLoads, ProcessMapping};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::{RouterGraph, Topology};

/// The channels of a machine, numbered: the directed links as [`RouterGraph`] numbers them, then two for each node (what
/// it sends, what it receives), then the switches.
#[derive(Clone, Debug)]
pub struct Channels {
    /// Bytes a second of each.
    pub capacity: Vec<f64>,
    /// Bytes a second that no message exceeds.
    pub bound: f64,
    /// The figures that they were made of.
    pub speeds: Speeds,
    /// Number of the first node's first channel, where node links are shared.
    nodes: Option<u32>,
    /// Number of the first switch, where their bandwidth is limited.
    switches: Option<u32>,
}

impl Channels {
    /// The channels of a machine under these figures. O(links + nodes + routers).
    pub fn new(topology: &Topology, links: &RouterGraph, speeds: &Speeds) -> Self {
        let mut capacity: Vec<f64> = (0..links.len())
            .map(|link| links.capacity(link) * speeds.bandwidth)
            .collect();
        let mut append = |count: usize, each: f64| {
            let first = capacity.len() as u32;
            capacity.resize(capacity.len() + count, each);
            first
        };
        let slots = topology.nodes().slot_count() as usize;
        // Rails that share alike count as one node link of their bandwidth together.
        let rails = topology
            .network()
            .rails()
            .map_or(1, |rails| rails.interfaces());
        let bound = speeds.node_bandwidth * f64::from(rails);
        let nodes = speeds.node_links_shared.then(|| append(2 * slots, bound));
        let limit = speeds.switch_bandwidth;
        let switches = limit
            .is_finite()
            .then(|| append(links.router_count(), limit));
        Channels {
            capacity,
            bound,
            speeds: *speeds,
            nodes,
            switches,
        }
    }

    /// Links alone, of these bytes a second, with a bound on each message.
    #[cfg(test)]
    pub fn of_links(capacity: Vec<f64>, bound: f64) -> Self {
        Channels {
            capacity,
            bound,
            speeds: Speeds::default(),
            nodes: None,
            switches: None,
        }
    }

    /// Whether messages between nodes of one router share any channel.
    pub(super) fn inside_routers(&self) -> bool {
        self.nodes.is_some() || self.switches.is_some()
    }

    /// The channels of a message over the node links of these nodes ([`Topology::node_links`]) whose links are `route`,
    /// with the share of it on each, ascending.
    pub(super) fn of_message(
        &self,
        fabric: &Fabric<'_>,
        [from, to]: [NodeId; 2],
        route: &[(u32, f64)],
    ) -> Vec<(u32, f64)> {
        let mut channels = route.to_vec();
        if let Some(first) = self.nodes {
            let ends = [(first + 2 * from.0, 1.0), (first + 2 * to.0 + 1, 1.0)];
            let by_number = |end: &(u32, f64)| end.0;
            let mut ends = ends.to_vec();
            ends.sort_by_key(by_number);
            channels.extend(ends);
        }
        if let Some(first) = self.switches {
            let mut through: BTreeMap<u32, f64> = fabric.topology.leaves_of(from).collect();
            for (link, share) in route {
                *through
                    .entry(fabric.links.head(*link as usize))
                    .or_default() += share;
            }
            channels.extend(
                through
                    .into_iter()
                    .map(|(switch, share)| (first + switch, share)),
            );
        }
        channels
    }

    /// The channels that a guest loads, with the volume on each, ascending; `links` is the load of every directed
    /// link.
    pub(super) fn of_guest(
        &self,
        fabric: &Fabric<'_>,
        guest: &Guest,
        mapping: &ProcessMapping,
        links: &[f64],
    ) -> Vec<(u32, f64)> {
        let used = (0..).zip(links).filter(|(_, load)| **load > 0.0);
        let mut channels: Vec<(u32, f64)> = used.map(|(link, load)| (link, *load)).collect();
        if !self.inside_routers() {
            return channels;
        }
        let loads = NodeLoads::of(fabric.topology, guest, mapping);
        if let Some(first) = self.nodes {
            let both = loads.nodes.iter().flat_map(|(node, sent, received)| {
                [
                    (first + 2 * node.0, *sent),
                    (first + 2 * node.0 + 1, *received),
                ]
            });
            channels.extend(both.filter(|(_, load)| *load > 0.0));
        }
        if let Some(first) = self.switches {
            let through = loads.through_routers(fabric, links);
            channels.extend(
                through
                    .into_iter()
                    .map(|(switch, load)| (first + switch, load)),
            );
        }
        channels
    }
}
