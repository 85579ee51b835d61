//! Throughput of routings with the best shares.

use super::{Column, columns, row};
use nodeorder_traffic::throughput::Throughput;

/// Columns that `map` adds for a routing whose shares were searched for.
pub const FOUND: &[Column<Throughput>] = columns! {
    "contention_floor", "volume / capacity",
        "The least that the highest load over capacity can be with these paths: proved.",
        |t| t.floor;
    "throughput", "",
        "The multiple of the traffic that the routing found carries: 1 over the highest load over capacity.",
        |t| t.carried_multiple();
    "throughput_at_most", "",
        "The multiple that no routing over these paths exceeds: proved.",
        |t| t.carried_at_most();
    "routing_gap", "",
        "The part by which the routing found may load links more than the best.",
        |t| t.relative_gap();
    valiant_share, "",
        "Share of the volume between routers that goes over an intermediate; missing where there are none.";
};

row! {
    /// Throughput of a machine under some traffic.
    pub struct ThroughputRow<'a> {
    }
    /// Columns of the command `throughput`.
    pub const ALL:
    traffic: &'a str, "",
        "The traffic; where it is no guest, each node sends 1 in all.";
    routing: &'a str, "", "Which links traffic takes.";
    throughput: f64, "",
        "The multiple of the traffic that the routing found carries, in capacities of a link.";
    throughput_at_most: f64, "",
        "The multiple that no routing over these paths exceeds: proved.";
    routing_gap: f64, "",
        "The part by which the first may stay below the best.";
    method: &'static str, "",
        "How it was found: classes (a fixed routing that a bound meets), exact (a linear \
         program), paths, flow, or fixed (the routing's shares are given).";
}

row! {
    /// All windows of one size of an ordering at once.
    #[derive(Clone, Copy, Debug)]
    pub struct WindowRow<'a> {
    }
    /// Columns of `throughput.csv`.
    pub const ALL:
    ordering: &'a str, "", "The ordering as it was given.";
    size: usize, "nodes", "Nodes of a job.";
    windows: usize, "jobs",
        "Jobs side by side: windows of consecutive ranks from the first on.";
    guest: &'a str, "",
        "The traffic between the nodes of each job; a node sends 1 on the mean.";
    routing: &'a str, "", "Which links traffic takes.";
    throughput: f64, "",
        "The multiple of the traffic of all jobs at once that the routing found carries.";
    throughput_at_most: f64, "",
        "The multiple that no routing over these paths exceeds: proved.";
    routing_gap: f64, "",
        "The part by which the first may stay below the best.";
    throughput_bound: Option<f64>, "",
        "Capacities of all links over the sum of volume times distance of these jobs: no routing \
         carries more. Empty where faster ways than links shorten distances.";
    alone: f64, "",
        "The multiple that the first window alone gets on an empty machine, whose links it borrows: not to rank by.";
    method: &'static str, "",
        "How it was found: classes, exact, paths, flow or fixed.";
}

/// Columns of a pair of a longest matching: `throughput --matching-out`, which `--guest` reads.
pub const MATCHED: &[Column<(u32, u32)>] = columns! {
    "source", "",
        "Position of the sending node among the machine's nodes by id.",
        |p| p.0;
    "target", "", "Position of the receiving node.",
        |p| p.1;
    "volume", "", "What it sends.",
        |_| 1.0;
};
