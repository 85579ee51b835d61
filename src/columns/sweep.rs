//! First and last columns of the rows of a sweep; the figures of each kind of row stand between them.

use super::{Column, part, row};

row! {
    /// The cell of a row; what its kind of row does not use is none.
    #[derive(Clone, Copy, Default)]
    pub struct CellRow<'a> {}
    /// All of them.
    pub const ALL:
    topology: &'a str, "", "The machine, as the plan writes it.";
    ordering: &'a str, "", "The ordering.";
    allocator: Option<&'a str>, "", "The allocator.";
    log: Option<&'a str>, "", "The placement log.";
    trace: Option<&'a str>, "", "The trace.";
    procs_per_node: Option<u32>, "", "Processors of a node, in traces.";
    transform: Option<&'a str>, "", "How the trace was changed, as options of `nodeorder trace transform`.";
    policy: Option<&'a str>, "", "The policy.";
    model: Option<&'a str>, "", "The runtime model.";
    guest: Option<&'a str>, "", "The guest.";
    routing: Option<&'a str>, "", "The routing.";
    seed: u64, "", "The seed.";
    group: &'a str, "", "Which figures the row has: mpc, replay, schedule or mapping.";
    note: &'a str, "", "Why the row has no figures, where it has none.";
}

impl<'a> CellRow<'a> {
    /// First columns of every row.
    pub const FIRST: &'a [Column<Self>] = part(Self::ALL, 0, 2);
    /// Columns of the plan's lists; a row has those of the lists that the plan uses.
    pub const LISTS: &'a [Column<Self>] = part(Self::ALL, 2, 11);
    /// Columns after the lists, in every row.
    pub const GROUP: &'a [Column<Self>] = part(Self::ALL, 11, 13);
    /// Last column of every row.
    pub const NOTE: &'a [Column<Self>] = part(Self::ALL, 13, 14);
}
