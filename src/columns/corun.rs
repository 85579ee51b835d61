//! Jobs side by side, and how busy links were.

use super::{Column, columns};
use crate::corun::{JobOutcome, Outcome};
use crate::mapping::Fabric;

/// Of every job.
pub const JOB: &[Column<JobOutcome>] = columns! {
    "job", "", "The job's name.", |j| j.name.as_str();
    "processes", "processes", "Processes of its largest guest.", |j| j.processes;
    "iterations", "iterations", "Iterations it finished until every job had done those asked for.", |j| j.iterations;
    "seconds", "s", "Mean time of these iterations, beside the other jobs.", |j| j.seconds;
    "alone", "s", "Mean time of an iteration without other jobs.", |j| j.alone;
    "slowdown", "", "`seconds` over `alone`.", |j| j.slowdown();
};

/// What was simulated, and how it went.
pub struct CorunFigures<'a> {
    /// The machine.
    pub topology: &'a str,
    /// The routing.
    pub routing: &'a str,
    /// How closely messages were followed.
    pub level: &'a str,
    /// How they share links.
    pub fair: &'a str,
    /// Bytes a second of a link.
    pub bandwidth: f64,
    /// Seconds a hop.
    pub latency: f64,
    /// Iterations asked for.
    pub iterations: u64,
    /// What came of it.
    pub outcome: &'a Outcome,
}

impl<'a> CorunFigures<'a> {
    /// In JSON.
    pub const ALL: &'a [Column<Self>] = columns! {
        "topology", "", "The machine as it was given.", |r| r.topology;
        "routing", "", "Which links messages take.", |r| r.routing;
        "level", "", "`flow`: message by message; `job`: by the links that jobs share.", |r| r.level;
        "fair", "", "`flow`: messages share a link equally; `rtt`: by 1 over the latency of their routes.", |r| r.fair;
        "bandwidth", "B/s", "What a link of capacity 1 carries each way.", |r| r.bandwidth;
        "latency", "s", "Latency of a hop.", |r| r.latency;
        "iterations", "iterations", "Iterations that every job did at least.", |r| r.iterations;
        "seconds", "s", "Time until every job had done them.", |r| r.outcome.seconds;
        "utilisation_max", "", "Highest mean utilisation of a directed link.",
            |r| r.outcome.utilisation.iter().copied().fold(0.0, f64::max);
        "utilisation_mean", "", "Mean utilisation of all directed links.",
            |r| r.outcome.utilisation.iter().sum::<f64>() / (r.outcome.utilisation.len().max(1) as f64);
    };
}

/// A directed link and how busy it was.
pub struct LinkUse<'a> {
    /// The machine's links.
    pub fabric: &'a Fabric<'a>,
    /// The link's index.
    pub link: usize,
    /// Its mean utilisation.
    pub utilisation: f64,
}

impl<'a> LinkUse<'a> {
    /// Of every directed link.
    pub const ALL: &'a [Column<Self>] = columns! {
        "u", "", "The router that the link leaves.", |l| l.fabric.links.ends(l.link).0;
        "v", "", "The router that it enters.", |l| l.fabric.links.ends(l.link).1;
        "utilisation", "", "Share of what it could have carried until every job was done that it did carry.",
            |l| l.utilisation;
    };
}
