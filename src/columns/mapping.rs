//! Figures of a mapped guest, and the loads of links.

use super::{Column, column};
use crate::mapping::{Analysis, Bar};

/// A mapping and what it was made of.
pub struct MappingFigures<'a> {
    /// The machine.
    pub topology: &'a str,
    /// The guest.
    pub guest: &'a str,
    /// Its processes.
    pub processes: usize,
    /// What the mapping is called.
    pub mapping: &'a str,
    /// The ordering, where processes follow one.
    pub order: Option<&'a str>,
    /// The routing.
    pub routing: &'a str,
    /// Directed links of the machine.
    pub links: usize,
    /// What was found.
    pub analysis: &'a Analysis,
}

impl<'a> MappingFigures<'a> {
    /// Wherever a mapping is summed up.
    pub const ALL: &'a [Column<Self>] = &[
        column("dilation_max", "hops", "Longest mean path length of a pair of processes.", |r| {
            r.analysis.dilation.max.into()
        }),
        column("dilation_mean", "hops", "Mean path length of the traffic, by volume.", |r| {
            r.analysis.dilation.mean.into()
        }),
        column("dilation_mean_pairs", "hops", "Mean path length over pairs of processes.", |r| {
            r.analysis.dilation.mean_pairs.into()
        }),
        column("hop_bytes", "volume · hops", "Sum of volume times path length.", |r| {
            r.analysis.dilation.hop_bytes.into()
        }),
        column(
            "contention_max",
            "volume / capacity",
            "Highest load over capacity of a directed link.",
            |r| r.analysis.contention.max.into(),
        ),
        column(
            "contention_mean",
            "volume / capacity",
            "Mean load over capacity of all directed links.",
            |r| r.analysis.contention.mean.into(),
        ),
        column("links_used", "links", "Directed links that carry anything.", |r| {
            r.analysis.contention.used.into()
        }),
    ];

    /// In JSON and on the terminal besides.
    pub const MORE: &'a [Column<Self>] = &[
        column("topology", "", "The machine as it was given.", |r| r.topology.into()),
        column("guest", "", "The traffic as it was given.", |r| r.guest.into()),
        column("processes", "", "Processes of the guest.", |r| r.processes.into()),
        column("mapping", "", "What put the processes on nodes.", |r| r.mapping.into()),
        column("order", "", "The ordering that was given, if any.", |r| r.order.into()),
        column("routing", "", "Which links traffic takes.", |r| r.routing.into()),
        column("pairs", "pairs", "Ordered pairs of processes that communicate.", |r| {
            r.analysis.dilation.pairs.into()
        }),
        column("volume", "volume", "Sum of their volumes.", |r| r.analysis.dilation.volume.into()),
        column("share_between_routers", "", "Share of the volume that leaves its router.", |r| {
            r.analysis.share_between_routers.into()
        }),
        column("links", "links", "Directed links of the machine.", |r| r.links.into()),
        column("allocation.nodes", "nodes", "Nodes that hold processes.", |r| {
            r.analysis.allocation.nodes.into()
        }),
        column("allocation.routers", "routers", "The routers they are on.", |r| {
            r.analysis.allocation.routers.into()
        }),
        column("allocation.components", "", "Connected pieces of these routers.", |r| {
            r.analysis.allocation.components.into()
        }),
        column("allocation.aspl", "hops", "Mean distance of two of the nodes.", |r| {
            r.analysis.allocation.aspl.into()
        }),
        column("allocation.diameter", "hops", "Largest distance of two of the nodes.", |r| {
            r.analysis.allocation.diameter.into()
        }),
        column(
            "allocation.induced_aspl",
            "hops",
            "Mean distance over routers of the allocation only.",
            |r| r.analysis.allocation.induced_aspl.into(),
        ),
        column(
            "allocation.induced_diameter",
            "hops",
            "Largest distance over routers of the allocation only.",
            |r| r.analysis.allocation.induced_diameter.into(),
        ),
    ];
}

/// A directed link and what it carries.
pub struct LinkLoad {
    /// The router it leaves, and its name.
    pub from: (u32, String),
    /// The router it enters, and its name.
    pub to: (u32, String),
    /// What it carries.
    pub load: f64,
    /// What it can carry.
    pub capacity: f64,
}

/// Of every directed link.
pub const LINK: &[Column<LinkLoad>] = &[
    column("u", "", "The router that the link leaves.", |l| l.from.0.into()),
    column("v", "", "The router that it enters.", |l| l.to.0.into()),
    column("load", "volume", "The traffic it carries, before division by capacity.", |l| {
        l.load.into()
    }),
];

/// Of the busiest links besides.
pub const BUSIEST_LINK: &[Column<LinkLoad>] = &[
    column("from", "", "Name of the router `u`.", |l| l.from.1.as_str().into()),
    column("to", "", "Name of the router `v`.", |l| l.to.1.as_str().into()),
    column("capacity", "", "The link's capacity.", |l| l.capacity.into()),
    column("contention", "volume / capacity", "Its load over its capacity.", |l| {
        (l.load / l.capacity).into()
    }),
];

/// A bar of the histogram of contention.
pub const CONTENTION_BAR: &[Column<Bar>] = &[
    column("from", "volume / capacity", "Contention above this…", |b| b.from.into()),
    column("to", "volume / capacity", "…and up to this.", |b| b.to.into()),
    column("links", "links", "Directed links that have it.", |b| b.links.into()),
];

/// A bar of the histogram of path lengths: hops, pairs, volume.
pub const DILATION_BAR: &[Column<(usize, u64, f64)>] = &[
    column("hops", "hops", "Mean path length of a pair, rounded.", |b| b.0.into()),
    column("pairs", "pairs", "Ordered pairs of processes that have it.", |b| b.1.into()),
    column("volume", "volume", "Their volume.", |b| b.2.into()),
];
