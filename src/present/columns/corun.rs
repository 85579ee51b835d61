//! Jobs side by side, and how busy links were.

use super::{Column, columns, row};
use nodeorder_traffic::corun::fit::Measured;
use nodeorder_traffic::corun::{JobOutcome, Outcome};
use nodeorder_traffic::mapping::Fabric;

/// Columns of every job.
pub const JOB: &[Column<JobOutcome>] = columns! {
    "job", "", "The job's name.",
        |j| j.name.as_str();
    processes, "processes", "Processes of its largest guest.";
    iterations, "iterations",
        "Iterations it finished until every job had done those asked for.";
    seconds, "s",
        "Mean time of these iterations while the other jobs run.";
    alone, "s",
        "Mean time of an iteration without other jobs.";
    "slowdown", "", "`seconds` over `alone`.",
        |j| j.slowdown();
};

row! {
    /// A measured row of a calibration, and its seconds by the fitted figures.
    pub struct FittedRow<'a> {
        /// Row as measured.
        pub row: &'a Measured,
    }
    /// Columns of every row.
    pub const ALL:
    [pattern of row], "", "What the nodes did.";
    ["nodes"], "", "The nodes, as given.",
        |r| r.row.nodes.as_str();
    [bytes of row], "B", "Bytes of each message.";
    [seconds of row], "s", "Seconds as measured.";
    fitted: f64, "s", "Seconds by the fitted figures.";
    ["off"], "", "`fitted` over `seconds`, less 1.",
        |r| r.fitted / r.row.seconds - 1.0;
}

row! {
    /// Settings and results of a simulation.
    pub struct CorunFigures<'a> {
        /// Times of the jobs, and how busy links were.
        pub outcome: &'a Outcome,
    }
    /// Columns of the JSON document.
    pub const ALL:
    topology: &'a str, "", "The machine as it was given.";
    routing: &'a str, "", "Which links messages take.";
    level: &'a str, "",
        "`flow`: message by message; `job`: by the links that jobs share.";
    fair: &'a str, "",
        "`flow`: messages share a link equally; `rtt`: by 1 over the latency of their routes.";
    bandwidth: f64, "B/s",
        "Bandwidth of a link of capacity 1, each way.";
    latency: f64, "s", "Latency of a hop.";
    node_links: &'a str, "",
        "`shared`: all that a node sends shares its node link, and all that it receives; `free`: each message is bounded by itself.";
    node_bandwidth: f64, "B/s", "What a node link carries each way.";
    switch_bandwidth: Option<f64>, "B/s",
        "Bandwidth of a switch in all, where that is limited.";
    iterations: u64, "iterations",
        "Iterations that every job did at least.";
    [seconds of outcome], "s",
        "Time until every job had done them.";
    ["utilisation_max"], "",
        "Highest mean utilisation of a directed link.",
        |r| r.outcome.utilisation.iter().copied().fold(0.0, f64::max);
    ["utilisation_mean"], "", "Mean utilisation of all directed links.",
        |r| r.outcome.utilisation.iter().sum::<f64>() / (r.outcome.links.max(1) as f64);
}

row! {
    /// A directed link and how busy it was.
    pub struct LinkUse<'a> {
        /// Routers and links of the machine.
        pub fabric: &'a Fabric<'a>,
        /// Index of the link in `fabric`.
        pub link: usize,
    }
    /// Columns of every directed link.
    pub const ALL:
    ["u"], "", "The router that the link leaves.",
        |l| l.fabric.links.link_ends(l.link).0;
    ["v"], "", "The router that it enters.",
        |l| l.fabric.links.link_ends(l.link).1;
    utilisation: f64, "",
        "Share of what it could have carried until every job was done that it did carry.";
}
