//! The load that a job puts on channels, as the job level sees it: bytes on each channel a byte of its largest
//! message.

use std::collections::BTreeMap;

use super::jobs::Phase;
use super::messages::JobSite;
use crate::mapping::{Demand, Dilation, Traffic};
use nodeorder_base::Result;

/// Load of one phase of a job on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseLoad {
    /// Seconds of computing before it sends.
    pub compute: f64,
    /// Seconds before the first byte arrives: the most hops of a message times the latency of one.
    pub latency: f64,
    /// Bytes of the largest message; 0 where nothing is sent.
    pub bytes: f64,
    /// Rate of a message relative to others on a shared channel: 1, or by the mean latency under [`super::Fair::Rtt`].
    pub weight: f64,
    /// Bytes a second of its largest message while nothing else is sent.
    pub rate: f64,
    /// Channels that it loads, by number in [`Channels`](super::Channels), ascending, with U: its bytes on the
    /// channel over the bytes of its largest message.
    pub channels: Vec<(u32, f64)>,
}

/// A job as the job level sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelLoad {
    /// The phases of an iteration, one after the other.
    pub phases: Vec<PhaseLoad>,
}

impl ChannelLoad {
    /// Adds up the loads of phases on channels.
    pub fn new(site: &JobSite<'_>, phases: &[Phase]) -> Result<Self> {
        let usages = phases.iter().map(|phase| PhaseLoad::new(site, phase));
        Ok(ChannelLoad {
            phases: usages.collect::<Result<_>>()?,
        })
    }

    /// Adds up the seconds of an iteration alone.
    pub fn time_alone(&self) -> f64 {
        self.phases
            .iter()
            .map(|phase| phase.compute + phase.latency + phase.sending_time())
            .sum()
    }

    /// Lists every channel that a phase loads, ascending, with the most that the job asks of it, in bytes a second.
    pub fn peak_demands(&self) -> Vec<(u32, f64)> {
        let mut most: BTreeMap<u32, f64> = BTreeMap::new();
        for phase in &self.phases {
            for (channel, uses) in &phase.channels {
                let most = most.entry(*channel).or_default();
                *most = most.max(uses * phase.rate);
            }
        }
        most.into_iter().collect()
    }
}

impl PhaseLoad {
    /// Adds up the load of one phase.
    fn new(site: &JobSite<'_>, phase: &Phase) -> Result<Self> {
        let JobSite {
            fabric,
            routing,
            mapping,
            channels,
        } = *site;
        let Phase {
            guest,
            bytes,
            compute,
            messages,
        } = phase;
        let speeds = &channels.speeds;
        let largest = match guest.traffic() {
            Traffic::AllToAll { volume } if guest.pair_count() > 0 => *volume,
            Traffic::AllToAll { .. } => 0.0,
            Traffic::Messages(messages) => messages.iter().map(|m| m.volume).fold(0.0, f64::max),
        };
        let mut usage = PhaseLoad {
            compute: *compute,
            latency: 0.0,
            bytes: bytes * largest,
            weight: 1.0,
            rate: channels.bound,
            channels: Vec::new(),
        };
        // Nothing is sent: no routes are needed.
        if usage.bytes <= 0.0 {
            return Ok(usage);
        }
        let demand = Demand::new(fabric.topology, guest, mapping)?;
        if speeds.latency > 0.0 || speeds.node_latency > 0.0 {
            let hops = Dilation::measure_paths(fabric, &demand, routing)?;
            usage.latency = messages * speeds.path_latency(hops.max);
            usage.weight = speeds.rate_weight(hops.mean);
        }
        // Alone, all messages go at one rate, that of the channel which is full first.
        let loads = routing.link_loads(fabric, &demand)?;
        usage.channels = channels.guest_channels(fabric, guest, mapping, &loads);
        fabric.recycle_loads(loads);
        for (channel, load) in &mut usage.channels {
            *load /= largest;
            usage.rate = usage.rate.min(channels.capacity[*channel as usize] / *load);
        }
        Ok(usage)
    }

    /// Computes the seconds of sending alone.
    pub fn sending_time(&self) -> f64 {
        if self.bytes > 0.0 {
            self.bytes / self.rate
        } else {
            0.0
        }
    }
}
