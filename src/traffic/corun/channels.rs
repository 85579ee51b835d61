//! Channels: what messages share. Each directed link is one; with shared node links each direction of a node link;
//! with a switch bandwidth each switch.

use std::collections::BTreeMap;

use super::Speeds;
use crate::mapping::{Fabric, Guest, NodeLoads, ProcessMapping};
use nodeorder_base::NodeId;
use nodeorder_network::{RouterGraph, Topology};

/// The channels of a machine, numbered: the directed links as [`RouterGraph`] numbers them, then two for each node
/// (what it sends, what it receives), then the switches.
#[derive(Clone, Debug)]
pub struct Channels {
    /// By channel: bytes a second.
    pub capacity: Vec<f64>,
    /// Bytes a second that no message exceeds.
    pub bound: f64,
    /// The figures that they were made of.
    pub speeds: Speeds,
    /// Number of the first node's first channel; `None` if node links are not shared.
    first_node: Option<u32>,
    /// Number of the first switch's channel; `None` if switches have no limit.
    first_switch: Option<u32>,
}

impl Channels {
    /// Numbers the channels of a machine and gives them the capacities of `speeds`. O(links + nodes + routers).
    pub fn new(topology: &Topology, links: &RouterGraph, speeds: &Speeds) -> Self {
        let mut capacity: Vec<f64> = (0..links.len())
            .map(|link| links.capacity(link) * speeds.bandwidth)
            .collect();
        let slots = topology.nodes().slot_count() as usize;
        // Rails that share alike count as one node link of their bandwidth together.
        let rails = topology
            .network()
            .rails()
            .map_or(1, |rails| rails.interfaces_per_node());
        let bound = speeds.node_bandwidth * f64::from(rails);
        let mut nodes = None;
        if speeds.node_links_shared {
            nodes = Some(append_channels(&mut capacity, 2 * slots, bound));
        }
        let mut switches = None;
        let limit = speeds.switch_bandwidth;
        if limit.is_finite() {
            switches = Some(append_channels(&mut capacity, links.router_count(), limit));
        }
        Channels {
            capacity,
            bound,
            speeds: *speeds,
            first_node: nodes,
            first_switch: switches,
        }
    }

    /// Creates links alone, of these bytes a second, with a bound on each message.
    #[cfg(test)]
    pub fn from_links(capacity: Vec<f64>, bound: f64) -> Self {
        Channels {
            capacity,
            bound,
            speeds: Speeds::default(),
            first_node: None,
            first_switch: None,
        }
    }

    /// Checks whether messages between nodes of one router share any channel.
    pub(super) fn are_shared_inside_routers(&self) -> bool {
        self.first_node.is_some() || self.first_switch.is_some()
    }

    /// Lists the channels of a message over the node links of these nodes ([`Topology::node_links`]) and the links
    /// `route`, with the share of it on each, ascending.
    pub(super) fn message_channels(
        &self,
        fabric: &Fabric<'_>,
        [from, to]: [NodeId; 2],
        route: &[(u32, f64)],
    ) -> Vec<(u32, f64)> {
        let mut channels = route.to_vec();
        if let Some(first) = self.first_node {
            let mut ends = [(first + 2 * from.0, 1.0), (first + 2 * to.0 + 1, 1.0)];
            ends.sort_by_key(|(channel, _)| *channel);
            channels.extend(ends);
        }
        if let Some(first) = self.first_switch {
            // Each link of the route ends at a switch; the first one is that of the sender.
            let mut through: BTreeMap<u32, f64> = fabric.topology.leaf_shares(from).collect();
            for (link, share) in route {
                *through
                    .entry(fabric.links.link_head(*link as usize))
                    .or_default() += share;
            }
            for (switch, share) in through {
                channels.push((first + switch, share));
            }
        }
        channels
    }

    /// Lists the channels that a guest loads, with the volume on each, ascending; `links` is the load of every
    /// directed link.
    pub(super) fn guest_channels(
        &self,
        fabric: &Fabric<'_>,
        guest: &Guest,
        mapping: &ProcessMapping,
        links: &[f64],
    ) -> Vec<(u32, f64)> {
        // A link without load would only lengthen every later sum.
        let used = (0..).zip(links).filter(|(_, load)| **load > 0.0);
        let mut channels: Vec<(u32, f64)> = used.map(|(link, load)| (link, *load)).collect();
        // Loads of nodes are needed for channels of nodes and switches alone.
        if !self.are_shared_inside_routers() {
            return channels;
        }
        let loads = NodeLoads::sum_node_links(fabric.topology, guest, mapping);
        if let Some(first) = self.first_node {
            for (node, sent, received) in &loads.nodes {
                for (way, load) in [(0, *sent), (1, *received)] {
                    if load > 0.0 {
                        channels.push((first + 2 * node.0 + way, load));
                    }
                }
            }
        }
        if let Some(first) = self.first_switch {
            for (switch, load) in loads.through_routers(fabric, links) {
                channels.push((first + switch, load));
            }
        }
        channels
    }
}

/// Appends `count` channels of `each` bytes a second, and returns the number of the first.
fn append_channels(capacity: &mut Vec<f64>, count: usize, each: f64) -> u32 {
    let first = capacity.len() as u32;
    capacity.resize(capacity.len() + count, each);
    first
}
