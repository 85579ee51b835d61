//! What the rows of a sweep begin and end with; between them stand the figures of each kind of row.

use super::{Column, columns};

/// The cell of a row; what its kind of row does not use is none.
#[derive(Clone, Copy, Default)]
pub struct CellRow<'a> {
    /// The machine, as the plan writes it, and so on.
    pub topology: &'a str,
    /// The ordering.
    pub ordering: &'a str,
    /// The allocator.
    pub allocator: Option<&'a str>,
    /// The placement log.
    pub log: Option<&'a str>,
    /// The trace.
    pub trace: Option<&'a str>,
    /// Processors of a node, in traces.
    pub procs_per_node: Option<u32>,
    /// How the trace was changed.
    pub transform: Option<&'a str>,
    /// The policy.
    pub policy: Option<&'a str>,
    /// The runtime model.
    pub model: Option<&'a str>,
    /// The guest.
    pub guest: Option<&'a str>,
    /// The routing.
    pub routing: Option<&'a str>,
    /// The seed.
    pub seed: u64,
    /// The kind of row.
    pub group: &'a str,
    /// Why there are no figures.
    pub note: &'a str,
}

impl<'a> CellRow<'a> {
    /// What every row begins with.
    pub const FIRST: &'a [Column<Self>] = columns! {
        "topology", "", "The machine, as the plan writes it.", |r| r.topology;
        "ordering", "", "The ordering.", |r| r.ordering;
    };

    /// Those of the lists that the plan has.
    pub const LISTS: &'a [Column<Self>] = columns! {
        "allocator", "", "The allocator.", |r| r.allocator;
        "log", "", "The placement log.", |r| r.log;
        "trace", "", "The trace.", |r| r.trace;
        "procs_per_node", "", "Processors of a node, in traces.", |r| r.procs_per_node;
        "transform", "", "How the trace was changed, as options of `nodeorder trace transform`.", |r| r.transform;
        "policy", "", "The policy.", |r| r.policy;
        "model", "", "The runtime model.", |r| r.model;
        "guest", "", "The guest.", |r| r.guest;
        "routing", "", "The routing.", |r| r.routing;
    };

    /// Then, in every row.
    pub const GROUP: &'a [Column<Self>] = columns! {
        "seed", "", "The seed.", |r| r.seed;
        "group", "", "Which figures the row has: mpc, replay, schedule or mapping.", |r| r.group;
    };

    /// At the end of every row.
    pub const NOTE: &'a [Column<Self>] = columns! {
        "note", "", "Why the row has no figures, where it has none.", |r| r.note;
    };
}
