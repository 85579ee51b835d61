//! Demand of jobs on the network, as the job level sees it.

use super::Channels;
use crate::error::Result;
use crate::mapping::{Demand, Dilation, Fabric, Guest, ProcessMapping, RoutingEntry, Traffic};

/// Demand of one phase of a job on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseUsage {
    /// Seconds of computing before it sends.
    pub compute: f64,
    /// Seconds before the first byte arrives: the most hops of a message times the latency of one.
    pub latency: f64,
    /// Bytes of the largest message; 0 where nothing is sent.
    pub bytes: f64,
    /// How fast its rate grows among others': 1, or by the mean latency under [`super::Fair::Rtt`].
    pub weight: f64,
    /// U(l), the bytes that it puts on a channel over its largest message, for each channel it loads, by its number in
    /// [`Channels`], ascending.
    pub links: Vec<(u32, f64)>,
}

/// A job as the job level sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct JobUsage {
    /// The phases of an iteration.
    pub phases: Vec<PhaseUsage>,
    /// Computing takes `compute` times a number drawn from 1 - spread to 1 + spread, so that jobs do not lock step.
    pub spread: f64,
    /// Seed of these draws.
    pub seed: u64,
}

impl PhaseUsage {
    /// Puts the traffic of `guest` on links: `bytes` for one unit of its volume, after `compute` seconds.
    ///
    /// # Errors
    /// A routing that does not suit the machine; more memory than allowed.
    ///
    /// # Complexity
    /// One [`RoutingEntry::loads`]; with a latency also one [`Dilation::of`].
    pub fn new(
        fabric: &Fabric<'_>,
        routing: &RoutingEntry,
        guest: &Guest,
        mapping: &ProcessMapping,
        bytes: f64,
        compute: f64,
        channels: &Channels,
    ) -> Result<Self> {
        let speeds = &channels.speeds;
        let largest = match guest.traffic() {
            Traffic::AllToAll { volume } if guest.pair_count() > 0 => *volume,
            Traffic::AllToAll { .. } => 0.0,
            Traffic::Messages(messages) => messages.iter().map(|m| m.volume).fold(0.0, f64::max),
        };
        let demand = Demand::new(fabric.topology, guest, mapping)?;
        let (mut latency, mut weight) = (0.0, 1.0);
        if (speeds.latency > 0.0 || speeds.node_latency > 0.0) && largest > 0.0 && bytes > 0.0 {
            let hops = Dilation::of(fabric, &demand, routing)?;
            latency = speeds.latency_of(hops.max);
            weight = speeds.weight(hops.mean);
        }
        let mut links = Vec::new();
        if largest > 0.0 && bytes > 0.0 {
            let loads = routing.loads(fabric, &demand)?;
            links = channels.of_guest(fabric, guest, mapping, &loads);
            links.iter_mut().for_each(|(_, load)| *load /= largest);
            fabric.give_back(loads);
        }
        Ok(PhaseUsage { compute, latency, bytes: bytes * largest, weight, links })
    }

    /// The rate of its messages where nothing else is sent, in bytes a second.
    pub fn alone(&self, channels: &Channels) -> f64 {
        let rate = |(link, uses): &(u32, f64)| channels.capacity[*link as usize] / uses;
        self.links.iter().map(rate).fold(channels.bound, f64::min)
    }
}
