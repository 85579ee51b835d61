//! Figures of a mapped guest, and the loads of links.

use super::{Column, columns, row};
use nodeorder_base::NodeId;
use nodeorder_traffic::corun::Speeds;
use nodeorder_traffic::mapping::{Analysis, Bar, Fabric};

row! {
    /// A mapping of processes to nodes with its figures.
    pub struct MappingFigures<'a> {
        /// Dilation, contention and loads of the mapping.
        pub analysis: &'a Analysis,
        /// Mapping methods that the search had no time for; named in JSON where there are any.
        pub unfinished: &'a [&'static str],
        /// Bandwidths of links, node links and switches; only their ratios count.
        pub speeds: Speeds,
    }
    /// Further columns in JSON and on the terminal.
    pub const MORE:
    topology: &'a str, "", "The machine as it was given.";
    guest: &'a str, "", "The traffic as it was given.";
    processes: u32, "", "Processes of the guest.";
    mapping: &'a str, "", "What put the processes on nodes.";
    method: Option<&'static str>, "",
        "The mapping method that found it, if any.";
    order: Option<&'a str>, "", "The ordering that was given, if any.";
    routing: &'a str, "", "Which links traffic takes.";
    [pairs of analysis.dilation], "pairs",
        "Ordered pairs of processes that communicate.";
    [volume of analysis.dilation], "volume",
        "Sum of their volumes.";
    [share_between_routers of analysis], "",
        "Share of the volume that leaves its router.";
    links: usize, "links", "Directed links of the machine.";
    ["node_load_max"], "volume",
        "Largest volume that a node sends to other nodes or receives from them.",
        |r| r.analysis.node_loads.largest_volume();
    ["node_contention_max"], "volume / capacity",
        "`node_load_max` over what a node link carries, where a link of capacity 1 carries 1; missing where node links are free.",
        |r| r.speeds.node_links_shared.then(|| r.analysis.node_loads.largest_volume() * r.speeds.bandwidth / r.speeds.node_bandwidth);
    ["switch_contention_max"], "volume / capacity",
        "Largest volume through a switch over what a switch carries, in the same unit; missing where that is not limited.",
        |r| r.speeds.switch_bandwidth.is_finite().then(|| r.analysis.through_max * r.speeds.bandwidth / r.speeds.switch_bandwidth);
    ["nvlink_load_max"], "volume",
        "Highest load of a node's fast link inside its domain, either way; none without domains.",
        |r| r.analysis.domain_load.map(|load| load.max);
    ["nvlink_contention_max"], "volume / capacity",
        "`nvlink_load_max` over `nvlink_capacity`.",
        |r| r.analysis.domain_load.map(|load| load.contention);
    ["allocation.nodes"], "nodes", "Nodes that hold processes.",
        |r| r.analysis.allocation.nodes;
    ["allocation.routers"], "routers", "The routers they are on.",
        |r| r.analysis.allocation.routers;
    ["allocation.components"], "", "Connected pieces of these routers.",
        |r| r.analysis.allocation.components;
    ["allocation.aspl"], "hops", "Mean distance of two of the nodes.",
        |r| r.analysis.allocation.aspl;
    ["allocation.diameter"], "hops",
        "Largest distance of two of the nodes.",
        |r| r.analysis.allocation.diameter;
    ["allocation.induced_aspl"], "hops",
        "Mean distance over routers of the allocation only.",
        |r| r.analysis.allocation.induced_aspl;
    ["allocation.induced_diameter"], "hops",
        "Largest distance over routers of the allocation only.",
        |r| r.analysis.allocation.induced_diameter;
}

impl<'a> MappingFigures<'a> {
    /// Columns wherever a mapping is summed up.
    pub const ALL: &'a [Column<Self>] = columns! {
        "dilation_max", "hops",
            "Longest mean path length of a pair of processes.",
            |r| r.analysis.dilation.max;
        "dilation_mean", "hops",
            "Mean path length of the traffic, by volume.",
            |r| r.analysis.dilation.mean;
        "dilation_mean_pairs", "hops",
            "Mean path length over pairs of processes.",
            |r| r.analysis.dilation.mean_pairs;
        hop_bytes of analysis.dilation, "volume · hops",
            "Sum of volume times path length.";
        "contention_max", "volume / capacity",
            "Highest load over capacity of a directed link.",
            |r| r.analysis.contention.max;
        "contention_mean", "volume / capacity",
            "Mean load over capacity of all directed links.",
            |r| r.analysis.contention.mean;
        "links_used", "links", "Directed links that carry anything.",
            |r| r.analysis.contention.used;
    };
}

row! {
    /// A directed link and its load.
    pub struct LinkLoad<'a> {
        /// Routers and links of the machine.
        pub fabric: &'a Fabric<'a>,
        /// Capacity of the link; 1 unless the network says otherwise.
        pub capacity: f64,
    }
    /// Columns of every directed link.
    pub const ALL:
    u: u32, "", "The router that the link leaves.";
    v: u32, "", "The router that it enters.";
    load: f64, "volume",
        "The traffic it carries, before division by capacity.";
}

impl<'a> LinkLoad<'a> {
    /// Further columns of the busiest links.
    pub const BUSIEST: &'a [Column<Self>] = columns! {
        "from", "", "Name of the router `u`.",
            |l| l.fabric.router_name(l.u);
        "to", "", "Name of the router `v`.",
            |l| l.fabric.router_name(l.v);
        capacity, "", "The link's capacity.";
        "contention", "volume / capacity",
            "Its load over its capacity.",
            |l| l.load / l.capacity;
    };
}

/// Columns of a bar of the histogram of contention.
pub const CONTENTION_BAR: &[Column<Bar>] = columns! {
    from, "volume / capacity", "Contention above this…";
    to, "volume / capacity", "…and up to this.";
    links, "links", "Directed links that have it.";
};

/// Columns of a bar of the histogram of path lengths: hops, pairs, volume.
pub const DILATION_BAR: &[Column<(usize, u64, f64)>] = columns! {
    "hops", "hops", "Mean path length of a pair, rounded.",
        |b| b.0;
    "pairs", "pairs", "Ordered pairs of processes that have it.",
        |b| b.1;
    "volume", "volume", "Their volume.",
        |b| b.2;
};

/// Columns of `topology --edges`: a link of the router graph, once for its two directions.
pub const EDGE: &[Column<(u32, u32, f64, u32)>] = columns! {
    "u", "", "The router at one end.",
        |l| l.0;
    "v", "", "The router at the other.",
        |l| l.1;
    "capacity", "",
        "Capacity of each of its cables; the column is left out where all carry 1.",
        |l| l.2;
    "cables", "",
        "How many cables it is; the column is left out where each is one.",
        |l| l.3;
};

/// Columns of `topology --check`: a difference between two descriptions of one fabric (what, name, here, there).
pub const DIFFERENCE: &[Column<[String; 4]>] = columns! {
    "what", "",
        "Kind of difference: missing, added, renamed, moved, unit, switch, link, width, components, shape, unproved.",
        |d| d[0].as_str();
    "name", "", "The node, switch, link or unit.",
        |d| d[1].as_str();
    "here", "",
        "The item of the first description: a switch, a unit, cables or their capacity.",
        |d| d[2].as_str();
    "there", "", "What the second has.",
        |d| d[3].as_str();
};

/// Columns of a mapping file: a process and the id of its node.
pub const PROCESS: &[Column<(u32, NodeId)>] = columns! {
    "process", "", "The process, from 0.",
        |p| p.0;
    "node", "", "The id of the node that it runs on.",
        |p| p.1.0;
};

/// Columns of a mapping file by name: a process and the name of its node.
pub const NAMED_PROCESS: &[Column<(u32, String)>] = columns! {
    "process", "", "The process, from 0.",
        |p| p.0;
    "node", "", "The name of the node that it runs on.",
        |p| p.1.as_str();
};
