//! Jobs side by side, in time: how long an iteration of each takes while they share links.
//!
//! A job is a loop: it computes for some seconds, sends all messages of an iteration at once, and waits for all of
//! them. Two levels say what sharing costs:
//!
//! - **Flow level**: all messages in flight share links by max-min fairness, anew whenever a message or a
//!   computation ends.
//! - **Job level** ([`JobLevel`]): one rate a job alone, and the links it shares one by one. Much faster; also for
//!   jobs that come and go.
//!
//! Only directed links between routers are shared, each with its capacity times the bandwidth. A node's own link
//! bounds each message at the bandwidth; messages inside a router go at that rate. A message that a routing splits
//! over paths is one flow of one rate that loads each link by its share. A message costs hops · latency before its
//! first byte, and then its bytes over its rate; bytes that are cut into messages, one after the other, cost that
//! latency so many times.
//!
//! # References
//! Bertsekas, Gallager, "Data Networks", second edition, 1992, section 6.5.2 (max-min fairness by progressive
//! filling). Casanova, Marchal, "A Network Model for Simulation of Grid Application", INRIA RR-4596, 2002 (shares
//! by round-trip time).

mod filling;
mod flow_run;
mod job_level;
mod job_run;
mod jobs;
mod messages;
mod pattern;
mod side_by_side;
#[cfg(test)]
mod tests;
mod timing;
mod usage;

pub use job_level::JobLevel;
pub use jobs::{Job, Phase};
pub use side_by_side::{Detail, JobOutcome, Outcome, Settings, computing_times, side_by_side};
pub use timing::Span;
pub use usage::{JobUsage, PhaseUsage};

use crate::topology::RouterGraph;

/// How messages share a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fair {
    /// Equally.
    Flow,
    /// By 1 over the latency of the route, as long-lived TCP streams do and SimGrid's model CM02 has it; equally
    /// where the latency is 0.
    Rtt,
}

/// The network's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// Bytes a second of a link of capacity 1, and of a node's own link.
    pub bandwidth: f64,
    /// Seconds a hop.
    pub latency: f64,
    /// How messages share a link.
    pub fair: Fair,
}

impl Speeds {
    /// Bytes a second of every directed link.
    pub fn capacities(&self, links: &RouterGraph) -> Vec<f64> {
        (0..links.len()).map(|link| links.capacity(link) * self.bandwidth).collect()
    }

    /// How fast the rate of a message over so many hops grows among others.
    pub fn weight(&self, hops: f64) -> f64 {
        match self.fair {
            Fair::Rtt if self.latency > 0.0 && hops > 0.0 => 1.0 / hops,
            _ => 1.0,
        }
    }
}
