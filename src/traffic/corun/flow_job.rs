//! Jobs put on channels message by message, for the flow level.

use std::collections::BTreeMap;

use super::Channels;
use super::flow_run::FlowRun;
use super::jobs::Phase;
use super::messages::{FlowGroup, FlowJob, FlowPhase, JobSite};
use nodeorder_base::{NodeId, Result};

impl FlowJob {
    /// Puts the messages of phases on channels, and times each phase alone.
    pub fn new(site: &JobSite<'_>, phases: &[Phase]) -> Result<Self> {
        let phases = phases
            .iter()
            .map(|phase| group_messages(site, phase))
            .collect::<Result<_>>()?;
        let mut job = FlowJob {
            phases,
            ..FlowJob::default()
        };
        job.sending = FlowRun::time_phases_alone(&job, site.channels);
        Ok(job)
    }

    /// Adds up the seconds of an iteration alone.
    pub fn time_alone(&self) -> f64 {
        let sends: f64 = self.sending.iter().sum();
        sends + self.phases.iter().map(|phase| phase.compute).sum::<f64>()
    }

    /// Computes the seconds that an iteration alone would save if first bytes arrived at once.
    pub fn latency_share(&self, channels: &Channels) -> f64 {
        let mut at_once = self.clone();
        for phase in &mut at_once.phases {
            for group in &mut phase.groups {
                group.latency = 0.0;
            }
        }
        if at_once == *self {
            return 0.0;
        }
        self.sending.iter().sum::<f64>()
            - FlowRun::time_phases_alone(&at_once, channels)
                .iter()
                .sum::<f64>()
    }
}

/// Groups the messages of a phase by the routers, or nodes, between which they go.
fn group_messages(site: &JobSite<'_>, phase: &Phase) -> Result<FlowPhase> {
    let JobSite {
        fabric,
        routing,
        mapping,
        channels,
    } = *site;
    let topology = fabric.topology;
    let speeds = &channels.speeds;
    if phase.bytes > 0.0 {
        // A route of several links, and what is kept of it while it is simulated.
        topology.require_memory(
            "the messages of a job",
            phase.guest.pair_count().saturating_mul(400),
        )?;
    }
    let mut between: BTreeMap<(NodeId, NodeId), Vec<f64>> = BTreeMap::new();
    let mut inside = 0f64;
    // Without shared node links messages between the same routers take the same channels.
    let end = |process| {
        let node = mapping.node_of(process);
        if channels.are_shared_inside_routers() {
            return node;
        }
        // The first node of its router, whether it is schedulable or not.
        let mut nodes = topology.nodes_of(topology.router_of(node));
        nodes.next().unwrap_or(node)
    };
    phase.guest.for_each_message(|message| {
        let from = end(message.source);
        let to = end(message.target);
        let bytes = message.volume * phase.bytes;
        let apart = if channels.are_shared_inside_routers() {
            topology.node_links([from, to]).is_some()
        } else {
            from != to
        };
        if bytes > 0.0 && !apart {
            inside = inside.max(bytes);
        } else if bytes > 0.0 {
            between.entry((from, to)).or_default().push(bytes);
        }
    });
    let routers =
        |(from, to): &(NodeId, NodeId)| (topology.router_of(*from).0, topology.router_of(*to).0);
    let mut pairs: Vec<(u32, u32)> = between
        .keys()
        .map(routers)
        .filter(|(a, b)| a != b)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let routes = routing.find_routes(fabric, &pairs)?;
    let mut groups = Vec::new();
    for (ends, mut bytes) in between {
        // Messages of one size on one route end together, so they are counted, not listed.
        bytes.sort_by(f64::total_cmp);
        let sizes = bytes
            .chunk_by(|a, b| a == b)
            .map(|same| (same[0], same.len() as f64))
            .collect();
        let route = pairs
            .binary_search(&routers(&ends))
            .map_or(&[][..], |at| &routes[at]);
        let hops: f64 = route
            .iter()
            .map(|(link, share)| share * fabric.links.weight(*link as usize))
            .sum();
        let latency = phase.messages * speeds.path_latency(hops);
        let links = topology
            .node_links([ends.0, ends.1])
            .unwrap_or([ends.0, ends.1]);
        let route = channels.message_channels(fabric, links, route);
        groups.push(FlowGroup {
            route,
            latency,
            weight: speeds.rate_weight(hops),
            sizes,
        });
    }
    Ok(FlowPhase {
        compute: phase.compute,
        groups,
        inside,
    })
}
